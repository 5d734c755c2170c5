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
#include "model/metric_normal.h"

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

static inline void jacobian(const fr_block *block, int i, fr_d8 j[6]) {
  const fr_d8 y[3] = {fr_d8_load(block->y[0] + i), fr_d8_load(block->y[1] + i), fr_d8_load(block->y[2] + i)};
  const fr_d8 n[3] = {fr_d8_load(block->n[0] + i), fr_d8_load(block->n[1] + i), fr_d8_load(block->n[2] + i)};
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    j[a] = y[b] * n[c] - y[c] * n[b];
    j[3 + a] = n[a];
  }
}

static void accumulate(const fr_block *block, double sums[FR_SUMS]) {
  fr_accumulate_along(jacobian, block, sums);
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
    .equate = fr_equate_along,
};
