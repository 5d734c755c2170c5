/* SPDX-License-Identifier: BSD-3-Clause */
/* Input that breaks registrations: identical, repeated, collinear, flat, tiny and wild clouds. A right answer or a
 * clear error, never a pose that is not one. */
#include "api.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first median distance is 0: nothing may be divided by it. */
START_TEST(identical_clouds) {
  for (int dimension = 2; dimension <= 3; dimension++) {
    const scene_spec spec = {.kind = dimension == 3 ? SCENE_BLOB : SCENE_OUTLINE, .source_count = 600, .seed = 1};
    scene s = make_scene(&spec);
    const fricp_cloud cloud = target_of(&s);
    const fricp_pose identity = fricp_pose_identity();
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const fricp_options options = options_for(method);
      const fricp_result r = register_or_fail(&cloud, &cloud, NULL, &options);
      ck_assert_double_le(verify_max_difference(&r.target_from_source, &identity), 1e-9);
      ck_assert_int_eq(r.converged, 1);
      ck_assert_int_le(r.iterations, 5);
      ck_assert_double_eq(r.inlier_rms, 0);
      ck_assert_double_eq(r.inlier_share, 1);
    }
    scene_free(&s);
  }
}
END_TEST

/* Most points equal, the others pushed off along their normals: the median is still 0. */
START_TEST(mostly_identical_clouds) {
  const scene_spec spec = {.source_count = 600, .seed = 2};
  scene s = make_scene(&spec);
  memcpy(s.source, s.target, sizeof(double) * 3 * 600);
  for (size_t i = 0; i < 600; i += 5)
    for (size_t a = 0; a < 3; a++)
      s.source[3 * i + a] += 0.3 * s.target_normals[3 * i + a];
  const fricp_pose identity = fricp_pose_identity();
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_options options = options_for(methods[m]);
    const fricp_result r = register_scene(&s, NULL, &options);
    ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &identity), 0.05);
    ck_assert_double_le(verify_translation(&r.target_from_source, &identity), 2e-3);
    ck_assert_int_eq(r.converged, 1);
  }
  scene_free(&s);
}
END_TEST

/* Every point of both clouds eight times: the same pose as once. A repeated target alone is no change at all; a
 * repeated source is the same sum eight times. */
START_TEST(everything_eight_times) {
  const scene_spec spec = {.kind = SCENE_LIDAR, .source_count = 700, .seed = 3, .noise = 0.001, .angle = 2};
  scene s = make_scene(&spec);
  double *many[3];
  const double *from[3] = {s.source, s.target, s.target_normals};
  for (int k = 0; k < 3; k++) {
    many[k] = malloc(sizeof(double) * 3 * 8 * 700);
    ck_assert_ptr_nonnull(many[k]);
    for (size_t i = 0; i < 8 * 700; i++)
      memcpy(many[k] + 3 * i, from[k] + 3 * (i % 700), 3 * sizeof(double));
  }
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  const fricp_cloud sources = scene_view(many[0], 8 * 700, NULL, 3);
  const fricp_cloud targets = scene_view(many[1], 8 * 700, many[2], 3);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.full_resolution = 1;
    options.anderson_history = -1; /* which magnifies the rounding of sums in another order */
    options.nu_end_factor = 0.4;   /* not from a sample of the target: eight copies are sampled elsewhere */
    const fricp_result once = register_or_fail(&source, &target, NULL, &options);
    const fricp_result target_only = register_or_fail(&source, &targets, NULL, &options);
    const fricp_result both = register_or_fail(&sources, &targets, NULL, &options);
    ck_assert_uint_eq(both.points_target, 8 * 700);
    ck_assert_uint_eq(both.points_source, 8 * 700);
    ck_assert_double_le(verify_max_difference(&once.target_from_source, &target_only.target_from_source), 1e-7);
    ck_assert_double_le(verify_max_difference(&once.target_from_source, &both.target_from_source), 1e-7);
    ck_assert_double_eq_tol(target_only.nu_end, once.nu_end, 1e-9);
    if (once.nu_end > 0) /* least squares: in units of the extent, which is measured on a sample */
      ck_assert_double_eq_tol(both.energy / once.energy, 8, 1e-5);
  }
  for (int k = 0; k < 3; k++)
    free(many[k]);
  scene_free(&s);
}
END_TEST

/* A heap of points at the sensor, as "no return" is often written: half of the target at its origin. It must neither
 * decide the spacing nor slow anything down beyond hope (the time limit of the whole suite). */
START_TEST(half_of_the_points_at_one_place) {
  enum { HEAP = 20000 };
  const scene_spec spec = {.kind = SCENE_LIDAR, .source_count = 5000, .target_count = 20000, .seed = 4, .angle = 2};
  scene s = make_scene(&spec);
  double *target = calloc(3 * (20000 + HEAP), sizeof *target);
  double *source = calloc(3 * (5000 + HEAP), sizeof *source);
  ck_assert(target && source);
  memcpy(target, s.target, sizeof(double) * 3 * 20000);
  memcpy(source, s.source, sizeof(double) * 3 * 5000);
  const fricp_cloud targets = scene_view(target, 20000 + HEAP, NULL, 3);
  const fricp_cloud sources = scene_view(source, 5000 + HEAP, NULL, 3);
  const fricp_cloud bare = scene_view(s.source, 5000, NULL, 3);
  for (int planes = 0; planes < 2; planes++) {
    const fricp_options options = options_for(planes ? FRICP_METHOD_ROBUST_ICP_PLANE : FRICP_METHOD_AUTO);
    const fricp_result r = register_or_fail(&bare, &targets, NULL, &options);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-3);
    (void)register_or_fail(&sources, &targets, NULL, &options); /* heap on heap: whatever it finds, it ends */
  }
  free(target);
  free(source);
  scene_free(&s);
}
END_TEST

/* Points on a line: laid on the line without a roll, which is told. */
START_TEST(collinear_clouds) {
  enum { N = 60 };
  double source[3 * N];
  double target[3 * N];
  const double direction[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
  const double across[3] = {2, -1, 0};
  const double center[3] = {0.5, 1, 1};
  const double shift[3] = {0.01, -0.02, 0.015};
  const fricp_pose truth = turn(across, 1.5, center, shift);
  for (size_t i = 0; i < N; i++) {
    const double at = (double)i * 0.03 + (double)(i * i) * 2e-4;
    for (size_t a = 0; a < 3; a++)
      source[3 * i + a] = at * direction[a];
    verify_apply(&truth, source + 3 * i, target + 3 * i);
  }
  const fricp_cloud from = scene_view(source, N, NULL, 3);
  const fricp_cloud to = scene_view(target, N, NULL, 3);
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ICP, FRICP_METHOD_FAST_ICP,
                                    FRICP_METHOD_ROBUST_ICP};
  const fricp_pose identity = fricp_pose_identity();
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_options options = options_for(methods[m]);
    const fricp_result r = register_or_fail(&from, &to, NULL, &options);
    ck_assert_double_le(verify_rmse(&r.target_from_source, &truth, source, N), 1e-3);
    ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &identity), 2);
    ck_assert_int_eq(r.undetermined, 1);
    double along = 0;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        along += r.undetermined_directions[0][a] * truth.rotation[a][b] * direction[b];
    ck_assert_double_ge(fabs(along), 0.999);
  }
}
END_TEST

/* Everything in the plane z = 0, taken as 3-D: the plane stays the plane. */
START_TEST(flat_clouds) {
  const scene_spec spec = {.kind = SCENE_OUTLINE, .source_count = 500, .same_sample = 1, .seed = 6, .angle = 2};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, 500, NULL, 3);
  fricp_cloud target = scene_view(s.target, 500, NULL, 3);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    if (fricp_method_needs_normals(method))
      continue;
    const fricp_options options = options_for(method);
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
    ck_assert_double_le(fabs(r.target_from_source.rotation[2][2] - 1), 1e-9);
    ck_assert_double_le(fabs(r.target_from_source.translation[2]), 1e-9);
  }
  /* normals across the plane: planes say nothing about x, y and the turn about z */
  double up[1500] = {0};
  for (size_t i = 0; i < 500; i++)
    up[3 * i + 2] = 1;
  target.normals = up;
  const fricp_pose identity = fricp_pose_identity();
  static const int32_t methods[] = {FRICP_METHOD_ICP_PLANE, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_options options = options_for(methods[m]);
    fricp_result r = FRICP_RESULT_INIT;
    const fricp_status status = fricp_register(&source, &target, NULL, &options, &r, NULL);
    ck_assert_double_le(verify_max_difference(&r.target_from_source, &identity), 1e-9);
    ck_assert(status != FRICP_OK || r.undetermined == 3);
  }
  scene_free(&s);
}
END_TEST

START_TEST(tiny_clouds) {
  const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
  const double two[4] = {0, 0, 3, 1};
  double moved[9];
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {0.05, -0.02, 0};
  const fricp_pose truth = turn(axis, 5, origin, shift);
  for (int i = 0; i < 3; i++)
    verify_apply(&truth, triangle + 3 * (size_t)i, moved + 3 * (size_t)i);
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ICP, FRICP_METHOD_FAST_ICP,
                                    FRICP_METHOD_ROBUST_ICP};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_options options = options_for(methods[m]);
    const fricp_cloud source = scene_view(triangle, 3, NULL, 3);
    const fricp_cloud target = scene_view(moved, 3, NULL, 3);
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(verify_max_difference(&r.target_from_source, &truth), 1e-7);
    double flat[6];
    for (size_t i = 0; i < 2; i++) {
      double q[3] = {two[2 * i], two[2 * i + 1], 0};
      verify_apply(&truth, q, q);
      flat[2 * i] = q[0];
      flat[2 * i + 1] = q[1];
    }
    fricp_cloud a = FRICP_CLOUD_INIT;
    a.points = two;
    a.count = 2;
    a.dimension = 2;
    fricp_cloud b = a;
    b.points = flat;
    const fricp_result q = register_or_fail(&a, &b, NULL, &options);
    ck_assert_double_le(verify_max_difference(&q.target_from_source, &truth), 1e-7);
  }
}
END_TEST

/* "No return" written as the largest float, or a few wild points: they are outliers, and the rest is found. Both clouds
 * have them, so that they are each other's nearest. */
START_TEST(wild_points) {
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  static const double wild[] = {1e3, 1e6, 1e10, (double)FLT_MAX, 1e100, 1e149};
  for (size_t k = 0; k < COUNT(wild); k++)
    for (int where = 1; where <= 3; where++)
      for (size_t m = 0; m < COUNT(methods); m++) {
        const scene_spec spec = {.source_count = 3000, .same_sample = 1, .seed = 7, .angle = 3};
        scene s = make_scene(&spec);
        for (size_t i = 0; i < 3000; i += 600)
          for (size_t a = 0; a < 3; a++) {
            if (where & 1)
              s.source[3 * i + a] = wild[k];
            if (where & 2)
              s.target[3 * i + a] = a == i / 600 % 3 ? -wild[k] : wild[k];
          }
        const fricp_options options = options_for(methods[m]);
        const fricp_result r = register_scene(&s, NULL, &options);
        const double off = verify_angle_degrees(&r.target_from_source, &s.target_from_source);
        if (!(off <= 0.01))
          ck_abort_msg("%s, wild points %g in %d: %g degrees off", fricp_method_name(options.method), wild[k], where,
                       off);
        ck_assert(isfinite(r.energy) && isfinite(r.nu_start) && isfinite(r.inlier_rms));
        scene_free(&s);
      }
}
END_TEST

/* A source in millimetres against a target in metres, or somewhere else altogether: an end, and an honest one. */
START_TEST(clouds_that_do_not_fit) {
  static const double scales[] = {1e3, 1e-3, 1e9, 1e-9};
  static const double offsets[] = {0, 1e3, 1e8};
  for (size_t k = 0; k < COUNT(scales); k++)
    for (size_t o = 0; o < COUNT(offsets); o++)
      for (int32_t method = 0; fricp_method_name(method); method++) {
        /* beyond what floats resolve every target point is looked at: fewer then */
        const scene_spec spec = {
            .source_count = scales[k] > 1e6 ? 100 : UNLESS_SANITIZED(500, 200), .seed = 8, .angle = 3};
        scene s = make_scene(&spec);
        for (size_t i = 0; i < 3 * s.source_count; i++)
          s.source[i] = s.source[i] * scales[k] + offsets[o];
        const fricp_cloud source = source_of(&s);
        const fricp_cloud target = target_of(&s);
        const fricp_options options = options_for(method);
        fricp_result r = FRICP_RESULT_INIT;
        fricp_error error;
        const fricp_status status = fricp_register(&source, &target, NULL, &options, &r, &error);
        ck_assert(verify_finite(&r.target_from_source));
        ck_assert_double_le(verify_orthonormality(&r.target_from_source), 1e-12);
        if (status != FRICP_OK)
          ck_assert_str_ne(error.text, "");
        else
          ck_assert(isfinite(r.energy));
        scene_free(&s);
      }
}
END_TEST

/* A start a kilometre away from a target of two metres: the surfaces are far, the answer is not. */
START_TEST(starts_from_afar) {
  static const double away[] = {10, 1e3, 1e6};
  for (size_t k = 0; k < COUNT(away); k++) {
    const scene_spec spec = {.source_count = 3000, .same_sample = 1, .seed = 9, .angle = 3};
    scene s = make_scene(&spec);
    for (size_t i = 0; i < s.source_count; i++)
      s.source[3 * i] += away[k];
    const double axis[3] = {1, 0, 0};
    const double shift[3] = {-away[k], 0, 0};
    const fricp_pose back = turn(axis, 0, origin, shift);
    const fricp_pose truth = verify_multiply(&s.target_from_source, &back);
    for (int robust = 0; robust < 2; robust++) {
      const fricp_options options = options_for(robust ? FRICP_METHOD_ROBUST_ICP : FRICP_METHOD_AUTO);
      const fricp_result r = register_scene(&s, NULL, &options);
      ck_assert_double_le(verify_rmse(&r.target_from_source, &truth, s.source, s.source_count), 1e-6);
    }
    scene_free(&s);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {identical_clouds,
                                mostly_identical_clouds,
                                everything_eight_times,
                                half_of_the_points_at_one_place,
                                collinear_clouds,
                                flat_clouds,
                                tiny_clouds,
                                wild_points,
                                clouds_that_do_not_fit,
                                starts_from_afar};
  return run_suite("degenerate", tests, COUNT(tests));
}
