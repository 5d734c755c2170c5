/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative closest point, robust and accelerated: the paper's Algorithms 1 and 2 as one loop.
 *
 *   paper                    here
 *   nu                       now.nu, one level each (plan.h)
 *   T^(k)                    now.pose: accepted, its energy known
 *   E_nu                     now.energy; from the same pass as the step's sums (pass.c)
 *   T' = align(Q, T, nu)     now.target: step.increment * pose (metric_point.c: SVD; metric_plane.c: Gauss-Newton)
 *   G, F, theta, m           scheme_mm.c: Anderson acceleration of log(T reference^-1) (anderson.c), preconditioned by what
 *                            the surfaces' sliding tells (curvature.h)
 *   tau, l                   fr_safeguard(): T' itself, then, on the last level, ever shorter steps towards it
 *
 * Where the paper differs: logarithms are taken relative to the level's first pose, which keeps them small; both
 * metrics share the safeguard (for point to point T' lowers the energy by construction); the stop test is the
 * fixed-point residual ||T' - T|| of an accepted T, or a stall (stop.c); only accepted poses are returned.
 */
#include "align/icp.h"

#include "align/evaluate.h"
#include "align/last_level.h"
#include "align/prior.h"
#include "align/scheme.h"
#include "align/stop.h"
#include "maths/median.h"

#include <math.h>

#define NO_WEIGHT 1e-9 /* mean weight below which a level has nothing to align */

/* nu_max: a multiple of the median initial residual (paper, section "Robust ICP"), on the coarsest stage. */
static fricp_status first_nu(fr_icp *icp, double *nu, fricp_error *error) {
  fr_matches *matches = icp->pass.matches;
  const size_t points = fr_plan_first_points(&icp->settings, icp->pass.source);
  const double *weight = icp->pass.source->weight;
  if (fr_pass_run(&icp->pass, &icp->now.pose, INFINITY, points, 0, 1) != 0)
    return fr_evaluate_failed(icp, error);
  icp->passes++;
  size_t kept = 0;
  for (size_t i = 0; i < points; i++)
    if (matches->match[i] >= 0 && !(weight && weight[i] <= 0))
      matches->weight[kept++] = fabs(matches->residual[i]);
  *nu = kept > 0 ? fmax(icp->settings.nu_start_factor * fr_median(matches->weight, kept), icp->settings.nu_start_least)
                 : 0;
  return FRICP_OK;
}

static fricp_status begin(fr_icp *icp, fricp_error *error) {
  double nu_max = 0;
  icp->last_step = fricp_pose_identity();
  icp->trace_count = 0;
  icp->level_count = icp->iterations = icp->passes = icp->accelerated = icp->rejected = 0;
  icp->stop_reason = FRICP_STOP_NONE;
  icp->failure = FRICP_OK;
  icp->finishing = 0;
  icp->prior_doubt = 1;
  icp->open.count = icp->open.told = icp->open.constraint.count = 0;
  fr_curvature_forget(&icp->curvature, icp->pass.rules);
  fr_lock_project(&icp->lock, &icp->now.pose);
  fricp_status status = FRICP_OK;
  if (icp->settings.nu_start > 0)
    nu_max = icp->settings.nu_start;
  else if (icp->pass.kernel->scheduled)
    status = first_nu(icp, &nu_max, error);
  if (status == FRICP_OK)
    fr_plan_make(&icp->plan, nu_max, &icp->settings, icp->pass.source, icp->pass.rules);
  return status;
}

static int measure_curvature(fr_icp *icp, const fricp_pose *pose) {
  fr_constraint held = {0};
  double pull[6][6] = {{0}};
  double gradient[6] = {0};
  const double origin[3] = {0};
  fr_lock_constrain(&icp->lock, icp->pass.target->dimension, pose, &held);
  fr_spring_equate(&icp->prior, pose, origin, pull, gradient);
  for (int i = 0; i < 36; i++)
    (&pull[0][0])[i] /= fr_source_weight(icp->pass.source, icp->now.points);
  return fr_curvature_measure(&icp->curvature, &icp->pass, pose, icp->now.nu, &held, (const double(*)[6])pull);
}

int fr_level_enter(fr_icp *icp, fricp_status *status, fricp_error *error) {
  fr_state *now = &icp->now;
  const fr_level *level = &icp->plan.level[icp->level];
  now->nu = level->nu;
  now->points = level->points;
  const fricp_pose pose = now->pose;
  const int accelerate = icp->settings.history > 0 && fr_scheme_now(icp)->preconditions;
  fr_stop_begin(icp);
  *status = fr_evaluate(icp, &pose, accelerate, error);
  if (*status == FRICP_OK && icp->prior.used) {
    fr_prior_weigh(icp, &pose);
    icp->energy = icp->pass.energy + fr_prior_energy(icp, &pose);
  }
  if (*status == FRICP_OK && accelerate && measure_curvature(icp, &pose) != 0)
    *status = fr_evaluate_failed(icp, error);
  if (*status != FRICP_OK)
    return 0;
  fr_state trial = *now;
  *status = fr_accept(icp, &pose, error);
  if (*status != FRICP_OK || now->step.weight > NO_WEIGHT * fr_source_weight(icp->pass.source, now->points))
    return *status == FRICP_OK;
  trial.matched = now->matched;
  *now = trial;
  return 0;
}

/* Inner loop of Algorithms 1 and 2. */
fricp_status fr_level_run(fr_icp *icp, fricp_error *error) {
  const fr_scheme *scheme = fr_scheme_now(icp);
  const fricp_pose reference = icp->now.pose;
  scheme->begin(icp);
  for (;;) {
    fr_note(icp, &icp->now.pose, icp->now.energy, icp->now.residual, 1, icp->was_accelerated);
    icp->stop_reason = fr_stop_test(icp);
    if (icp->stop_reason != FRICP_STOP_NONE)
      return FRICP_OK;
    switch (scheme->advance(icp, &reference, error)) {
    case FR_TAKEN:
      break;
    case FR_STANDS:
      icp->stop_reason = FRICP_STOP_CONVERGED;
      return FRICP_OK;
    case FR_UPHILL:
      icp->stop_reason = FRICP_STOP_NO_DESCENT;
      return FRICP_OK;
    case FR_FAILED:
      icp->stop_reason = fr_interrupt_reason(icp->pass.interrupt);
      return icp->failure == FRICP_ERROR_INTERRUPTED ? FRICP_OK : icp->failure;
    }
  }
}

void fr_level_close(fr_icp *icp) {
  const fricp_level level = {icp->now.nu, icp->now.energy, icp->level_iteration, (int32_t)icp->now.points};
  if (icp->levels)
    icp->levels[icp->level_count] = level;
  icp->level_count++;
}

/* A level with nothing to align: what the coarser ones found is all the data give. */
static fricp_status end_without_weight(fr_icp *icp, const fr_state *coarser, fricp_error *error) {
  if (icp->level_count == 0)
    return fr_fail(error, FRICP_ERROR_NO_CORRESPONDENCES,
                   "no correspondences: none of the %zu source points used has a target point within reach",
                   icp->now.points);
  icp->now = *coarser;
  icp->stop_reason = fr_stop_iterations_left(icp) > 0 ? FRICP_STOP_NO_OVERLAP : FRICP_STOP_ITERATION_LIMIT;
  return FRICP_OK;
}

/* Outer loop of Algorithms 1 and 2: nu from nu_max to nu_min. With few iterations the wide kernels come first, as they
 * do in PCL's loops; the smallest width is measured in any case. */
fricp_status fr_icp_run(fr_icp *icp, fricp_error *error) {
  fricp_status status = begin(icp, error);
  const fricp_pose start = icp->now.pose;
  for (icp->level = 0; status == FRICP_OK && icp->level < icp->plan.count; icp->level++) {
    const fr_state coarser = icp->now;
    if (!fr_icp_is_last_level(icp) && fr_stop_iterations_left(icp) <= 0)
      continue;
    if (!fr_level_enter(icp, &status, error)) {
      if (status == FRICP_OK)
        status = end_without_weight(icp, &coarser, error);
      else
        icp->now = coarser; /* nothing of this level is known */
      break;
    }
    status = fr_level_run(icp, error);
    if (status == FRICP_OK && fr_icp_is_last_level(icp))
      status = fr_last_level_rest(icp, error);
    fr_level_close(icp);
    if (fr_stop_is_interrupted(icp))
      break;
  }
  return status == FRICP_OK ? fr_last_level_compare(icp, &start, error) : status;
}
