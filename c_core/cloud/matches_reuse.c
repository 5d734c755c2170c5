/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each instruction set (FR_ISA). See matches.h. */
#include "base/simd.h"
#include "cloud/matches.h"

#include <math.h>
#include <string.h>

#define ANCHOR_ROUNDING 1.0e-7 /* more than sqrt(3) 2^-24 */

/* Take off the slacks of eight points what they have moved since the last pass (at most: by the sum over the axes).
 * @return bit j set if point j has some left. */
static inline unsigned spend_slack(const fr_source *source, float *slack_left, size_t at, const double turn[3][3],
                                   const double shift[3]) {
  const fr_d8 x = fr_d8_load(source->x[0] + at);
  const fr_d8 y = fr_d8_load(source->x[1] + at);
  const fr_d8 z = fr_d8_load(source->x[2] + at);
  fr_d8 moved = {0};
  for (int a = 0; a < 3; a++)
    moved += fr_d8_abs(turn[a][0] * x + turn[a][1] * y + turn[a][2] * z + shift[a]);
  fr_f8 slack;
  memcpy(&slack, slack_left + at, sizeof slack);
  const fr_d8 left = (__builtin_convertvector(slack, fr_d8) - moved) * FR_ROUND_DOWN;
  slack = __builtin_convertvector(left, fr_f8);
  memcpy(slack_left + at, &slack, sizeof slack);
  return fr_d8_less(fr_d8_set(0), left);
}

static double movement(const fr_matches *matches, size_t at, const double y[3]) {
  double moved2 = 0;
  double rounding = 0;
  for (int a = 0; a < 3; a++) {
    const double step = y[a] - (double)matches->anchor[a][at];
    moved2 += step * step;
    rounding += ANCHOR_ROUNDING * fabs(y[a]);
  }
  return sqrt(moved2) + rounding;
}

/* Decide by the points kept, which are brought into the order of their distances. @return 0 if they do not. */
static int decide(const fr_nn *nn, fr_matches *matches, size_t at, const double y[3], double limit) {
  const double others = (double)matches->reach[at] - movement(matches, at, y);
  int32_t position[FR_KEPT] = {-1, -1, -1};
  double distance2[FR_KEPT] = {INFINITY};
  int count = 0;
  if (!(others > 0))
    return 0;
  for (int k = 0; k < FR_KEPT && matches->kept[k][at] >= 0; k++) {
    const int32_t kept = matches->kept[k][at];
    count = fr_nn_insert(nn, kept, fr_distance2(y, nn->points[kept]), FR_KEPT, count, position, distance2);
  }
  if (!(distance2[0] < others * others || others > limit))
    return 0;
  for (int k = 0; k < count; k++)
    matches->kept[k][at] = position[k];
  matches->slack[at] = fr_matches_slack(matches, y, count, distance2, others);
  return 1;
}

int FR_FOR_ISA(fr_reuse)(const fr_nn *nn, const fr_source *source, fr_matches *matches, size_t first, size_t owned,
                         const fricp_pose *pose, double limit, fr_block *block, int32_t *pending) {
  fricp_pose *last = &matches->last[first / FR_BLOCK];
  double turn[3][3];
  double shift[3];
  int count = 0;
  for (int a = 0; a < 3; a++) {
    shift[a] = pose->translation[a] - last->translation[a];
    for (int b = 0; b < 3; b++)
      turn[a][b] = pose->rotation[a][b] - last->rotation[a][b];
  }
  *last = *pose;
  /* What the next block is likely to gather: by then it has come. */
  for (size_t at = first + FR_BLOCK; at < first + 2 * (size_t)FR_BLOCK && at < owned; at++)
    __builtin_prefetch(nn->points[matches->kept[0][at] < 0 ? 0 : matches->kept[0][at]]);
  for (int i = 0; i < block->padded; i += FR_GROUP) {
    unsigned spent = ~spend_slack(source, matches->slack, first + (size_t)i, (const double(*)[3])turn, shift);
    spent &= block->count - i < FR_GROUP ? (1U << (block->count - i)) - 1 : (1U << FR_GROUP) - 1;
    for (; spent; spent &= spent - 1) {
      const int j = i + __builtin_ctz(spent);
      const double y[3] = {block->y[0][j] + block->center[0], block->y[1][j] + block->center[1],
                           block->y[2][j] + block->center[2]};
      if (!decide(nn, matches, first + (size_t)j, y, limit))
        pending[count++] = j;
    }
  }
  memcpy(block->match, matches->kept[0] + first, (size_t)block->count * sizeof *block->match);
  for (int k = 0; k < count; k++)
    block->match[pending[k]] = -1;
  /* A last block that is not whole: the rest of its points did not move along. */
  for (size_t at = first + (size_t)block->padded; at < first + FR_BLOCK && at < matches->count; at++)
    matches->slack[at] = -1;
  return count;
}
