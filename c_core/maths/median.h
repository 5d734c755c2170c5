/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection. */
#ifndef FR_MEDIAN_H
#define FR_MEDIAN_H

#include <stddef.h>

/* The median of count > 0 numbers, none of them NaN; the mean of the two middle ones if count is even. O(count);
 * permutes the values. */
double fr_median(double *values, size_t count);

/* Permute values so that values[rank] is what it would be if sorted, nothing before it greater, nothing after it less.
 */
void fr_select(double *values, size_t count, size_t rank);

#endif
