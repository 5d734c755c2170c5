/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over the source: correspondences reused between them are those of brute force at every pose, the sums are
 * those of a plain loop, and threads change no bit. */
#include "prng.h"
#include "scenario.h"
#include "scene.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The two clouds are samples of the same kind. */
static void scenario_make(scenario *s, cloud_kind kind, size_t source_count, size_t target_count, fr_metric_id metric,
                          fr_kernel_id kernel, fr_isa isa) {
  double(*from)[3] = cloud_make(kind, source_count, 1);
  double(*to)[3] = cloud_make(kind, target_count, 2);
  double *weights = malloc(source_count * sizeof *weights);
  ck_assert_ptr_nonnull(weights);
  for (size_t i = 0; i < source_count; i++)
    weights[i] = (double)(i % 5) / 2;
  fricp_cloud given = scene_view(&from[0][0], source_count, NULL, 3);
  const fricp_cloud cloud = scene_view(&to[0][0], target_count, NULL, 3);
  given.weights = weights;
  scenario_of(s, &given, &cloud, 1, metric, kernel, isa);
  free(weights);
  free(from);
  free(to);
}

static void moved_point(const scenario *s, const fricp_pose *pose, size_t i, double y[3]) {
  for (int a = 0; a < 3; a++)
    y[a] = pose->rotation[a][0] * s->source.x[0][i] + pose->rotation[a][1] * s->source.x[1][i] +
           pose->rotation[a][2] * s->source.x[2][i] + pose->translation[a];
}

/* The nearest target point; of several the one with the lowest index. */
static int32_t nearest_of_all(const fricp_target *target, const double y[3], double *d2) {
  int32_t best = -1;
  *d2 = INFINITY;
  for (size_t i = 0; i < target->count; i++) {
    const double distance2 = fr_distance2(y, target->points[i]);
    if (distance2 < *d2 || (distance2 == *d2 && target->index[i] < target->index[best])) {
      *d2 = distance2;
      best = (int32_t)i;
    }
  }
  return best;
}

/* Every recorded match of the last pass against brute force. Without a limit all must match. */
static void check_matches(const scenario *s, const fricp_pose *pose, double limit, size_t points, int pass) {
  for (size_t i = 0; i < points; i++) {
    double y[3];
    double d2;
    moved_point(s, pose, i, y);
    int32_t expected = nearest_of_all(s->target, y, &d2);
    if (!(d2 <= limit * limit))
      expected = -1;
    if (s->matches.match[i] != expected || (expected >= 0 && s->matches.distance2[i] != d2))
      ck_abort_msg("pass %d: point %zu matched %d at %.17g, brute force says %d at %.17g, limit %g", pass, i,
                   s->matches.match[i], s->matches.distance2[i], expected, d2, limit);
  }
}

/* As the driver's poses: long steps first, then ever shorter ones, now and then a jump or a return. */
static void walk(prng *g, fricp_pose *pose, int pass) {
  fr_twist x;
  const double size = pass % 41 == 40 ? 1 : pow(10, -1 - 4.0 * (pass % 50) / 50) * prng_uniform(g);
  prng_direction(g, x.v);
  prng_direction(g, x.v + 3);
  for (int k = 0; k < 6; k++)
    x.v[k] *= size;
  const fricp_pose step = fr_exp(&x);
  *pose = fricp_pose_multiply(&step, pose);
  fr_reorthonormalize(pose->rotation);
  for (int a = 0; a < 3; a++)
    pose->translation[a] *= 0.9; /* comes back */
}

START_TEST(reused_matches_are_those_of_brute_force) {
  static const cloud_kind kinds[] = {CLOUD_RANDOM, CLOUD_GRID, CLOUD_FLAT, CLOUD_CLUSTERS, CLOUD_DUPLICATES};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
      scenario s;
      scenario_make(&s, kinds[k], 300, 500, FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, (fr_isa)isa);
      fricp_pose pose = fricp_pose_identity();
      prng g = prng_seed(7, k);
      for (int pass = 0; pass < 400; pass++) {
        s.pass.max_distance = pass % 100 < 60 ? INFINITY : 0.05 + 0.01 * (pass % 10);
        ck_assert_int_eq(fr_pass_run(&s.pass, &pose, 0, s.source.count, 0, 1), 0);
        check_matches(&s, &pose, s.pass.max_distance, s.source.count, pass);
        walk(&g, &pose, pass);
      }
      scenario_free(&s);
    }
}
END_TEST

/* With Welsch's kernel the limit is the cutoff, which shrinks and grows with nu; prefixes shorten the loop. */
START_TEST(limits_of_the_kernel_are_exact) {
  scenario s;
  scenario_make(&s, CLOUD_RANDOM, 700, 600, FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, fr_best_isa());
  fricp_pose pose = fricp_pose_identity();
  prng g = prng_seed(8, 0);
  for (int pass = 0; pass < 500; pass++) {
    const double nu = 0.2 * pow(0.5, pass % 9);
    const double widen = pass % 7 == 0 ? 0.1 : 0;
    const size_t points = pass % 3 ? s.source.count : 1 + (size_t)pass;
    s.pass.max_distance = pass % 5 == 0 ? 0.07 : INFINITY;
    ck_assert_int_eq(fr_pass_run(&s.pass, &pose, nu, points, widen, 1), 0);
    const double limit = fmin(s.pass.max_distance, fmax(s.pass.kernel->cutoff * nu, widen));
    check_matches(&s, &pose, limit, points, pass);
    walk(&g, &pose, pass);
  }
  scenario_free(&s);
}
END_TEST

/* Energy, matched points and residuals by a plain loop in long double. */
START_TEST(sums_are_those_of_a_plain_loop) {
  static const double nu = 0.05;
  for (int metric = 0; metric < 2; metric++)
    for (int kernel = 0; kernel < 2; kernel++)
      for (int limited = 0; limited < 2; limited++) {
        scenario s;
        scenario_make(&s, CLOUD_FLAT, 1000, 800, (fr_metric_id)metric, (fr_kernel_id)kernel, fr_best_isa());
        s.pass.max_distance = limited ? 0.03 : INFINITY;
        double axis[3] = {1, 2, 3};
        fricp_pose pose = fricp_pose_identity();
        verify_rotation(axis, 3, pose.rotation);
        pose.translation[2] = 0.01;
        ck_assert_int_eq(fr_pass_run(&s.pass, &pose, nu, s.source.count, INFINITY, 1), 0);
        long double energy = 0;
        size_t matched = 0;
        for (size_t i = 0; i < s.source.count; i++) {
          double y[3];
          double d2;
          moved_point(&s, &pose, i, y);
          const int32_t at = nearest_of_all(s.target, y, &d2);
          double squared = d2;
          double residual = sqrt(d2);
          if (metric == FR_METRIC_POINT_TO_PLANE) {
            residual = 0;
            for (int a = 0; a < 3; a++)
              residual += (y[a] - s.target->points[at][a]) * (double)s.target->normals[at][a];
            squared = residual * residual;
          }
          const int within = d2 <= s.pass.max_distance * s.pass.max_distance;
          if (!within)
            squared =
                s.pass.max_distance * s.pass.max_distance; /* beyond the limit a point costs what it costs there */
          matched += (size_t)within;
          const long double rho =
              kernel == FR_KERNEL_WELSCH ? -expm1l(-(long double)squared / (2 * nu * nu)) : (long double)squared;
          energy += s.source.weight[i] * rho;
          if (within) {
            ck_assert_double_eq_tol(s.matches.residual[i], residual, 1e-15);
            ck_assert_double_eq_tol(s.matches.weight[i],
                                    s.source.weight[i] == 0      ? 0
                                    : kernel == FR_KERNEL_WELSCH ? exp(-squared / (2 * nu * nu))
                                                                 : 1,
                                    1e-14);
          } else {
            ck_assert(s.matches.match[i] < 0 && s.matches.weight[i] == 0);
          }
        }
        ck_assert_uint_eq(s.pass.matched, matched);
        ck_assert(limited ? matched > 10 && matched < 990 : matched == 1000);
        ck_assert_double_le(fabs(s.pass.energy - (double)energy), 1e-12 * (double)energy);
        scenario_free(&s);
      }
}
END_TEST

/* One-to-one pairs: kept exactly where the source point is the nearest to its target point, too. */
START_TEST(reciprocal_pairs_are_those_of_brute_force) {
  scenario s;
  scenario_make(&s, CLOUD_RANDOM, 500, 400, FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, fr_best_isa());
  double(*x)[3] = malloc(s.source.count * sizeof *x);
  int32_t *position = malloc(s.source.count * sizeof *position);
  ck_assert(x && position);
  for (size_t i = 0; i < s.source.count; i++) {
    position[i] = (int32_t)i;
    for (int a = 0; a < 3; a++)
      x[i][a] = s.source.x[a][i];
  }
  fr_nn back = {&fr_nn_brute, &fixture_memory, (const double(*)[3])x, position, s.source.count, 0, NULL, NULL};
  s.pass.reciprocal = &back;
  fricp_pose pose = fricp_pose_identity();
  prng g = prng_seed(9, 0);
  for (int pass = 0; pass < 20; pass++) {
    ck_assert_int_eq(fr_pass_run(&s.pass, &pose, 0, s.source.count, 0, 1), 0);
    size_t kept = 0;
    for (size_t i = 0; i < s.source.count; i++) {
      double y[3];
      double d2;
      moved_point(&s, &pose, i, y);
      const int32_t at = nearest_of_all(s.target, y, &d2);
      double nearest = INFINITY;
      for (size_t j = 0; j < s.source.count; j++) {
        double other[3];
        moved_point(&s, &pose, j, other);
        nearest = fmin(nearest, fr_distance2(other, s.target->points[at]));
      }
      const int mutual = d2 <= nearest * (1 + 1e-12);
      kept += (size_t)mutual;
      ck_assert_int_eq(s.matches.match[i], mutual ? at : -1);
    }
    ck_assert_uint_eq(s.pass.matched, kept);
    ck_assert(kept > 50 && kept < 400);
    walk(&g, &pose, pass);
  }
  free(x);
  free(position);
  scenario_free(&s);
}
END_TEST

START_TEST(threads_change_no_bit) {
  static const int threads[] = {1, 2, 3, 8};
  for (int metric = 0; metric < 2; metric++) {
    double energy[8] = {0};
    double sums[8][FR_SUMS];
    for (size_t t = 0; t < COUNT(threads); t++) {
      scenario s;
      scenario_make(&s, CLOUD_FLAT, 20011, 5000, (fr_metric_id)metric, FR_KERNEL_WELSCH, fr_best_isa());
      s.pass.threads = threads[t];
      fricp_pose pose = fricp_pose_identity();
      prng g = prng_seed(10, 0);
      for (int pass = 0; pass < 12; pass++) {
        ck_assert_int_eq(fr_pass_run(&s.pass, &pose, 0.02, s.source.count, 0, pass % 2), 0);
        walk(&g, &pose, pass);
      }
      energy[t] = s.pass.energy;
      memcpy(sums[t], s.pass.sums, sizeof sums[t]);
      ck_assert_mem_eq(&energy[t], &energy[0], sizeof energy[0]);
      ck_assert_mem_eq(sums[t], sums[0], sizeof sums[0]);
      scenario_free(&s);
    }
  }
}
END_TEST

/* Forgetting changes nothing but the work: results are a function of pose and limit alone. */
START_TEST(history_changes_no_bit) {
  scenario with;
  scenario without;
  scenario_make(&with, CLOUD_RANDOM, 3000, 2000, FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, fr_best_isa());
  scenario_make(&without, CLOUD_RANDOM, 3000, 2000, FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, FR_ISA_GENERIC);
  fricp_pose pose = fricp_pose_identity();
  prng g = prng_seed(11, 0);
  for (int pass = 0; pass < 60; pass++) {
    const double nu = pow(0.5, 3 + pass % 6);
    fr_matches_forget(&without.matches, NULL);
    ck_assert_int_eq(fr_pass_run(&with.pass, &pose, nu, with.source.count, 0, 0), 0);
    ck_assert_int_eq(fr_pass_run(&without.pass, &pose, nu, with.source.count, 0, 0), 0);
    ck_assert_mem_eq(&with.pass.energy, &without.pass.energy, sizeof with.pass.energy);
    ck_assert_mem_eq(with.pass.sums, without.pass.sums, sizeof with.pass.sums);
    walk(&g, &pose, pass);
  }
  scenario_free(&with);
  scenario_free(&without);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      reused_matches_are_those_of_brute_force,   limits_of_the_kernel_are_exact, sums_are_those_of_a_plain_loop,
      reciprocal_pairs_are_those_of_brute_force, threads_change_no_bit,          history_changes_no_bit};
  return run_suite("pass", tests, COUNT(tests));
}
