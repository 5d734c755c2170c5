/* SPDX-License-Identifier: BSD-3-Clause */
/* What a sensor saw, by direction: how far it is to the nearest point in each. What would lie in front of it was seen
 * through. Directions without a point tell nothing. */
#ifndef FR_RAYS_H
#define FR_RAYS_H

#include "base/memory.h"

typedef struct fr_rays {
  double origin[3];
  float *nearest; /* by direction; NULL: no sensor is known, which sees through nothing */
} fr_rays;

/* No points yet. @return 0, or -1 if there is no memory. */
int fr_rays_begin(fr_rays *rays, const fr_memory *memory, const double origin[3]);
void fr_rays_release(fr_rays *rays, const fr_memory *memory);

void fr_rays_add(fr_rays *rays, const double p[3]);

/* Was everything in the direction of p, give or take a hundredth of a full turn, farther away than p by more than `margin`?
 */
int fr_rays_pass(const fr_rays *rays, const double p[3], double margin);

#endif
