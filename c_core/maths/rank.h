/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted quantiles. */
#ifndef FR_RANK_H
#define FR_RANK_H

#include <stddef.h>

/* Where the smallest of some values that together have a share of the weight end: what is below the returned value, with
 * *part (0 to 1) of what is equal to it, weighs share of all. Values: not negative, not NaN; weights: not all 0, NULL: all
 * 1. O(count), nothing is permuted; sums go along the values, so that the answer is the same on every machine. */
double fr_rank_cut(const double *values, const double *weights, size_t count, double share, double *part);

#endif
