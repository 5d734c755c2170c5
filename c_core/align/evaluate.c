/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/evaluate.h"

#include "align/prior.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

fricp_status fr_evaluate_failed(fr_icp *icp, fricp_error *error) {
  if (fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
    return icp->failure = fr_interrupted(icp->pass.interrupt, "before there was a result", error);
  return icp->failure = fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
}

fricp_status fr_evaluate(fr_icp *icp, const fricp_pose *pose, int record, fricp_error *error) {
  icp->passes++;
  if (fr_pass_run(&icp->pass, pose, icp->now.nu, icp->now.points, 0, record) != 0)
    return fr_evaluate_failed(icp, error);
  icp->energy = icp->pass.energy + fr_prior_energy(icp, pose);
  return FRICP_OK;
}

void fr_equate(const fr_icp *icp, const fricp_pose *pose, const double sums[FR_SUMS], fr_step *step) {
  fr_geometry geometry = {.dimension = icp->pass.target->dimension,
                          .least_radius = icp->settings.least_radius,
                          .least_incline = icp->settings.least_incline};
  memset(step, 0, sizeof *step);
  memcpy(geometry.center, pose->translation, sizeof geometry.center);
  icp->pass.metric->equate(sums, &geometry, step);
}

double fr_residual_variance(const fr_icp *icp, const fr_step *step, double *mean) {
  const fr_source *source = icp->pass.source;
  const int dimension = icp->pass.target->dimension;
  int direction[6];
  *mean = source->weight ? source->weight_sum / (double)source->count : 1;
  return fr_step_variance(step, fr_free_directions(dimension, direction), fmin(icp->pass.metric->equations, dimension),
                          *mean);
}

fricp_status fr_step_at(fr_icp *icp, const fricp_pose *pose, const double sums[FR_SUMS], const fr_spring *prior,
                        fr_step *step, fricp_error *error) {
  fr_constraint held = icp->open.constraint;
  fr_lock_constrain(&icp->lock, icp->pass.target->dimension, pose, &held);
  fr_geometry geometry = {icp->pass.target->dimension, {0},   icp->settings.least_radius,
                          icp->settings.least_incline, &held, icp->lock.locked != 0 || prior->used,
                          prior->used ? prior : NULL,  pose};
  memcpy(geometry.center, pose->translation, sizeof geometry.center);
  if (fr_step_make(icp->pass.metric, sums, &geometry, step) != 0)
    return icp->failure = fr_fail(error, FRICP_ERROR_NUMERICAL, "LAPACK failed on the alignment step");
  return FRICP_OK;
}

fricp_pose fr_moved(const fr_icp *icp, const fricp_pose *increment) {
  fricp_pose moved = fricp_pose_multiply(increment, &icp->now.pose);
  fr_reorthonormalize(moved.rotation);
  fr_lock_project(&icp->lock, &moved);
  return moved;
}

fricp_status fr_accept(fr_icp *icp, const fricp_pose *pose, fricp_error *error) {
  fr_state *now = &icp->now;
  now->pose = *pose;
  now->energy = icp->energy;
  now->matched = icp->pass.matched;
  if (fr_step_at(icp, pose, icp->pass.sums, &icp->prior, &now->step, error) != FRICP_OK)
    return icp->failure;
  now->target = fr_moved(icp, &now->step.increment);
  now->residual = fr_pose_distance(&now->target, &now->pose);
  return FRICP_OK;
}

fricp_status fr_take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error) {
  const fricp_pose back = fricp_pose_inverse(&icp->now.pose);
  icp->last_step = fricp_pose_multiply(pose, &back);
  icp->was_accelerated = accelerated;
  icp->accelerated += accelerated;
  icp->iterations++;
  icp->level_iteration++;
  return fr_accept(icp, pose, error);
}

void fr_note(fr_icp *icp, const fricp_pose *pose, double energy, double step, int accepted, int accelerated) {
  if (!icp->trace)
    return;
  const fricp_trace_row row = {icp->level,  accepted, accelerated, (int32_t)icp->now.points,
                               icp->now.nu, energy,   step,        fr_seconds() - icp->started,
                               *pose};
  icp->trace[icp->trace_count++ % FR_TRACE] = row;
}
