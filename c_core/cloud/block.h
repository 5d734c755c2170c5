/* SPDX-License-Identifier: BSD-3-Clause */
/* The unit of work of a pass: a run of source points, moved and matched, and the sums over it. */
#ifndef FR_BLOCK_H
#define FR_BLOCK_H

#include <stdint.h>

#define FR_BLOCK 128 /* a multiple of 8; a block's arrays fit the first-level cache */
#define FR_SUMS 40

typedef struct fr_block {
  int count;                 /* points */
  int padded;                /* count rounded up to a multiple of 8; what lies between is zero throughout */
  double center[3];          /* subtracted from y and q: the moved origin of the source */
  double y[3][FR_BLOCK];     /* moved source points, relative to center */
  double q[3][FR_BLOCK];     /* their correspondences, relative to center */
  double n[3][FR_BLOCK];     /* normals at the correspondences, if the metric needs them */
  double m[3][FR_BLOCK];     /* normals of the moved source points, if the metric needs them; 0: none */
  double prior[FR_BLOCK];    /* the caller's weights */
  double residual[FR_BLOCK]; /* if it has a sign */
  double squared[FR_BLOCK];  /* residual^2, as the kernel sees it */
  double bare[FR_BLOCK];     /* squared distance to a match that was dropped because it has no normal; else -1 */
  double weight[FR_BLOCK];   /* prior times the kernel's weight; 0 without a correspondence */
  int32_t match[FR_BLOCK];   /* target position, -1: none */
} fr_block;

#endif
