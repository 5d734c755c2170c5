/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers at the edge of what can be worked with: a finite answer, or an error that names the culprit. And what must
 * not matter: the size of weights, the order of points. */
#include "api.h"
#include "prng.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

/* Under a sanitizer each method sees a third of the cases, and each case a third of the methods. */
static int is_tried(size_t number, int32_t method) {
  return !SANITIZED || (number + (size_t)method) % 3 == 0;
}

static int all_finite(const double *x, size_t count) {
  size_t bad = 0;
  for (size_t i = 0; i < count; i++)
    bad += !isfinite(x[i]);
  return bad == 0;
}

/* Every number of a result is finite, the pose a rotation. */
static void check_finite_result(const fricp_result *r) {
  ck_assert(verify_finite(&r->target_from_source) && verify_finite(&r->last_step));
  ck_assert_double_le(verify_orthonormality(&r->target_from_source), 1e-9);
  ck_assert(all_finite(&r->undetermined_directions[0][0], 36) && all_finite(&r->information[0][0], 36));
  ck_assert(all_finite(r->information_center, 3));
  const double numbers[] = {r->energy,     r->nu_start,        r->nu_end,          r->inlier_share,
                            r->inlier_rms, r->inlier_distance, r->seconds_prepare, r->seconds_solve};
  ck_assert(all_finite(numbers, COUNT(numbers)));
}

/* Any end but a bad one. @return 1 if there is a pose. */
static int try_register(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                        const fricp_options *options) {
  fricp_result r = FRICP_RESULT_INIT;
  fricp_error error;
  const fricp_status status = fricp_register(source, target, guess, options, &r, &error);
  if (status != FRICP_OK)
    ck_assert_str_ne(error.text, "");
  ck_assert_int_ne(status, FRICP_ERROR_NUMERICAL); /* what LAPACK cannot take is refused before */
  if (status == FRICP_OK)
    check_finite_result(&r);
  return status == FRICP_OK;
}

static void scale_into(const double *from, double scale, size_t count, double *to) {
  for (size_t i = 0; i < 3 * count; i++)
    to[i] = from[i] * scale;
}

static const double scales[] = {5e-324, 1e-300, 1e-200, 1e-140, 1e-59, 1e-38, 1e-10, 1, 1e10, 1e38, 1e74, 1e100, 1e149};

/* not_finite_query, svd_never_ends: each scale against each, by every method, from near and far. */
START_TEST(clouds_of_any_scales_end_well) {
  enum { FEW = 100 }; /* enough for a pose, and there are many pairs of scales */
  const scene_spec spec = {.source_count = FEW, .same_sample = 1, .seed = 1, .angle = 3};
  scene s = make_scene(&spec);
  double source[3 * FEW];
  double target[3 * FEW];
  const fricp_cloud from = scene_view(source, FEW, NULL, 3);
  const fricp_cloud to = scene_view(target, FEW, NULL, 3);
  int found = 0;
  for (size_t i = 0; i < COUNT(scales); i++)
    for (size_t j = 0; j < COUNT(scales); j++)
      for (int32_t method = 0; fricp_method_name(method); method++) {
        if (!is_tried(i + j, method))
          continue;
        scale_into(s.source, scales[i], FEW, source);
        scale_into(s.target, scales[j], FEW, target);
        fricp_pose guess = fricp_pose_identity();
        fricp_options options = options_for(method);
        options.max_iterations = 10;
        found += try_register(&from, &to, &guess, &options);
        guess.translation[1] = scales[COUNT(scales) - 1 - i];
        found += try_register(&from, &to, &guess, &options);
      }
  ck_assert_int_gt(found, 100); /* most scales can be worked with */
  scene_free(&s);
}
END_TEST

/* The same shape at any scale that is accepted: the same rotation. */
START_TEST(scales_within_reach_give_the_same_rotation) {
  const scene_spec spec = {.source_count = N, .same_sample = 1, .seed = 2, .angle = 3};
  scene s = make_scene(&spec);
  double source[3 * N];
  double target[3 * N];
  const fricp_cloud from = scene_view(source, N, NULL, 3);
  const fricp_cloud to = scene_view(target, N, NULL, 3);
  for (size_t i = 4; i < COUNT(scales) && scales[i] <= 1e74; i++) {
    scale_into(s.source, scales[i], N, source);
    scale_into(s.target, scales[i], N, target);
    const fricp_result r = register_or_fail(&from, &to, NULL, NULL);
    check_finite_result(&r);
    ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &s.target_from_source), 1e-6);
  }
  scene_free(&s);
}
END_TEST

/* max_distance: what cannot be squared is no limit. */
START_TEST(limits_too_long_to_be_squared_are_none) {
  const scene_spec spec = {.source_count = N, .seed = 3, .angle = 3};
  scene s = make_scene(&spec);
  static const double limits[] = {1e150, 1e155, 1.79e308, DBL_MAX};
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    const fricp_result without = register_scene(&s, NULL, &options);
    for (size_t k = 0; k < COUNT(limits); k++) {
      options = options_for(method);
      options.max_distance = limits[k];
      const fricp_result r = register_scene(&s, NULL, &options);
      check_finite_result(&r);
      check_same_result(&without, &r);
      options.inlier_distance = limits[k]; /* everything is within it */
      ck_assert_double_eq(register_scene(&s, NULL, &options).inlier_share, 1);
    }
  }
  scene_free(&s);
}
END_TEST

/* not_finite_pose */
START_TEST(guesses_beyond_reach_are_refused) {
  const scene_spec spec = {.source_count = N, .seed = 4, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int a = 0; a < UNLESS_SANITIZED(3, 1); a++)
    for (size_t k = 0; k < COUNT(scales); k++) {
      fricp_pose guess = fricp_pose_identity();
      guess.translation[a] = -scales[k];
      const int found = try_register(&source, &target, &guess, NULL);
      ck_assert(!found || scales[k] < 1e76);
    }
  fricp_pose guess = fricp_pose_identity();
  guess.translation[2] = 1e308;
  fricp_result r = FRICP_RESULT_INIT;
  fricp_error error;
  ck_assert_int_eq(fricp_register(&source, &target, &guess, NULL, &r, &error), FRICP_ERROR_BAD_POSE);
  ck_assert_ptr_nonnull(strstr(error.text, "translation[2]"));
  scene_free(&s);
}
END_TEST

/* Options at the ends of double's range: refused, or they do no harm. */
START_TEST(options_of_any_size_end_well) {
  const scene_spec spec = {.source_count = N, .seed = 5, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  static const size_t fields[] = {
      offsetof(fricp_options, max_distance),     offsetof(fricp_options, nu_start_factor),
      offsetof(fricp_options, nu_end_factor),    offsetof(fricp_options, translation_epsilon),
      offsetof(fricp_options, rotation_epsilon), offsetof(fricp_options, fitness_epsilon),
      offsetof(fricp_options, inlier_distance),  offsetof(fricp_options, time_limit)};
  static const double values[] = {DBL_TRUE_MIN, DBL_MIN, 1e-200, 1e-30, 1e8, 1e30, 1e154, 1e155, DBL_MAX};
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (size_t f = 0; f < COUNT(fields); f++)
      for (size_t v = 0; v < COUNT(values); v++) {
        if (!is_tried(f + v, method))
          continue;
        fricp_options options = options_for(method);
        options.max_iterations = 15;
        memcpy((char *)&options + fields[f], &values[v], sizeof values[v]);
        (void)try_register(&source, &target, NULL, &options);
      }
  scene_free(&s);
}
END_TEST

/* B41: the minimum of a sum is that of c times the sum, for any c; the energy is c times as large. */
START_TEST(weights_of_any_size) {
  static const double sizes[] = {1e-300, 1e-12, 1e-9, 0.37, 1, 1e9, 1e300, 1e304};
  const scene_spec spec = {.source_count = N, .overlap = 0.8, .noise = 0.002, .seed = 6, .angle = 3};
  scene s = make_scene(&spec);
  double weights[N];
  fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    source.weights = NULL;
    const fricp_result without = register_or_fail(&source, &target, NULL, &options);
    source.weights = weights;
    for (size_t k = 0; k < COUNT(sizes); k++) {
      for (int i = 0; i < N; i++)
        weights[i] = sizes[k];
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      check_finite_result(&r);
      ck_assert_double_le(verify_max_difference(&r.target_from_source, &without.target_from_source), 1e-9);
      ck_assert_double_eq_tol(r.information[0][0] / without.information[0][0], 1, 1e-6);
      if (sizes[k] < 1e301)
        ck_assert_double_eq_tol(r.energy / sizes[k] / without.energy, 1, 1e-9);
    }
  }
  scene_free(&s);
}
END_TEST

START_TEST(weights_of_many_sizes) {
  const scene_spec spec = {.source_count = N, .overlap = 0.8, .noise = 0.002, .seed = 7, .angle = 3};
  scene s = make_scene(&spec);
  double weights[N];
  int32_t heavy[N];
  size_t heavies = 0;
  for (int i = 0; i < N; i++) {
    weights[i] = i % 3 ? 1e300 : 1;
    if (i % 3)
      heavy[heavies++] = i;
  }
  fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  fricp_options options = options_for(FRICP_METHOD_ICP); /* no kernel width that is measured on all points alike */
  source.weights = weights;
  const fricp_result mixed = register_or_fail(&source, &target, NULL, &options);
  check_finite_result(&mixed);
  source.weights = NULL;
  source.indices = heavy;
  source.index_count = heavies;
  const fricp_result only = register_or_fail(&source, &target, NULL, &options);
  ck_assert_double_le(verify_max_difference(&mixed.target_from_source, &only.target_from_source), 1e-7);
  memset(weights, 0, sizeof weights);
  source = source_of(&s);
  source.weights = weights;
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_result r = FRICP_RESULT_INIT;
    fricp_error error;
    options = options_for(method);
    ck_assert_int_eq(fricp_register(&source, &target, NULL, &options, &r, &error), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "all weights are zero"));
  }
  scene_free(&s);
}
END_TEST

static void shuffle(double *points, double *normals, size_t count, uint64_t seed) {
  prng g = prng_seed(seed, 0);
  double *arrays[2] = {points, normals};
  for (size_t i = count - 1; i > 0; i--) {
    const size_t other = (size_t)prng_below(&g, i + 1);
    for (int k = 0; k < 2; k++)
      for (size_t a = 0; a < 3; a++) {
        const double x = arrays[k][3 * i + a];
        arrays[k][3 * i + a] = arrays[k][3 * other + a];
        arrays[k][3 * other + a] = x;
      }
  }
}

/* Weights that go with the points, whatever their order. */
static void weigh_by_place(const double *points, size_t count, double *weights) {
  for (size_t i = 0; i < count; i++)
    weights[i] = 1.5 + sin(7 * points[3 * i] + 5 * points[3 * i + 1] + 3 * points[3 * i + 2]);
}

/* The order of points: the same bits, source and target shuffled, in small clouds and in ones that are sampled. */
START_TEST(the_order_of_points_does_not_matter) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_ROOM, SCENE_LIDAR};
  static const size_t counts[] = {200, 1000, 21000};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (size_t c = 0; c < COUNT(counts); c++)
      for (int32_t method = 0; fricp_method_name(method); method++) {
        const scene_spec spec = {
            .kind = kinds[k], .source_count = counts[c], .overlap = 0.7, .noise = 0.003, .seed = 8 + c, .angle = 5};
        if (counts[c] > 20000 && (method > FRICP_METHOD_ROBUST_ICP_PLANE || method % 3 != (int32_t)k))
          continue; /* how points are sampled does not depend on the method: each on one large scene */
        scene s = make_scene(&spec);
        fricp_cloud source = source_of(&s);
        fricp_cloud target = scene_view(s.target, s.target_count, NULL, 3);
        const fricp_options options = options_for(method);
        const fricp_result first = register_or_fail(&source, &target, NULL, &options);
        shuffle(s.target, s.target_normals, s.target_count, 1);
        const fricp_result second = register_or_fail(&source, &target, NULL, &options);
        double *weights = malloc(counts[c] * sizeof *weights);
        weigh_by_place(s.source, counts[c], weights);
        source.weights = weights;
        const fricp_result weighed = register_or_fail(&source, &target, NULL, &options);
        shuffle(s.source, s.source_normals, s.source_count, 2);
        weigh_by_place(s.source, counts[c], weights);
        const fricp_result fourth = register_or_fail(&source, &target, NULL, &options);
        source.weights = NULL;
        const fricp_result third = register_or_fail(&source, &target, NULL, &options);
        check_same_result(&first, &second);
        check_same_result(&first, &third);
        check_same_result(&weighed, &fourth);
        free(weights);
        scene_free(&s);
      }
}
END_TEST

/* B39: fewer than three different places (in 2-D two) are refused, whichever cloud has them. */
START_TEST(too_few_places) {
  const scene_spec spec = {.source_count = N, .seed = 9, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud good = scene_view(s.target, N, NULL, 3);
  double many[3 * 40];
  for (size_t apart = 0; apart < 3; apart++) {
    static const double distance[] = {1, 1e-9, 1e-300};
    for (size_t i = 0; i < 40; i++)
      for (size_t a = 0; a < 3; a++)
        many[3 * i + a] = a == 0 && i % 3 == 1 ? distance[apart] : 0;
    const fricp_cloud places = scene_view(many, 40, NULL, 3);
    fricp_cloud three = places;
    three.count = 3; /* A, B, A */
    const fricp_cloud *clouds[] = {&places, &three};
    for (int k = 0; k < 2; k++)
      for (int which = 0; which < 2; which++) {
        fricp_result r = FRICP_RESULT_INIT;
        fricp_error error;
        const fricp_status status =
            fricp_register(which ? &good : clouds[k], which ? clouds[k] : &good, NULL, NULL, &r, &error);
        ck_assert(status == FRICP_ERROR_TOO_FEW_POINTS || (apart == 2 && status == FRICP_ERROR_INVALID_ARGUMENT));
        ck_assert_ptr_nonnull(strstr(error.text, which ? "target" : "source"));
      }
  }
  scene_free(&s);
}
END_TEST

/* Three places, but so close together that they are one to the source: no turn is made up. */
START_TEST(places_that_are_next_to_one) {
  const scene_spec spec = {.source_count = N, .seed = 11, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const double line[9] = {0, 0, 0, 1e-9, 0, 0, 2e-9, 0, 0};
  const double triangle[9] = {0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 0};
  const double *shapes[] = {line, triangle};
  const fricp_pose start = fricp_pose_identity();
  for (size_t k = 0; k < COUNT(shapes); k++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      if (fricp_method_needs_normals(method))
        continue;
      const fricp_cloud target = scene_view(shapes[k], 3, NULL, 3);
      const fricp_options options = options_for(method);
      fricp_result r = FRICP_RESULT_INIT;
      fricp_error error;
      if (fricp_register(&source, &target, NULL, &options, &r, &error) != FRICP_OK)
        continue;
      check_finite_result(&r);
      ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &start), 1e-4);
    }
  scene_free(&s);
}
END_TEST

/* converged is the truth: a source that a narrower kernel loses, and one that no step brings near. */
START_TEST(nothing_near_is_not_converged) {
  const scene_spec spec = {.source_count = N, .same_sample = 1, .seed = 10};
  scene s = make_scene(&spec);
  double source[3 * N];
  scale_into(s.source, 1e3, N, source); /* millimetres against metres */
  const fricp_cloud from = scene_view(source, N, NULL, 3);
  const fricp_cloud to = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    fricp_result r = FRICP_RESULT_INIT;
    fricp_error error;
    if (fricp_register(&from, &to, NULL, &options, &r, &error) != FRICP_OK)
      continue;
    ck_assert(r.inliers > 0 || !r.converged);
    ck_assert_double_lt(r.inlier_share, 0.05);
  }
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {clouds_of_any_scales_end_well,
                                scales_within_reach_give_the_same_rotation,
                                limits_too_long_to_be_squared_are_none,
                                guesses_beyond_reach_are_refused,
                                options_of_any_size_end_well,
                                weights_of_any_size,
                                weights_of_many_sizes,
                                the_order_of_points_does_not_matter,
                                too_few_places,
                                places_that_are_next_to_one,
                                nothing_near_is_not_converged};
  return run_suite("extremes", tests, COUNT(tests));
}
