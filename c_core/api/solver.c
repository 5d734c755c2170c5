/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver object and its one call. */
#include "api/solver.h"

#include "align/last_level.h"
#include "align/stop.h"
#include "api/auto.h"
#include "api/job.h"
#include "api/result.h"
#include "api/settings.h"
#include "base/clock.h"
#include "base/import.h"

#include <math.h>
#include <string.h>

#define GRACE 0.05 /* seconds after a stop for what each point comes to */

fricp_status fricp_solver_create(fricp_solver **solver, const fricp_allocator *allocator) {
  if (!solver)
    return FRICP_ERROR_INVALID_ARGUMENT;
  *solver = NULL;
  fr_memory memory;
  const fricp_status status = fr_memory_init(&memory, allocator, NULL);
  if (status != FRICP_OK)
    return status;
  fricp_solver *created = fr_allocate(&memory, 1, sizeof *created);
  if (!created)
    return FRICP_ERROR_OUT_OF_MEMORY;
  memset(created, 0, sizeof *created);
  created->memory = memory;
  created->rules = fr_default_rules;
  *solver = created;
  return FRICP_OK;
}

void fricp_solver_destroy(fricp_solver *solver) {
  if (!solver)
    return;
  fr_source_release(&solver->source, &solver->memory);
  fr_matches_release(&solver->matches, &solver->memory);
  fr_buffer_release(&solver->memory, &solver->sums);
  fr_buffer_release(&solver->memory, &solver->trace);
  fr_buffer_release(&solver->memory, &solver->split);
  fr_buffer_release(&solver->memory, &solver->pull);
  fr_pool_release(&solver->pool, &solver->memory);
  const fr_memory memory = solver->memory;
  fr_release(&memory, solver);
}

const char *fricp_solver_last_error(const fricp_solver *solver) {
  return solver ? solver->error.text : "";
}

void fr_solver_set_rules(fricp_solver *solver, const fr_rules *rules) {
  solver->rules = *rules;
}

/* @return as fr_pass_run(). */
static int final_pass(fr_job *j, double inlier_limit) {
  fr_pass *pass = &j->icp.pass;
  const fr_source *source = pass->source;
  const fr_matches *matches = pass->matches;
  if (fr_pass_run(pass, &j->icp.now.pose, j->icp.now.nu, source->count, inlier_limit, 1) != 0)
    return -1;
  j->inliers = 0;
  j->inliers_squared = 0;
  for (size_t i = 0; i < source->count; i++)
    if (matches->match[i] >= 0 && matches->distance2[i] <= inlier_limit * inlier_limit) {
      j->inliers++;
      j->inliers_squared += matches->distance2[i];
    }
  return 0;
}

/* The same with inliers that auto's own gate would hide. */
static int final_passes(fr_job *j) {
  fr_pass *pass = &j->icp.pass;
  const double limit = fr_inlier_limit(&j->options, j->target);
  const double gate = pass->max_distance;
  const double asked = fmin(limit, fr_most_distance(&j->options, j->target));
  if (!(gate < asked))
    return final_pass(j, limit);
  pass->max_distance = asked;
  int status = final_pass(j, limit);
  const size_t inliers = j->inliers;
  const double squared = j->inliers_squared;
  pass->max_distance = gate;
  if (status == 0)
    status = final_pass(j, gate);
  j->inliers = inliers;
  j->inliers_squared = squared;
  return status;
}

/* What each point comes to at the final pose. After a stop only if it takes little more time. @return 0 if it is not
 * known, -1 if the search failed. */
static int measure_points(fr_job *j) {
  fr_icp *icp = &j->icp;
  fr_interrupt *interrupt = icp->pass.interrupt;
  if (fr_interrupt_reason(interrupt) != FRICP_STOP_NONE)
    fr_interrupt_extend(interrupt, GRACE);
  if (final_passes(j) == 0)
    return 1;
  if (fr_interrupt_reason(interrupt) == FRICP_STOP_NONE)
    return -1;
  if (icp->stop_reason != FRICP_STOP_CANCELLED)
    icp->stop_reason = fr_interrupt_reason(interrupt);
  return 0;
}

/* What the surfaces leave open stays at the start. */
static fricp_status hold_open(fr_job *j, int *known, const fricp_pose *start, fricp_error *error) {
  fr_icp *icp = &j->icp;
  fr_open open;
  fr_constraint held = {0};
  fr_lock_constrain(&icp->lock, j->target->dimension, &icp->now.pose, &held);
  if (fr_open_measure(&open, &icp->pass, &held) != 0) {
    if (fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
      return FRICP_OK; /* not known, as so much else after a stop */
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
  }
  if (open.count == 0)
    return FRICP_OK;
  fr_open_ask(&open, &icp->prior, &icp->now.pose);
  const fricp_status status = fr_last_level_hold(icp, &open, start, error);
  if (status == FRICP_OK)
    *known = measure_points(j);
  return status;
}

static fricp_status solve(fr_job *j, int *known, fricp_error *error) {
  fr_icp *icp = &j->icp;
  const fricp_pose start = icp->now.pose;
  fricp_status status = j->is_auto ? fr_auto_choose(j, error) : FRICP_OK;
  if (status == FRICP_OK)
    status = fr_icp_run(icp, error);
  if (status == FRICP_ERROR_INTERRUPTED) { /* between two levels, or before the first */
    icp->stop_reason = fr_interrupt_reason(icp->pass.interrupt);
    if (icp->level_count == 0)
      return status;
    status = FRICP_OK;
  }
  if (status == FRICP_OK)
    fr_clear(error); /* of what an interrupted pass left */
  if (status != FRICP_OK)
    return status;
  *known = measure_points(j);
  if (*known > 0)
    status = hold_open(j, known, &start, error);
  if (status == FRICP_OK &&
      icp->open.told + icp->now.step.undetermined >= fr_lock_free_count(icp->lock.locked, j->target->dimension))
    return fr_fail(error, FRICP_ERROR_DEGENERATE,
                   "the clouds determine no direction of motion: all correspondences agree with any pose");
  if (status == FRICP_OK && *known >= 0 && fr_response_measure(&j->response, icp) != 0)
    *known = -1;
  if (status == FRICP_OK && *known > 0 && icp->pass.kernel->ranked)
    *known = measure_points(j);
  if (status == FRICP_OK && *known < 0)
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
  for (int a = 0; a < 3 && status == FRICP_OK; a++)
    if (!isfinite(icp->now.pose.translation[a] + icp->now.pose.rotation[a][0] + icp->now.pose.rotation[a][1] +
                  icp->now.pose.rotation[a][2]))
      status = fr_fail(error, FRICP_ERROR_NUMERICAL, "the pose that was found is not finite");
  if (!fr_stop_is_interrupted(icp) && fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
    icp->stop_reason = fr_interrupt_reason(icp->pass.interrupt); /* while what the pose is worth was measured */
  return status;
}

/* Result fields known before anything can fail. */
static fricp_result blank_result(const fr_job *j, const fricp_pose *guess) {
  fricp_result result = fr_result_blank(guess);
  if (j->target) {
    result.points_target = j->target->count + j->target->duplicates.count;
    result.skipped_target = j->target->skipped;
  }
  return result;
}

fricp_status fricp_solver_align(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                                const fricp_pose *guess, const fricp_options *options, fricp_result *result) {
  return fr_solver_align(solver, target, source, guess, options, fr_seconds(), result);
}

fricp_status fr_solver_align(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                             const fricp_pose *guess, const fricp_options *options, double started,
                             fricp_result *result) {
  if (!solver)
    return FRICP_ERROR_INVALID_ARGUMENT;
  fricp_error *error = &solver->error;
  fr_clear(error);
  solver->aligned = 0;
  solver->level_count = solver->trace_rows = solver->candidate_count = 0;
  if (fr_result_check(result, error) != FRICP_OK)
    return FRICP_ERROR_INVALID_ARGUMENT;
  fr_job j = {.solver = solver, .target = target};
  j.icp.started = started;
  fricp_result filled = blank_result(&j, guess);
  fricp_status status = fr_job_check(&j, source, guess, options, error);
  int known = 0;
  if (status == FRICP_OK)
    status = fr_job_prepare(&j, error);
  if (status == FRICP_OK) {
    filled.points_source = solver->source.count;
    filled.skipped_source = solver->source.skipped;
    filled.seconds_prepare = fr_seconds() - j.icp.started;
    status = solve(&j, &known, error);
  }
  if (status == FRICP_OK) {
    fr_job_fill(&j, known, &filled);
    fr_auto_judge(&j, &filled);
    filled.seconds_solve = fr_seconds() - j.icp.started - filled.seconds_prepare;
    fr_job_publish(&j, known);
    solver->aligned = known;
  } else if (status == FRICP_ERROR_INTERRUPTED) { /* no error, but nothing better than the guess, or auto's choice */
    filled.target_from_source = j.told.target_from_source;
    filled.candidates = (int32_t)solver->candidate_count;
    filled.stop_reason = fr_interrupt_reason(&j.interrupt);
    fr_clear(error);
    status = FRICP_OK;
  }
  fr_job_release(&j);
  fr_export(result, &filled, sizeof filled);
  return status;
}

size_t fricp_solver_get_levels(const fricp_solver *solver, const fricp_level **levels) {
  if (!solver || !levels)
    return 0;
  *levels = solver->levels;
  return solver->level_count;
}

size_t fricp_solver_get_candidates(const fricp_solver *solver, const fricp_candidate **rows) {
  if (!solver || !rows)
    return 0;
  *rows = solver->candidates;
  return solver->candidate_count;
}

size_t fricp_solver_get_trace(const fricp_solver *solver, const fricp_trace_row **rows) {
  if (!solver || !rows)
    return 0;
  *rows = solver->trace.data;
  return solver->trace_rows;
}

fricp_status fricp_solver_get_points(const fricp_solver *solver, size_t count, int32_t *target_indices,
                                     double *squared_distances, double *residuals, double *weights) {
  if (!solver || !solver->aligned || count != solver->source.cloud_count)
    return FRICP_ERROR_INVALID_ARGUMENT;
  const fr_source *source = &solver->source;
  const fr_matches *matches = &solver->matches;
  for (size_t i = 0; i < count; i++) {
    if (target_indices)
      target_indices[i] = -1;
    if (squared_distances)
      squared_distances[i] = -1;
    if (residuals)
      residuals[i] = NAN;
    if (weights)
      weights[i] = 0;
  }
  for (size_t i = 0; i < source->count; i++) {
    if (matches->match[i] < 0)
      continue;
    const size_t to = (size_t)source->index[i];
    if (target_indices)
      target_indices[to] = matches->match[i];
    if (squared_distances)
      squared_distances[to] = matches->distance2[i] * solver->extent * solver->extent;
    if (residuals)
      residuals[to] = matches->residual[i] * solver->extent;
    if (weights)
      weights[to] = matches->weight[i];
  }
  return FRICP_OK;
}
