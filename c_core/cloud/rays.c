/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/rays.h"

#include <math.h>

#define SIDE 48 /* directions along the edge of a cube's face: 2 degrees each */
#define DIRECTIONS ((size_t)(6 * SIDE * SIDE))
#define STEP (2.0 / SIDE) /* of a vector whose largest component is 1 */

/* Of the longest component. */
static int longest(const double d[3]) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(d[a]) > fabs(d[axis]))
      axis = a;
  return axis;
}

/* By the face of a cube about the origin, and the place on it. */
static size_t direction_of(const double d[3]) {
  const int axis = longest(d);
  size_t number = 2 * (size_t)axis + (d[axis] < 0);
  for (int k = 1; k < 3; k++) {
    const double at = (d[(axis + k) % 3] / fabs(d[axis]) + 1) / STEP;
    number = number * SIDE + (size_t)fmin(at, SIDE - 1);
  }
  return number;
}

/* The vector from the origin, its largest component made 1. @return the distance, 0 at the origin. */
static double look(const fr_rays *rays, const double p[3], double d[3]) {
  double largest = 0;
  for (int a = 0; a < 3; a++) {
    d[a] = p[a] - rays->origin[a];
    largest = fmax(largest, fabs(d[a]));
  }
  for (int a = 0; a < 3 && largest > 0; a++)
    d[a] /= largest;
  return largest * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

int fr_rays_begin(fr_rays *rays, const fr_memory *memory, const double origin[3]) {
  rays->nearest = fr_allocate(memory, DIRECTIONS, sizeof *rays->nearest);
  for (size_t i = 0; rays->nearest && i < DIRECTIONS; i++)
    rays->nearest[i] = INFINITY;
  for (int a = 0; a < 3; a++)
    rays->origin[a] = origin[a];
  return rays->nearest ? 0 : -1;
}

void fr_rays_release(fr_rays *rays, const fr_memory *memory) {
  fr_release(memory, rays->nearest);
  rays->nearest = NULL;
}

/* Into its own direction and those around it, so that there are no gaps between a scan's rings, and an edge hides what is
 * beside it. */
void fr_rays_add(fr_rays *rays, const double p[3]) {
  double d[3];
  const float distance = (float)look(rays, p, d);
  const int axis = longest(d);
  for (int i = -1; distance > 0 && i <= 1; i++)
    for (int k = -1; k <= 1; k++) {
      double beside[3] = {d[0], d[1], d[2]};
      beside[(axis + 1) % 3] += i * STEP;
      beside[(axis + 2) % 3] += k * STEP;
      float *nearest = &rays->nearest[direction_of(beside)];
      *nearest = fminf(*nearest, distance);
    }
}

int fr_rays_pass(const fr_rays *rays, const double p[3], double margin) {
  double d[3];
  if (!rays->nearest)
    return 0;
  const double distance = look(rays, p, d);
  if (!(distance > 0))
    return 0;
  const double nearest = (double)rays->nearest[direction_of(d)];
  return isfinite(nearest) && nearest > distance + margin;
}
