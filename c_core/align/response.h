/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the pose answers to noise, which its covariance is made of.
 *
 * The pose found is where the gradient g = sum w r J vanishes. Noise gives g a covariance B, and a motion x of the source
 * changes g by H x; so the pose's covariance is H^-1 B H^-1 (Huber, Robust Statistics, 6.3).
 *
 * H is less than the normal matrix N = sum w J J^T: the kernel lets go of what moves off, of noisy points another one
 * becomes the nearest, and where surfaces slide on each other correspondences follow. It is measured by differences of g on
 * a sample of the source, moved in each direction by about what the residuals are.
 *
 * B is N times the variance of one pull w r, all pulls at one target point being one: they share its noise.
 */
#ifndef FR_RESPONSE_H
#define FR_RESPONSE_H

#include "align/icp.h"

typedef struct fr_response {
  double share[6][6]; /* N^-1 H, of twists about the step's center; the identity where nothing is known of H */
  double variance;    /* B over N */
  double doubt; /* B over N s^2, with the residuals' plain variance s^2, over the mean share: a motion's gradient H x is
                         worth so much less against that of another measurement */
} fr_response;

/* At the end of a run, at the matches that a pass over the whole source has just recorded. A kernel by rank leaves other matches. @return 0, or -1 if the search failed. */
int fr_response_measure(fr_response *response, const fr_icp *icp);

#endif
