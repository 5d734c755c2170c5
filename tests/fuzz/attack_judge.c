/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold after every call, whatever was passed: from the text of fricp.h alone. */
#include "attack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int all_finite(const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(numbers[i]))
      return 0;
  return 1;
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void judge_pose(const char *what, const fricp_pose *pose) {
  const double(*r)[3] = pose->rotation;
  if (!all_finite(&r[0][0], 9) || !all_finite(pose->translation, 3)) {
    finding("pose not finite", "%s: translation %g %g %g, rotation[0] %g %g %g", what, pose->translation[0],
            pose->translation[1], pose->translation[2], r[0][0], r[0][1], r[0][2]);
    return;
  }
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      worst = fmax(worst, fabs(dot(r[i], r[j]) - (i == j)));
  const double determinant = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                             r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                             r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
  if (worst > 1e-9 || determinant < 0)
    finding("pose not orthonormal", "%s: by %g, determinant %g", what, worst, determinant);
}

static void judge_numbers(const char *what, const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(numbers[i])) {
      char kind[64];
      (void)snprintf(kind, sizeof kind, "OK with a %s that is not finite", what);
      finding(kind, "element %zu is %g", i, numbers[i]);
      return;
    }
}

static size_t selected(const fricp_cloud *view) {
  return view->indices ? view->index_count : view->count;
}

static void judge_counts(const fricp_result *r, const fricp_cloud *source, const fricp_cloud *target) {
  if (r->points_source + r->skipped_source != selected(source))
    finding("points of the source do not add up", "%zu + %zu of %zu", r->points_source, r->skipped_source,
            selected(source));
  if (r->points_target + r->skipped_target != selected(target))
    finding("points of the target do not add up", "%zu + %zu of %zu", r->points_target, r->skipped_target,
            selected(target));
  if (r->inliers > r->points_source || !(r->inlier_share >= 0 && r->inlier_share <= 1) ||
      fabs(r->inlier_share * (double)r->points_source - (double)r->inliers) > 1e-9 * (double)r->points_source)
    finding("inliers inconsistent", "%zu of %zu, share %g", r->inliers, r->points_source, r->inlier_share);
  if (r->inlier_rms > r->inlier_distance * (1 + 1e-9) || !(r->inlier_rms >= 0))
    finding("inlier_rms beyond inlier_distance", "%g > %g", r->inlier_rms, r->inlier_distance);
}

static int is_stopped(const fricp_result *r) {
  return r->stop_reason == FRICP_STOP_TIME_LIMIT || r->stop_reason == FRICP_STOP_CANCELLED;
}

/* Stopped before the first correspondences: little is known but the pose. When that happens depends on the machine. */
static int is_stopped_early(const fricp_result *r) {
  return is_stopped(r) && r->correspondence_passes == 0;
}

static void judge_early(const fricp_result *r, const fricp_cloud *source, const fricp_cloud *target) {
  const double numbers[] = {r->energy, r->nu_start, r->nu_end, r->inlier_share, r->inlier_rms, r->inlier_distance};
  const size_t of_source = r->points_source + r->skipped_source;
  const size_t of_target = r->points_target + r->skipped_target;
  int known = r->converged || r->iterations || r->levels || r->accelerated || r->rejected || r->undetermined ||
              r->inliers || (of_source && of_source != selected(source)) ||
              (of_target && of_target != selected(target));
  for (size_t i = 0; i < COUNT(numbers); i++)
    known |= numbers[i] != 0;
  if (known)
    finding("numbers of a call that was stopped before it knew any",
            "stop reason %d, %zu of %zu and %zu of %zu points, levels %d, nu %g to %g", r->stop_reason, of_source,
            selected(source), of_target, selected(target), r->levels, r->nu_start, r->nu_end);
}

static void judge_end(const fricp_result *r, const fricp_options *options) {
  const int converged = r->stop_reason == FRICP_STOP_CONVERGED || r->stop_reason == FRICP_STOP_POSE_EPSILON ||
                        r->stop_reason == FRICP_STOP_FITNESS_EPSILON;
  if (r->stop_reason <= FRICP_STOP_NONE || !fricp_stop_reason_name(r->stop_reason))
    finding("stop reason", "%d", r->stop_reason);
  if (r->stop_reason == FRICP_STOP_NO_DESCENT ? r->converged < 0 || r->converged > 1 : r->converged != converged)
    finding("converged against the stop reason", "converged %d, stop reason %d", r->converged, r->stop_reason);
  if (options && options->max_iterations > 0 && r->iterations > options->max_iterations)
    finding("more iterations than allowed", "%d of %d", r->iterations, options->max_iterations);
  if (r->iterations < 0 || r->correspondence_passes < 1 || r->levels < 0 || r->threads < 1 || r->accelerated < 0 ||
      r->accelerated > r->iterations || r->rejected < 0 || r->undetermined < 0 || r->undetermined > 5)
    finding("counters", "iterations %d passes %d levels %d threads %d accelerated %d rejected %d undetermined %d",
            r->iterations, r->correspondence_passes, r->levels, r->threads, r->accelerated, r->rejected,
            r->undetermined);
}

/* No input keeps a call busy: a level has its limit of poses, sparse-icp's one more of 100, and a pose is tried by
 * acceleration, whole, and shortened a few times. The last level is run again with what is open held, and under a prior up to
 * twenty times until its weight stays. */
static void judge_passes(const fricp_result *r, const fricp_options *options) {
  const int again = 1 + (options && options->prior ? 2 * 20 : 0);
  const int poses = r->iterations + r->levels + again + 1;
  if (options && options->max_iterations == 0 && r->iterations > 1100 * (r->levels + again))
    finding("more iterations than the default limit", "%d in %d levels", r->iterations, r->levels);
  if (r->correspondence_passes / 8 > poses)
    finding("more passes than poses can take", "%d for %d poses", r->correspondence_passes, poses);
}

/* Method auto's; zero from others. What was stopped is not judged, though there may be candidates. */
static void judge_verdict(const fricp_result *r, const fricp_options *options) {
  const double numbers[] = {r->overlap_source, r->overlap_target,  r->agreement, r->through_source,
                            r->through_target, r->agreement_least, r->rival};
  judge_numbers("verdict", numbers, COUNT(numbers));
  for (int k = 0; k < 6; k++)
    if (!(numbers[k] >= 0 && numbers[k] <= 1))
      finding("share out of [0, 1]", "number %d of the verdict is %g", k, numbers[k]);
  if (r->rival < 0 || r->verdict < FRICP_VERDICT_NONE || r->verdict > FRICP_VERDICT_POOR ||
      (r->verdict != FRICP_VERDICT_NONE) != (r->candidates > 0 && !is_stopped(r)))
    finding("verdict", "%d with %d candidates, rival %g", r->verdict, r->candidates, r->rival);
  if (options && options->method != FRICP_METHOD_AUTO && r->verdict != FRICP_VERDICT_NONE)
    finding("verdict of another method", "%d", r->verdict);
}

static void judge_information(const fricp_result *r) {
  for (int i = 0; i < 6; i++) {
    if (r->information[i][i] < 0)
      finding("information with a negative diagonal", "element %d is %g", i, r->information[i][i]);
    for (int j = 0; j < i; j++)
      if (!(fabs(r->information[i][j] - r->information[j][i]) <=
            1e-6 * sqrt(r->information[i][i]) * sqrt(r->information[j][j])))
        finding("information not symmetric", "%d %d: %g and %g", i, j, r->information[i][j], r->information[j][i]);
  }
}

void judge_result(const fricp_result *r, const fricp_options *options, const fricp_cloud *source,
                  const fricp_cloud *target) {
  judge_pose("result", &r->target_from_source);
  judge_pose("last_step", &r->last_step);
  const double scalars[] = {r->nu_start, r->nu_end, r->seconds_prepare, r->seconds_solve};
  judge_numbers("energy", &r->energy, 1);
  judge_numbers("nu or time", scalars, COUNT(scalars));
  judge_numbers("inlier_rms", &r->inlier_rms, 1);
  judge_numbers("inlier_distance", &r->inlier_distance, 1);
  judge_numbers("information_center", r->information_center, 3);
  judge_numbers("information", &r->information[0][0], 36);
  judge_numbers("undetermined direction", &r->undetermined_directions[0][0], 36);
  judge_verdict(r, options);
  if (r->energy < 0)
    finding("negative energy", "%g", r->energy);
  judge_information(r);
  if (is_stopped_early(r)) {
    judge_early(r, source, target);
  } else {
    judge_counts(r, source, target);
    judge_end(r, options);
    judge_passes(r, options);
  }
  if (source->dimension == 2 &&
      (r->target_from_source.translation[2] != 0 || fabs(r->target_from_source.rotation[2][2] - 1) > 1e-12))
    finding("2-D pose not planar", "z shift %g", r->target_from_source.translation[2]);
}

static void judge_levels_and_trace(const fricp_solver *solver, const fricp_result *r) {
  const fricp_level *levels = NULL;
  const fricp_trace_row *rows = NULL;
  count_call();
  const size_t level_count = fricp_solver_get_levels(solver, &levels);
  count_call();
  const size_t row_count = fricp_solver_get_trace(solver, &rows);
  if (level_count != (size_t)r->levels)
    finding("levels disagree", "%zu, the result says %d", level_count, r->levels);
  for (size_t i = 0; i < level_count; i++) {
    const double numbers[] = {levels[i].nu, levels[i].energy};
    judge_numbers("level", numbers, COUNT(numbers));
  }
  for (size_t i = 0; i < row_count; i++) {
    const double step = rows[i].accepted ? rows[i].step : 0; /* NaN where a pose was not used */
    const double numbers[] = {rows[i].nu, rows[i].energy, step, rows[i].seconds};
    judge_numbers("trace row", numbers, COUNT(numbers));
    judge_pose("trace row", &rows[i].target_from_source);
  }
}

static void judge_candidates(const fricp_solver *solver, const fricp_result *r) {
  const fricp_candidate *rows = NULL;
  int chosen = 0;
  count_call();
  const size_t count = fricp_solver_get_candidates(solver, &rows);
  if (r->candidates > 0 && count != (size_t)r->candidates)
    finding("candidates disagree", "%zu, the result says %d", count, r->candidates);
  for (size_t i = 0; i < count; i++) {
    const double numbers[] = {rows[i].score,    rows[i].moved,   rows[i].agree[0],
                              rows[i].agree[1], rows[i].near[0], rows[i].near[1]};
    judge_numbers("candidate", numbers, COUNT(numbers));
    judge_pose("candidate", &rows[i].target_from_source);
    chosen += rows[i].chosen;
  }
  if (count > 0 && chosen != 1)
    finding("chosen candidates", "%d of %zu", chosen, count);
}

static void judge_points(const fricp_solver *solver, const fricp_result *r, const fricp_options *options,
                         const fricp_cloud *source, const fricp_cloud *target) {
  const size_t n = source->count;
  int32_t *match = malloc(n * sizeof *match + 1);
  double *numbers = malloc(3 * n * sizeof *numbers + 1);
  if (!match || !numbers)
    abort();
  double *residual = numbers + n;
  double *weight = residual + n;
  count_call();
  const fricp_status status = fricp_solver_get_points(solver, n, match, numbers, residual, weight);
  if (status != FRICP_OK && !(is_stopped(r) && status == FRICP_ERROR_INVALID_ARGUMENT))
    finding("no points after OK", "status %d", status);
  for (size_t i = 0; i < n && status == FRICP_OK; i++) {
    const int none = match[i] == -1;
    if (match[i] < -1 || (match[i] >= 0 && (size_t)match[i] >= target->count))
      finding("target index out of range", "point %zu: %d", i, match[i]);
    if (none ? numbers[i] != -1 || !isnan(residual[i]) || weight[i] != 0
             : !isfinite(numbers[i]) || numbers[i] < 0 || !isfinite(residual[i]) || !isfinite(weight[i]))
      finding("OK with a point's number that is not finite", "point %zu: match %d, %g, residual %g, weight %g", i,
              match[i], numbers[i], residual[i], weight[i]);
    if (!none && !(weight[i] >= 0 && weight[i] <= 1))
      finding("weight out of [0, 1]", "point %zu: %g", i, weight[i]);
    if (!none && weight[i] > 0 && options->accept_pair && /* what weighs nothing is not asked for */
        !options->accept_pair(options->pair_context, (int32_t)i, match[i], numbers[i]))
      finding("a pair that the gate rejects", "point %zu and %d", i, match[i]);
  }
  free(match);
  free(numbers);
}

void judge_solver(const fricp_solver *solver, const fricp_result *r, const fricp_options *options,
                  const fricp_cloud *source, const fricp_cloud *target) {
  judge_levels_and_trace(solver, r);
  judge_candidates(solver, r);
  judge_points(solver, r, options, source, target);
}

static int is_same_or_near(const fricp_pose *a, const fricp_pose *b) {
  if (memcmp(a, b, sizeof *a) == 0)
    return 1;
  for (int i = 0; i < 9; i++)
    if (!(fabs((&a->rotation[0][0])[i] - (&b->rotation[0][0])[i]) < 1e-2))
      return 0;
  return memcmp(a->translation, b->translation, sizeof a->translation) == 0;
}

void judge_error(fricp_status status, const char *text, const fricp_result *r, const fricp_pose *guess) {
  const fricp_pose start = guess ? *guess : fricp_pose_identity();
  if (strlen(text) < 10 || strchr(text, '\n'))
    finding("error without a text", "status %d: '%s'", status, text);
  if (status < FRICP_OK || status > FRICP_ERROR_INTERRUPTED)
    finding("unknown status", "%d", status);
  if (status == FRICP_ERROR_NUMERICAL)
    finding("error 'numerical', not expected on any input", "%s", text);
  if (r->converged)
    finding("an error that converged", "status %d: %s", status, text);
  if (!is_same_or_near(&r->target_from_source, &start))
    finding("the pose after an error is not the guess", "status %d: %s; translation %g %g %g", status, text,
            r->target_from_source.translation[0], r->target_from_source.translation[1],
            r->target_from_source.translation[2]);
}

static void judge_normals(const fricp_target *target, const fricp_cloud *view) {
  double *normals = malloc(3 * view->count * sizeof *normals + 1);
  if (!normals)
    abort();
  count_call();
  const fricp_status status = fricp_target_get_normals(target, normals, view->count);
  for (size_t i = 0; i < view->count && status == FRICP_OK; i++) {
    const double *n = normals + 3 * i;
    const int none = isnan(n[0]) && isnan(n[1]) && isnan(n[2]);
    if (!none && !(fabs(dot(n, n) - 1) < 1e-5))
      finding("normal without unit length", "point %zu: %g %g %g", i, n[0], n[1], n[2]);
  }
  free(normals);
}

void judge_target(const fricp_target *target, const fricp_cloud *view, const fricp_target_options *options) {
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  count_call();
  if (fricp_target_get_info(target, &info) != FRICP_OK)
    finding("no info of a target", "back end %d", options->search_type);
  const double numbers[] = {info.spacing, info.plane_spacing, info.noise, info.extent};
  judge_numbers("target info", numbers, COUNT(numbers));
  if (!(info.extent > 0) || info.spacing < 0 || info.plane_spacing < 0 || info.noise < 0)
    finding("target info negative", "spacing %g, %g, noise %g, extent %g", info.spacing, info.plane_spacing, info.noise,
            info.extent);
  if (info.points + info.skipped != selected(view) || info.normals > info.points)
    finding("target info does not add up", "%zu points, %zu skipped of %zu, %zu normals", info.points, info.skipped,
            selected(view), info.normals);
  judge_normals(target, view);
}
