/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Soft planes: r^2 = (n . d)^2 + share |d|^2, d = y - q: to the plane, but what slides on it costs a little. For a twist
 * (a, v) about the blocks' centre, d moves by v + a x y, so that with M = n n^T + share I and J = [-[y]x I]
 *
 *   N = sum w J^T M J,   g = sum w J^T M d.
 */
#include "base/simd.h"
#include "model/metric.h"

#include <math.h>
#include <string.h>

#define SHARE 0.05

/* Sums: [0..20] N, upper triangle by rows; [21..26] g; [27] w; [28] w r^2; [29..31] w y; [32] w |y|^2. */
enum { SUM_N = 0, SUM_G = 21, SUM_W = 27, SUM_R2 = 28, SUM_Y = 29, SUM_YY = 32 };

static void residuals(fr_block *block) {
  for (int i = 0; i < block->padded; i++) {
    double along = 0;
    double squared = 0;
    for (int a = 0; a < 3; a++) {
      const double d = block->y[a][i] - block->q[a][i];
      along += block->n[a][i] * d;
      squared += d * d;
    }
    block->squared[i] = along * along + SHARE * squared;
    block->residual[i] = sqrt(block->squared[i]);
  }
}

/* What the twist's coordinates move y by along e. */
static void row_of(const double y[3], const double e[3], double row[6]) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    row[a] = y[b] * e[c] - y[c] * e[b];
    row[3 + a] = e[a];
  }
}

static void add(double stiffness, const double row[6], double d, double sums[FR_SUMS]) {
  int k = SUM_N;
  for (int a = 0; a < 6; a++) {
    for (int b = a; b < 6; b++)
      sums[k++] += stiffness * row[a] * row[b];
    sums[SUM_G + a] += stiffness * row[a] * d;
  }
}

static void accumulate(const fr_block *block, double sums[FR_SUMS]) {
  for (int i = 0; i < block->count; i++) {
    const double w = block->weight[i];
    const double y[3] = {block->y[0][i], block->y[1][i], block->y[2][i]};
    const double n[3] = {block->n[0][i], block->n[1][i], block->n[2][i]};
    double row[6];
    double along = 0;
    for (int a = 0; a < 3; a++) {
      const double e[3] = {a == 0, a == 1, a == 2};
      const double d = y[a] - block->q[a][i];
      along += n[a] * d;
      row_of(y, e, row);
      add(SHARE * w, row, d, sums);
      sums[SUM_Y + a] += w * y[a];
      sums[SUM_YY] += w * y[a] * y[a];
    }
    row_of(y, n, row);
    add(w, row, along, sums);
    sums[SUM_W] += w;
    sums[SUM_R2] += w * block->squared[i];
  }
}

/* From the blocks' centre to the weighted centroid m: a' = a, v' = v + a x m, so that row r of N and of g becomes that of
 * the same motion written in the new coordinates: (a, v - a x m). */
static void equate(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  const double w = sums[SUM_W];
  double full[6][6];
  double change[6][6] = {{0}}; /* old coordinates of each new one, by columns */
  double m[3];
  step->weight = w;
  step->squared = sums[SUM_R2];
  if (!(w > 0))
    return;
  double spread = sums[SUM_YY] / w;
  for (int a = 0; a < 3; a++) {
    m[a] = sums[SUM_Y + a] / w;
    spread -= m[a] * m[a];
    step->center[a] = geometry->center[a] + m[a];
  }
  for (int a = 0, k = SUM_N; a < 6; a++)
    for (int b = a; b < 6; b++, k++)
      full[a][b] = full[b][a] = sums[k];
  for (int a = 0; a < 6; a++)
    change[a][a] = 1;
  for (int a = 0; a < 3; a++) { /* -(e_a x m) */
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    change[3 + b][a] = m[c];
    change[3 + c][a] = -m[b];
  }
  for (int a = 0; a < 6; a++)
    for (int i = 0; i < 6; i++) {
      step->gradient[a] += change[i][a] * sums[SUM_G + i];
      for (int b = 0; b < 6; b++)
        for (int j = 0; j < 6; j++)
          step->normal[a][b] += change[i][a] * full[i][j] * change[j][b];
    }
  const double least = geometry->least_radius;
  step->radius = sqrt(fmax(fmax(spread, FR_MOMENT_ROUNDING * sums[SUM_YY] / w), least * least));
  step->least = geometry->least_incline * geometry->least_incline;
}

const fr_metric FR_FOR_ISA(fr_metric_soft_plane) = {
    .name = "soft-plane",
    .needs_normals = 1,
    .equations = 3,
    .spacing_over_nu = 6,
    .nu_noise = 1,
    .nu_trifle = 1e-3,
    .residuals = residuals,
    .accumulate = accumulate,
    .equate = equate,
};
