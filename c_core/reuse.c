/* SPDX-License-Identifier: BSD-3-Clause */
#include "reuse.h"

#include <math.h>

fr_reuse_function *fr_reuse_find(fr_isa isa) {
  return FR_PICK(isa, fr_reuse);
}

#define ROUND_DOWN (1 - 1e-6)

void fr_reuse_store(fr_source *source, size_t point, const double at[3], int found, const int32_t *position,
                    const double *d2, double reach) {
  for (int a = 0; a < 3; a++)
    source->anchor[point][a] = (float)at[a];
  source->reach[point] = (float)(reach * ROUND_DOWN);
  source->second[point] = (float)((found > 1 ? fmin(sqrt(d2[1]), reach) : reach) * ROUND_DOWN);
  for (int k = 0; k < FR_KEPT; k++)
    source->kept[point][k] = k < found ? position[k] : -1;
}
