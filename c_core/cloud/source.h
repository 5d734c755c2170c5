/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source, packed for the passes: finite points, centred on their median, in units of the target's extent. Read once
 * from the caller's cloud, then never written to: any number of runs may share it. What a run knows of its
 * correspondences is in matches.h.
 *
 * Order: any of the prefixes stage_end[] is an evenly spread part of the cloud (every 2^s-th point along a
 * space-filling curve), and within each stage neighbours in space are neighbours in memory. A coarse level is a shorter
 * loop.
 */
#ifndef FR_SOURCE_H
#define FR_SOURCE_H

#include "cloud/cloud.h"
#include "cloud/order.h"

#define FR_STAGES 32
#define FR_COARSEST 1000 /* points; fewer are no sample of a shape, and cost next to nothing */
#define FR_GROUP 8       /* points looked at together */

typedef struct fr_source {
  size_t cloud_count; /* points in the caller's cloud */
  size_t count;       /* points held */
  size_t skipped;     /* not finite */
  int stages;
  size_t stage_end[FR_STAGES];  /* ascending; the last is count */
  double stage_size[FR_STAGES]; /* as how many points of one weight those count */
  double center[3];             /* in the caller's frame */
  double centroid[3];           /* mean, in the caller's frame */
  double *x[3];                 /* room for FR_GROUP - 1 points more than there are, which are 0 */
  double *normal[3];            /* as x, where they were asked for (source_normals.h); else NULL */
  double *weight;               /* the caller's over the largest of them; NULL: all 1 */
  double largest_weight;        /* 1 without weights */
  double weight_sum;            /* of weight */
  int32_t *index;               /* the caller's index of each */
  fr_buffer normals;            /* behind normal; only grows */
  fr_buffer arrays;             /* behind all these; only grows */
  fr_buffer sums;               /* room for those of the blocks while it is packed */
} fr_source;

/* Pack a checked view of `count` finite points. extent is the target's; at least `needed` points or an error. order: room
 * to sort them in, and what may interrupt. */
fricp_status fr_source_pack(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud, size_t count,
                            double extent, size_t needed, const fr_order *order, int threads, fricp_error *error);

void fr_source_release(fr_source *source, const fr_memory *memory);

/* The smallest prefix that counts as at least `least` points of one weight, else all: where most points weigh next to
 * nothing, so many of the others. */
size_t fr_source_prefix(const fr_source *source, size_t least);

/* Where the point of that rank along the curve, from 0 to count - 1, is held. Points at one place follow each other along
 * it, by the caller's index. */
size_t fr_source_position(const fr_source *source, size_t rank);

/* The reverse. */
size_t fr_source_rank(const fr_source *source, size_t position);

/* The sum of the weights of the first so many points. */
double fr_source_weight(const fr_source *source, size_t points);

#endif
