/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric_pairs.h"

pairs random_pairs(prng *g, int count, int dimension) {
  pairs p = {.count = count};
  for (int i = 0; i < count; i++) {
    for (int a = 0; a < dimension; a++) {
      p.y[i][a] = prng_range(g, -1, 1) + 0.5 * a;
      p.q[i][a] = p.y[i][a] + 0.01 * prng_normal(g);
    }
    prng_direction(g, p.n[i]);
    if (dimension == 2) {
      const double angle = prng_range(g, -3, 3);
      p.n[i][0] = cos(angle);
      p.n[i][1] = sin(angle);
      p.n[i][2] = 0;
    }
    p.w[i] = i % 7 ? prng_range(g, 0, 2) : 0;
  }
  return p;
}

void fill_block(const pairs *p, int first, const double center[3], fr_block *block) {
  memset(block, 0, sizeof *block);
  block->count = p->count - first < FR_BLOCK ? p->count - first : FR_BLOCK;
  block->padded = (block->count + 7) / 8 * 8;
  memcpy(block->center, center, sizeof block->center);
  for (int i = 0; i < block->count; i++) {
    for (int a = 0; a < 3; a++) {
      block->y[a][i] = p->y[first + i][a] - center[a];
      block->q[a][i] = p->q[first + i][a] - center[a];
      block->n[a][i] = p->n[first + i][a];
    }
    block->weight[i] = block->prior[i] = p->w[first + i];
  }
}

void sum_up(const fr_metric *metric, const pairs *p, const double center[3], double sums[FR_SUMS]) {
  memset(sums, 0, FR_SUMS * sizeof *sums);
  for (int first = 0; first < p->count; first += FR_BLOCK) {
    fr_block block;
    fill_block(p, first, center, &block);
    metric->residuals(&block);
    metric->accumulate(&block, sums);
  }
}

fr_step step_of(fr_metric_id id, const pairs *p, int dimension) {
  const fr_metric *metric = fr_metric_find(id, FR_ISA_GENERIC);
  fr_geometry geometry = {dimension, {0.3, -0.2, dimension == 3 ? 0.1 : 0}, 1e-6, 3e-3, NULL, 0, NULL, NULL};
  double sums[FR_SUMS];
  fr_step step;
  sum_up(metric, p, geometry.center, sums);
  ck_assert_int_eq(fr_step_make(metric, sums, &geometry, &step), 0);
  ck_assert_double_le(verify_orthonormality(&step.increment), 1e-14);
  return step;
}

double residual_of(fr_metric_id id, const pairs *p, int i, const double moved[3]) {
  const double d[3] = {moved[0] - p->q[i][0], moved[1] - p->q[i][1], moved[2] - p->q[i][2]};
  if (id == FR_METRIC_POINT_TO_PLANE)
    return d[0] * p->n[i][0] + d[1] * p->n[i][1] + d[2] * p->n[i][2];
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}
