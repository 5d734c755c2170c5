/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/reuse.h"

#include <math.h>

fr_reuse_function *fr_reuse_find(fr_isa isa) {
  return FR_PICK(isa, fr_reuse);
}

#define POSE_ROUNDING 1e-14 /* of y itself, and of what it moves from pass to pass */

void fr_reuse_limit(fr_source *source, double limit) {
  if (limit > source->slack_limit)
    for (size_t i = 0; i < source->count; i++)
      source->slack[i] = -1;
  source->slack_limit = limit;
}

float fr_reuse_slack(const fr_source *source, const double y[3], int found, const double *d2, double reach) {
  const double first = found > 0 ? sqrt(d2[0]) : reach;
  const double second = found > 1 ? fmin(sqrt(d2[1]), reach) : reach;
  const double alone = found > 0 ? (second * FR_ROUND_DOWN - first) / 2 : -1;
  const double beyond = fmin(first, reach) * FR_ROUND_DOWN - source->slack_limit;
  const double rounding = POSE_ROUNDING * (fabs(y[0]) + fabs(y[1]) + fabs(y[2]));
  return (float)((fmax(alone, beyond) - rounding) * FR_ROUND_DOWN);
}

void fr_reuse_store(fr_source *source, size_t point, const double at[3], int found, const int32_t *position,
                    const double *d2, double reach) {
  for (int a = 0; a < 3; a++)
    source->anchor[a][point] = (float)at[a];
  source->reach[point] = (float)(reach * FR_ROUND_DOWN);
  source->slack[point] = fr_reuse_slack(source, at, found, d2, reach);
  for (int k = 0; k < FR_KEPT; k++)
    source->kept[k][point] = k < found ? position[k] : -1;
}
