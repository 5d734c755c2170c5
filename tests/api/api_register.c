/* SPDX-License-Identifier: BSD-3-Clause */
/* The pose found, on generated scenes whose true pose is known. */
#include "api.h"

#include <math.h>

/* Source i is target i: the optimum is the truth to rounding, for every method, in 2-D and in 3-D. */
START_TEST(clean_whole_clouds_are_exact) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_TORUS, SCENE_ROOM, SCENE_OUTLINE};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.kind = kinds[k],
                               .source_count = 3000,
                               .seed = 1,
                               .same_sample = 1,
                               .angle = 4,
                               .shift = {0.01, -0.01, 0.005}};
      scene s = make_scene(&spec);
      const fricp_options options = options_for(method);
      const fricp_result r = register_scene(&s, NULL, &options);
      ck_assert_int_eq(r.converged, 1);
      ck_assert_int_eq(r.stop_reason, FRICP_STOP_CONVERGED);
      if (!(error_of(&s, &r.target_from_source) <= 1e-7))
        ck_abort_msg("%s by %s: off by %g", scene_kind_name((int)kinds[k]), fricp_method_name(method),
                     error_of(&s, &r.target_from_source));
      ck_assert_uint_eq(r.points_source, 3000);
      ck_assert_uint_eq(r.points_target, 3000);
      ck_assert_double_eq_tol(r.inlier_share, 1, 1e-12);
      ck_assert_double_le(r.inlier_rms, 1e-7 * s.diameter);
      ck_assert_int_eq(r.undetermined, 0);
      scene_free(&s);
    }
}
END_TEST

/* Below 0.081 degrees the authors' program refines nothing. */
START_TEST(small_rotations_are_recovered) {
  static const double angles[] = {0, 1e-4, 0.01, 0.05, 0.08};
  for (size_t a = 0; a < COUNT(angles); a++)
    for (int32_t method = 0; fricp_method_name(method); method++)
      for (int plane = 0; plane < 2; plane++) {
        const scene_spec spec = {.kind = plane ? SCENE_OUTLINE : SCENE_BLOB,
                                 .source_count = 4000,
                                 .seed = 2,
                                 .same_sample = 1,
                                 .angle = angles[a]};
        scene s = make_scene(&spec);
        const fricp_options options = options_for(method);
        const fricp_result r = register_scene(&s, NULL, &options);
        const double off = verify_angle_degrees(&r.target_from_source, &s.target_from_source);
        if (!(off <= 1e-5))
          ck_abort_msg("%s, %g degrees: off by %g", fricp_method_name(method), angles[a], off);
        scene_free(&s);
      }
}
END_TEST

/* Near half a turn, where logarithms lose their axis: guesses three degrees off. */
START_TEST(half_turns_are_refined) {
  static const double angles[] = {170, 175, 179, 179.99, 180};
  for (size_t a = 0; a < COUNT(angles); a++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.source_count = 3000, .seed = 3, .same_sample = 1, .angle = angles[a]};
      scene s = make_scene(&spec);
      const double axis[3] = {1, -2, 0.5};
      const fricp_pose off = turn(axis, 3, origin, origin);
      const fricp_pose guess = verify_multiply(&off, &s.target_from_source);
      const fricp_options options = options_for(method);
      const fricp_result r = register_scene(&s, &guess, &options);
      ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &s.target_from_source), 1e-5);
      ck_assert_int_eq(r.converged, 1);
      scene_free(&s);
    }
}
END_TEST

typedef struct partial_scene {
  scene_kind kind;
  double overlap, noise, outliers;
} partial_scene;

static const partial_scene partial_scenes[] = {
    {SCENE_BLOB, 0.75, 0, 0},      {SCENE_BLOB, 0.75, 0.002, 0.1}, {SCENE_BLOB, 0.5, 0, 0.1},
    {SCENE_TORUS, 0.75, 0, 0.1},   {SCENE_TORUS, 0.5, 0, 0},       {SCENE_ROOM, 0.75, 0.002, 0.1},
    {SCENE_ROOM, 0.5, 0.001, 0},   {SCENE_LIDAR, 0, 0.001, 0.05},  {SCENE_LIDAR, 0, 0, 0},
    {SCENE_OUTLINE, 0.75, 0, 0.1}, {SCENE_OUTLINE, 0.5, 0, 0},     {SCENE_LASER, 0, 0.001, 0.05},
};

static scene make_partial(const partial_scene *p, size_t count, uint64_t seed) {
  const int plane = p->kind == SCENE_OUTLINE || p->kind == SCENE_LASER;
  const scene_spec spec = {.kind = p->kind,
                           .source_count = plane ? 1000 : count,
                           .seed = seed,
                           .overlap = p->overlap,
                           .noise = p->noise,
                           .outliers = p->outliers,
                           .angle = 5,
                           .shift = {0.01, -0.01, 0.01}};
  return make_scene(&spec);
}

/* Independent samples of partly overlapping surfaces. Robust point-to-plane: the residual at the truth is the noise
 * times sqrt 2, and what curvature and edges make of the spacing h: second order on smooth shapes. The pose averages
 * them over the overlap. Bound: h / 10 and the noise of a single point. Averaged over n points it should be far less;
 * that a gross error passes is excluded. */
START_TEST(partial_scans_by_robust_point_to_plane) {
  for (size_t k = 0; k < COUNT(partial_scenes); k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      scene s = make_partial(&partial_scenes[k], 4000, seed);
      const fricp_cloud source = source_of(&s);
      const fricp_cloud target = target_of(&s);
      const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      const double bound = 0.1 * spacing_of(&target) / s.diameter + partial_scenes[k].noise;
      if (!(error_of(&s, &r.target_from_source) <= bound))
        ck_abort_msg("scene %zu, seed %d: off by %g, bound %g", k, (int)seed, error_of(&s, &r.target_from_source),
                     bound);
      ck_assert_int_eq(r.converged, 1);
      scene_free(&s);
    }
}
END_TEST

/* Point-to-point pairs are off along the surface by up to the spacing h, at random; half of it bounds their mean. The
 * paper names small overlap as this form's limit, so 0.75 it is. */
START_TEST(partial_scans_by_robust_point_to_point) {
  static const partial_scene scenes[] = {{SCENE_BLOB, 0.75, 0, 0},
                                         {SCENE_BLOB, 0.75, 0.001, 0.1},
                                         {SCENE_LIDAR, 0, 0.001, 0.05},
                                         {SCENE_OUTLINE, 0.75, 0, 0},
                                         {SCENE_LASER, 0, 0.001, 0.05}};
  for (size_t k = 0; k < COUNT(scenes); k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      scene s = make_partial(&scenes[k], 4000, seed);
      const fricp_cloud source = source_of(&s);
      const fricp_cloud target = target_of(&s);
      const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      const double bound = 0.5 * spacing_of(&target) / s.diameter;
      if (!(error_of(&s, &r.target_from_source) <= bound))
        ck_abort_msg("scene %zu, seed %d: off by %g, bound %g", k, (int)seed, error_of(&s, &r.target_from_source),
                     bound);
      scene_free(&s);
    }
}
END_TEST

/* Whoever prepares a target by default loses nothing: the same bits as in one call, where the method is known beforehand;
 * of targets without normals and of such where some points have one. */
START_TEST(a_target_by_default_serves_every_method) {
  static const scene_kind kinds[] = {SCENE_OUTLINE, SCENE_BLOB};
  fricp_solver *solver = solver_or_fail();
  for (size_t k = 0; k < UNLESS_SANITIZED(COUNT(kinds), 1); k++)
    for (int some = 0; some < 2; some++) {
      const scene_spec spec = {
          .kind = kinds[k], .source_count = 1500, .overlap = 0.8, .noise = 0.001, .angle = 4, .seed = 5};
      scene s = make_scene(&spec);
      const fricp_cloud source = source_of(&s);
      fricp_cloud cloud = target_of(&s);
      for (size_t i = 0; i < 3 * s.target_count; i += 7)
        s.target_normals[i] = NAN;
      if (!some)
        cloud.normals = NULL;
      fricp_target *prepared = target_or_fail(&cloud, NULL);
      for (int32_t method = 0; fricp_method_name(method); method++) {
        const fricp_options options = options_for(method);
        const fricp_result by_target = align_or_fail(solver, prepared, &source, NULL, &options);
        const fricp_result in_one = register_or_fail(&source, &cloud, NULL, &options);
        check_same_result(&by_target, &in_one);
      }
      fricp_target_destroy(prepared);
      scene_free(&s);
    }
  fricp_solver_destroy(solver);
}
END_TEST

/* The paper's claim, and this library's promise: on every scene, by every method, with and without coarse levels, no
 * accepted pose of a level raises the energy by more than rounding, and the pose returned is the last accepted one. */
START_TEST(energy_never_rises) {
  fricp_solver *solver = solver_or_fail();
  for (size_t k = 0; k < COUNT(partial_scenes); k++) {
    scene s = make_partial(&partial_scenes[k], 2000, 9); /* the least that has a coarse level */
    const fricp_cloud source = source_of(&s);
    const fricp_cloud cloud = target_of(&s);
    fricp_target *target = target_or_fail(&cloud, NULL);
    /* each method on every scene, in turn on all its points and from a coarse level on with a longer history */
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const int full = (int)(k + (size_t)method) % 2;
      fricp_options options = options_for(method);
      options.full_resolution = full;
      options.anderson_history = full ? 0 : 8;
      const fricp_result r = align_or_fail(solver, target, &source, NULL, &options);
      const fricp_trace_row *rows = NULL;
      const size_t count = fricp_solver_get_trace(solver, &rows);
      ck_assert_uint_ge(count, 1);
      double energy = INFINITY;
      int level = -1;
      size_t last = 0;
      for (size_t i = 0; i < count; i++) {
        if (rows[i].level != level) {
          level = rows[i].level;
          energy = INFINITY;
        }
        if (!rows[i].accepted) {
          ck_assert(!descends(method) || !(rows[i].energy < energy * (1 - 1e-14)));
          continue;
        }
        if (descends(method) && !(rows[i].energy <= energy * (1 + 1e-14)))
          ck_abort_msg("scene %zu, %s: level %d: energy rose from %.17g to %.17g", k, fricp_method_name(method), level,
                       energy, rows[i].energy);
        energy = rows[i].energy;
        last = i;
      }
      ck_assert(verify_same_bits(&rows[last].target_from_source, &r.target_from_source));
      ck_assert_double_eq(rows[last].energy, r.energy);
    }
    fricp_target_destroy(target);
    scene_free(&s);
  }
  fricp_solver_destroy(solver);
}
END_TEST

/* The energy told is the paper's sum at the pose told: recomputed by looking at every target point. */
START_TEST(energy_is_as_defined) {
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.kind = dimension == 3 ? SCENE_BLOB : SCENE_OUTLINE,
                               .source_count = 1500,
                               .overlap = 0.8,
                               .noise = 0.002,
                               .seed = 5,
                               .angle = 3};
      scene s = make_scene(&spec);
      const fricp_cloud source = source_for(method, &s);
      const fricp_cloud target = target_of(&s);
      const fricp_options options = options_for(method);
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      fricp_target *prepared = target_or_fail(&target, NULL);
      fricp_target_info info = FRICP_TARGET_INFO_INIT;
      ck_assert_int_eq(fricp_target_get_info(prepared, &info), FRICP_OK);
      fricp_target_destroy(prepared);
      const double gate = (dimension == 2 ? 1 : 1.5) * info.spacing;
      double energy = 0;
      for (size_t i = 0; i < s.source_count; i++) {
        double q[3];
        double squared;
        verify_apply(&r.target_from_source, s.source + 3 * i, q);
        const size_t at = nearest_by_looking(&target, q, &squared);
        if (method == FRICP_METHOD_AUTO) /* what is farther belongs to nothing, and counts as at it */
          squared = fmin(squared, gate * gate);
        if (by_planes(method, &target) && !(method == FRICP_METHOD_AUTO && squared >= gate * gate)) {
          const double along = residual_along(&s, method, &r.target_from_source, i, q, at);
          squared = along * along;
        }
        double lp = 0;
        if (is_sparse(method))
          (void)envelope_weight(sqrt(squared), r.nu_end, &lp);
        if (is_sparse(method))
          energy += lp;
        else if (r.nu_end > 0)
          energy += -expm1(-squared / (2 * r.nu_end * r.nu_end));
        else
          energy += squared / (info.extent * info.extent);
      }
      /* normals are kept as floats: 1e-7 of a residual that is itself summed as a square */
      ck_assert_double_le(fabs(r.energy - energy), (by_planes(method, &target) ? 1e-5 : 1e-9) * energy);
      scene_free(&s);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {clean_whole_clouds_are_exact,
                                small_rotations_are_recovered,
                                half_turns_are_refined,
                                partial_scans_by_robust_point_to_plane,
                                partial_scans_by_robust_point_to_point,
                                a_target_by_default_serves_every_method,
                                energy_never_rises,
                                energy_is_as_defined};
  return run_suite("register", tests, COUNT(tests));
}
