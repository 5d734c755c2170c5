/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel trimmed. Expected: the pose a scene was made by; energies and weights by sorting all residuals. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1500 };

static fricp_options trimmed(int32_t metric, double share) {
  fricp_options options = options_for(FRICP_METHOD_ICP);
  options.metric = metric;
  options.kernel = FRICP_KERNEL_TRIMMED;
  options.kernel_shape = share;
  return options;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Three tenths of the source are shifted aside: what is left is found exactly, by each metric, where least squares is
 * pulled away. */
START_TEST(the_rest_is_found) {
  const scene_spec spec = {.source_count = N, .same_sample = 1, .seed = 1, .angle = 2};
  for (int32_t metric = 1; fricp_metric_name(metric); metric++) {
    scene s = make_scene(&spec);
    for (size_t i = 0; i < 3 * N / 10; i++)
      s.source[3 * i] += 0.4;
    const fricp_cloud source = scene_view(s.source, N, s.source_normals, 3);
    const fricp_cloud target = target_of(&s);
    fricp_options options = trimmed(metric, 0.65);
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
    ck_assert_int_eq(r.levels, 1);
    ck_assert_double_eq(r.nu_end, 0);
    options.kernel = FRICP_KERNEL_LEAST_SQUARES;
    options.kernel_shape = 0;
    const fricp_result all = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_ge(error_of(&s, &all.target_from_source), 1e-3);
    scene_free(&s);
  }
}
END_TEST

/* The energy is the sum of the smallest squares, the last one in part; weights are 1, 0, or that part. */
static void check_sums(const scene *s, const fricp_options *options, const double *weights) {
  fricp_cloud source = scene_view(s->source, N, s->source_normals, 3);
  source.weights = weights;
  const fricp_cloud target = target_of(s);
  fricp_target *prepared = target_or_fail(&target, NULL);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(prepared, &info), FRICP_OK);
  fricp_solver *solver = solver_or_fail();
  const fricp_result r = align_or_fail(solver, prepared, &source, NULL, options);
  static double residual[N];
  static double weight[N];
  static double row[N][2];
  ck_assert_int_eq(fricp_solver_get_points(solver, N, NULL, NULL, residual, weight), FRICP_OK);
  double all = 0;
  double taken = 0;
  double largest = 0;
  for (size_t i = 0; i < N; i++)
    largest = fmax(largest, weights ? weights[i] : 1);
  for (size_t i = 0; i < N; i++) {
    const double w = (weights ? weights[i] : 1) / largest;
    row[i][0] = residual[i] * residual[i];
    row[i][1] = w;
    all += w;
    taken += w * weight[i];
  }
  qsort(row, N, sizeof row[0], ascending);
  const double share = options->kernel_shape;
  double left = share * all;
  double energy = 0;
  double cut = INFINITY;
  for (size_t i = 0; i < N && left > 0; i++) {
    const double part = fmin(row[i][1], left);
    energy += part * row[i][0];
    left -= part;
    cut = left > 0 ? cut : row[i][0];
  }
  ck_assert_double_le(fabs(taken - share * all), 1e-9 * all);
  ck_assert_double_le(fabs(r.energy * info.extent * info.extent - largest * energy), 1e-9 * energy * largest);
  for (size_t i = 0; i < N; i++) {
    const double r2 = residual[i] * residual[i];
    const double expected = (!weights || weights[i] > 0) && r2 < cut ? 1 : 0;
    if (fabs(r2 / cut - 1) > 1e-9) /* the last one counts in part */
      ck_assert_double_eq_tol(weight[i], expected, 1e-9);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(prepared);
}

START_TEST(energy_and_weights_are_as_defined) {
  const scene_spec spec = {.source_count = N, .overlap = 0.7, .noise = 0.001, .seed = 2, .angle = 4};
  scene s = make_scene(&spec);
  double weights[N];
  for (size_t i = 0; i < N; i++)
    weights[i] = (double)(i * 7 % 4);
  static const double shares[] = {0.2, 0.55, 0.7, 1};
  for (int32_t metric = 1; fricp_metric_name(metric); metric++)
    for (size_t k = 0; k < COUNT(shares); k++)
      for (int weighted = 0; weighted < 2; weighted++) {
        const fricp_options options = trimmed(metric, shares[k]);
        check_sums(&s, &options, weighted ? weights : NULL);
      }
  scene_free(&s);
}
END_TEST

/* All of them: least squares, to the bit. */
START_TEST(a_share_of_one_is_least_squares) {
  scene s = scan_pair(3);
  for (int32_t metric = 1; fricp_metric_name(metric); metric++) {
    fricp_options options = trimmed(metric, 1);
    options.acceleration = FRICP_ACCELERATION_NONE;
    const fricp_result r = register_scene(&s, NULL, &options);
    options.kernel = FRICP_KERNEL_LEAST_SQUARES;
    options.kernel_shape = 0;
    const fricp_result all = register_scene(&s, NULL, &options);
    check_same_result(&r, &all);
  }
  scene_free(&s);
}
END_TEST

/* In every combination that changes correspondences: energies fall, threads change no bit, and without a limit what the
 * gate rejects is not what the share is made of. */
static int refuse_some(void *context, int32_t source, int32_t target, double d2) {
  (void)context;
  (void)target;
  (void)d2;
  return source % 5 != 0;
}

START_TEST(energies_fall_and_threads_change_nothing) {
  const scene_spec spec = {.source_count = 20000, .overlap = 0.6, .noise = 0.001, .seed = 4, .angle = 8};
  ready_pair p = ready_pair_make(make_scene(&spec));
  for (int kind = 0; kind < 8; kind++) {
    fricp_options options = trimmed(kind % 2 ? FRICP_METRIC_POINT_TO_PLANE : FRICP_METRIC_POINT_TO_POINT, 0.5);
    options.acceleration = kind & 2 ? FRICP_ACCELERATION_ANDERSON : FRICP_ACCELERATION_NONE;
    options.accept_pair = kind & 4 ? refuse_some : NULL;
    options.max_distance = kind & 4 ? 0 : 0.1;
    options.max_iterations = 60;
    const fricp_result one = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
    const fricp_trace_row *rows = NULL;
    const size_t count = fricp_solver_get_trace(p.solver, &rows);
    double energy = INFINITY;
    for (size_t i = 0; i < count; i++)
      if (rows[i].accepted) {
        ck_assert_double_le(rows[i].energy, energy);
        energy = rows[i].energy;
      }
    ck_assert_uint_gt(count, 3);
    options.threads = 3;
    const fricp_result three = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
    check_same_result(&one, &three);
  }
  ready_pair_free(&p);
}
END_TEST

START_TEST(identical_clouds_stay) {
  const scene_spec spec = {.source_count = N, .seed = 5};
  scene s = make_scene(&spec);
  const fricp_cloud cloud = target_of(&s);
  const fricp_pose identity = fricp_pose_identity();
  for (int32_t metric = 1; fricp_metric_name(metric); metric++) {
    const fricp_options options = trimmed(metric, 0);
    const fricp_result r = register_or_fail(&cloud, &cloud, NULL, &options);
    ck_assert_double_le(verify_max_difference(&r.target_from_source, &identity), 1e-9);
    ck_assert_double_le(r.energy, 1e-20);
    ck_assert_int_eq(r.converged, 1);
  }
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {the_rest_is_found, energy_and_weights_are_as_defined, a_share_of_one_is_least_squares,
                                energies_fall_and_threads_change_nothing, identical_clouds_stay};
  return run_suite("trimmed", tests, COUNT(tests));
}
