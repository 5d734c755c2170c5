/* SPDX-License-Identifier: BSD-3-Clause */
/* Per-point outcomes in the caller's indices; index lists, weights, gates, one-to-one pairs, inliers. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 800 };

typedef struct outcome {
  fricp_result result;
  int32_t match[N];
  double squared[N], residual[N], weight[N];
} outcome;

static void run(const fricp_cloud *source, const fricp_cloud *cloud, const fricp_options *options, outcome *out) {
  fricp_target *target = target_or_fail(cloud, NULL);
  fricp_solver *solver = solver_or_fail();
  out->result = align_or_fail(solver, target, source, NULL, options);
  ck_assert_int_eq(fricp_solver_get_points(solver, source->count, out->match, out->squared, out->residual, out->weight),
                   FRICP_OK);
  ck_assert_int_eq(fricp_solver_get_points(solver, source->count, NULL, NULL, NULL, NULL), FRICP_OK);
  ck_assert_int_eq(fricp_solver_get_points(solver, source->count + 1, out->match, NULL, NULL, NULL),
                   FRICP_ERROR_INVALID_ARGUMENT);
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
}

static void check_none(const outcome *o, size_t i) {
  ck_assert_int_eq(o->match[i], -1);
  ck_assert_double_eq(o->squared[i], -1);
  ck_assert(isnan(o->residual[i]));
  ck_assert_double_eq(o->weight[i], 0);
}

/* A point's line against looking at every target point. `reach`: points farther may be told as having none. */
static void check_point(const scene *s, const fricp_cloud *target, const outcome *o, size_t i, int32_t method,
                        double reach) {
  const int plane = by_planes(method, target);
  double q[3];
  double squared;
  verify_apply(&o->result.target_from_source, s->source + 3 * i, q);
  const size_t at = nearest_by_looking(target, q, &squared);
  if (o->match[i] < 0) {
    ck_assert_double_gt(sqrt(squared), reach * (1 - 1e-9));
    check_none(o, i);
    return;
  }
  ck_assert_int_eq(o->match[i], (int32_t)at);
  ck_assert_double_eq_tol(o->squared[i], squared, 1e-12);
  double residual = sqrt(squared);
  if (plane)
    residual = residual_along(s, method, &o->result.target_from_source, i, q, at);
  ck_assert_double_eq_tol(o->residual[i], residual, 1e-7);
  const double nu = o->result.nu_end;
  double energy;
  if (is_sparse(method) && fabs(residual / (1.5 * nu) - 1) < 1e-6)
    return; /* the weight jumps */
  const double weight = is_sparse(method) ? envelope_weight(fabs(residual), nu, &energy)
                        : nu > 0          ? exp(-residual * residual / (2 * nu * nu))
                                          : 1;
  ck_assert_double_eq_tol(o->weight[i], weight, plane ? 1e-3 : 1e-9); /* normals are floats, nu is small */
}

START_TEST(outcomes_are_in_the_callers_indices) {
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const scene_spec spec = {.source_count = N, .overlap = 0.8, .noise = 0.001, .seed = 1, .angle = 3};
    scene s = make_scene(&spec);
    for (size_t i = 0; i < N; i += 17)
      s.source[3 * i + i % 3] = i % 2 ? NAN : -INFINITY;
    for (size_t i = 5; i < s.target_count; i += 31)
      s.target[3 * i + 1] = NAN;
    int32_t picked[N];
    size_t count = 0;
    for (int32_t i = N - 1; i >= 0; i--)
      if (i % 3 != 1)
        picked[count++] = i;
    fricp_cloud source = source_for(method, &s);
    const fricp_cloud target = target_of(&s);
    source.indices = picked;
    source.index_count = count;
    const fricp_options options = options_for(method);
    outcome o;
    run(&source, &target, &options, &o);
    size_t used = 0;
    size_t inliers = 0;
    double squared = 0;
    /* proven far: the weight is below 1e-13, exp(-x^2 / 2) at x = 7.74; least squares and planes look everywhere,
     * auto by planes within 1.5 spacings */
    const double reach = method == FRICP_METHOD_ROBUST_ICP ? 7.7 * o.result.nu_end
                         : method == FRICP_METHOD_AUTO     ? 1.5 * o.result.inlier_distance /* the spacing */
                                                           : INFINITY;
    for (size_t i = 0; i < N; i++) {
      if (i % 3 == 1 || i % 17 == 0) {
        check_none(&o, i);
        continue;
      }
      used++;
      check_point(&s, &target, &o, i, method, reach);
      if (o.match[i] >= 0 && o.squared[i] <= o.result.inlier_distance * o.result.inlier_distance) {
        inliers++;
        squared += o.squared[i];
      }
    }
    ck_assert_uint_eq(o.result.points_source, used);
    ck_assert_uint_eq(o.result.points_source + o.result.skipped_source, count);
    ck_assert_uint_eq(o.result.points_target + o.result.skipped_target, s.target_count);
    ck_assert_uint_eq(o.result.skipped_target, (s.target_count - 5 + 30) / 31);
    ck_assert_uint_eq(o.result.inliers, inliers);
    ck_assert_double_eq_tol(o.result.inlier_share, (double)inliers / (double)used, 1e-12);
    ck_assert_double_eq_tol(o.result.inlier_rms, sqrt(squared / (double)inliers), 1e-9);
    scene_free(&s);
  }
}
END_TEST

/* Deleting the points that are not finite or not selected changes nothing. */
START_TEST(skipped_points_do_not_exist) {
  const scene_spec spec = {.source_count = N, .overlap = 0.8, .noise = 0.001, .seed = 2, .angle = 3};
  scene s = make_scene(&spec);
  double *kept = malloc(sizeof *kept * 3 * N);
  int32_t picked[N];
  ck_assert_ptr_nonnull(kept);
  size_t count = 0;
  size_t listed = 0;
  for (size_t i = 0; i < N; i++) {
    if (i % 11 == 3)
      s.source[3 * i + 2] = NAN;
    else if (i % 5 != 0)
      memcpy(kept + 3 * count++, s.source + 3 * i, 3 * sizeof *kept);
    if (i % 5 != 0)
      picked[listed++] = (int32_t)i;
  }
  const fricp_cloud target = target_of(&s);
  fricp_cloud source = source_of(&s);
  source.indices = picked;
  source.index_count = listed;
  const fricp_cloud bare = scene_view(kept, count, NULL, 3);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    fricp_result a = register_or_fail(&source, &target, NULL, &options);
    const fricp_result b = register_or_fail(&bare, &target, NULL, &options);
    ck_assert_uint_eq(a.skipped_source, listed - count);
    a.skipped_source = 0;
    check_same_result(&a, &b);
  }
  free(kept);
  scene_free(&s);
}
END_TEST

/* A weight of w is the point w times over; one of 0 is a point that is not there. Without acceleration, which magnifies
 * the rounding of differently ordered sums, and with the same nu (medians count points, not weights), the two walk the
 * same path. Normals are those of the surface: estimated ones are of all points, whatever they weigh. */
START_TEST(weights_are_multiplicities) {
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const scene_spec spec = {.kind = SCENE_LIDAR, .source_count = N, .noise = 0.001, .seed = 3, .angle = 3};
    scene s = make_scene(&spec);
    double weights[N];
    double *many = malloc(sizeof *many * 3 * 4 * N);
    double *normals = malloc(sizeof *normals * 3 * 4 * N);
    ck_assert(many && normals);
    size_t count = 0;
    for (size_t i = 0; i < N; i++) {
      weights[i] = (double)(i * 7 % 4);
      for (int w = 0; w < (int)weights[i]; w++, count++) {
        memcpy(many + 3 * count, s.source + 3 * i, 3 * sizeof *many);
        memcpy(normals + 3 * count, s.source_normals + 3 * i, 3 * sizeof *normals);
      }
    }
    const fricp_cloud target = target_of(&s);
    fricp_cloud weighted = source_for(method, &s);
    weighted.weights = weights;
    const fricp_cloud repeated = scene_view(many, count, weighted.normals ? normals : NULL, 3);
    fricp_options options = options_for(method);
    options.full_resolution = 1;
    options.anderson_history = -1;
    const fricp_result a = register_or_fail(&weighted, &target, NULL, &options);
    fricp_result b = register_or_fail(&repeated, &target, NULL, &options);
    if (a.nu_start > 0) {
      fricp_options same = options;
      same.nu_start_factor = 3 * a.nu_start / b.nu_start;
      b = register_or_fail(&repeated, &target, NULL, &same);
    }
    ck_assert_double_eq_tol(a.nu_start, b.nu_start, 1e-12);
    ck_assert_double_le(verify_rmse(&a.target_from_source, &b.target_from_source, s.source, N), 1e-8 * s.diameter);
    ck_assert_double_le(fabs(a.energy - b.energy), 1e-8 * b.energy);
    /* the scale of all weights is no matter to the pose */
    for (size_t i = 0; i < N; i++)
      weights[i] *= 1024;
    const fricp_result c = register_or_fail(&weighted, &target, NULL, &options);
    ck_assert_double_le(verify_max_difference(&a.target_from_source, &c.target_from_source), 1e-9 * s.diameter);
    free(normals);
    free(many);
    scene_free(&s);
  }
}
END_TEST

/* Half the source lies far from anything: without a limit it pulls least squares away, with one it does not exist. */
/* Where most weigh nothing, or next to nothing, levels on part of the points find those that do. Whole clouds of the same
 * points: the truth is the optimum, which point to point reaches from here with so many, and planes with any. */
START_TEST(points_that_weigh_nothing_are_not_there) {
  enum { MANY = 20000 };
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = MANY, .same_sample = 1, .seed = 8, .angle = 8};
  scene s = make_scene(&spec);
  double *weights = malloc(MANY * sizeof *weights);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int count = by_planes(method, &target) ? 50 : 3200; count <= 3200; count *= 64)
      for (int k = 0; k < 2; k++) {
        for (int i = 0; i < MANY; i++)
          weights[i] = i * 7919LL % MANY < count ? 1 : k * 1e-12;
        fricp_cloud source = source_for(method, &s);
        source.weights = weights;
        const fricp_options options = options_for(method);
        const fricp_result r = register_or_fail(&source, &target, NULL, &options);
        const double error = verify_rmse(&r.target_from_source, &s.target_from_source, s.source, MANY);
        ck_assert_msg(error <= 1e-6 * s.diameter, "%s, %d of %d points, %d: %g diameters off",
                      fricp_method_name(method), count, MANY, k, error / s.diameter);
      }
  free(weights);
  scene_free(&s);
}
END_TEST

START_TEST(max_distance_is_a_gate) {
  static const int32_t methods[] = {FRICP_METHOD_ICP, FRICP_METHOD_FAST_ICP, FRICP_METHOD_ICP_PLANE,
                                    FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  const scene_spec spec = {.source_count = N, .same_sample = 1, .seed = 4, .angle = 0.5};
  scene s = make_scene(&spec);
  for (size_t i = 1; i < N; i += 2)
    s.source[3 * i] += 0.4 * s.diameter;
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (size_t m = 0; m < COUNT(methods); m++) {
    fricp_options options = options_for(methods[m]);
    const double limit = 0.03 * s.diameter;
    options.max_distance = limit;
    outcome o;
    run(&source, &target, &options, &o);
    for (size_t i = 0; i < N; i++) {
      if (o.match[i] >= 0)
        ck_assert_double_le(sqrt(o.squared[i]), limit * (1 + 1e-9));
      else if (methods[m] != FRICP_METHOD_ROBUST_ICP) {
        double q[3];
        double squared;
        verify_apply(&o.result.target_from_source, s.source + 3 * i, q);
        (void)nearest_by_looking(&target, q, &squared);
        ck_assert_double_gt(sqrt(squared), limit * (1 - 1e-9));
      }
    }
    fricp_options none = options_for(FRICP_METHOD_ICP);
    const fricp_result pulled = register_or_fail(&source, &target, NULL, &none);
    const double with = verify_angle_degrees(&o.result.target_from_source, &s.target_from_source);
    ck_assert_double_le(with, 0.5); /* no worse than the start: some displaced points lie near the surface again */
    ck_assert_double_gt(verify_error_at(&pulled.target_from_source, &s.target_from_source, origin), 0.03 * s.diameter);
  }
  scene_free(&s);
}
END_TEST

/* A pair counts only if it is mutual: of the pairs told each target point has one source point, its nearest. */
START_TEST(reciprocal_pairs_are_mutual) {
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const scene_spec spec = {.source_count = N, .target_count = N / 2, .overlap = 0.8, .seed = 5, .angle = 3};
    scene s = make_scene(&spec);
    const fricp_cloud source = source_of(&s);
    const fricp_cloud target = target_of(&s);
    fricp_options options = options_for(method);
    options.reciprocal = 1;
    outcome o;
    run(&source, &target, &options, &o);
    const fricp_pose back = verify_inverse(&o.result.target_from_source);
    int used[N] = {0};
    int pairs = 0;
    for (size_t i = 0; i < N; i++) {
      if (o.match[i] < 0)
        continue;
      pairs++;
      ck_assert_int_eq(used[o.match[i]]++, 0);
      double p[3];
      double squared;
      verify_apply(&back, s.target + 3 * (size_t)o.match[i], p);
      ck_assert_uint_eq(nearest_by_looking(&source, p, &squared), i);
    }
    ck_assert_int_gt(pairs, N / 8);
    ck_assert_int_le(pairs, N / 2);
    scene_free(&s);
  }
}
END_TEST

/* House list 8: a point-to-plane match whose target point has no normal. Two level sheets, the upper one without
 * normals; half of the source lies a little above the lower one, the other half as much below the upper one, each over a point.
 * By definition all cost the same: a pose does not look better for what it lays on the upper one. */
START_TEST(a_match_without_a_normal_costs_its_distance) {
  enum { SIDE = 20, SHEET = SIDE * SIDE };
  const double off = 0.06; /* of the step of the grid */
  double source[3 * SHEET];
  double target[6 * SHEET];
  double normals[6 * SHEET] = {0};
  for (int i = 0; i < SHEET; i++) {
    const double x = i % SIDE;
    const double y = (double)(i / SIDE);
    const double lower[3] = {x, y, 0};
    const double upper[3] = {x, y, 0.6};
    const double between[3] = {x, y, i % 2 ? off : 0.6 - off};
    memcpy(target + 3 * i, lower, sizeof lower);
    memcpy(target + 3 * (SHEET + i), upper, sizeof upper);
    memcpy(source + 3 * i, between, sizeof between);
    normals[3 * i + 2] = 1;
  }
  fricp_cloud cloud = scene_view(target, (size_t)2 * SHEET, NULL, 3);
  cloud.normals = normals;
  const fricp_cloud view = scene_view(source, SHEET, NULL, 3);
  fricp_target *prepared = target_as_given(&cloud);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(prepared, &info), FRICP_OK);
  ck_assert_uint_eq(info.normals, SHEET);
  fricp_solver *solver = solver_or_fail();
  const fricp_options options = options_for(FRICP_METHOD_ICP_PLANE);
  (void)align_or_fail(solver, prepared, &view, NULL, &options);
  const fricp_trace_row *rows = NULL;
  ck_assert_uint_ge(fricp_solver_get_trace(solver, &rows), 1);
  ck_assert_double_eq_tol(rows[0].energy, SHEET * pow(off / info.extent, 2), 1e-12);
  fricp_solver_destroy(solver);
  fricp_target_destroy(prepared);
}
END_TEST

START_TEST(inlier_distance_is_as_asked) {
  const scene_spec spec = {.source_count = N, .overlap = 0.75, .noise = 0.001, .seed = 6, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    size_t before = 0;
    for (double share = 0.003; share < 0.9; share *= 3) {
      fricp_options options = options_for(method);
      options.inlier_distance = share * s.diameter;
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      size_t inliers = 0;
      for (size_t i = 0; i < N; i++) {
        double q[3];
        double squared;
        verify_apply(&r.target_from_source, s.source + 3 * i, q);
        (void)nearest_by_looking(&target, q, &squared);
        inliers += sqrt(squared) <= options.inlier_distance;
      }
      ck_assert_uint_eq(r.inliers, inliers); /* also where the kernel's own reach is shorter, or auto's */
      ck_assert_uint_ge(inliers, before);
      ck_assert_double_eq_tol(r.inlier_distance, options.inlier_distance, 1e-12);
      before = inliers;
    }
    ck_assert_uint_eq(before, N);
  }
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {outcomes_are_in_the_callers_indices,
                                skipped_points_do_not_exist,
                                weights_are_multiplicities,
                                max_distance_is_a_gate,
                                points_that_weigh_nothing_are_not_there,
                                reciprocal_pairs_are_mutual,
                                a_match_without_a_normal_costs_its_distance,
                                inlier_distance_is_as_asked};
  return run_suite("points", tests, COUNT(tests));
}
