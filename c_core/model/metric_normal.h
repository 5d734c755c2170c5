/* SPDX-License-Identifier: BSD-3-Clause */
/* What the metrics with one equation along normals share: the sums of J J^T and J r, and the equations from them. */
#ifndef FR_METRIC_NORMAL_H
#define FR_METRIC_NORMAL_H

#include "base/simd.h"
#include "model/metric.h"

#include <math.h>
#include <string.h>

/* Sums: [0..20] w J J^T, upper triangle by rows; [21..26] w J B; [27] w; [28] w B^2; [29..31] w y; [32] w |y|^2. */
enum { SUM_JJ = 0, SUM_JB = 21, SUM_W = 27, SUM_R2 = 28, SUM_Y = 29, SUM_YY = 32, SUM_COUNT = 33 };

/* The derivative of the residual of eight pairs from i on by a twist about the blocks' centre. */
typedef void fr_jacobian(const fr_block *block, int i, fr_d8 j[6]);

static inline void fr_accumulate_along(fr_jacobian *jacobian, const fr_block *block, double sums[FR_SUMS]) {
  fr_d8 s[SUM_COUNT] = {{0}};
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 w = fr_d8_load(block->weight + i);
    const fr_d8 y[3] = {fr_d8_load(block->y[0] + i), fr_d8_load(block->y[1] + i), fr_d8_load(block->y[2] + i)};
    const fr_d8 r = fr_d8_load(block->residual + i);
    fr_d8 j[6];
    jacobian(block, i, j);
    int k = SUM_JJ;
    for (int a = 0; a < 6; a++) {
      const fr_d8 wj = w * j[a];
      for (int b = a; b < 6; b++)
        s[k++] += wj * j[b];
      s[SUM_JB + a] += wj * r;
    }
    s[SUM_W] += w;
    s[SUM_R2] += w * r * r;
    for (int a = 0; a < 3; a++) {
      s[SUM_Y + a] += w * y[a];
      s[SUM_YY] += w * y[a] * y[a];
    }
  }
  for (int k = 0; k < SUM_COUNT; k++)
    sums[k] += fr_d8_sum(s[k]);
}

/* Move the origin of rotations from the blocks' centre by m: v = v' + m x a, so J^T (a, v) = J'^T (a, v') with
 * J' = [J_a - m x J_v; J_v]. */
static inline void fr_move_center(const double m[3], double matrix[6][6], double right[6]) {
  const double k[3][3] = {{0, -m[2], m[1]}, {m[2], 0, -m[0]}, {-m[1], m[0], 0}};
  double rows[6][6];
  memcpy(rows, matrix, sizeof rows);
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++) {
      right[a] -= k[a][c] * right[3 + c];
      for (int b = 0; b < 6; b++)
        rows[a][b] -= k[a][c] * matrix[3 + c][b];
    }
  memcpy(matrix, rows, sizeof rows);
  for (int b = 0; b < 3; b++)
    for (int c = 0; c < 3; c++)
      for (int a = 0; a < 6; a++)
        matrix[a][b] -= k[b][c] * rows[a][3 + c];
}

static inline void fr_equate_along(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  const double w = sums[SUM_W];
  double shift[3];
  step->weight = w;
  step->squared = sums[SUM_R2];
  if (!(w > 0))
    return;
  int k = SUM_JJ;
  for (int a = 0; a < 6; a++) {
    step->gradient[a] = sums[SUM_JB + a];
    for (int b = a; b < 6; b++, k++)
      step->normal[a][b] = step->normal[b][a] = sums[k];
  }
  double spread = sums[SUM_YY] / w;
  const double rounding = FR_MOMENT_ROUNDING * spread;
  for (int a = 0; a < 3; a++) {
    shift[a] = sums[SUM_Y + a] / w;
    spread -= shift[a] * shift[a];
    step->center[a] = geometry->center[a] + shift[a];
  }
  fr_move_center(shift, step->normal, step->gradient);
  step->radius = sqrt(fmax(fmax(spread, rounding), geometry->least_radius * geometry->least_radius));
  step->least = geometry->least_incline * geometry->least_incline;
}

#endif
