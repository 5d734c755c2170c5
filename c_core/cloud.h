/* SPDX-License-Identifier: BSD-3-Clause */
/* Layer 2: reading the caller's views. */
#ifndef FR_CLOUD_H
#define FR_CLOUD_H

#include "memory.h"

/* Check the view's fields and its index list. name ("source", "target") goes into messages. *checked receives the view
 * with its defaults filled in: strides, dimension; it is what the functions below take. */
fricp_status fr_cloud_check(const fricp_cloud *cloud, const char *name, fricp_cloud *checked, fricp_error *error);

/* Points selected: index_count, or count. */
size_t fr_cloud_selected(const fricp_cloud *cloud);

/* The caller's index of the i-th selected point. */
static inline size_t fr_cloud_index(const fricp_cloud *cloud, size_t i) {
  return cloud->indices ? (size_t)cloud->indices[i] : i;
}

/* Read point `index`; z is 0 in 2-D. @return 1 if it is finite (and below 1e150), else 0. */
int fr_cloud_point(const fricp_cloud *cloud, size_t index, double out[3]);

/* Read normal `index`, normalised; nz is 0 in 2-D. @return 1 if there is a usable one, else 0 and zeros. */
int fr_cloud_normal(const fricp_cloud *cloud, size_t index, double out[3]);

/* Read the weight of point `index`; 1 without weights. */
double fr_cloud_weight(const fricp_cloud *cloud, size_t index);

/* A robust frame of the cloud, from an even sample of its selected finite points: the coordinate-wise median and four
 * times the median distance to it (the diameter of a cloud, give or take). A few points far off, as sensors write for
 * "no return", change neither. If more than half of the points coincide, extent is the largest distance; 0: all do. */
typedef struct fr_frame {
  double center[3];
  double extent;
  size_t finite; /* finite points in the whole selection */
} fr_frame;
#define FR_FRAME_SAMPLE ((size_t)2048)
#define FR_FRAME_SCRATCH (4 * FR_FRAME_SAMPLE)
/* scratch has room for FR_FRAME_SCRATCH doubles. */
fricp_status fr_cloud_frame(const fricp_cloud *cloud, double *scratch, const char *name, fr_frame *frame,
                            fricp_error *error);

#endif
