/* SPDX-License-Identifier: BSD-3-Clause */
/* What the caller restricts the pose by: locked directions, a prior. */
#ifndef FR_RESTRICT_H
#define FR_RESTRICT_H

#include "api/job.h"

/* After the guess: refuse what leaves nothing free, and what is no prior. */
fricp_status fr_restrict_check(fr_job *job, fricp_error *error);

/* Set up the run, in its frames, where the frames are known. */
void fr_restrict_set_up(fr_job *job);

#endif
