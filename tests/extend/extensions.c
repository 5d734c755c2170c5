/* SPDX-License-Identifier: BSD-3-Clause */
/* Built with a core to which kernel_fair.c and metric_soft_plane.c were added: each is right by itself, and the driver,
 * which knows of neither, finds a known pose with both. Expected: derivatives by central differences; the pose by which
 * the source was made. */
#include "align/scheme.h"
#include "cloud/frames.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(fair_weighs_by_its_derivative) {
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
    const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_FAIR, (fr_isa)isa);
    const double nu = 0.3;
    for (double r = 0.01; r < 2; r *= 1.07) {
      const double h = 1e-5;
      double squared[8] = {r * r, (r - h) * (r - h), (r + h) * (r + h)};
      double prior[8] = {1};
      double weight[8];
      double rho[3];
      for (int k = 0; k < 3; k++) {
        double alone[8] = {squared[k]};
        rho[k] = kernel->apply(nu, 0, 8, alone, prior, weight);
      }
      (void)kernel->apply(nu, 0, 8, squared, prior, weight);
      /* rho' / r = weight / nu^2 */
      ck_assert_double_eq_tol((rho[2] - rho[1]) / (2 * h) / r * nu * nu, weight[0], 1e-6);
    }
  }
}
END_TEST

/* Half the weighted sum of squared residuals after a twist about the step's center. */
static double half_squares(const fr_metric *metric, const fr_block *at, const double center[3], const double x[6]) {
  fr_block block = *at;
  fr_twist twist;
  memcpy(twist.v, x, sizeof twist.v);
  const fricp_pose move = fr_exp(&twist);
  double sum = 0;
  for (int i = 0; i < block.count; i++) {
    double y[3];
    for (int a = 0; a < 3; a++)
      y[a] = block.y[a][i] + block.center[a] - center[a];
    fr_apply(&move, y, y);
    for (int a = 0; a < 3; a++)
      block.y[a][i] = y[a] + center[a] - block.center[a];
  }
  metric->residuals(&block);
  for (int i = 0; i < block.count; i++)
    sum += block.weight[i] * block.squared[i] / 2;
  return sum;
}

START_TEST(soft_planes_deliver_their_gradient) {
  prng g = prng_seed(5, 0);
  const fr_metric *metric = fr_metric_find(FR_METRIC_SOFT_PLANE, fr_best_isa());
  const fr_geometry geometry = {3, {0.2, -0.1, 0.3}, 1e-6, 1e-3, NULL, 0, NULL, NULL};
  static fr_block block;
  double sums[FR_SUMS] = {0};
  fr_step step;
  memset(&block, 0, sizeof block);
  block.count = block.padded = 96;
  memcpy(block.center, geometry.center, sizeof block.center);
  for (int i = 0; i < block.count; i++) {
    double n[3];
    prng_direction(&g, n);
    for (int a = 0; a < 3; a++) {
      block.y[a][i] = prng_range(&g, -1, 1);
      block.q[a][i] = block.y[a][i] + 0.05 * prng_normal(&g);
      block.n[a][i] = n[a];
    }
    block.weight[i] = prng_range(&g, 0, 2);
  }
  metric->residuals(&block);
  metric->accumulate(&block, sums);
  ck_assert_int_eq(fr_step_make(metric, sums, &geometry, &step), 0);
  for (int a = 0; a < 6; a++) {
    double plus[6] = {0};
    double minus[6] = {0};
    plus[a] = 1e-5;
    minus[a] = -1e-5;
    const double slope =
        (half_squares(metric, &block, step.center, plus) - half_squares(metric, &block, step.center, minus)) / 2e-5;
    ck_assert_double_eq_tol(slope, step.gradient[a], 1e-7 * step.weight);
  }
}
END_TEST

/* A bowl, and the same points moved. */
START_TEST(the_driver_takes_both) {
  enum { N = 4000 };
  static double from[N][3];
  static double to[N][3];
  prng g = prng_seed(6, 0);
  const double axis[3] = {1, 2, -1};
  const double shift[3] = {0.02, -0.03, 0.01};
  const fricp_pose truth = verify_pose(axis, 4, shift);
  for (int i = 0; i < N; i++) {
    from[i][0] = prng_range(&g, -1, 1);
    from[i][1] = prng_range(&g, -1, 1);
    from[i][2] = 0.5 * from[i][0] * from[i][0] + 0.2 * sin(3 * from[i][1]);
    verify_apply(&truth, from[i], to[i]);
  }
  fricp_cloud source = FRICP_CLOUD_INIT;
  fricp_cloud target = FRICP_CLOUD_INIT;
  source.points = from;
  target.points = to;
  source.count = target.count = N;
  fricp_target *prepared = NULL;
  fricp_cloud view;
  fr_memory memory;
  fr_source packed;
  fr_matches matches;
  static fr_icp icp;
  fricp_error error;
  memset(&packed, 0, sizeof packed);
  memset(&matches, 0, sizeof matches);
  ck_assert_int_eq(fricp_target_create(&prepared, &target, NULL, &error), FRICP_OK);
  ck_assert_int_eq(fr_cloud_check(&source, "source", &view, &error), FRICP_OK);
  ck_assert_int_eq(fr_memory_init(&memory, NULL, &error), FRICP_OK);
  ck_assert_int_eq(fr_matches_reserve(&matches, &memory, N), 0);
  const fr_order room = fr_matches_room(&matches, NULL);
  ck_assert_int_eq(fr_source_pack(&packed, &memory, &view, N, prepared->extent, 3, &room, 1, &error), FRICP_OK);
  fr_matches_forget(&matches, NULL);
  memset(&icp, 0, sizeof icp);
  const fr_isa isa = fr_best_isa();
  icp.settings = fr_settings_of(prepared, &fr_default_rules);
  icp.settings.history = 5;
  icp.scheme = fr_scheme_find(FR_SCHEME_MM);
  icp.settings.limits = (fr_limits){100, 100};
  icp.settings.nu_start_factor = 3;
  icp.settings.nu_end = 1e-3;
  icp.pass = (fr_pass){.target = prepared, .source = &packed, .matches = &matches, .threads = 1};
  icp.pass.metric = fr_metric_find(FR_METRIC_SOFT_PLANE, isa);
  icp.pass.kernel = fr_kernel_find(FR_KERNEL_FAIR, isa);
  icp.pass.sweep = fr_sweep_find(isa);
  icp.pass.reuse = fr_reuse_find(isa);
  icp.pass.rules = &fr_default_rules;
  icp.pass.max_distance = INFINITY;
  icp.pass.block_sums = fr_allocate(&memory, fr_pass_room(N), sizeof(double));
  const fr_frames frames = fr_frames_of(&packed, prepared);
  const fricp_pose identity = fricp_pose_identity();
  icp.now.pose = fr_pose_from_caller(&frames, &identity);
  ck_assert_int_eq(fr_icp_run(&icp, &error), FRICP_OK);
  const fricp_pose found = fr_pose_to_caller(&frames, &icp.now.pose);
  ck_assert_double_le(verify_rmse(&found, &truth, from[0], N), 1e-6);
  fr_release(&memory, icp.pass.block_sums);
  fr_matches_release(&matches, &memory);
  fr_source_release(&packed, &memory);
  fricp_target_destroy(prepared);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {fair_weighs_by_its_derivative, soft_planes_deliver_their_gradient,
                                the_driver_takes_both};
  return run_suite("extensions", tests, COUNT(tests));
}
