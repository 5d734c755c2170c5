/* SPDX-License-Identifier: BSD-3-Clause */
/* Correspondences that need no search. */
#ifndef FR_REUSE_H
#define FR_REUSE_H

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

/*
 * For the block's points (source points first .. first + count - 1, moved by the pose to y + center): where it follows
 * from what is known which target point is the nearest, or that none is within `limit`, write it to match (a point
 * beyond the limit, or -1, if there is none); list the others in pending. What is known of the points before `owned` no
 * other thread touches meanwhile: so far it may look ahead. @return how many are pending.
 */
typedef int fr_reuse_function(const fr_nn *nn, fr_source *source, size_t first, size_t owned, const fricp_pose *pose,
                              double limit, fr_block *block, int32_t *pending);

fr_reuse_function fr_reuse_generic;
fr_reuse_function fr_reuse_avx2;
fr_reuse_function fr_reuse_avx512;

fr_reuse_function *fr_reuse_find(fr_isa isa);

/* To be told before a pass with that limit: slack has to hold for it. */
void fr_reuse_limit(fr_source *source, double limit);

/* The slack of a point at y with these kept points, the nearest first, and no others within `reach`. */
float fr_reuse_slack(const fr_source *source, const double y[3], int found, const double *d2, double reach);

/* Note what a search from `at` found: `found` neighbours, nearest first, and nothing else within `reach`. */
void fr_reuse_store(fr_source *source, size_t point, const double at[3], int found, const int32_t *position,
                    const double *d2, double reach);

#endif
