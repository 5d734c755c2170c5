/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds, and queries of them, that are hard for a tree. */
#ifndef FRICP_SUPPORT_HARD_CLOUDS_H
#define FRICP_SUPPORT_HARD_CLOUDS_H

#include "prng.h"

#include <stddef.h>

typedef enum hard_kind {
  HARD_CLUSTERS,      /* two sheets a million extents apart */
  HARD_UNEQUAL,       /* two fifths of the points far off */
  HARD_MANY_CLUSTERS, /* tight heaps at random places */
  HARD_EXPONENTIAL,   /* coordinates of 2^-300 to 1 */
  HARD_OUTLIERS,      /* a tenth of the points 1e9 extents off */
  HARD_FARTHEST,      /* one at 1e149 */
  HARD_TINY,          /* all within 1e-30 */
  HARD_LINE,          /* with equal floats */
  HARD_SPHERE,        /* asked from its centre */
  HARD_PLAIN,         /* asked from 1e6 and 1e12 extents off */
  HARD_KINDS
} hard_kind;

/* To be given to free(); ends the program where there is no memory. */
double (*hard_points(hard_kind kind, size_t count))[3];

/* Near a point of the cloud; a sphere's: near its centre; a plain cloud's: far off. */
void hard_query(hard_kind kind, const double (*points)[3], size_t count, prng *g, double q[3]);

#endif
