/* SPDX-License-Identifier: BSD-3-Clause */
/* The prepared target. Everything per point lies in the order of the search back end ("position"), centred on
 * `center` and divided by `extent`. */
#ifndef FR_TARGET_H
#define FR_TARGET_H

#include "cloud/cloud.h"
#include "cloud/duplicates.h"
#include "cloud/noise.h"
#include "search/nn.h"

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
  double spacing;       /* median of the median distance to six neighbours */
  double plane_spacing; /* the same of distances to the tangent plane; 0 without normals */
  fr_noise noise;
  size_t samples;                  /* an even sample along the curve of order.h, the same for every back end */
  int32_t sample[FR_NOISE_SAMPLE]; /* its positions */
  size_t spacing_samples;          /* while the target is prepared: a wider one, */
  int32_t *spacing_sample;         /* positions, ascending; NULL: all points */
};

/* Pack, index, and measure a checked view into a target of zeros with its memory and, if there is one, nn.interrupt set.
 * Released by fr_target_release(), also after a failure. */
fricp_status fr_target_prepare(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                               fricp_error *error);

/* The same, but for what is measured: points, index and normals. */
fricp_status fr_target_find_normals(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                                    fricp_error *error);

/* All but the struct itself. */
void fr_target_release(fricp_target *target);

/* The caller's coordinates to the target's frame and back. */
void fr_target_normalize(const fricp_target *target, const double p[3], double out[3]);

#endif
