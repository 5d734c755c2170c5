/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each instruction set (FR_ISA). See sweep.h. */
#include "base/simd.h"
#include "cloud/sweep.h"

#include <string.h>

/* All ones where a point has no match. */
static inline fr_l8 unmatched(const fr_block *block, int i) {
  fr_i8 match;
  memcpy(&match, block->match + i, sizeof match);
  return __builtin_convertvector(match, fr_l8) < 0;
}

static void move(const fr_source *source, size_t first, const fricp_pose *pose, fr_block *block) {
  const double(*m)[3] = pose->rotation;
  memcpy(block->center, pose->translation, sizeof block->center);
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 x = fr_d8_load(source->x[0] + first + i);
    const fr_d8 y = fr_d8_load(source->x[1] + first + i);
    const fr_d8 z = fr_d8_load(source->x[2] + first + i);
    for (int a = 0; a < 3; a++)
      fr_d8_store(block->y[a] + i, m[a][0] * x + m[a][1] * y + m[a][2] * z);
    fr_d8_store(block->prior + i, fr_d8_set(1));
  }
  if (source->weight)
    memcpy(block->prior, source->weight + first, (size_t)block->count * sizeof *block->prior);
  for (int i = block->count; i < block->padded; i++)
    block->y[0][i] = block->y[1][i] = block->y[2][i] = block->prior[i] = 0;
  for (int i = 0; i < block->padded; i++)
    block->match[i] = -1;
}

static void turn(const fr_source *source, size_t first, const fricp_pose *pose, fr_block *block) {
  const double(*m)[3] = pose->rotation;
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 x = fr_d8_load(source->normal[0] + first + i);
    const fr_d8 y = fr_d8_load(source->normal[1] + first + i);
    const fr_d8 z = fr_d8_load(source->normal[2] + first + i);
    for (int a = 0; a < 3; a++)
      fr_d8_store(block->m[a] + i, m[a][0] * x + m[a][1] * y + m[a][2] * z);
  }
}

/* Eight matches' coordinates, one axis after the other; of what has no match any. */
static inline void transpose(const double (*points)[3], const int32_t *match, fr_d8 out[3]) {
  double rows[3][8];
  for (int j = 0; j < 8; j++) {
    const double *p = points[match[j] < 0 ? 0 : match[j]];
    for (int a = 0; a < 3; a++)
      rows[a][j] = p[a];
  }
  for (int a = 0; a < 3; a++)
    out[a] = fr_d8_load(rows[a]);
}

static inline void transpose_normals(const float (*normals)[3], const int32_t *match, fr_d8 out[3]) {
  double rows[3][8];
  for (int j = 0; j < 8; j++) {
    const float *n = normals[match[j] < 0 ? 0 : match[j]];
    for (int a = 0; a < 3; a++)
      rows[a][j] = (double)n[a];
  }
  for (int a = 0; a < 3; a++)
    out[a] = fr_d8_load(rows[a]);
}

static void gather(const double (*points)[3], const float (*normals)[3], double limit, fr_block *block) {
  const fr_d8 limit2 = fr_d8_set(limit * limit);
  const fr_d8 zero = {0};
  for (int i = 0; i < block->padded; i += 8) {
    fr_l8 none = unmatched(block, i);
    fr_d8 q[3];
    fr_d8 d2 = {0};
    transpose(points, block->match + i, q);
    for (int a = 0; a < 3; a++) {
      const fr_d8 d = (fr_d8_load(block->y[a] + i) + block->center[a]) - q[a];
      d2 += d * d;
    }
    none |= ~(d2 <= limit2);
    fr_d8 bare = fr_d8_set(-1);
    if (normals) {
      fr_d8 n[3];
      transpose_normals(normals, block->match + i, n);
      const fr_l8 without = (n[0] == 0) & (n[1] == 0) & (n[2] == 0);
      bare = fr_d8_select(without & ~none, d2, bare);
      none |= without;
      for (int a = 0; a < 3; a++)
        fr_d8_store(block->n[a] + i, fr_d8_select(none, zero, n[a]));
    }
    fr_d8_store(block->bare + i, bare);
    for (int a = 0; a < 3; a++)
      fr_d8_store(block->q[a] + i, fr_d8_select(none, fr_d8_load(block->y[a] + i), q[a] - block->center[a]));
    fr_i8 match;
    memcpy(&match, block->match + i, sizeof match);
    match |= __builtin_convertvector(none, fr_i8); /* -1 */
    memcpy(block->match + i, &match, sizeof match);
  }
}

static void charge(double squared, fr_block *block) {
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 bare = fr_d8_load(block->bare + i);
    const fr_d8 cost = fr_d8_select(bare < 0, fr_d8_set(squared), bare);
    fr_d8_store(block->squared + i, fr_d8_select(unmatched(block, i), cost, fr_d8_load(block->squared + i)));
  }
}

static double clear(fr_block *block) {
  const fr_d8 zero = {0};
  fr_d8 matched = {0};
  for (int i = 0; i < block->padded; i += 8) {
    const fr_l8 none = unmatched(block, i);
    fr_d8_store(block->weight + i, fr_d8_select(none, zero, fr_d8_load(block->weight + i)));
    matched += fr_d8_select(none, zero, fr_d8_set(1));
  }
  return fr_d8_sum(matched);
}

const fr_sweep FR_FOR_ISA(fr_sweep) = {move, turn, gather, charge, clear};
