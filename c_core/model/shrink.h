/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shrinkage operator of l_p, 0 < p <= 1 (Bouaziz, Tagliasacchi and Pauly 2013, "Sparse Iterative Closest Point",
 * section 4),
 *
 *   shrink(h) = argmin over z of  s |z|^p + k/2 |z - h|^2:
 *
 * h shortened, and 0 where h is no longer than a threshold. s is chosen such that the threshold is 1 for k = 1:
 *
 *   s = (2 (1 - p))^(1 - p) (2 - p)^(p - 2),      threshold = k^(-1 / (2 - p)).
 */
#ifndef FR_SHRINK_H
#define FR_SHRINK_H

#define FR_LP_WIDTH                                                                                                    \
  1.5 /* threshold of the kernel lp, in nu: at the least nu of noise, 1.5 sigma, five of six inliers are within */

typedef struct fr_shrink {
  double p;
  double s;
  double slope; /* p s / k */
  double threshold;
} fr_shrink;

fr_shrink fr_shrink_make(double p, double k);

/* The length of shrink(h), |h| = length >= 0. *power: its p-th power. */
double fr_shrink_length(const fr_shrink *shrink, double length, double *power);

#endif
