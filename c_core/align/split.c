/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/split.h"

#include <math.h>
#include <string.h>

int fr_split_reserve(fr_split *split, const fr_memory *memory, fr_buffer *buffer, size_t points) {
  const size_t blocks = (points + FR_BLOCK - 1) / FR_BLOCK;
  double *room = fr_buffer_reserve(memory, buffer, 3 * points + FR_SUMS * blocks, sizeof *room);
  if (!room)
    return -1;
  for (int a = 0; a < 3; a++)
    split->toward[a] = room + (size_t)a * points;
  split->block_sums = room + 3 * points;
  return 0;
}

/* One point: from d to w - u. unit: the length that is 1 to the shrinkage. */
static void advance(const fr_split *split, const fr_shrink *shrink, double unit, size_t at, int axes, const double d[3],
                    double toward[3]) {
  const double held = split->penalty / (1 + split->penalty);
  const double carried = isnan(split->toward[0][at]) ? 0 : split->carried;
  double u[3] = {0};
  double length2 = 0;
  for (int a = 0; a < axes; a++) {
    if (carried > 0)
      u[a] = carried * (d[a] - split->toward[a][at]);
    length2 += (d[a] + u[a]) * (d[a] + u[a]);
  }
  const double length = sqrt(length2) / unit;
  double power = 0;
  const double z = length > 0 ? fr_shrink_length(shrink, length, &power) / length : 0;
  for (int a = 0; a < axes; a++) {
    const double h = d[a] + u[a];
    split->toward[a][at] = toward[a] = (z + held * (1 - z)) * h - u[a];
  }
}

void fr_split_block(const fr_split *split, const fr_metric *metric, double nu, double shape, size_t first,
                    fr_block *block) {
  const fr_shrink shrink = fr_shrink_make(shape, split->penalty / (1 + split->penalty));
  const int axes = metric->residual_is_distance ? 3 : 1;
  double *sums = split->block_sums + first / FR_BLOCK * FR_SUMS;
  for (int i = 0; i < block->count; i++) {
    const size_t at = first + (size_t)i;
    double d[3] = {block->residual[i], 0, 0};
    double toward[3];
    if (block->match[i] < 0) {
      split->toward[0][at] = NAN;
      continue; /* weighs nothing */
    }
    for (int a = 0; a < axes && axes == 3; a++)
      d[a] = block->y[a][i] - block->q[a][i];
    advance(split, &shrink, FR_LP_WIDTH * nu, at, axes, d, toward);
    block->weight[i] = block->prior[i];
    block->squared[i] = 0;
    for (int a = 0; a < axes; a++)
      block->squared[i] += (d[a] - toward[a]) * (d[a] - toward[a]);
    for (int a = 0; a < axes && axes == 3; a++)
      block->q[a][i] += toward[a];
    block->residual[i] = d[0] - toward[0];
  }
  memset(sums, 0, FR_SUMS * sizeof *sums);
  metric->accumulate(block, sums);
}

void fr_split_sum(fr_split *split, size_t blocks) {
  memset(split->sums, 0, sizeof split->sums);
  for (size_t b = 0; b < blocks; b++)
    for (int k = 0; k < FR_SUMS; k++)
      split->sums[k] += split->block_sums[b * FR_SUMS + (size_t)k];
}
