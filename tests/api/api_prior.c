/* SPDX-License-Identifier: BSD-3-Clause */
/* A Gaussian prior on the pose: it shifts the answer as the linear theory of two measurements says, by every method; it
 * decides what the surfaces leave open; and what is none is refused. */
#include "api.h"

#include <math.h>
#include <string.h>

static const double axis[3] = {0.3, -0.5, 0.81};

/* The pose at a twist x about c. */
static fricp_pose at_twist(const fricp_pose *from, const double x[6], const double c[3]) {
  const double angle = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const fricp_pose move = angle > 0 ? turn(x, angle * 57.295779513082321, c, x + 3) : turn(axis, 0, c, x + 3);
  return verify_multiply(&move, from);
}

/* m y = b by elimination, the rows and columns whose diagonal is 0 left out. */
static void solve(double m[6][6], double b[6], double y[6]) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++) {
      if (i == k || !(m[k][k] > 0))
        continue;
      const double f = m[i][k] / m[k][k];
      for (int j = 0; j < 6; j++)
        m[i][j] -= f * m[k][j];
      b[i] -= f * b[k];
    }
  for (int k = 0; k < 6; k++)
    y[k] = m[k][k] > 0 ? b[k] / m[k][k] : 0;
}

static double quadratic(const double m[6][6], const double x[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum += x[i] * m[i][j] * x[j];
  return sum;
}

/* About another centre: c' = c + d moves by v + a x d. information about c of what it is about c'. */
static void move_center(double m[6][6], const double d[3]) {
  const double k[3][3] = {{0, d[2], -d[1]}, {-d[2], 0, d[0]}, {d[1], -d[0], 0}}; /* v' = v + k a */
  double j[6][6] = {{0}};
  double half[6][6] = {{0}};
  for (int a = 0; a < 6; a++)
    j[a][a] = 1;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      j[3 + a][b] = k[a][b];
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      for (int e = 0; e < 6; e++)
        half[a][b] += m[a][e] * j[e][b];
  memset(m, 0, sizeof half);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      for (int e = 0; e < 6; e++)
        m[a][b] += j[e][a] * half[e][b];
}

/* Some information of about the clouds' own size, with all directions coupled. */
static void some_information(const fricp_result *r, prng *g, double out[6][6]) {
  double root[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      root[i][j] = (i == j) + 0.4 * prng_normal(g);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 6; k++)
        out[i][j] += root[i][k] * root[j][k];
      out[i][j] *= sqrt(r->information[i][i] * r->information[j][j]);
    }
}

/* Source points are the target's with so little noise that correspondences do not change, and the last width is so large
 * that all weigh alike: there the energy is a parabola, and theory exact, with the variance of the residuals at the answer. */
static fricp_options wide_options(int32_t method, const fricp_cloud *target, double sigma) {
  fricp_options options = options_for(method);
  options.nu_end_factor = 0.5;
  if (by_planes(method, target)) {
    fricp_target *prepared = target_or_fail(target, NULL);
    fricp_target_info info = FRICP_TARGET_INFO_INIT;
    ck_assert_int_eq(fricp_target_get_info(prepared, &info), FRICP_OK);
    options.nu_end_factor = 20 * sigma / info.plane_spacing;
    fricp_target_destroy(prepared);
  }
  return options;
}

/* Of a registration, its options, and what it found: a prior of about the clouds' own information, its pose some two standard
 * deviations off. @return how far its shift is from (I + K)^-1 K x, of that, by the information I. */
static double off_theory(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                         fricp_options *options, int dimension, prng *g) {
  const fricp_result r = register_or_fail(source, target, guess, options);
  fricp_prior prior = FRICP_PRIOR_INIT;
  double x[6];
  double sum[6][6];
  double right[6] = {0};
  double expected[6];
  double found[6];
  const double aside[3] = {0.4, -0.3, dimension == 3 ? 0.2 : 0};
  some_information(&r, g, prior.information);
  for (int i = 0; i < 6; i++)
    x[i] = r.information[i][i] > 0 ? 2 * prng_normal(g) / sqrt(r.information[i][i]) : 0;
  const fricp_pose rest = at_twist(&r.target_from_source, x, r.information_center);
  prior.pose = &rest;
  for (int a = 0; a < 3; a++)
    prior.center[a] = r.information_center[a] + aside[a];
  memcpy(sum, prior.information, sizeof sum);
  move_center(sum, aside);
  options->prior = &prior;
  const fricp_result with = register_or_fail(source, target, guess, options);
  options->prior = NULL;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      right[i] += sum[i][j] * x[j];
      sum[i][j] += with.information[i][j];
    }
  solve(sum, right, expected);
  verify_twist(&r.target_from_source, &with.target_from_source, r.information_center, found);
  for (int i = 0; i < 6; i++)
    found[i] -= expected[i];
  return sqrt(quadratic(r.information, found) / quadratic(r.information, expected));
}

static void check_theory(int32_t method, int dimension, uint64_t seed) {
  const scene_spec spec = {.kind = dimension == 3 ? SCENE_BLOB : SCENE_OUTLINE,
                           .source_count = dimension == 3 ? 1500 : 600,
                           .seed = seed,
                           .same_sample = 1,
                           .angle = 0.5};
  scene s = make_scene(&spec);
  prng g = prng_seed(seed, 7);
  const fricp_cloud target = target_of(&s);
  const int planes = by_planes(method, &target) || (dimension == 2 && fricp_method_needs_normals(method));
  const double sigma = (planes ? 0.01 : dimension == 3 ? 0.005 : 0.0003) * spacing_of(&target);
  for (size_t i = 0; i < s.source_count; i++)
    for (int a = 0; a < dimension; a++)
      s.source[3 * i + (size_t)a] += sigma * prng_normal(&g);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, dimension);
  fricp_options options = wide_options(method, &target, sigma);
  const double off = off_theory(&source, &target, &s.target_from_source, &options, dimension, &g);
  ck_assert_msg(off <= 0.01, "%s in %d-D: %g of the shift off", fricp_method_name(method), dimension, off);
  scene_free(&s);
}

START_TEST(the_shift_is_that_of_theory) {
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int32_t method = 0; fricp_method_name(method); method++)
      for (uint64_t seed = 1; seed <= 3; seed++)
        check_theory(method, dimension, seed);
}
END_TEST

/* Two samples with noise, options as they are: the clouds weigh as their information says, by one factor for all directions, so
 * that a quarter of the shift is off. By the residuals' variance alone they weigh too much, along curves by several times, and it
 * is 0.26 to 0.83. */
START_TEST(noisy_clouds_weigh_what_they_say) {
  static const struct {
    scene_kind kind;
    int32_t method;
    double noise, most;
  } places[] = {{SCENE_BLOB, FRICP_METHOD_AUTO, 0.001, 0.3},
                {SCENE_BLOB, FRICP_METHOD_AUTO, 0.004, 0.3},
                {SCENE_ROOM, FRICP_METHOD_AUTO, 0.001, 0.3},
                {SCENE_LASER, FRICP_METHOD_ROBUST_ICP, 0.001, 0.5}};
  for (size_t k = 0; k < COUNT(places); k++) {
    const scene_spec spec = {
        .kind = places[k].kind, .source_count = 4000, .noise = places[k].noise, .seed = 60 + k, .angle = 3};
    scene s = make_scene(&spec);
    prng g = prng_seed(61, k);
    const fricp_cloud source = source_of(&s);
    const fricp_cloud target = scene_view(s.target, s.target_count, NULL, s.dimension);
    fricp_options options = options_for(places[k].method);
    double mean = 0;
    for (int draw = 0; draw < 4; draw++)
      mean += off_theory(&source, &target, NULL, &options, s.dimension, &g) / 4;
    ck_assert_msg(mean <= places[k].most, "%s, noise %g: %g of the shift off", scene_kind_name((int)places[k].kind),
                  places[k].noise, mean);
    scene_free(&s);
  }
}
END_TEST

/* Along a corridor the surfaces say nothing: there the pose is the prior's, wherever the start was. What a prior says
 * nothing of stays open. */
START_TEST(a_prior_decides_what_surfaces_leave_open) {
  const scene_spec spec = {.kind = SCENE_CORRIDOR, .source_count = 4000, .noise = 0.0003, .angle = 1, .seed = 2};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = scene_view(s.target, s.target_count, NULL, 3);
  fricp_pose rest = s.target_from_source;
  rest.translation[0] += 0.4;
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_prior prior = FRICP_PRIOR_INIT;
    fricp_options options = options_for(method);
    options.prior = &prior;
    prior.pose = &rest;
    prior.information[4][4] = 100; /* across */
    fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_int_eq(r.undetermined, 1);
    ck_assert_double_ge(fabs(r.undetermined_directions[0][3]), 0.99);
    prior.information[3][3] = 4; /* along: to 0.5 */
    r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_msg(r.undetermined == 0, "%s: %d open", fricp_method_name(method), r.undetermined);
    ck_assert_double_le(r.information[3][3], 0.05 * r.information[4][4]); /* the clouds' alone */
    double x[6];
    const double center[3] = {0, 0, 0};
    verify_twist(&rest, &r.target_from_source, center, x);
    ck_assert_msg(fabs(x[3]) <= 0.01, "%s: %g off along the corridor", fricp_method_name(method), x[3]);
    ck_assert_msg(fabs(x[4]) <= 0.02 && fabs(x[5]) <= 0.02, "%s: %g %g off across", fricp_method_name(method), x[4],
                  x[5]);
  }
  scene_free(&s);
}
END_TEST

/* Next to certain: the pose is the prior's; with no information there is no prior, to the bit. The guess is its pose
 * where it has none. */
START_TEST(nothing_and_all) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 1500, .noise = 0.002, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  const fricp_pose guess = turn(axis, 2, origin, (const double[3]){0.01, 0.02, -0.01});
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_prior prior = FRICP_PRIOR_INIT;
    fricp_options options = options_for(method);
    const fricp_result without = register_or_fail(&source, &target, &guess, &options);
    options.prior = &prior;
    const fricp_result none = register_or_fail(&source, &target, &guess, &options);
    check_same_result(&without, &none);
    for (int a = 0; a < 6; a++)
      prior.information[a][a] = 1e18;
    const fricp_result held = register_or_fail(&source, &target, &guess, &options);
    ck_assert_msg(verify_max_difference(&held.target_from_source, &guess) <= 1e-7, "%s: %g", fricp_method_name(method),
                  verify_max_difference(&held.target_from_source, &guess));
  }
  scene_free(&s);
}
END_TEST

/* Deviations from 1e-40 to 1e40 of the clouds' unit, mixed, and a center far away: what is known for certain is the prior's,
 * of what is known to 1e40 the clouds decide as without a prior. */
START_TEST(a_deviation_may_have_any_size) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 500, .noise = 0.002, .angle = 3};
  static const double far[] = {0, 1e30};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  const fricp_pose guess = turn(axis, 2, origin, (const double[3]){0.01, 0.02, -0.01});
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int certain = 0; certain < 64; certain += 21)
      for (size_t c = 0; c < COUNT(far); c++) {
        fricp_prior prior = FRICP_PRIOR_INIT;
        fricp_options options = options_for(method);
        double x[6];
        options.max_iterations = 20;
        const fricp_result without = register_or_fail(&source, &target, &guess, &options);
        options.prior = &prior;
        prior.center[0] = far[c];
        for (int a = 0; a < 6; a++)
          prior.information[a][a] = certain >> a & 1 ? 1e80 : 1e-80;
        const fricp_result r = register_or_fail(&source, &target, &guess, &options);
        if (certain == 0)
          ck_assert_double_le(verify_max_difference(&r.target_from_source, &without.target_from_source), 1e-9);
        if (far[c] > 0)
          continue; /* shifts that far away are turns here */
        verify_twist(&guess, &r.target_from_source, prior.center, x);
        for (int a = 0; a < 6; a++)
          ck_assert_msg(!(certain >> a & 1) || fabs(x[a]) <= 1e-6, "%s, %d: coordinate %d is %g off",
                        fricp_method_name(method), certain, a, x[a]);
      }
  scene_free(&s);
}
END_TEST

/* What is locked stays exact, whatever the prior pulls at. */
START_TEST(locks_hold_against_a_prior) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 1500, .noise = 0.002};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  const fricp_pose rest = turn(axis, 3, origin, (const double[3]){0.05, -0.04, 0.06});
  fricp_prior prior = FRICP_PRIOR_INIT;
  prior.pose = &rest;
  for (int a = 0; a < 6; a++)
    prior.information[a][a] = 1e7;
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.prior = &prior;
    options.locked = FRICP_ONLY_PLANAR;
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(fabs(r.target_from_source.translation[2]), 1e-12);
    ck_assert_double_le(fabs(r.target_from_source.rotation[2][2] - 1), 1e-12);
    ck_assert_double_ge(r.target_from_source.translation[0], 0.001);
  }
  scene_free(&s);
}
END_TEST

START_TEST(the_same_bits_for_any_number_of_threads) {
  const scene_spec spec = {.kind = SCENE_ROOM, .source_count = 20000, .noise = 0.001, .angle = 4};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  fricp_prior prior = FRICP_PRIOR_INIT;
  for (int a = 0; a < 6; a++)
    prior.information[a][a] = 1e4;
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_result r[2];
    for (int k = 0; k < 2; k++) {
      fricp_options options = options_for(method);
      options.prior = &prior;
      options.locked = FRICP_ONLY_YAW_SHIFT;
      options.threads = k ? 4 : 1;
      r[k] = register_or_fail(&source, &target, NULL, &options);
    }
    ck_assert(verify_same_bits(&r[0].target_from_source, &r[1].target_from_source));
  }
  scene_free(&s);
}
END_TEST

static void check_refused(const fricp_prior *prior, fricp_status expected, const char *text) {
  fricp_options options = options_for(FRICP_METHOD_ICP);
  options.prior = prior;
  expect_refused(&options, expected, text);
}

START_TEST(what_is_no_prior_is_refused) {
  static const double bad[] = {-1, NAN, INFINITY};
  for (size_t k = 0; k < COUNT(bad); k++) {
    fricp_prior prior = FRICP_PRIOR_INIT;
    prior.information[1][1] = bad[k];
    check_refused(&prior, FRICP_ERROR_INVALID_ARGUMENT, "information");
  }
  fricp_prior skew = FRICP_PRIOR_INIT;
  skew.information[0][0] = skew.information[1][1] = 1;
  skew.information[0][1] = 0.5;
  check_refused(&skew, FRICP_ERROR_INVALID_ARGUMENT, "information");
  skew.information[0][1] = skew.information[1][0] = 2; /* an eigenvalue of -1 */
  check_refused(&skew, FRICP_ERROR_INVALID_ARGUMENT, "information");
  fricp_prior great = FRICP_PRIOR_INIT;
  great.information[3][3] = 1e250;
  check_refused(&great, FRICP_ERROR_INVALID_ARGUMENT, "information[3][3]");
  fricp_prior far = FRICP_PRIOR_INIT;
  far.center[2] = NAN;
  check_refused(&far, FRICP_ERROR_INVALID_ARGUMENT, "center");
  fricp_pose mirror = fricp_pose_identity();
  mirror.rotation[2][2] = -1;
  fricp_prior mirrored = FRICP_PRIOR_INIT;
  mirrored.pose = &mirror;
  check_refused(&mirrored, FRICP_ERROR_BAD_POSE, "prior");
}
END_TEST

int main(void) {
  const TTest *const tests[] = {the_shift_is_that_of_theory,
                                noisy_clouds_weigh_what_they_say,
                                a_prior_decides_what_surfaces_leave_open,
                                nothing_and_all,
                                a_deviation_may_have_any_size,
                                locks_hold_against_a_prior,
                                the_same_bits_for_any_number_of_threads,
                                what_is_no_prior_is_refused};
  return run_suite("prior", tests, COUNT(tests));
}
