/* SPDX-License-Identifier: BSD-3-Clause */
/* Majorise and minimise: at fixed weights and correspondences the energy has a quadratic majoriser, whose minimum is T'. */
#ifndef FR_SCHEME_MM_H
#define FR_SCHEME_MM_H

#include "align/safeguard.h"

/* From the current pose to the next. reference: the level's first pose, about which logarithms are taken. */
fr_outcome fr_mm_advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error);

#endif
