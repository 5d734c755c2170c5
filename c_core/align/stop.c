/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/stop.h"

#include "align/scheme.h"

#include <math.h>

int fr_stop_iterations_left(const fr_icp *icp) {
  return icp->settings.max_iterations - icp->iterations;
}

void fr_stop_begin(fr_icp *icp) {
  icp->level_most =
      fr_schedule_budget(icp->plan.count, icp->level, fr_stop_iterations_left(icp), icp->plan.level[icp->level].most);
  icp->level_iteration = icp->calm = icp->was_accelerated = 0;
  icp->squared_before = INFINITY;
}

int fr_stop_is_interrupted(const fr_icp *icp) {
  return icp->stop_reason == FRICP_STOP_CANCELLED || icp->stop_reason == FRICP_STOP_TIME_LIMIT;
}

/* Where the step that is left cannot be made, since energy rises along it, correspondences jump, which they do from one
 * target point to the next: a step shorter than the spacing is the end all the same. */
int fr_icp_is_converged(const fr_icp *icp) {
  switch (icp->stop_reason) {
  case FRICP_STOP_CONVERGED:
  case FRICP_STOP_POSE_EPSILON:
  case FRICP_STOP_FITNESS_EPSILON:
    return 1;
  case FRICP_STOP_NO_DESCENT:
    return icp->now.residual <= icp->settings.spacing;
  default:
    return 0;
  }
}

static int32_t interrupted(const fr_icp *icp) {
  if (icp->watch)
    fr_interrupt_polled(icp->pass.interrupt, icp->watch(icp->watch_context, icp));
  return fr_interrupt_check(icp->pass.interrupt, 0);
}

/* Of the way that is left T' goes the least share: the last level's tolerance counts the whole. */
static double tolerance_of(const fr_icp *icp) {
  const double tolerance = icp->plan.level[icp->level].tolerance;
  if (!fr_icp_is_last_level(icp) || icp->curvature.count == 0)
    return tolerance;
  return tolerance * icp->curvature.share[0];
}

/* Do the last FR_STALL_STEPS accepted and accelerated steps of the last level together lower the energy by next to
 * nothing? As the negative logarithm of a likelihood, which Welsch's energy is for noise of nu, that is by less than
 * 0.1 as long as the weights of the matches sum to less than 300 thousand: the pose moves by a fraction of its own
 * standard deviation. */
static int is_stalled(fr_icp *icp) {
  const fr_state *now = &icp->now;
  double *before = &icp->energies[icp->level_iteration % FR_STALL_STEPS];
  const int stalled = fr_scheme_now(icp)->descends && fr_icp_is_last_level(icp) && icp->pass.kernel->scheduled &&
                      icp->settings.history > 0 && icp->level_iteration >= FR_STALL_STEPS &&
                      *before - now->energy < icp->pass.rules->stall * now->step.weight;
  *before = now->energy;
  return stalled;
}

static int within(double value, double epsilon) {
  return epsilon == 0 || value <= epsilon;
}

/* The caller's own tolerances, which rule the last level. */
static int32_t caller_stops(const fr_icp *icp) {
  const fr_settings *s = &icp->settings;
  if (!fr_icp_is_last_level(icp) || icp->level_iteration == 0)
    return FRICP_STOP_NONE;
  const fricp_pose still = fricp_pose_identity();
  const fricp_pose back = fricp_pose_inverse(&icp->last_step);
  double old[3]; /* where the source's origin was */
  fr_apply(&back, icp->now.pose.translation, old);
  const double moved2 = fr_distance2(old, icp->now.pose.translation);
  if ((s->translation_epsilon > 0 || s->rotation_epsilon > 0) && within(sqrt(moved2), s->translation_epsilon) &&
      within(fr_pose_angle(&icp->last_step, &still), s->rotation_epsilon))
    return FRICP_STOP_POSE_EPSILON;
  const double after = icp->now.step.squared / icp->now.step.weight;
  if (s->fitness_epsilon > 0 && fabs(icp->squared_before - after) <= s->fitness_epsilon * icp->squared_before)
    return FRICP_STOP_FITNESS_EPSILON;
  return FRICP_STOP_NONE;
}

int32_t fr_stop_test(fr_icp *icp) {
  int32_t stop = interrupted(icp);
  const int at_rest = icp->now.residual < tolerance_of(icp) || is_stalled(icp);
  if (stop == FRICP_STOP_NONE)
    stop = at_rest ? FRICP_STOP_CONVERGED : caller_stops(icp);
  if (stop == FRICP_STOP_NONE && icp->level_iteration >= icp->level_most)
    stop = FRICP_STOP_ITERATION_LIMIT;
  icp->squared_before = icp->now.step.squared / icp->now.step.weight;
  return stop;
}
