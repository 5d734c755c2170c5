/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source, packed for the passes: finite points, centred on their median, in units of the target's extent.
 *
 * Order: any of the prefixes stage_end[] is an evenly spread part of the cloud (every 2^s-th point along a
 * space-filling curve), and within each stage neighbours in space are neighbours in memory. A coarse level is a shorter
 * loop.
 */
#ifndef FR_SOURCE_H
#define FR_SOURCE_H

#include "cloud/block.h"
#include "cloud/cloud.h"
#include "search/nn.h"

#define FR_STAGES 32
#define FR_GROUP 8 /* points looked at together */

typedef struct fr_source {
  size_t cloud_count; /* points in the caller's cloud */
  size_t count;       /* points held */
  size_t skipped;     /* not finite */
  int stages;
  size_t stage_end[FR_STAGES]; /* ascending; the last is count */
  double center[3];            /* in the caller's frame */
  double centroid[3];          /* mean, in the caller's frame */
  double *x[3];                /* with x and slack, room for FR_GROUP - 1 points more than there are */
  double *weight;              /* the caller's over the largest of them; NULL: all 1 */
  double largest_weight;       /* 1 without weights */
  double weight_sum;           /* of weight */
  int32_t *index;              /* the caller's index of each */
  /* What is known of each point's correspondence (see reuse.h). */
  float *anchor[3];       /* where the point was searched */
  float *reach;           /* distance from there within which there are only those kept */
  int32_t *kept[FR_KEPT]; /* target points, the nearest at the last pass first; -1: fewer */
  float *slack;           /* how far the point may move from the last pass before its correspondence is in doubt */
  fricp_pose *last;       /* the pose of the last pass, block by block */
  double slack_limit;     /* the search limit that slack reckons with */
  /* The final pass. */
  int32_t *match;
  double *distance2;
  double *residual;
  double *final_weight;
  fr_buffer arrays;        /* behind all these; only grows */
  fr_buffer sums;          /* room for those of the blocks */
  fr_interrupt *interrupt; /* while it is packed; else NULL */
} fr_source;

/* Pack a checked view. extent is the target's; at least `needed` points or an error. */
fricp_status fr_source_pack(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud, double extent,
                            size_t needed, int threads, fricp_error *error);

/* Forget what searches found. */
void fr_source_forget(fr_source *source);

void fr_source_release(fr_source *source, const fr_memory *memory);

/* The smallest prefix of at least `least` points. */
size_t fr_source_prefix(const fr_source *source, size_t least);

#endif
