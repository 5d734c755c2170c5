/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative closest point, robust and accelerated: the paper's Algorithms 1 and 2 as one loop.
 *
 *   paper                    here
 *   nu                       now.nu, one level each (schedule.c)
 *   T^(k)                    now.pose: accepted, its energy known
 *   E_nu                     now.energy; from the same pass as the step's sums (pass.c)
 *   T' = align(Q, T, nu)     target_of(): step.increment * pose (metric_point.c: SVD; metric_plane.c: Gauss-Newton)
 *   G, F, theta, m           propose(): Anderson acceleration of log(T reference^-1) (anderson.c), preconditioned by
 *                            what the surfaces' sliding tells (curvature.h)
 *   tau, l                   shorten(): T' itself, then ever shorter steps towards it
 *
 * Where the paper differs: logarithms are taken relative to the level's first pose, which keeps them small; both
 * metrics share the safeguard (for point to point the unshortened T' lowers the energy by construction, so Algorithm 1
 * comes out); the stop test is the fixed-point residual ||T' - T|| of an accepted T, or is_stalled(); only accepted
 * poses are returned.
 */
#include "align/icp.h"

#include "base/parallel.h"

#include "maths/median.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define LEVEL_TOLERANCE 1e-5 /* the paper's epsilon */
#define LAST_TOLERANCE 1e-10 /* the last level's: the pose no longer shows which way it came */
#define LEAST_SHARE 0.01
#define LAST_ITERATIONS 1000
#define SHORTENINGS 4
#define STANDS_STILL 1e-15 /* relative change of energy that rounding explains */
#define NEARER 0.9         /* residual that is worth a step where energies are equal */
#define KEPT_BITS 4        /* of an accelerated step; see round_off() */
#define RESOLVED 0.5       /* of nu; see is_resolved() */
#define CALM 8             /* see note_outcome() */
#define STALL_STEPS 8      /* see is_stalled() */
#define STALL 3e-7         /* of the sum of weights */
#define NO_WEIGHT 1e-9     /* mean weight below which a level has nothing to align */

static double elapsed(const fr_icp *icp) {
  return fr_seconds() - icp->started;
}

static int is_last_level(const fr_icp *icp) {
  return icp->level == icp->schedule.count - 1;
}

/* T' of the paper. */
static fricp_pose target_of(const fr_state *state) {
  fricp_pose pose = fricp_pose_multiply(&state->step.increment, &state->pose);
  fr_reorthonormalize(pose.rotation);
  return pose;
}

static double residual_of(const fr_state *state) {
  const fricp_pose target = target_of(state);
  return fr_pose_distance(&target, &state->pose);
}

/* A pass came to no end. */
static fricp_status search_failed(fr_icp *icp, fricp_error *error) {
  if (fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
    return icp->failure = fr_interrupted(icp->pass.interrupt, "before there was a result", error);
  return icp->failure = fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
}

/* Correspondences, energy and sums at a pose. */
static fricp_status measure(fr_icp *icp, const fricp_pose *pose, int record, fricp_error *error) {
  icp->passes++;
  if (fr_pass_run(&icp->pass, pose, icp->now.nu, icp->now.points, 0, record) != 0)
    return search_failed(icp, error);
  return FRICP_OK;
}

/* Make the pose just measured the current one and solve for the step from it. */
static fricp_status accept(fr_icp *icp, const fricp_pose *pose, fricp_error *error) {
  fr_state *now = &icp->now;
  fr_geometry geometry = {
      icp->pass.target->dimension, {0}, icp->settings.least_radius, icp->settings.least_incline, &icp->open.constraint};
  memcpy(geometry.center, pose->translation, sizeof geometry.center);
  now->pose = *pose;
  now->energy = icp->pass.energy;
  now->matched = icp->pass.matched;
  if (fr_step_make(icp->pass.metric, icp->pass.sums, &geometry, &now->step) != 0)
    return icp->failure = fr_fail(error, FRICP_ERROR_NUMERICAL, "LAPACK failed on the alignment step");
  return FRICP_OK;
}

static void note(fr_icp *icp, const fricp_pose *pose, double energy, double step, int accepted, int accelerated) {
  const fricp_trace_row row = {icp->level, accepted,     accelerated, (int32_t)icp->now.points, icp->now.nu, energy,
                               step,       elapsed(icp), *pose};
  icp->trace[icp->trace_count++ % FR_TRACE] = row;
}

/* Keep of what acceleration adds to g its first bits, relative to the residual g - x. The rest does not speed anything
 * up, but extrapolation lets rounding errors in it grow from step to step, until the units of the clouds decide which
 * of two neighbouring optima is found. */
static void round_off(const fr_twist *x, const fr_twist *g, fr_twist *accelerated) {
  double residual2 = 0;
  for (int i = 0; i < 6; i++)
    residual2 += (g->v[i] - x->v[i]) * (g->v[i] - x->v[i]);
  if (!(residual2 > 0))
    return;
  const double grain = ldexp(1, ilogb(sqrt(residual2)) - KEPT_BITS);
  for (int i = 0; i < 6; i++)
    accelerated->v[i] = g->v[i] + grain * rint((accelerated->v[i] - g->v[i]) / grain);
}

/* The next pose to try: accelerated if there is a history or a preconditioner, else T'. */
static int propose(fr_icp *icp, const fricp_pose *reference, fricp_pose *next) {
  const fricp_pose back = fricp_pose_inverse(reference);
  const fricp_pose target = target_of(&icp->now);
  const fricp_pose from = fricp_pose_multiply(&icp->now.pose, &back);
  const fricp_pose to = fricp_pose_multiply(&target, &back);
  const fr_twist x = fr_log(&from);
  const fr_twist g = fr_log(&to);
  double p[6][6];
  const int known = fr_curvature_preconditioner(&icp->curvature, p);
  fr_twist twist;
  *next = target;
  if (!fr_anderson_step(&icp->anderson, &x, &g, known ? (const double(*)[6])p : NULL, &twist))
    return 0;
  round_off(&x, &g, &twist);
  fr_open_project(&icp->open, &twist);
  const fricp_pose move = fr_exp(&twist);
  *next = fricp_pose_multiply(&move, reference);
  fr_reorthonormalize(next->rotation);
  return 1;
}

typedef enum outcome { IMPROVED, STANDS, UPHILL, FAILED } outcome;

static int stands_still(const fr_icp *icp) {
  return fabs(icp->pass.energy - icp->now.energy) <= STANDS_STILL * icp->now.energy;
}

/* Towards T' by 1, 1/2, 1/4, ... until the energy falls. */
static outcome shorten(fr_icp *icp, fricp_pose *next, fricp_error *error) {
  const fr_twist whole = fr_log(&icp->now.step.increment);
  for (int i = 0; i < SHORTENINGS; i++) {
    fr_twist part;
    for (int k = 0; k < 6; k++)
      part.v[k] = ldexp(whole.v[k], -i);
    const fricp_pose move = fr_exp(&part);
    *next = fricp_pose_multiply(&move, &icp->now.pose);
    fr_reorthonormalize(next->rotation);
    if (measure(icp, next, 0, error) != FRICP_OK)
      return FAILED;
    if (icp->pass.energy < icp->now.energy)
      return IMPROVED;
    if (stands_still(icp))
      return STANDS;
  }
  return UPHILL;
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
    return residual_of(&icp->now) <= icp->settings.spacing;
  default:
    return 0;
  }
}

/* A proposal that failed though it goes but a part of the kernel's width: a coarse level's sample tells no more. */
static int is_resolved(const fr_icp *icp, const fricp_pose *proposal) {
  const fricp_pose back = fricp_pose_inverse(&icp->now.pose);
  const fricp_pose move = fricp_pose_multiply(proposal, &back);
  const fr_twist twist = fr_log(&move);
  double length2 = 0;
  for (int i = 0; i < 6; i++)
    length2 += twist.v[i] * twist.v[i];
  return !is_last_level(icp) && icp->curvature.count > 0 && length2 < RESOLVED * RESOLVED * icp->now.nu * icp->now.nu;
}

/* Make a measured pose the current one. */
static outcome take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error) {
  const fricp_pose back = fricp_pose_inverse(&icp->now.pose);
  icp->last_step = fricp_pose_multiply(pose, &back);
  icp->accelerated += accelerated;
  icp->iterations++;
  icp->level_iteration++;
  return accept(icp, pose, error) == FRICP_OK ? IMPROVED : FAILED;
}

/* Where rounding hides which pose has the lower energy, the residual decides. No correspondence jumps any more: history
 * tells. */
static outcome settle(fr_icp *icp, const fricp_pose *next, int accelerated, fricp_error *error) {
  const fr_state before = icp->now;
  if (accept(icp, next, error) != FRICP_OK)
    return FAILED;
  const int nearer = residual_of(&icp->now) <= NEARER * residual_of(&before);
  icp->now = before;
  if (icp->anderson.history == 0)
    fr_anderson_reset(&icp->anderson, icp->settings.history);
  return nearer ? take(icp, next, accelerated, error) : STANDS;
}

/* Damp, and on the last level do without history for a while: so close to the optimum, differences of poses show little
 * but the jumps of correspondences. */
static void note_outcome(fr_icp *icp, int accelerated, int improved) {
  icp->calm = improved ? icp->calm + accelerated : 0;
  if (!accelerated || icp->curvature.count == 0)
    return;
  fr_curvature_adapt(&icp->curvature, improved);
  if (!improved && is_last_level(icp))
    fr_anderson_reset(&icp->anderson, 0);
  else if (icp->calm >= CALM && icp->anderson.history == 0)
    fr_anderson_reset(&icp->anderson, icp->settings.history);
}

/* One accepted step, or none if the energy stands still. */
static outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  fricp_pose next;
  const int accelerated = propose(icp, reference, &next);
  if (measure(icp, &next, 0, error) != FRICP_OK)
    return FAILED;
  if (stands_still(icp))
    return settle(icp, &next, accelerated, error);
  outcome result = icp->pass.energy < icp->now.energy ? IMPROVED : STANDS;
  int used = accelerated;
  note_outcome(icp, accelerated, result == IMPROVED);
  if (result != IMPROVED) {
    icp->rejected += accelerated;
    if (accelerated)
      note(icp, &next, icp->pass.energy, NAN, 0, 1);
    if (accelerated && is_resolved(icp, &next))
      return STANDS;
    used = 0;
    result = shorten(icp, &next, error);
  }
  return result == IMPROVED ? take(icp, &next, used, error) : result;
}

static int within(double value, double epsilon) {
  return epsilon == 0 || value <= epsilon;
}

/* The caller's own tolerances, which rule the last level. before: weighted mean squared residual one step ago. */
static int32_t caller_stops(const fr_icp *icp, double before) {
  const fr_settings *s = &icp->settings;
  if (!is_last_level(icp) || icp->level_iteration == 0)
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
  if (s->fitness_epsilon > 0 && fabs(before - after) <= s->fitness_epsilon * before)
    return FRICP_STOP_FITNESS_EPSILON;
  return FRICP_STOP_NONE;
}

static int32_t interrupted(const fr_icp *icp) {
  if (icp->watch)
    fr_interrupt_polled(icp->pass.interrupt, icp->watch(icp->watch_context, icp));
  return fr_interrupt_check(icp->pass.interrupt, 0);
}

static int iterations_left(const fr_icp *icp) {
  const int most = icp->settings.max_iterations;
  return most == INT_MAX ? INT_MAX : most - icp->iterations;
}

static int level_limit(const fr_icp *icp) {
  const fr_settings *s = &icp->settings;
  int most = s->first_iterations + icp->level;
  if (most > s->most_iterations)
    most = s->most_iterations;
  if (is_last_level(icp))
    most = LAST_ITERATIONS;
  return fr_schedule_budget(&icp->schedule, icp->level, iterations_left(icp), most);
}

/* The last level: of the way that is left T' goes the least share. A level on a part of the points says where the
 * optimum is to about nu / sqrt(points). */
static double tolerance_of(const fr_icp *icp) {
  if (is_last_level(icp))
    return LAST_TOLERANCE * (icp->curvature.count > 0 ? fmax(icp->curvature.share[0], LEAST_SHARE) : 1);
  if (icp->now.points == icp->pass.source->count)
    return LEVEL_TOLERANCE;
  return fmax(LEVEL_TOLERANCE, icp->now.nu / sqrt((double)icp->now.points));
}

/* Do the last STALL_STEPS accepted and accelerated steps of the last level together lower the energy by next to
 * nothing? As the negative logarithm of a likelihood, which Welsch's energy is for noise of nu, that is by less than
 * 0.1 as long as the weights of the matches sum to less than 300 thousand: the pose moves by a fraction of its own
 * standard deviation. *before: the energy so many steps ago; takes the present one. */
static int is_stalled(const fr_icp *icp, double *before) {
  const fr_state *now = &icp->now;
  const int stalled = is_last_level(icp) && icp->pass.kernel->scheduled && icp->settings.history > 0 &&
                      icp->level_iteration >= STALL_STEPS && *before - now->energy < STALL * now->step.weight;
  *before = now->energy;
  return stalled;
}

/* Iterate at fixed nu from the current state until icp->stop_reason. */
static fricp_status run_level(fr_icp *icp, fricp_error *error) {
  const fricp_pose reference = icp->now.pose;
  const double tolerance = tolerance_of(icp);
  const int limit = level_limit(icp);
  double before = INFINITY;
  double energy[STALL_STEPS];
  int accelerated = 0;
  icp->calm = 0;
  fr_anderson_reset(&icp->anderson, icp->settings.history);
  for (;;) {
    const double residual = residual_of(&icp->now);
    note(icp, &icp->now.pose, icp->now.energy, residual, 1, accelerated);
    int32_t stop = interrupted(icp);
    if (stop == FRICP_STOP_NONE)
      stop = residual < tolerance || is_stalled(icp, &energy[icp->level_iteration % STALL_STEPS])
                 ? FRICP_STOP_CONVERGED
                 : caller_stops(icp, before);
    if (stop == FRICP_STOP_NONE && icp->level_iteration >= limit)
      stop = FRICP_STOP_ITERATION_LIMIT;
    icp->stop_reason = stop;
    if (stop != FRICP_STOP_NONE)
      return FRICP_OK;
    before = icp->now.step.squared / icp->now.step.weight;
    const int count = icp->accelerated;
    const outcome result = advance(icp, &reference, error);
    accelerated = icp->accelerated > count;
    icp->stop_reason = result == UPHILL ? FRICP_STOP_NO_DESCENT : FRICP_STOP_CONVERGED;
    if (result == FAILED && icp->failure == FRICP_ERROR_INTERRUPTED) {
      icp->stop_reason = fr_interrupt_reason(icp->pass.interrupt);
      return FRICP_OK;
    }
    if (result == FAILED)
      return icp->failure;
    if (result != IMPROVED)
      return FRICP_OK;
  }
}

/* nu_max: a multiple of the median initial residual (paper, section "Robust ICP"), on the coarsest stage. */
static fricp_status first_nu(fr_icp *icp, double *nu, fricp_error *error) {
  fr_matches *matches = icp->pass.matches;
  const size_t points = fr_source_prefix(icp->pass.source, fr_schedule_least(icp->settings.least_points, 0));
  if (fr_pass_run(&icp->pass, &icp->now.pose, INFINITY, points, 0, 1) != 0)
    return search_failed(icp, error);
  icp->passes++;
  size_t kept = 0;
  for (size_t i = 0; i < points; i++)
    if (matches->match[i] >= 0)
      matches->weight[kept++] = fabs(matches->residual[i]);
  *nu = kept > 0 ? icp->settings.nu_start_factor * fr_median(matches->weight, kept) : 0;
  return FRICP_OK;
}

static fricp_status plan(fr_icp *icp, fricp_error *error) {
  icp->schedule.count = 1;
  icp->schedule.nu[0] = 0;
  if (!icp->pass.kernel->scheduled)
    return FRICP_OK;
  double nu = 0;
  const fricp_status status = first_nu(icp, &nu, error);
  if (status == FRICP_OK)
    fr_schedule_make(&icp->schedule, nu, icp->settings.nu_end);
  return status;
}

/* Enter a level: the same pose under a smaller nu, on more points. @return 0 if it has nothing to align. */
static int enter_level(fr_icp *icp, fricp_status *status, fricp_error *error) {
  fr_state *now = &icp->now;
  now->nu = icp->schedule.nu[icp->level];
  const size_t needed = fr_schedule_points(&icp->schedule, icp->level, icp->pass.source->count);
  const size_t least = fr_schedule_least(icp->settings.least_points, icp->level);
  now->points = fr_source_prefix(icp->pass.source, needed > least ? needed : least);
  icp->level_iteration = 0;
  const fricp_pose pose = now->pose;
  const int accelerate = icp->settings.history > 0;
  *status = measure(icp, &pose, accelerate, error);
  if (*status == FRICP_OK && accelerate && fr_curvature_measure(&icp->curvature, &icp->pass, &pose, now->nu) != 0)
    *status = search_failed(icp, error);
  if (*status != FRICP_OK)
    return 0;
  fr_state trial = *now;
  *status = accept(icp, &pose, error);
  if (*status != FRICP_OK || now->step.weight > NO_WEIGHT * fr_source_weight(icp->pass.source, now->points))
    return *status == FRICP_OK;
  trial.matched = now->matched;
  *now = trial;
  return 0;
}

static void close_level(fr_icp *icp) {
  const fricp_level level = {icp->now.nu, icp->now.energy, icp->level_iteration, (int32_t)icp->now.points};
  icp->levels[icp->level_count++] = level;
}

/* A level with nothing to align: what the coarser ones found is all the data give. */
static fricp_status end_without_weight(fr_icp *icp, const fr_state *coarser, fricp_error *error) {
  if (icp->level_count == 0)
    return fr_fail(error, FRICP_ERROR_NO_CORRESPONDENCES,
                   "no correspondences: none of the %zu source points used has a target point within reach",
                   icp->now.points);
  icp->now = *coarser;
  icp->stop_reason = iterations_left(icp) > 0 ? FRICP_STOP_NO_OVERLAP : FRICP_STOP_ITERATION_LIMIT;
  return FRICP_OK;
}

/* With few iterations the wide kernels come first, as they do in PCL's loops; the smallest width is measured in any
 * case. */
static int is_left_out(const fr_icp *icp) {
  return !is_last_level(icp) && iterations_left(icp) <= 0;
}

static int is_interrupted(const fr_icp *icp) {
  return icp->stop_reason == FRICP_STOP_CANCELLED || icp->stop_reason == FRICP_STOP_TIME_LIMIT;
}

/* A run that had to stop early may have left a good start for a coarse level's optimum: of the two, the one of the
 * lower energy at the smallest width. A search of the caller's own, which orders by something else, is not asked. */
static fricp_status compare_with_start(fr_icp *icp, const fricp_pose *start, fricp_error *error) {
  fr_state found = icp->now;
  fr_state *now = &icp->now;
  now->nu = icp->schedule.nu[icp->schedule.count - 1];
  now->points = icp->pass.source->count;
  fricp_status status = measure(icp, &found.pose, 0, error);
  const double energy = icp->pass.energy;
  if (status == FRICP_OK)
    status = measure(icp, start, 0, error);
  if (status == FRICP_OK && icp->pass.energy < energy)
    return accept(icp, start, error);
  *now = found;
  return status;
}

fricp_status fr_icp_run(fr_icp *icp, fricp_error *error) {
  const fricp_pose start = icp->now.pose;
  icp->last_step = fricp_pose_identity();
  icp->open.count = icp->open.constraint.count = 0;
  fr_curvature_forget(&icp->curvature);
  fricp_status status = plan(icp, error);
  for (icp->level = 0; status == FRICP_OK && icp->level < icp->schedule.count; icp->level++) {
    const fr_state coarser = icp->now;
    if (is_left_out(icp))
      continue;
    if (!enter_level(icp, &status, error)) {
      if (status == FRICP_OK)
        status = end_without_weight(icp, &coarser, error);
      else
        icp->now = coarser; /* nothing of this level is known */
      break;
    }
    status = run_level(icp, error);
    close_level(icp);
    if (is_interrupted(icp))
      break;
  }
  if (status == FRICP_OK && icp->stop_reason == FRICP_STOP_ITERATION_LIMIT && icp->pass.kernel->scheduled &&
      icp->pass.target->nn.ops->euclidean)
    status = compare_with_start(icp, &start, error);
  return status;
}

fricp_status fr_icp_hold(fr_icp *icp, const fr_open *open, const fricp_pose *start, fricp_error *error) {
  const int interrupted_before = is_interrupted(icp);
  const int32_t reason = icp->stop_reason;
  const fr_state before = icp->now;
  fricp_status status = FRICP_OK;
  icp->open = *open;
  icp->now.pose = fr_open_undo(open, &before.pose, start);
  icp->level = icp->schedule.count - 1;
  while (icp->level > 0 && icp->schedule.nu[icp->level] < before.nu)
    icp->level--; /* narrower kernels found nothing */
  icp->level_count -= icp->level_count > 0;
  if (enter_level(icp, &status, error) && !interrupted_before)
    status = run_level(icp, error);
  if (interrupted_before || reason == FRICP_STOP_NO_OVERLAP)
    icp->stop_reason = reason;
  close_level(icp);
  return status;
}
