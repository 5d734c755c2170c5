/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to plane: residual B = n . (y - q); the step is one Gauss-Newton step (paper, section "Extension to
 * Point-to-Plane ICP") for the twist d of an increment exp(d) on top of the current pose,
 *
 *   (sum w J J^T) d = - sum w J B,    J = [(y - c) x n; n].
 *
 * The paper linearises in the global logarithm instead. The increment's Jacobian is exact, has no singular case at zero
 * rotation (algorithm notes: the paper's is wrong there), and costs a cross product. c is the weighted centroid and
 * rotations are scaled by the RMS radius L, so that eigenvalues of the matrix compare: each is the mean squared normal
 * motion per unit of motion. Directions below least_incline^2 are not determined by the data and get no step.
 */
#include "base/simd.h"
#include "model/metric.h"

#include <math.h>
#include <string.h>

/* Sums: [0..20] w J J^T, upper triangle by rows; [21..26] w J B; [27] w; [28] w B^2; [29..31] w y; [32] w |y|^2. */
enum { SUM_JJ = 0, SUM_JB = 21, SUM_W = 27, SUM_R2 = 28, SUM_Y = 29, SUM_YY = 32, SUM_COUNT = 33 };

static void residuals(fr_block *block) {
  for (int i = 0; i < block->padded; i += 8) {
    fr_d8 r = {0};
    for (int a = 0; a < 3; a++)
      r += fr_d8_load(block->n[a] + i) * (fr_d8_load(block->y[a] + i) - fr_d8_load(block->q[a] + i));
    const fr_d8 squared = r * r;
    fr_d8_store(block->residual + i, r);
    fr_d8_store(block->squared + i, squared);
  }
}

static void accumulate(const fr_block *block, double sums[FR_SUMS]) {
  fr_d8 s[SUM_COUNT] = {{0}};
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 w = fr_d8_load(block->weight + i);
    const fr_d8 y[3] = {fr_d8_load(block->y[0] + i), fr_d8_load(block->y[1] + i), fr_d8_load(block->y[2] + i)};
    const fr_d8 n[3] = {fr_d8_load(block->n[0] + i), fr_d8_load(block->n[1] + i), fr_d8_load(block->n[2] + i)};
    const fr_d8 r = fr_d8_load(block->residual + i);
    const fr_d8 j[6] = {
        y[1] * n[2] - y[2] * n[1], y[2] * n[0] - y[0] * n[2], y[0] * n[1] - y[1] * n[0], n[0], n[1], n[2]};
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
static void move_center(const double m[3], double matrix[6][6], double right[6]) {
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

static void equate(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
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
  move_center(shift, step->normal, step->gradient);
  step->radius = sqrt(fmax(fmax(spread, rounding), geometry->least_radius * geometry->least_radius));
  step->least = geometry->least_incline * geometry->least_incline;
}

const fr_metric FR_FOR_ISA(fr_metric_plane) = {
    .name = "point-to-plane",
    .needs_normals = 1,
    .equations = 1,
    .spacing_over_nu = 6,
    .nu_noise = 1,
    .nu_trifle = 1e-3, /* a perfectly flat target has no roughness to go by */
    .residuals = residuals,
    .accumulate = accumulate,
    .equate = equate,
};
