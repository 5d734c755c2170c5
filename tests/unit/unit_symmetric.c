/* SPDX-License-Identifier: BSD-3-Clause */
/* The symmetric metric: its gradient is that of its energy by central differences, as the source's normals turn with the
 * points; signs of normals do not matter; without source normals it is point to plane; on a sphere it vanishes. */
#include "model/metric.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const fr_geometry geometry = {3, {0.2, -0.1, 0.3}, 1e-6, 1e-3, NULL, 0, NULL, NULL};

static void fill(fr_block *block, uint64_t seed) {
  prng g = prng_seed(seed, 0);
  memset(block, 0, sizeof *block);
  block->count = block->padded = 96;
  memcpy(block->center, geometry.center, sizeof block->center);
  for (int i = 0; i < block->count; i++) {
    double n[3];
    double off[3];
    prng_direction(&g, n);
    prng_direction(&g, off);
    for (int a = 0; a < 3; a++) {
      block->y[a][i] = prng_range(&g, -1, 1);
      block->q[a][i] = block->y[a][i] + 0.05 * prng_normal(&g);
      block->n[a][i] = n[a];
      block->m[a][i] = (n[a] + 0.3 * off[a]) * (i % 2 ? 1 : -1);
    }
    block->weight[i] = prng_range(&g, 0, 2);
  }
}

/* Half the weighted sum of squares after a twist about `center`. */
static double half_squares(const fr_metric *metric, const fr_block *at, const double center[3], const double x[6]) {
  fr_block block = *at;
  fr_twist twist;
  memcpy(twist.v, x, sizeof twist.v);
  const fricp_pose move = fr_exp(&twist);
  double sum = 0;
  for (int i = 0; i < block.count; i++) {
    double y[3];
    for (int a = 0; a < 3; a++) {
      y[a] = at->y[a][i] + at->center[a] - center[a];
      block.m[a][i] = 0;
      for (int b = 0; b < 3; b++)
        block.m[a][i] += move.rotation[a][b] * at->m[b][i];
    }
    fr_apply(&move, y, y);
    for (int a = 0; a < 3; a++)
      block.y[a][i] = y[a] + center[a] - at->center[a];
  }
  metric->residuals(&block);
  for (int i = 0; i < block.count; i++)
    sum += block.weight[i] * block.squared[i] / 2;
  return sum;
}

START_TEST(gradient_is_the_derivative) {
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
    const fr_metric *metric = fr_metric_find(FR_METRIC_SYMMETRIC, (fr_isa)isa);
    fr_block block;
    double sums[FR_SUMS] = {0};
    fr_step step;
    fill(&block, 5);
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
      ck_assert_double_le(fabs(slope - step.gradient[a]), 1e-7 * step.weight);
    }
  }
}
END_TEST

START_TEST(without_source_normals_it_is_point_to_plane) {
  const fr_metric *metric = fr_metric_find(FR_METRIC_SYMMETRIC, FR_ISA_GENERIC);
  const fr_metric *plane = fr_metric_find(FR_METRIC_POINT_TO_PLANE, FR_ISA_GENERIC);
  fr_block block;
  fill(&block, 6);
  memset(block.m, 0, sizeof block.m);
  fr_block same = block;
  metric->residuals(&block);
  plane->residuals(&same);
  for (int i = 0; i < block.count; i++)
    ck_assert_double_le(fabs(block.residual[i] - same.residual[i]), 1e-15);
}
END_TEST

/* Any two points of a sphere with their own normals: (p - q) . (p + q) = 0. To a plane it is not. */
START_TEST(on_a_sphere_it_vanishes) {
  const fr_metric *metric = fr_metric_find(FR_METRIC_SYMMETRIC, FR_ISA_GENERIC);
  prng g = prng_seed(7, 0);
  fr_block block;
  fill(&block, 7);
  for (int i = 0; i < block.count; i++) {
    double n[3];
    double m[3];
    prng_direction(&g, n);
    prng_direction(&g, m);
    const int same = n[0] * m[0] + n[1] * m[1] + n[2] * m[2] >= 0; /* half a turn apart signs are turned */
    for (int a = 0; a < 3; a++) {
      block.q[a][i] = block.n[a][i] = n[a];
      block.y[a][i] = block.m[a][i] = same ? m[a] : n[a];
    }
  }
  metric->residuals(&block);
  for (int i = 0; i < block.count; i++)
    ck_assert_double_le(fabs(block.residual[i]), 1e-15);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {gradient_is_the_derivative, without_source_normals_it_is_point_to_plane,
                                on_a_sphere_it_vanishes};
  return run_suite("symmetric", tests, COUNT(tests));
}
