/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver object: from the caller's arrays and units to the driver and back. */
#include "api/solver.h"
#include "align/icp.h"
#include "align/stop.h"
#include "api/guess.h"
#include "api/information.h"
#include "api/options.h"
#include "api/result.h"
#include "base/import.h"
#include "base/parallel.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define THREAD_GRAIN 8192 /* source points a thread is worth */
#define LEAST_NU 1e-7     /* of the extent: below, floats and duplicates decide */
#define GRACE 0.05        /* seconds after a stop for what each point comes to */
#define LEAST_RADIUS 1e-6 /* of the extent */
#define LEAST_INCLINE 3e-3
#define MOST_INCLINE 3e-2
#define ENDLESS 1e140 /* of the extent: no limit at all, and its square is finite */

struct fricp_solver {
  fr_memory memory;
  fr_source source;
  fr_matches matches;
  fr_buffer sums;
  fr_buffer trace;
  fricp_level levels[FR_LEVELS];
  size_t level_count;
  size_t trace_rows;
  double extent; /* of the target last used */
  fr_rules rules;
  int aligned; /* 1: the last call left per-point results */
  fricp_error error;
};

/* One call's view of things. */
typedef struct job {
  fricp_solver *solver;
  const fricp_target *target;
  fricp_options options;
  fricp_cloud cloud;
  fricp_pose guess;
  const fr_method *method;
  fr_nn reciprocal;
  double (*reciprocal_points)[3];
  int32_t *reciprocal_index;
  fr_interrupt interrupt;
  fricp_progress told; /* at the last accepted pose */
  fr_icp icp;
} job;

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
  const fr_memory memory = solver->memory;
  fr_release(&memory, solver);
}

const char *fricp_solver_last_error(const fricp_solver *solver) {
  return solver ? solver->error.text : "";
}

void fr_solver_set_rules(fricp_solver *solver, const fr_rules *rules) {
  solver->rules = *rules;
}

/* ---- Frames ---- */

/* A pose between the normalised frames in the caller's. */
static fricp_pose to_caller(const job *j, const fricp_pose *normalised) {
  fricp_pose pose = *normalised;
  const double extent = j->target->extent;
  for (int a = 0; a < 3; a++) {
    pose.translation[a] = j->target->center[a] + extent * normalised->translation[a];
    for (int b = 0; b < 3; b++)
      pose.translation[a] -= pose.rotation[a][b] * j->solver->source.center[b];
  }
  return pose;
}

static fricp_pose from_caller(const job *j, const fricp_pose *pose) {
  fricp_pose normalised = *pose;
  double moved[3];
  fr_apply(pose, j->solver->source.center, moved);
  fr_target_normalize(j->target, moved, normalised.translation);
  return normalised;
}

/* A motion within the target's normalised frame in the caller's. */
static fricp_pose motion_to_caller(const job *j, const fricp_pose *motion) {
  fricp_pose pose = *motion;
  for (int a = 0; a < 3; a++) {
    pose.translation[a] = j->target->center[a] + j->target->extent * motion->translation[a];
    for (int b = 0; b < 3; b++)
      pose.translation[a] -= motion->rotation[a][b] * j->target->center[b];
  }
  return pose;
}

static void point_to_caller(const job *j, const double p[3], double out[3]) {
  for (int a = 0; a < 3; a++)
    out[a] = j->target->center[a] + j->target->extent * p[a];
}

/* Of the weights as given; finite, whatever they are. */
static double energy_to_caller(const job *j, double energy) {
  return fmin(energy * j->solver->source.largest_weight, DBL_MAX);
}

/* ---- Arguments ---- */

static fricp_status check_target(job *j, fricp_error *error) {
  if (j->target->dimension != j->cloud.dimension)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "source: it is %d-D but the target is %d-D",
                   (int)j->cloud.dimension, j->target->dimension);
  if (j->method->metric == FR_METRIC_POINT_TO_PLANE && j->target->normal_count == 0)
    return fr_fail(error, FRICP_ERROR_NO_NORMALS,
                   "target: %s needs normals and the target has none%s; set estimate_normals or pass some",
                   j->method->name, j->target->normals ? " that is usable" : "");
  return FRICP_OK;
}

static fricp_status check_arguments(job *j, const fricp_cloud *source, const fricp_pose *guess,
                                    const fricp_options *options, fricp_error *error) {
  if (!j->target)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "target: it is NULL");
  fricp_status status = fr_options_check(options, &j->options, error);
  if (status == FRICP_OK) {
    j->method = fr_method_find(j->options.method);
    status = fr_cloud_check(source, "source", &j->cloud, error);
  }
  if (status == FRICP_OK)
    status = check_target(j, error);
  if (status == FRICP_OK)
    status = fr_guess_check(guess, j->target->dimension, &j->guess, error);
  return status;
}

/* ---- Preparation ---- */

/* One-to-one correspondences need an index of the source, too. */
static fricp_status index_source(job *j, fricp_error *error) {
  const fr_memory *memory = &j->solver->memory;
  const fr_source *source = &j->solver->source;
  const size_t n = source->count;
  j->reciprocal_points = fr_allocate(memory, n, sizeof *j->reciprocal_points);
  j->reciprocal_index = fr_allocate(memory, n, sizeof *j->reciprocal_index);
  if (!j->reciprocal_points || !j->reciprocal_index)
    return fr_out_of_memory(error, "the index of the source", n);
  for (size_t i = 0; i < n; i++) {
    j->reciprocal_index[i] = (int32_t)i;
    for (int a = 0; a < 3; a++)
      j->reciprocal_points[i][a] = source->x[a][i];
  }
  fr_nn *nn = &j->reciprocal;
  nn->memory = memory;
  nn->points = (const double(*)[3])j->reciprocal_points;
  nn->index = j->reciprocal_index;
  nn->count = n;
  nn->interrupt = j->icp.pass.interrupt;
  const fricp_status status = fr_nn_tree.build(nn, j->reciprocal_index, j->options.threads, error);
  if (status != FRICP_OK)
    return status;
  nn->ops = &fr_nn_tree;
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++)
      j->reciprocal_points[i][a] = source->x[a][j->reciprocal_index[i]];
  j->icp.pass.reciprocal = nn;
  return FRICP_OK;
}

static void drop_index(job *j) {
  if (j->reciprocal.ops)
    j->reciprocal.ops->destroy(&j->reciprocal);
  fr_release(&j->solver->memory, j->reciprocal_points);
  fr_release(&j->solver->memory, j->reciprocal_index);
}

/* nu_min: paper, appendix "Choices of nu_min". Two floors: the target's noise, below which a kernel no longer tells
 * inliers but picks among them at random; and a trifle, for a target without spacing or roughness. */
static double last_nu(const job *j) {
  const fricp_target *target = j->target;
  const fr_metric *metric = j->icp.pass.metric;
  const double measure = metric->needs_normals ? target->plane_spacing : target->spacing;
  const double trifle = fmax(metric->nu_trifle * target->spacing, LEAST_NU);
  if (j->options.nu_end_factor > 0)
    return fmax(j->options.nu_end_factor * measure, trifle);
  return fmax(fmax(measure / metric->spacing_over_nu, j->solver->rules.noise_floor * metric->nu_noise * target->noise),
              trifle);
}

static double least_incline(const fricp_target *target, const fr_rules *rules) {
  const double roughness = target->spacing > 0 ? target->plane_spacing / target->spacing : 0;
  return fmin(fmax(rules->incline_share * roughness, LEAST_INCLINE), MOST_INCLINE);
}

/* Coarse levels save searches, which a caller's own search or the reciprocal test asks for at every point. */
static int uses_all_points(const job *j) {
  return j->options.full_resolution || j->options.reciprocal || !j->target->nn.ops->euclidean;
}

static fr_settings settings_of(const job *j) {
  const fricp_options *o = &j->options;
  const double extent = j->target->extent;
  fr_settings s = {
      .history = o->anderson_history == 0  ? j->method->history
                 : o->anderson_history < 0 ? 0
                                           : o->anderson_history,
      .max_iterations = o->max_iterations > 0 ? o->max_iterations : INT_MAX,
      .first_iterations = j->method->first_iterations,
      .most_iterations = j->method->most_iterations,
      .least_points = uses_all_points(j) ? SIZE_MAX : j->method->least_points,
      .nu_start_factor = o->nu_start_factor > 0 ? o->nu_start_factor : 3,
      .nu_end = j->icp.pass.kernel->scheduled ? last_nu(j) : 0,
      .translation_epsilon = o->translation_epsilon / extent,
      .rotation_epsilon = o->rotation_epsilon,
      .fitness_epsilon = o->fitness_epsilon,
      .spacing = j->target->spacing,
      .least_radius = fmax(j->target->spacing / (3 * sqrt(3.0)), LEAST_RADIUS),
      .least_incline = least_incline(j->target, &j->solver->rules),
  };
  return s;
}

static int watch(void *context, const fr_icp *icp) {
  job *j = context;
  const fricp_options *o = &j->options;
  if (o->log) {
    char line[160];
    (void)snprintf(line, sizeof line, "level %d nu %.4g iteration %d energy %.10g points %zu", icp->level,
                   icp->now.nu * j->target->extent, icp->iterations, energy_to_caller(j, icp->now.energy),
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
                                   energy_to_caller(j, icp->now.energy),
                                   fr_seconds() - icp->started,
                                   to_caller(j, &icp->now.pose)};
  j->told = progress;
  return o->progress(o->progress_context, &progress);
}

/* In between: what was told last, and how late it is. */
static int poll_caller(void *context) {
  job *j = context;
  j->told.seconds = fr_seconds() - j->icp.started;
  const fricp_progress progress = j->told; /* the hook's own */
  return j->options.progress(j->options.progress_context, &progress);
}

static void begin_interrupt(job *j) {
  const fricp_options *o = &j->options;
  j->told.struct_size = sizeof j->told;
  j->told.target_from_source = j->guess;
  fr_interrupt_begin(&j->interrupt, j->icp.started, o->time_limit, o->progress ? poll_caller : NULL, j);
  if (o->time_limit > 0 || o->progress)
    j->icp.pass.interrupt = &j->interrupt;
}

static fricp_status prepare(job *j, fricp_error *error) {
  fricp_solver *solver = j->solver;
  fr_source *source = &solver->source;
  fr_icp *icp = &j->icp;
  const size_t count = fr_cloud_finite(&j->cloud, NULL);
  if (fr_matches_reserve(&solver->matches, &solver->memory, count) != 0)
    return fr_out_of_memory(error, "the source", count);
  const fr_order room = fr_matches_room(&solver->matches, icp->pass.interrupt);
  fricp_status status = fr_source_pack(source, &solver->memory, &j->cloud, count, j->target->extent,
                                       (size_t)j->cloud.dimension, &room, j->options.threads, error);
  fr_matches_forget(&solver->matches);
  if (status == FRICP_OK && fr_interrupt_check(icp->pass.interrupt, 0) != FRICP_STOP_NONE)
    status = fr_interrupted(&j->interrupt, "while the source was read", error);
  if (status != FRICP_OK)
    return status;
  icp->trace = fr_buffer_reserve(&solver->memory, &solver->trace, FR_TRACE, sizeof *icp->trace);
  icp->pass.block_sums = fr_buffer_reserve(&solver->memory, &solver->sums, fr_pass_room(source->count), sizeof(double));
  if (!icp->trace || !icp->pass.block_sums)
    return fr_out_of_memory(error, "the solver", source->count);
  const fr_isa isa = fr_best_isa();
  icp->watch = watch;
  icp->watch_context = j;
  icp->levels = solver->levels;
  icp->pass.target = j->target;
  icp->pass.rules = &solver->rules;
  icp->pass.source = source;
  icp->pass.matches = &solver->matches;
  icp->pass.metric = fr_metric_find(j->method->metric, isa);
  icp->pass.kernel = fr_kernel_find(j->method->kernel, isa);
  icp->pass.sweep = fr_sweep_find(isa);
  icp->pass.reuse = fr_reuse_find(isa);
  icp->pass.max_distance = j->options.max_distance > 0 ? j->options.max_distance / j->target->extent : INFINITY;
  if (icp->pass.max_distance > ENDLESS)
    icp->pass.max_distance = INFINITY;
  icp->pass.threads =
      j->target->nn.ops->thread_safe ? fr_thread_count(j->options.threads, source->count, THREAD_GRAIN) : 1;
  icp->settings = settings_of(j);
  icp->now.pose = from_caller(j, &j->guess);
  return j->options.reciprocal ? index_source(j, error) : FRICP_OK;
}

/* Translate the guess so that the centroid of the moved source lies on that of the target. */
static void start_at_centroid(job *j) {
  const fricp_target *target = j->target;
  double moved[3];
  fr_apply(&j->guess, j->solver->source.centroid, moved);
  double mean[3] = {0, 0, 0};
  for (size_t i = 0; i < target->count; i++)
    for (int a = 0; a < 3; a++)
      mean[a] += target->points[i][a] / (double)target->count;
  double centroid[3];
  point_to_caller(j, mean, centroid);
  for (int a = 0; a < 3; a++)
    j->guess.translation[a] += centroid[a] - moved[a];
  j->icp.now.pose = from_caller(j, &j->guess);
}

/* ---- Result ---- */

/* What counts as an inlier, in units of the extent. */
static double inlier_limit(const job *j) {
  const double given = j->options.inlier_distance;
  return given > 0 ? fmin(given / j->target->extent, ENDLESS) : fmax(j->target->spacing, LEAST_NU);
}

static void fill_inliers(const job *j, fricp_result *result) {
  const fr_source *source = &j->solver->source;
  const fr_matches *matches = &j->solver->matches;
  const double extent = j->target->extent;
  const double limit = inlier_limit(j);
  double squared = 0;
  for (size_t i = 0; i < source->count; i++)
    if (matches->match[i] >= 0 && matches->distance2[i] <= limit * limit) {
      result->inliers++;
      squared += matches->distance2[i];
    }
  result->inlier_distance = limit * extent;
  result->inlier_share = (double)result->inliers / (double)source->count;
  result->inlier_rms = result->inliers ? extent * sqrt(squared / (double)result->inliers) : 0;
}

static void fill_information(const job *j, fricp_result *result) {
  const fr_icp *icp = &j->icp;
  const fr_source *source = &j->solver->source;
  const double mean = source->weight ? source->weight_sum / (double)source->count : 1;
  const double equations = fmin(icp->pass.metric->equations, j->target->dimension);
  fr_information_fill(&icp->now.step, &icp->open, j->target->dimension, equations, mean, j->target->extent, result);
  point_to_caller(j, icp->now.step.center, result->information_center);
}

/* known: was the final pass made, so that each point's outcome is known? */
static void fill_result(job *j, int known, fricp_result *result) {
  const fr_icp *icp = &j->icp;
  const double extent = j->target->extent;
  result->target_from_source = to_caller(j, &icp->now.pose);
  result->last_step = motion_to_caller(j, &icp->last_step);
  result->stop_reason = icp->stop_reason;
  result->converged = fr_icp_is_converged(icp);
  result->levels = icp->level_count;
  result->iterations = icp->iterations;
  result->correspondence_passes = icp->passes;
  result->accelerated = icp->accelerated;
  result->rejected = icp->rejected;
  result->threads = icp->pass.threads;
  result->energy = energy_to_caller(j, icp->now.energy);
  result->nu_start = icp->plan.level[0].nu * extent;
  result->nu_end = icp->now.nu * extent;
  if (known)
    fill_inliers(j, result);
  if (known && result->inliers == 0 && result->converged && j->options.inlier_distance == 0) {
    result->stop_reason = FRICP_STOP_NO_OVERLAP;
    result->converged = 0;
  }
  if (icp->now.step.weight > 0)
    fill_information(j, result);
}

/* Levels and trace go into the caller's frame where they lie. */
static void publish(job *j, int known) {
  fricp_solver *solver = j->solver;
  const fr_icp *icp = &j->icp;
  const double extent = j->target->extent;
  solver->extent = extent;
  for (size_t i = 0; known && i < solver->source.count; i++)
    if (solver->matches.match[i] >= 0)
      solver->matches.match[i] = j->target->index[solver->matches.match[i]];
  solver->level_count = (size_t)icp->level_count;
  for (size_t i = 0; i < solver->level_count; i++) {
    solver->levels[i].nu *= extent;
    solver->levels[i].energy = energy_to_caller(j, solver->levels[i].energy);
  }
  solver->trace_rows = icp->trace_count < FR_TRACE ? icp->trace_count : FR_TRACE;
  for (size_t i = 0; i < solver->trace_rows; i++) {
    icp->trace[i].nu *= extent;
    icp->trace[i].energy = energy_to_caller(j, icp->trace[i].energy);
    icp->trace[i].target_from_source = to_caller(j, &icp->trace[i].target_from_source);
  }
  /* The ring starts at its oldest row: turn it, by three reversals. */
  const size_t turn = icp->trace_count > FR_TRACE ? icp->trace_count % FR_TRACE : 0;
  const size_t bound[3][2] = {{0, turn}, {turn, solver->trace_rows}, {0, solver->trace_rows}};
  for (int k = 0; turn > 0 && k < 3; k++)
    for (size_t a = bound[k][0], b = bound[k][1]; a + 1 < b; a++, b--) {
      const fricp_trace_row row = icp->trace[a];
      icp->trace[a] = icp->trace[b - 1];
      icp->trace[b - 1] = row;
    }
}

/* What each point comes to at the final pose. After a stop only if it takes little more time. @return 0 if it is not
 * known, -1 if the search failed. */
static int measure_points(job *j) {
  fr_icp *icp = &j->icp;
  fr_interrupt *interrupt = icp->pass.interrupt;
  if (fr_interrupt_reason(interrupt) != FRICP_STOP_NONE)
    fr_interrupt_extend(interrupt, GRACE);
  if (fr_pass_run(&icp->pass, &icp->now.pose, icp->now.nu, j->solver->source.count, inlier_limit(j), 1) == 0)
    return 1;
  if (fr_interrupt_reason(interrupt) == FRICP_STOP_NONE)
    return -1;
  if (icp->stop_reason != FRICP_STOP_CANCELLED)
    icp->stop_reason = fr_interrupt_reason(interrupt);
  return 0;
}

/* What the surfaces leave open stays at the start. */
static fricp_status hold_open(job *j, int *known, const fricp_pose *start, fricp_error *error) {
  fr_icp *icp = &j->icp;
  fr_open open;
  if (fr_open_measure(&open, &icp->pass) != 0) {
    if (fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
      return FRICP_OK; /* not known, as so much else after a stop */
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
  }
  if (open.count == 0)
    return FRICP_OK;
  const fricp_status status = fr_icp_hold(icp, &open, start, error);
  if (status == FRICP_OK)
    *known = measure_points(j);
  return status;
}

static fricp_status solve(job *j, int *known, fricp_error *error) {
  fr_icp *icp = &j->icp;
  const fricp_pose start = icp->now.pose;
  fricp_status status = fr_icp_run(icp, error);
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
  int direction[6];
  if (status == FRICP_OK &&
      icp->open.count + icp->now.step.undetermined >= fr_free_directions(j->target->dimension, direction))
    return fr_fail(error, FRICP_ERROR_DEGENERATE,
                   "the clouds determine no direction of motion: all correspondences agree with any pose");
  if (status == FRICP_OK && *known < 0)
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: the nearest-neighbour search failed");
  return status;
}

/* Result fields known before anything can fail. */
static fricp_result blank_result(const job *j, const fricp_pose *guess) {
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
  solver->level_count = solver->trace_rows = 0;
  if (fr_result_check(result, error) != FRICP_OK)
    return FRICP_ERROR_INVALID_ARGUMENT;
  job j = {.solver = solver, .target = target};
  j.icp.started = started;
  fricp_result filled = blank_result(&j, guess);
  fricp_status status = check_arguments(&j, source, guess, options, error);
  int known = 0;
  if (status == FRICP_OK) {
    begin_interrupt(&j);
    status = prepare(&j, error);
  }
  if (status == FRICP_OK) {
    filled.points_source = solver->source.count;
    filled.skipped_source = solver->source.skipped;
    if (j.options.start == FRICP_START_CENTROID)
      start_at_centroid(&j);
    filled.seconds_prepare = fr_seconds() - j.icp.started;
    status = solve(&j, &known, error);
  }
  if (status == FRICP_OK) {
    fill_result(&j, known, &filled);
    filled.seconds_solve = fr_seconds() - j.icp.started - filled.seconds_prepare;
  }
  if (status == FRICP_OK) {
    publish(&j, known);
    solver->aligned = known;
  } else if (status == FRICP_ERROR_INTERRUPTED) { /* no error, but there is nothing better than the guess */
    filled.target_from_source = j.told.target_from_source;
    filled.stop_reason = fr_interrupt_reason(&j.interrupt);
    fr_clear(error);
    status = FRICP_OK;
  } else { /* the guess, not a half-way pose */
    filled.target_from_source = blank_result(&j, guess).target_from_source;
    filled.converged = 0;
  }
  drop_index(&j);
  fr_export(result, &filled, sizeof filled);
  return status;
}

size_t fricp_solver_get_levels(const fricp_solver *solver, const fricp_level **levels) {
  if (!solver || !levels)
    return 0;
  *levels = solver->levels;
  return solver->level_count;
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
