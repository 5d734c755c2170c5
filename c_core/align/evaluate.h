/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy and the step at a pose. */
#ifndef FR_EVALUATE_H
#define FR_EVALUATE_H

#include "align/icp.h"

/* Correspondences, energy and sums at a pose, for the width and the points of icp->now: they stay in icp->pass. */
fricp_status fr_evaluate(fr_icp *icp, const fricp_pose *pose, int record, fricp_error *error);

/* Make the pose just evaluated the current one and solve for the step from it. */
fricp_status fr_accept(fr_icp *icp, const fricp_pose *pose, fricp_error *error);

/* The same, as an iteration. */
fricp_status fr_take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error);

/* The failure of a pass that came to no end; also icp->failure. */
fricp_status fr_evaluate_failed(fr_icp *icp, fricp_error *error);

/* A row of the trace. */
void fr_note(fr_icp *icp, const fricp_pose *pose, double energy, double step, int accepted, int accelerated);

#endif
