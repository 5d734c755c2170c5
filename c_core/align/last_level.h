/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the last level alone has beside the loop of icp.c.
 */
#ifndef FR_LAST_LEVEL_H
#define FR_LAST_LEVEL_H

#include "align/icp.h"

/* Once it has stopped: by what comes to rest, if the scheme does not, and under a prior until its weight is settled. */
fricp_status fr_last_level_rest(fr_icp *icp, fricp_error *error);

/* A run that had to stop early may have left a good start for a coarse level's optimum: of the two, the one of the
 * lower energy at the smallest width. A search of the caller's own, which orders by something else, is not asked. */
fricp_status fr_last_level_compare(fr_icp *icp, const fricp_pose *start, fricp_error *error);

/* After a run: hold the motions that are open where start has them, and run the last level again. */
fricp_status fr_last_level_hold(fr_icp *icp, const fr_open *open, const fricp_pose *start, fricp_error *error);

#endif
