/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Motions that the surfaces leave open.
 *
 * As the source slides along the target's surface its correspondences follow, so only what moves it off the surface is
 * seen: a unit motion u moves target point q by J u, and its normal n sees the share i = n . J u / |J u|. A motion is open
 * if no point sees more of it than the normals' own errors explain, which the neighbours' distances from the plane tell:
 * their variance over their spread along it is that of the normal's tilt t. Either all together see no more than that, and
 * those that see more than some t on their own are too few: poles on a floor are enough. That is asked of each motion by
 * itself: all of a tapered pipe's points see its shift along the axis, and of its turn about it their normals' errors.
 *
 * Where the matched samples are the same points, their texture tells what surfaces do not: nothing is open then.
 */
#ifndef FR_OPEN_H
#define FR_OPEN_H

#include "align/pass.h"
#include "maths/spring.h"

typedef struct fr_open {
  int count;                /* open motions */
  int told;                 /* the first so many are determined by nothing else */
  double u[6][6];           /* twists about the target's origin, ... */
  fr_constraint constraint; /* ... and rows v with v_e . u_f = (e == f): what a motion has of each */
} fr_open;

/* Judge, of the motions that `held` leaves free, at the matches that a pass over the whole source has just recorded. @return 0, or -1 if the search failed. */
int fr_open_measure(fr_open *open, const fr_pass *pass, const fr_constraint *held);

/* The pose next to this one, by open motions only, that has nothing of those that are told since the
 * start. */
fricp_pose fr_open_undo(const fr_open *open, const fricp_pose *pose, const fricp_pose *start);

/* Of what surfaces leave open a prior may determine some: those come last, the others are told. */
void fr_open_ask(fr_open *open, const fr_spring *prior, const fricp_pose *pose);

/* Along those the prior decides: its best pose next to this one. */
void fr_open_settle(const fr_open *open, const fr_spring *prior, fricp_pose *pose);

/* Take the open motions out of a twist about the target's origin. */
void fr_open_project(const fr_open *open, fr_twist *twist);

#endif
