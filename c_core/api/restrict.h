/* SPDX-License-Identifier: BSD-3-Clause */
/* What the caller restricts the pose by: locked directions, a prior. */
#ifndef FR_RESTRICT_H
#define FR_RESTRICT_H

#include "api/job.h"

/* Given the mended guess, whatever the clouds hold: refuse what leaves nothing free, and what is no prior. */
fricp_status fr_restrict_check(const fricp_options *options, const fricp_pose *guess, int dimension, fr_chart *lock,
                               fr_spring *prior, fricp_error *error);

/* Refuse information that is none in units of the target's extent. */
fricp_status fr_restrict_fits(const fr_spring *prior, double extent, fricp_error *error);

/* Set up the run, in its frames, where the frames are known. */
void fr_restrict_set_up(fr_job *job);

#endif
