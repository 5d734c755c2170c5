/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured on each target point's neighbours: normals and spacing. */
#ifndef FR_NEIGHBORHOOD_H
#define FR_NEIGHBORHOOD_H

#include "search/nn.h"

#define FR_NORMAL_NEIGHBORS 30    /* by default, in 3-D; as the PCL shim */
#define FR_NORMAL_NEIGHBORS_2D 10 /* on a scan line the same share of a neighbourhood is far fewer points */
#define FR_LINE 1e-12             /* of the largest variance: no second direction */
#define FR_THIN 0.1               /* of the largest variance: half a disc of neighbours has 0.28 */

/* How normals are fitted. */
typedef struct fr_normal_fit {
  int dimension;
  int neighbors;
  double thin;        /* neighbours whose second variance is at most this share of the largest are along a line: they
                         determine no plane */
  const char *during; /* what an error says it interrupted */
} fr_normal_fit;

/* Zero: none. */
static inline int fr_has_normal(const float normal[3]) {
  return normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
}

/* Fit a plane (2-D: a line) to the nearest points of every point that has no normal yet (zero) and write
 * its unit normal. Points whose neighbours determine none keep zero. */
fricp_status fr_estimate_normals(const fr_nn *nn, const fr_normal_fit *fit, float (*normals)[3], int threads,
                                 fricp_error *error);

/* The unit normal of the plane (2-D: line) through the `neighbors` nearest points of the point at a position; of a curve
 * in space, whose neighbours lie along a line, two of them. tilt2: the variance of each one's angle that the neighbours'
 * distances from the plane explain. @return how many, 0 if the neighbours determine none, -1 if the search failed. */
int fr_normals_at(const fr_nn *nn, int dimension, int neighbors, size_t position, double normal[2][3], double tilt2[2]);

/* The paper's two measures of the target (section "Robust ICP via Welsch's function", last but one paragraph, and
 * "Extension to point-to-plane"): medians over the points of the median over six neighbours of the distance, and of the
 * distance to the tangent plane (0 if normals is NULL). A neighbour at the same place as the point, or as another
 * neighbour, is not one more. The middle two of six distances are averaged as squares: the paper's published nu_min.
 * The points are those at the `samples` positions of the sample, ascending; NULL: all. */
fricp_status fr_measure_spacing(const fr_nn *nn, const float (*normals)[3], const int32_t *sample, size_t samples,
                                int threads, double *spacing, double *plane_spacing, fricp_error *error);

/* Mean and covariance, d x d, times their number (upper triangle, column-major), of the points at `count` positions. */
void fr_covariance(const fr_nn *nn, int d, const int32_t *position, int count, double mean[3], double covariance[9]);

/* For whoever goes through neighbourhoods: the threads to take, and how it ended ("while the target's ..."). */
int fr_neighborhood_threads(const fr_nn *nn, int threads);
fricp_status fr_neighborhood_outcome(const fr_nn *nn, int failed, const char *during, fricp_error *error);

#endif
