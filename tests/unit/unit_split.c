/* SPDX-License-Identifier: BSD-3-Clause */
/* A block's step of ADMM: the split residual is the minimum of the kernel's energy and the penalty, the multiplier gathers
 * what the constraint was missed by, the sums are those of the alignment with both. */
#include "align/split.h"
#include "fixture.h"
#include "model/kernel.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define N 100 /* points; a block has room for more */
#define NU 0.03
#define P 0.4
#define GRID 2000

static double rho(double length) {
  const fr_kernel *lp = fr_kernel_find(FR_KERNEL_LP, FR_ISA_GENERIC);
  const double squared[8] = {length * length};
  const double prior[8] = {1};
  double weight[8];
  return lp->apply(NU, P, 8, squared, prior, weight);
}

/* rho(w) + mu/2 (w - h)^2, mu = c / nu^2. */
static double cost(double w, double h, double c) {
  return rho(w) + c / (2 * NU * NU) * (w - h) * (w - h);
}

static fr_block block_of(prng *g, const fr_metric *metric) {
  fr_block block;
  memset(&block, 0, sizeof block);
  block.count = N;
  block.padded = (N + 7) / 8 * 8;
  for (int i = 0; i < block.padded; i++) {
    block.match[i] = i < N && i % 7 ? i : -1;
    block.prior[i] = i < N ? prng_range(g, 0.5, 1) : 0;
    double n[3];
    prng_direction(g, n);
    for (int a = 0; a < 3; a++) {
      block.y[a][i] = i < N ? prng_range(g, -1, 1) : 0;
      block.q[a][i] = block.match[i] < 0 ? block.y[a][i] : block.y[a][i] + prng_range(g, -4, 4) * NU;
      block.n[a][i] = block.match[i] < 0 ? 0 : n[a];
    }
  }
  metric->residuals(&block);
  return block;
}

/* d of point i. @return its length, or the residual. */
static double off_of(const fr_block *block, int axes, int i, double d[3]) {
  double squared = 0;
  for (int a = 0; a < 3; a++) {
    d[a] = axes == 3 ? block->y[a][i] - block->q[a][i] : a == 0 ? block->residual[i] : 0;
    squared += d[a] * d[a];
  }
  return sqrt(squared);
}

/* From h, by looking at all; the minimum lies along h. */
static void check_minimum(double w, double h, double c) {
  double least = INFINITY;
  for (int k = 0; k <= GRID; k++)
    least = fmin(least, cost(h * k / GRID, h, c));
  if (!(cost(w, h, c) <= least * (1 + 1e-9) && w >= 0 && w <= h * (1 + 1e-12)))
    ck_abort_msg("c %g: from %g to %g, which costs %g, but there is %g", c, h, w, cost(w, h, c), least);
}

/* Two passes: the first begins anew, the second carries the multiplier of the first, scaled as the penalty grew. */
static void check_metric(fr_metric_id id, double c) {
  const fr_metric *metric = fr_metric_find(id, FR_ISA_GENERIC);
  const int axes = metric->residual_is_distance ? 3 : 1;
  fr_split split;
  fr_buffer buffer = {NULL, 0};
  memset(&split, 0, sizeof split);
  ck_assert_int_eq(fr_split_reserve(&split, &fixture_memory, &buffer, N), 0);
  prng g = prng_seed(3, (uint64_t)id);
  double before[3][N];
  for (int pass = 0; pass < 2; pass++) {
    fr_block block = block_of(&g, metric);
    const fr_block given = block;
    split.penalty = pass == 0 ? c : 1.5 * c;
    split.carried = pass == 0 ? 0 : 1 / 1.5;
    fr_split_block(&split, metric, NU, P, 0, &block);
    for (int i = 0; i < N; i++) {
      double d[3];
      double u[3] = {0};
      double h2 = 0;
      double w2 = 0;
      double along = 0;
      off_of(&given, axes, i, d);
      if (given.match[i] < 0) {
        ck_assert(isnan(split.toward[0][i]) && block.weight[i] == 0);
        continue;
      }
      for (int a = 0; a < axes; a++) {
        u[a] = pass == 0 ? 0 : (d[a] - before[a][i]) / 1.5;
        const double w = split.toward[a][i] + u[a];
        h2 += (d[a] + u[a]) * (d[a] + u[a]);
        w2 += w * w;
        along += w * (d[a] + u[a]);
      }
      ck_assert_double_ge(along, sqrt(h2 * w2) * (1 - 1e-12));
      check_minimum(sqrt(w2), sqrt(h2), split.penalty);
      ck_assert_double_eq(block.weight[i], block.prior[i]);
      /* what is aligned: d - (w - u) */
      double now[3];
      off_of(&block, axes, i, now);
      for (int a = 0; a < axes; a++)
        ck_assert_double_le(fabs(now[a] - (d[a] - split.toward[a][i])), 1e-15);
    }
    double sums[FR_SUMS] = {0};
    metric->accumulate(&block, sums);
    fr_split_sum(&split, 1);
    ck_assert_mem_eq(split.sums, sums, sizeof sums);
    for (int a = 0; a < 3; a++)
      memcpy(before[a], split.toward[a], sizeof before[a]);
  }
  fr_buffer_release(&fixture_memory, &buffer);
}

START_TEST(points_are_split_as_vectors) {
  for (double c = 0.25; c < 9; c *= 2)
    check_metric(FR_METRIC_POINT_TO_POINT, c);
}
END_TEST

START_TEST(residuals_along_normals_are_split_as_numbers) {
  for (double c = 0.25; c < 9; c *= 2) {
    check_metric(FR_METRIC_POINT_TO_PLANE, c);
    check_metric(FR_METRIC_SYMMETRIC, c);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {points_are_split_as_vectors, residuals_along_normals_are_split_as_numbers};
  return run_suite("split", tests, COUNT(tests));
}
