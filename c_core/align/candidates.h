/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several ways from a start, on the clouds' cells.
 *
 * No first kernel width suits all: three medians of the first distances are too wide where little overlaps and too narrow
 * where the clouds are far apart. So a few are tried: planes by pairs that are each other's nearest, and the symmetric
 * residual by such pairs, which suit little overlap; the symmetric one by all pairs; and points first, which come from
 * afar. Where the two by all pairs come to one pose that explains most of both clouds, those by mutual pairs are left out.
 * choice.h chooses between what they come to. Besides the poses that lay the clouds' principal axes on each other are
 * tried (axes.h). Where all that does not convince, rotations nearby are tried, too, or as many as are asked for all
 * around: each first by points on few cells, and of what they come to the best few distinct poses by planes.
 */
#ifndef FR_CANDIDATES_H
#define FR_CANDIDATES_H

#include "align/choice.h"
#include "align/icp.h"

/* The choice begins anew but for from_start. Try the ways from `start`, a pose of the coarse frames, with the settings of
 * `like` that are no widths: its limit on distance (in units of the clouds' frames), its rules. The same bits for any
 * number of threads. An interruption leaves what came to an end before. */
fricp_status fr_candidates_try(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start, const fr_icp *like,
                               const fr_memory *memory, int threads, fricp_error *error);

/* The same from rotations of the start about the source's mean, added to the choice: `starts` - 1 of all, or, for
 * one or none, some nearby. */
fricp_status fr_candidates_around(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start, int starts,
                                  const fr_icp *like, const fr_memory *memory, int threads, fricp_error *error);

/* Where the clouds' principal axes are alike and nothing is locked, the same from where they lie on each other, if that is
 * another pose than the best of the choice, which has one. What leaves a part of a cloud unexplained is not added: such
 * poses are many, and no start speaks for them. */
fricp_status fr_candidates_by_axes(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start,
                                   const fr_icp *like, const fr_memory *memory, int threads, fricp_error *error);

#endif
