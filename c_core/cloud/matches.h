/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run knows of its correspondences: where each point was searched, which target points are the nearest, and how
 * far it may move until that is in doubt; and what its last recorded pass came to. */
#ifndef FR_MATCHES_H
#define FR_MATCHES_H

#include "base/isa.h"
#include "cloud/block.h"
#include "cloud/source.h"
#include "search/nn.h"

/*
 * Exact reuse of correspondences.
 *
 * A search at the anchor a found the nearest points it keeps, and that every other target point is at least `reach`
 * from a. At y, having moved by s = |y - a|, every other point is at least reach - s away. So
 *   - if the nearest kept point is nearer than reach - s, it is the nearest of all;
 *   - if reach - s is beyond the limit, the nearest kept one decides: a match within the limit, or none at all.
 * Then the point has a slack: if the nearest is at d and all others at least at d + 2 slack, nothing changes until it
 * has moved by slack; and where nothing is within slack_limit, slack is the distance from that. What a point moves from
 * pass to pass is taken off its slack, so that most passes look at nothing else.
 *
 * Anchor, reach and slack are floats: the anchor's rounding is added to s, the others are rounded down.
 */

typedef struct fr_matches {
  size_t count;
  float *anchor[3];       /* where the point was searched */
  float *reach;           /* distance from there within which there are only those kept */
  int32_t *kept[FR_KEPT]; /* target points, the nearest at the last pass first; -1: fewer */
  float *slack;       /* how far the point may move from the last pass before its correspondence is in doubt; room for
                             FR_GROUP - 1 more */
  fricp_pose *last;   /* the pose of the last pass, block by block */
  double slack_limit; /* the search limit that slack reckons with */
  fricp_pose asked_pose; /* of a search whose distances bound nothing: where it was asked last, ... */
  size_t asked_points;   /* ... for so many points; its answers are kept[0] */
  /* The last recorded pass. */
  int32_t *match; /* target position, -1: none */
  double *distance2;
  double *residual;
  double *weight;   /* the kernel's */
  fr_buffer arrays; /* behind all these; only grows */
} fr_matches;

/* Room for so many points. @return 0, or -1 if there is no memory. */
int fr_matches_reserve(fr_matches *matches, const fr_memory *memory, size_t count);

void fr_matches_release(fr_matches *matches, const fr_memory *memory);

/* Room for fr_source_pack() to sort in, until fr_matches_forget(). */
fr_order fr_matches_room(const fr_matches *matches, fr_interrupt *interrupt);

/* Nothing is known of any point. Left midway if interrupted. */
void fr_matches_forget(fr_matches *matches, fr_interrupt *interrupt);

/*
 * For the block's points (source points first .. first + count - 1, moved by the pose to y + center): where it follows
 * from what is known which target point is the nearest, or that none is within `limit`, write it to match (a point
 * beyond the limit, or -1, if there is none); list the others in pending. What is known of the points before `owned` no
 * other thread touches meanwhile: so far it may look ahead. @return how many are pending.
 */
typedef int fr_reuse_function(const fr_nn *nn, const fr_source *source, fr_matches *matches, size_t first, size_t owned,
                              const fricp_pose *pose, double limit, fr_block *block, int32_t *pending);

fr_reuse_function fr_reuse_generic;
fr_reuse_function fr_reuse_avx2;
fr_reuse_function fr_reuse_avx512;

fr_reuse_function *fr_reuse_find(fr_isa isa);

/* To be told before a pass with that limit: slack has to hold for it. */
void fr_matches_limit(fr_matches *matches, double limit);

/* The slack of a point at y with these kept points, the nearest first, and no others within `reach`. */
float fr_matches_slack(const fr_matches *matches, const double y[3], int found, const double *d2, double reach);

/* Note what a search from `at` found: `found` neighbours, nearest first, and nothing else within `reach`. */
void fr_matches_store(fr_matches *matches, size_t point, const double at[3], int found, const int32_t *position,
                      const double *d2, double reach);

#endif
