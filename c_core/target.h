/* SPDX-License-Identifier: BSD-3-Clause */
/* Layer 2: the prepared target. Everything per point lies in the order of the search back end ("position"), centred on
 * `center` and divided by `extent`. */
#ifndef FR_TARGET_H
#define FR_TARGET_H

#include "cloud.h"
#include "duplicates.h"
#include "neighborhood.h"
#include "nn.h"

struct fricp_target {
  fr_memory memory;
  int dimension;
  size_t cloud_count;  /* points in the caller's cloud */
  size_t count;        /* places held: finite points less duplicates */
  size_t skipped;      /* not finite */
  size_t normal_count; /* usable normals */
  double center[3];
  double extent;
  double (*points)[3];
  float (*normals)[3]; /* unit, or zero where there is none; NULL: no normals at all */
  int32_t *index;      /* position -> the caller's index */
  fr_duplicates duplicates;
  fr_nn nn;
  double spacing;                  /* median of the median distance to six neighbours */
  double plane_spacing;            /* the same of distances to the tangent plane; 0 without normals */
  double noise;                    /* standard deviation about the surface */
  size_t samples;                  /* an even sample along the curve of order.h, the same for every back end */
  int32_t sample[FR_NOISE_SAMPLE]; /* its positions */
  size_t spacing_samples;          /* while the target is prepared: a wider one, */
  int32_t *spacing_sample;         /* positions, ascending; NULL: all points */
};

/* The caller's coordinates to the target's frame and back. */
void fr_target_normalize(const fricp_target *target, const double p[3], double out[3]);

#endif
