/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/last_level.h"

#include "align/evaluate.h"
#include "align/prior.h"
#include "align/response.h"
#include "align/scheme.h"
#include "align/stop.h"

#include <math.h>
#include <string.h>

#define REWEIGHED 20 /* times that the last level is run again under a prior, at most, ... */
#define SETTLED 1e-3 /* ... until the residuals' variance changes by less than this share */

/* Once more, by what comes to rest there. */
static fricp_status finish(fr_icp *icp, fricp_error *error) {
  fricp_status status = FRICP_OK;
  const int iterations = icp->level_iteration;
  if (!icp->scheme->finish || fr_stop_is_interrupted(icp) || icp->stop_reason == FRICP_STOP_ITERATION_LIMIT)
    return FRICP_OK;
  icp->finishing = 1;
  if (fr_level_enter(icp, &status, error))
    status = fr_level_run(icp, error);
  icp->level_iteration += iterations;
  return status;
}

/* How much less the clouds say than N / s^2: measured once the last level has come to rest. */
static fricp_status doubt_clouds(fr_icp *icp, fricp_error *error) {
  fr_response response;
  if (fr_pass_run(&icp->pass, &icp->now.pose, icp->now.nu, icp->pass.source->count, 0, 1) == 0 &&
      fr_response_measure(&response, icp) == 0) {
    icp->prior_doubt = response.doubt;
    return FRICP_OK;
  }
  return fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE ? FRICP_OK : fr_evaluate_failed(icp, error);
}

/* What a prior weighs depends on the residuals' variance, which depends on the pose. */
static fricp_status settle_prior(fr_icp *icp, fricp_error *error) {
  fricp_status status = FRICP_OK;
  for (int turn = 0; icp->prior.used && turn < REWEIGHED; turn++) {
    const int32_t reason = icp->stop_reason;
    const int iterations = icp->level_iteration;
    const fr_spring before = icp->prior;
    if (status != FRICP_OK || fr_stop_is_interrupted(icp) || reason == FRICP_STOP_ITERATION_LIMIT)
      return status;
    if (turn == 0 && icp->pull)
      status = doubt_clouds(icp, error);
    if (status != FRICP_OK || !fr_level_enter(icp, &status, error))
      return status;
    if (fabs(icp->prior.variance - before.variance) <= SETTLED * before.variance)
      turn = REWEIGHED; /* the last one */
    status = fr_level_run(icp, error);
    icp->level_iteration += iterations;
  }
  return status;
}

fricp_status fr_last_level_rest(fr_icp *icp, fricp_error *error) {
  const fricp_status status = finish(icp, error);
  return status == FRICP_OK ? settle_prior(icp, error) : status;
}

fricp_status fr_last_level_compare(fr_icp *icp, const fricp_pose *start, fricp_error *error) {
  fr_state found = icp->now;
  fr_state *now = &icp->now;
  if (icp->stop_reason != FRICP_STOP_ITERATION_LIMIT || !icp->pass.kernel->scheduled ||
      !icp->pass.target->nn.ops->euclidean || !(icp->pass.rules->compare_with_start > 0))
    return FRICP_OK;
  now->nu = icp->plan.level[icp->plan.count - 1].nu;
  now->points = icp->pass.source->count;
  fricp_status status = fr_evaluate(icp, &found.pose, 0, error);
  const double energy = icp->energy;
  if (status == FRICP_OK)
    status = fr_evaluate(icp, start, 0, error);
  if (status == FRICP_OK && icp->energy < energy)
    return fr_accept(icp, start, error);
  *now = found;
  return status;
}

static fricp_status run_held(fr_icp *icp, fricp_error *error) {
  fricp_status status = FRICP_OK;
  if (!fr_level_enter(icp, &status, error)) {
    icp->now.energy = icp->energy;
    memset(&icp->now.step, 0, sizeof icp->now.step);
    icp->stop_reason = FRICP_STOP_NO_OVERLAP; /* if it could be seen at all */
    return status;
  }
  if (fr_stop_is_interrupted(icp))
    return FRICP_OK;
  status = fr_level_run(icp, error);
  return status == FRICP_OK && fr_icp_is_last_level(icp) ? settle_prior(icp, error) : status;
}

fricp_status fr_last_level_hold(fr_icp *icp, const fr_open *open, const fricp_pose *start, fricp_error *error) {
  const fr_state before = icp->now;
  const fr_spring prior = icp->prior;
  const int32_t reason = icp->stop_reason;
  const int interrupted_before = fr_stop_is_interrupted(icp);
  icp->open = *open;
  icp->now.pose = fr_open_undo(open, &before.pose, start);
  fr_open_settle(open, &icp->prior, &icp->now.pose);
  fr_lock_project(&icp->lock, &icp->now.pose);
  icp->level = icp->plan.count - 1;
  while (icp->level > 0 && icp->plan.level[icp->level].nu < before.nu)
    icp->level--; /* narrower kernels found nothing */
  icp->finishing = icp->scheme->finish != NULL;
  const fricp_status status = run_held(icp, error);
  if (status == FRICP_ERROR_INTERRUPTED) { /* nothing is known there */
    icp->now = before;
    icp->prior = prior;
    icp->open.count = icp->open.told = icp->open.constraint.count = 0;
    icp->stop_reason = interrupted_before ? reason : fr_interrupt_reason(icp->pass.interrupt);
    return FRICP_OK;
  }
  if (interrupted_before || reason == FRICP_STOP_NO_OVERLAP)
    icp->stop_reason = reason;
  icp->level_count -= icp->level_count > 0;
  fr_level_close(icp);
  return status;
}
