/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy and the step at a pose. */
#ifndef FR_EVALUATE_H
#define FR_EVALUATE_H

#include "align/icp.h"

/* Correspondences, energy and sums at a pose, for the width and the points of icp->now: they stay in icp->pass. */
fricp_status fr_evaluate(fr_icp *icp, const fricp_pose *pose, int record, fricp_error *error);

/* The equations alone, by the sums of a pass at a pose. */
void fr_equate(const fr_icp *icp, const fricp_pose *pose, const double sums[FR_SUMS], fr_step *step);

/* The variance of a residual of weight 1, by the equations; *mean: of the caller's weights, which count relative to it. */
double fr_residual_variance(const fr_icp *icp, const fr_step *step, double *mean);

/* Make the pose just evaluated the current one and solve for the step from it. */
fricp_status fr_accept(fr_icp *icp, const fricp_pose *pose, fricp_error *error);

/* The step from a pose, by the sums of a pass there; prior: what pulls besides, if it is used. */
fricp_status fr_step_at(fr_icp *icp, const fricp_pose *pose, const double sums[FR_SUMS], const fr_spring *prior,
                        fr_step *step, fricp_error *error);

/* The current pose moved by a step's increment, what is locked put right. */
fricp_pose fr_moved(const fr_icp *icp, const fricp_pose *increment);

/* Make the pose just evaluated the current one and solve for the step from it, as an iteration. */
fricp_status fr_take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error);

/* The failure of a pass that came to no end; also icp->failure. */
fricp_status fr_evaluate_failed(fr_icp *icp, fricp_error *error);

/* A row of the trace. */
void fr_note(fr_icp *icp, const fricp_pose *pose, double energy, double step, int accepted, int accelerated);

#endif
