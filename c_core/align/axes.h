/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where both clouds show the whole of the same thing, their principal axes tell how they lie, from whatever start: all but
 * the axes' signs.
 */
#ifndef FR_AXES_H
#define FR_AXES_H

#include "align/coarse.h"

#define FR_AXES 4

/* Poses (of the coarse frames) that lay the middle and the principal axes of the source's cells on those of the target's.
 * @return how many: 4, in 2-D 2; none if the clouds do not extend alike along them. */
int fr_axes_poses(const fr_coarse *coarse, fricp_pose poses[FR_AXES]);

#endif
