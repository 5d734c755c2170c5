/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symmetric (Rusinkiewicz 2019, "A symmetric objective function for ICP"): residual r = (y - q) . (m + n) / 2, n the
 * target's normal and m that of the source, moved and turned so that m . n >= 0. It vanishes where both points lie on one
 * circle through both tangents, so surfaces may slide on each other. Half, so that it is a distance as to a plane.
 *
 * The source's normals turn with it. For the twist (a, v) of an increment, y moves by a x y + v and m by a x m, so that
 *
 *   dr = a . [y x (m + n) + m x (y - q)] / 2 + v . (m + n) / 2 = a . [y x n + q x m] / 2 + v . (m + n) / 2:
 *
 * the exact derivative of this energy, in which the clouds change places as in the paper, which splits the rotation in
 * halves to that end. A source point without a normal (m = 0) takes m = n: point to plane.
 */
#include "model/metric_normal.h"

/* Turned towards n; n itself where there is none. */
static inline void turned(const fr_block *block, int i, fr_d8 m[3], fr_d8 n[3]) {
  fr_d8 along = {0};
  for (int a = 0; a < 3; a++) {
    m[a] = fr_d8_load(block->m[a] + i);
    n[a] = fr_d8_load(block->n[a] + i);
    along += m[a] * n[a];
  }
  const fr_l8 none = (m[0] == 0) & (m[1] == 0) & (m[2] == 0);
  for (int a = 0; a < 3; a++)
    m[a] = fr_d8_select(none, n[a], fr_d8_select(along < 0, -m[a], m[a]));
}

static void residuals(fr_block *block) {
  for (int i = 0; i < block->padded; i += 8) {
    fr_d8 m[3];
    fr_d8 n[3];
    fr_d8 r = {0};
    turned(block, i, m, n);
    for (int a = 0; a < 3; a++)
      r += 0.5 * (m[a] + n[a]) * (fr_d8_load(block->y[a] + i) - fr_d8_load(block->q[a] + i));
    fr_d8_store(block->residual + i, r);
    fr_d8_store(block->squared + i, r * r);
  }
}

static inline void jacobian(const fr_block *block, int i, fr_d8 j[6]) {
  fr_d8 m[3];
  fr_d8 n[3];
  fr_d8 y[3];
  fr_d8 q[3];
  turned(block, i, m, n);
  for (int a = 0; a < 3; a++) {
    y[a] = fr_d8_load(block->y[a] + i);
    q[a] = fr_d8_load(block->q[a] + i);
  }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    j[a] = 0.5 * (y[b] * n[c] - y[c] * n[b] + q[b] * m[c] - q[c] * m[b]);
    j[3 + a] = 0.5 * (m[a] + n[a]);
  }
}

static void accumulate(const fr_block *block, double sums[FR_SUMS]) {
  fr_accumulate_along(jacobian, block, sums);
}

const fr_metric FR_FOR_ISA(fr_metric_symmetric) = {
    .name = "symmetric",
    .needs_normals = 1,
    .needs_source_normals = 1,
    .equations = 1,
    .spacing_over_nu = 6,
    .nu_noise = 1,
    .nu_trifle = 1e-3,
    .residuals = residuals,
    .accumulate = accumulate,
    .equate = fr_equate_along,
};
