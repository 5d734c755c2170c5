/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the caller's views. */
#ifndef FR_CLOUD_H
#define FR_CLOUD_H

#include "base/interrupt.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Check the view's fields and its index list. name ("source", "target") goes into messages. *checked receives the view
 * with its defaults filled in: strides, dimension; it is what the functions below take. */
fricp_status fr_cloud_check(const fricp_cloud *cloud, const char *name, fricp_cloud *checked, fricp_error *error);

/* Points selected: index_count, or count. */
size_t fr_cloud_selected(const fricp_cloud *cloud);

/* The caller's index of the i-th selected point. */
static inline size_t fr_cloud_index(const fricp_cloud *cloud, size_t i) {
  return cloud->indices ? (size_t)cloud->indices[i] : i;
}

/* Coordinates divided by any extent that is accepted stay below 1e136, and the sums of their squares are finite. */
#define FR_COORDINATE_LIMIT 1e75

/* Read point `index`; z is 0 in 2-D. @return 1 if it is finite (and below FR_COORDINATE_LIMIT), else 0. */
static inline int fr_cloud_point(const fricp_cloud *cloud, size_t index, double out[3]) {
  const unsigned char *at = (const unsigned char *)cloud->points + index * cloud->stride;
  const int flat = cloud->dimension == 2;
  if (cloud->scalar_type == FRICP_SCALAR_FLOAT) {
    float v[3] = {0, 0, 0};
    memcpy(v, at, 2 * sizeof *v);
    if (!flat)
      memcpy(v + 2, at + 2 * sizeof *v, sizeof *v);
    for (int a = 0; a < 3; a++)
      out[a] = (double)v[a];
  } else {
    out[2] = 0;
    memcpy(out, at, 2 * sizeof *out);
    if (!flat)
      memcpy(out + 2, at + 2 * sizeof *out, sizeof *out);
  }
  return (fabs(out[0]) < FR_COORDINATE_LIMIT) & (fabs(out[1]) < FR_COORDINATE_LIMIT) &
         (fabs(out[2]) < FR_COORDINATE_LIMIT);
}

/* The selected points that are finite, in the caller's order; index NULL: only counted. @return how many, fewer if
 * interrupted. */
size_t fr_cloud_finite(const fricp_cloud *cloud, int32_t *index, fr_interrupt *interrupt);

/* Read normal `index`, normalised; nz is 0 in 2-D. @return 1 if there is a usable one, else 0 and zeros. */
int fr_cloud_normal(const fricp_cloud *cloud, size_t index, double out[3]);

/* Read the weight of point `index`; 1 without weights. */
double fr_cloud_weight(const fricp_cloud *cloud, size_t index);

/* A robust frame: the coordinate-wise median of the points and four times their median distance to it (the diameter of
 * a cloud, give or take). A few points far off, as sensors write for "no return", change neither. If more than half of
 * the points coincide, extent is twice the largest distance; 0: all do. */
typedef struct fr_frame {
  double center[3];
  double extent;
} fr_frame;

/* The frame of the points at the n indices; scratch has room for 3 n doubles. Refuses clouds that are too few, all at
 * one place, or so small or so far that squares of numbers in the frame would not be finite: this is the one place that
 * decides which clouds can be worked with. needed: least number of points. */
fricp_status fr_cloud_frame(const fricp_cloud *cloud, const int32_t *index, size_t n, size_t needed, double *scratch,
                            const char *name, fr_frame *frame, fr_interrupt *interrupt, fricp_error *error);

/* Into the frame: centred, divided by the extent, and what is next to nothing there is nothing, so that the square of
 * any difference that is not 0 is not 0 either. out may be p. */
void fr_frame_normalize(const fr_frame *frame, const double p[3], double out[3]);

#endif
