/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/job.h"

#include "api/auto.h"
#include "api/guess.h"
#include "api/options.h"
#include "api/restrict.h"
#include "api/settings.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "cloud/source_normals.h"

#include <math.h>
#include <stdio.h>

#define THREAD_GRAIN 8192 /* source points a thread is worth */

/* ---- Arguments ---- */

static fricp_status check_target(fr_job *j, fricp_error *error) {
  if (j->target->dimension != j->cloud.dimension)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "source: it is %d-D but the target is %d-D",
                   (int)j->cloud.dimension, j->target->dimension);
  const fr_metric *metric = fr_metric_find(j->method.metric, FR_ISA_GENERIC);
  const char *asking = !metric->needs_normals  ? "max_normal_angle"
                       : j->options.metric > 0 ? metric->name
                                               : j->method.name;
  if ((metric->needs_normals || j->options.max_normal_angle > 0) && j->target->normal_count == 0)
    return fr_fail(error, FRICP_ERROR_NO_NORMALS, "target: %s needs normals and the target has none%s", asking,
                   j->target->normals ? " that is usable; pass some, or take a method on points"
                                      : "; pass some, or leave given_normals_only at 0");
  return FRICP_OK;
}

fricp_status fr_job_check(fr_job *j, const fricp_cloud *source, const fricp_pose *guess, const fricp_options *options,
                          fricp_error *error) {
  if (!j->target)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "target: it is NULL");
  fricp_status status = fr_options_check(options, &j->options, error);
  if (status == FRICP_OK) {
    j->is_auto = j->options.method == FRICP_METHOD_AUTO;
    j->method = fr_method_of(j->is_auto ? fr_auto_method(j->target) : j->options.method, &j->options);
    status = fr_cloud_check(source, "source", &j->cloud, error);
  }
  if (status == FRICP_OK)
    status = check_target(j, error);
  if (status == FRICP_OK)
    status = fr_guess_check(guess, j->target->dimension, "guess", &j->guess, error);
  if (status == FRICP_OK)
    status = fr_restrict_check(&j->options, &j->guess, j->target->dimension, &j->lock, &j->prior, error);
  return status == FRICP_OK ? fr_restrict_fits(&j->prior, j->target->extent, error) : status;
}

/* ---- Hooks ---- */

static int watch(void *context, const fr_icp *icp) {
  fr_job *j = context;
  const fricp_options *o = &j->options;
  if (o->log) {
    char line[160];
    (void)snprintf(line, sizeof line, "level %d nu %.4g iteration %d energy %.10g points %zu", icp->level,
                   icp->now.nu * j->target->extent, icp->iterations, fr_energy_to_caller(&j->frames, icp->now.energy),
                   icp->now.points);
    o->log(o->log_context, line);
  }
  if (!o->progress)
    return 0;
  const fricp_progress progress = {sizeof progress,
                                   icp->level,
                                   icp->plan.count,
                                   icp->iterations,
                                   icp->level_iteration,
                                   icp->now.nu * j->target->extent,
                                   fr_energy_to_caller(&j->frames, icp->now.energy),
                                   fr_seconds() - icp->started,
                                   fr_pose_to_caller(&j->frames, &icp->now.pose)};
  j->told = progress;
  return o->progress(o->progress_context, &progress);
}

/* In between: what was told last, and how late it is. */
static int poll_caller(void *context) {
  fr_job *j = context;
  j->told.seconds = fr_seconds() - j->icp.started;
  const fricp_progress progress = j->told; /* the hook's own */
  return j->options.progress(j->options.progress_context, &progress);
}

static void begin_interrupt(fr_job *j) {
  const fricp_options *o = &j->options;
  j->told.struct_size = sizeof j->told;
  j->told.target_from_source = j->guess;
  fr_interrupt_begin(&j->interrupt, j->icp.started, o->time_limit, o->progress ? poll_caller : NULL, j);
  if (o->time_limit > 0 || o->progress)
    j->icp.pass.interrupt = &j->interrupt;
}

/* ---- Preparation ---- */

static fricp_status index_source(fr_job *j, fricp_error *error) {
  fricp_solver *solver = j->solver;
  return fr_source_index_build(&j->reciprocal, &solver->source, fr_pool_begin(&solver->pool, &solver->memory),
                               j->icp.pass.interrupt, j->options.threads, error);
}

/* What some calls need besides: an index of the source for one-to-one correspondences and for normals that are missing,
 * which are estimated as a target's are. */
static fricp_status complete_source(fr_job *j, fricp_error *error) {
  fricp_solver *solver = j->solver;
  const long missing = j->icp.pass.metric->needs_source_normals || j->icp.pass.least_cosine > 0
                           ? fr_source_read_normals(&solver->source, &solver->memory, &j->cloud, j->icp.pass.interrupt)
                           : 0;
  fricp_status status = FRICP_OK;
  if (missing < 0)
    return fr_out_of_memory(error, "the normals of the source", solver->source.count);
  if ((missing > 0 || j->options.reciprocal) && j->reciprocal.nn.count == 0)
    status = index_source(j, error);
  if (status == FRICP_OK && missing > 0)
    status = fr_source_estimate_normals(&solver->source, &j->reciprocal, j->target->dimension, j->icp.pass.interrupt,
                                        j->options.threads, error);
  if (status == FRICP_OK && j->options.reciprocal)
    j->icp.pass.reciprocal = &j->reciprocal.nn;
  return status;
}

void fr_job_release(fr_job *j) {
  for (int i = 0; i < 2; i++)
    fr_coarse_release(&j->cells[i], &j->solver->memory);
  fr_source_index_release(&j->reciprocal, &j->solver->pool.memory);
}

/* The run, but for its start. */
static void set_up(fr_job *j) {
  fricp_solver *solver = j->solver;
  fr_icp *icp = &j->icp;
  const fr_isa isa = fr_best_isa();
  icp->watch = watch;
  icp->watch_context = j;
  icp->levels = solver->levels;
  icp->scheme = fr_scheme_find(j->method.scheme);
  icp->pass.target = j->target;
  icp->pass.rules = &solver->rules;
  icp->pass.source = &solver->source;
  icp->pass.matches = &solver->matches;
  icp->pass.metric = fr_metric_find(j->method.metric, isa);
  icp->pass.kernel = fr_kernel_find(j->method.kernel, isa);
  icp->pass.shape = j->options.kernel_shape > 0 ? j->options.kernel_shape : icp->pass.kernel->shape;
  icp->pass.sweep = fr_sweep_find(isa);
  icp->pass.reuse = fr_reuse_find(isa);
  icp->pass.accept_pair = j->options.accept_pair;
  icp->pass.pair_context = j->options.pair_context;
  icp->pass.least_cosine = j->options.max_normal_angle > 0 ? cos(j->options.max_normal_angle) : 0;
  icp->pass.extent = j->target->extent;
  icp->pass.max_distance = fr_most_distance(&j->options, j->target);
  icp->pass.threads =
      j->target->nn.ops->thread_safe ? fr_thread_count(j->options.threads, solver->source.count, THREAD_GRAIN) : 1;
  icp->settings = fr_settings_make(&j->options, &j->method, j->target, &solver->rules);
}

/* Translate the guess so that the centroid of the moved source lies on that of the target. */
static void start_at_centroid(fr_job *j) {
  const fricp_target *target = j->target;
  double moved[3];
  fr_apply(&j->guess, j->solver->source.centroid, moved);
  double mean[3] = {0, 0, 0};
  for (size_t i = 0; i < target->count; i++)
    for (int a = 0; a < 3; a++)
      mean[a] += target->points[i][a] / (double)target->count;
  double centroid[3];
  fr_point_to_caller(&j->frames, mean, centroid);
  for (int a = 0; a < 3; a++)
    j->guess.translation[a] += centroid[a] - moved[a];
}

fricp_status fr_job_prepare(fr_job *j, fricp_error *error) {
  fricp_solver *solver = j->solver;
  fr_source *source = &solver->source;
  fr_icp *icp = &j->icp;
  begin_interrupt(j);
  const size_t count = fr_cloud_finite(&j->cloud, NULL, icp->pass.interrupt);
  if (fr_matches_reserve(&solver->matches, &solver->memory, count) != 0)
    return fr_out_of_memory(error, "the source", count);
  const fr_order room = fr_matches_room(&solver->matches, icp->pass.interrupt);
  fricp_status status = fr_source_pack(source, &solver->memory, &j->cloud, count, j->target->extent,
                                       (size_t)j->cloud.dimension, &room, j->options.threads, error);
  fr_matches_forget(&solver->matches, icp->pass.interrupt);
  if (status == FRICP_OK && fr_interrupt_check(icp->pass.interrupt, 0) != FRICP_STOP_NONE)
    status = fr_interrupted(&j->interrupt, "while the source was read", error);
  if (status != FRICP_OK)
    return status;
  j->frames = fr_frames_of(source, j->target);
  icp->trace = fr_buffer_reserve(&solver->memory, &solver->trace, FR_TRACE, sizeof *icp->trace);
  icp->pass.block_sums = fr_buffer_reserve(&solver->memory, &solver->sums, fr_pass_room(source->count), sizeof(double));
  const int no_split = j->method.scheme == FR_SCHEME_ADMM &&
                       fr_split_reserve(&icp->split, &solver->memory, &solver->split, source->count) != 0;
  icp->pull = fr_buffer_reserve(&solver->memory, &solver->pull, j->target->count, sizeof *icp->pull);
  if (no_split || !icp->trace || !icp->pass.block_sums || !icp->pull)
    return fr_out_of_memory(error, "the solver", source->count);
  set_up(j);
  if (j->options.start == FRICP_START_CENTROID)
    start_at_centroid(j); /* as far as that is free: the run begins there */
  icp->now.pose = fr_pose_from_caller(&j->frames, &j->guess);
  fr_restrict_set_up(j);
  return complete_source(j, error);
}

fricp_status fr_job_change_method(fr_job *j, int32_t method, fricp_error *error) {
  j->method = fr_method_of(method, &j->options);
  set_up(j);
  return complete_source(j, error);
}
