/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact reuse of correspondences. Compiled once for each instruction set (FR_ISA).
 *
 * A search at the anchor a found the nearest points it keeps, and that every other target point is at least `reach`
 * from a. At y, having moved by s = |y - a|, every other point is at least reach - s away. So
 *   - if the nearest kept point is nearer than reach - s, it is the nearest of all;
 *   - if reach - s is beyond the limit, the nearest kept one decides: a match within the limit, or none at all.
 * Most often the step is small and the first kept point alone decides: with the distance of the second from a for
 * reach, it is the nearest of all if it is nearer than that less s. Anchor and reach are floats: the anchor's rounding
 * is added to s, reach was rounded down when stored.
 */
#include "reuse.h"
#include "simd.h"

#include <math.h>

#define ANCHOR_ROUNDING 1.0e-7 /* more than sqrt(3) 2^-24 */

static inline double movement(const float anchor[3], const double y[3]) {
  const double x = y[0] - (double)anchor[0];
  const double v = y[1] - (double)anchor[1];
  const double z = y[2] - (double)anchor[2];
  return sqrt(x * x + v * v + z * z) + ANCHOR_ROUNDING * (fabs(y[0]) + fabs(y[1]) + fabs(y[2]));
}

/* The nearest of the kept points, ties to the lower index of the caller. @return its position, -1: none kept. */
static inline int32_t nearest_kept(const fr_nn *nn, const int32_t kept[FR_KEPT], const double y[3], double *d2) {
  int32_t best = -1;
  *d2 = INFINITY;
  for (int k = 0; k < FR_KEPT && kept[k] >= 0; k++) {
    const double distance2 = fr_distance2(y, nn->points[kept[k]]);
    if (distance2 < *d2 || (distance2 == *d2 && best >= 0 && nn->index[kept[k]] < nn->index[best])) {
      *d2 = distance2;
      best = kept[k];
    }
  }
  return best;
}

int FR_FOR_ISA(fr_reuse)(const fr_nn *nn, const fr_source *source, size_t first, double limit, fr_block *block,
                         int32_t *pending) {
  int count = 0;
  for (int i = 0; i < block->count; i++) {
    const size_t at = first + (size_t)i;
    const double y[3] = {block->y[0][i] + block->center[0], block->y[1][i] + block->center[1],
                         block->y[2][i] + block->center[2]};
    const double moved = movement(source->anchor[at], y);
    const double second = (double)source->second[at] - moved;
    const double others = (double)source->reach[at] - moved;
    int32_t best = source->kept[at][0];
    double d2 = best >= 0 ? fr_distance2(y, nn->points[best]) : INFINITY;
    int known = second > 0 && d2 < second * second;
    if (!known && others > 0) {
      best = nearest_kept(nn, source->kept[at], y, &d2);
      known = d2 < others * others || others > limit;
    }
    if (known) {
      block->match[i] = d2 <= limit * limit ? best : -1;
      block->distance2[i] = d2;
    } else {
      pending[count++] = i;
    }
  }
  return count;
}
