/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/auto.h"

#include "align/scheme.h"
#include "align/stop.h"
#include "cloud/neighborhood.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_POINTS 100  /* of a target to be refined to planes */
#define FEW_ITERATIONS 10 /* below, a caller wants steps from where he is */
#define GATE 1.5          /* spacings of the target: refining, what is farther lies beyond its border; ... */
#define GATE_2D 1.0       /* ... of a curve, where the median of six neighbours is two steps */
#define WIDE 2.0          /* of the noise: least first width of refining; by planes the least last one, too */
#define PARALLEL 0.99999  /* cosine of 0.26 degrees */
#define POINTS_FROM 0.5   /* spacings of the cells: first width of refining by points */
#define LITTLE 0.5        /* of both clouds' cells are near the other cloud: its border counts */
#define CONVINCING 1.0    /* evidence: nothing else need be tried */
#define LEAST 0.95        /* evidence of an answer to be believed, ... */
#define RIVAL 0.55        /* ... of which another pose may have this share, ... */
#define CLOSE 0.75        /* ... and at most so much of the pose's own score */

/* All normals parallel: planes then tell one height and two turns, and nothing of the outline. */
static int is_flat(const fricp_target *target) {
  const float *first = NULL;
  for (size_t i = 0; i < target->count; i++) {
    const float *n = target->normals[i];
    if (!fr_has_normal(n))
      continue;
    if (!first)
      first = n;
    const double cosine =
        (double)n[0] * (double)first[0] + (double)n[1] * (double)first[1] + (double)n[2] * (double)first[2];
    if (fabs(cosine) < PARALLEL)
      return 0;
  }
  return 1;
}

int32_t fr_auto_method(const fricp_target *target) {
  return target->count >= LEAST_POINTS && 2 * target->normal_count >= target->count && !is_flat(target)
             ? FRICP_METHOD_ROBUST_ICP_PLANE
             : FRICP_METHOD_ROBUST_ICP;
}

static void tell(const fr_job *j) {
  const fricp_options *o = &j->options;
  for (int i = 0; o->log && i < j->choice.count; i++) {
    const fr_candidate *c = &j->choice.candidate[i];
    const fr_judgement *of = &c->judgement;
    char line[200];
    (void)snprintf(line, sizeof line,
                   "candidate %s start %d score %.3f agree %.3f %.3f near %.3f %.3f through %.3f %.3f least %.3f%s",
                   c->name, c->start, of->score, of->agree[0], of->agree[1], of->near[0], of->near[1], of->through[0],
                   of->through[1], of->least_along, i == j->choice.best ? " chosen" : "");
    o->log(o->log_context, line);
  }
}

static void list_candidates(fr_job *j) {
  fricp_solver *solver = j->solver;
  solver->candidate_count = (size_t)j->choice.count;
  for (int i = 0; i < j->choice.count; i++) {
    const fr_candidate *c = &j->choice.candidate[i];
    const fricp_pose normalised = fr_pose_to_caller(&j->coarse->frames, &c->pose);
    fricp_candidate *row = &solver->candidates[i];
    memset(row, 0, sizeof *row);
    (void)snprintf(row->name, sizeof row->name, "%s", c->name);
    row->start = c->start;
    row->chosen = i == j->choice.best;
    row->score = c->judgement.score;
    row->moved = c->moved * j->coarse->target.extent * j->frames.extent;
    memcpy(row->agree, c->judgement.agree, sizeof row->agree);
    memcpy(row->near, c->judgement.near, sizeof row->near);
    memcpy(row->through, c->judgement.through, sizeof row->through);
    row->agreement_least = c->judgement.least_along;
    row->target_from_source = fr_pose_to_caller(&j->frames, &normalised);
  }
}

/* Where little overlaps, many pairs lie at a border of the target and beyond it: a plane tells of a curved surface what
 * grows with the distance's square, the symmetric residual what grows with its cube. */
static fricp_status suit_overlap(fr_job *j, fricp_error *error) {
  const double *near = j->choice.candidate[j->choice.best].judgement.near;
  if (!j->icp.pass.metric->needs_normals || fmax(near[0], near[1]) >= LITTLE)
    return FRICP_OK;
  return fr_job_change_method(j, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, error);
}

/* Start at the best candidate, with a kernel as narrow as it is exact. The last one by planes: the noise of both clouds is
 * in a residual, so a kernel as wide as one's deviation makes use of 41 % of what they tell about the pose (the efficiency
 * of an M-estimator), twice as wide 84 %. */
static void refine(fr_job *j) {
  const fricp_target *target = j->target;
  fr_icp *icp = &j->icp;
  const fricp_pose *best = &j->choice.candidate[j->choice.best].pose;
  const double scale = j->coarse->target.extent;
  const int planes = icp->pass.metric->needs_normals;
  icp->now.pose = fr_pose_to_caller(&j->coarse->frames, best);
  icp->settings.nu_start =
      fmax((planes ? j->coarse->width : POINTS_FROM * j->coarse->spacing) * scale, WIDE * target->noise.deviation);
  if (!planes)
    return;
  if (!(j->options.nu_end_factor > 0))
    icp->settings.nu_end = fmax(icp->settings.nu_end, WIDE * target->noise.deviation);
  icp->scheme = fr_scheme_find(FR_SCHEME_GN);
  icp->pass.max_distance = fmin(icp->pass.max_distance, (target->dimension == 2 ? GATE_2D : GATE) * target->spacing);
}

static int convinces(const fr_choice *choice) {
  return choice->count > 0 && fr_judgement_evidence(&choice->candidate[choice->best].judgement) >= CONVINCING;
}

static fricp_status look_around(fr_job *j, const fricp_pose *start, const fr_coarse *coarse, fr_choice *choice,
                                fricp_error *error) {
  const fricp_pose from = fr_pose_from_caller(&coarse->frames, start);
  return fr_candidates_around(choice, coarse, &from, j->options.starts, &j->icp, &j->solver->memory, j->options.threads,
                              error);
}

static fricp_status try_axes(fr_job *j, const fricp_pose *start, fricp_error *error) {
  const fricp_pose from = fr_pose_from_caller(&j->coarse->frames, start);
  return fr_candidates_by_axes(&j->choice, j->coarse, &from, &j->icp, &j->solver->memory, j->options.threads, error);
}

/* Where the clouds were seen from, if the caller knows. */
static fr_sensors sensors_of(const fr_job *j, double at[2][3]) {
  const double *const given[2] = {j->options.source_sensor, j->options.target_sensor};
  const double *const center[2] = {j->frames.source_center, j->frames.target_center};
  for (int k = 0; k < 2; k++)
    for (int a = 0; given[k] && a < 3; a++)
      at[k][a] = a < j->target->dimension ? (given[k][a] - center[k][a]) / j->frames.extent : 0;
  return (fr_sensors){given[0] ? at[0] : NULL, given[1] ? at[1] : NULL};
}

/* From the start, and from all around if that is asked for. */
static fricp_status try_ways(fr_job *j, const fricp_pose *start, int tidy, fr_choice *choice, fricp_error *error) {
  const fr_memory *memory = &j->solver->memory;
  const fr_icp *icp = &j->icp;
  fr_coarse *coarse = &j->cells[tidy];
  double at[2][3];
  const fr_sensors sensors = sensors_of(j, at);
  choice->count = 0;
  choice->from_start = j->options.starts <= 1;
  fricp_status status = fr_coarse_build(coarse, &j->solver->source, j->target, start, &sensors, tidy, memory,
                                        icp->pass.interrupt, j->options.threads, error);
  if (status != FRICP_OK || !coarse->usable)
    return status;
  const fricp_pose from = fr_pose_from_caller(&coarse->frames, start);
  status = fr_candidates_try(choice, coarse, &from, icp, memory, j->options.threads, error);
  if (status == FRICP_OK && j->options.starts > 1)
    status = look_around(j, start, coarse, choice, error);
  return status;
}

/* Once more without the strays, if there are some; taken if that convinces, or if with them nothing can be compared. */
static fricp_status tidy_up(fr_job *j, const fricp_pose *start, fricp_error *error) {
  fr_choice choice;
  const fricp_status status = try_ways(j, start, 1, &choice, error);
  if (status != FRICP_OK || choice.count == 0 || (j->choice.count > 0 && !convinces(&choice)))
    return status;
  j->coarse = &j->cells[1];
  j->choice = choice;
  return FRICP_OK;
}

fricp_status fr_auto_choose(fr_job *j, fricp_error *error) {
  const fricp_options *o = &j->options;
  const fricp_pose start = j->icp.now.pose;
  if (!j->target->nn.ops->euclidean || (o->max_iterations > 0 && o->max_iterations < FEW_ITERATIONS))
    return FRICP_OK;
  j->coarse = &j->cells[0];
  fricp_status status = try_ways(j, &start, 0, &j->choice, error);
  if (status == FRICP_OK && !convinces(&j->choice))
    status = tidy_up(j, &start, error);
  if (status == FRICP_OK && j->coarse->usable && o->starts <= 1 && !convinces(&j->choice))
    status = look_around(j, &start, j->coarse, &j->choice, error);
  if (status == FRICP_OK && j->choice.count > 0)
    status = try_axes(j, &start, error);
  if (status != FRICP_OK || j->choice.count == 0)
    return status;
  tell(j);
  list_candidates(j);
  status = suit_overlap(j, error);
  if (status == FRICP_OK)
    refine(j);
  j->told.target_from_source = fr_pose_to_caller(&j->frames, &j->icp.now.pose);
  return status;
}

/* The less the clouds say for a pose, the less may be said for another. */
static int32_t verdict_of(const fricp_result *r, double evidence) {
  if (r->stop_reason == FRICP_STOP_NO_OVERLAP || evidence < LEAST)
    return FRICP_VERDICT_POOR;
  if (r->rival >= fmin(CLOSE, RIVAL * evidence))
    return FRICP_VERDICT_AMBIGUOUS;
  return r->undetermined > 0 ? FRICP_VERDICT_PARTIAL : FRICP_VERDICT_RELIABLE;
}

void fr_auto_judge(fr_job *j, fricp_result *result) {
  fr_judgement judgement;
  result->candidates = j->choice.count;
  if (j->choice.count == 0 || fr_stop_is_interrupted(&j->icp))
    return;
  const fricp_pose pose = fr_pose_from_caller(&j->coarse->frames, &j->icp.now.pose);
  if (fr_judge(j->coarse, &pose, &judgement) != 0)
    return;
  result->overlap_source = judgement.agree[0];
  result->overlap_target = judgement.agree[1];
  result->through_source = judgement.through[0];
  result->through_target = judgement.through[1];
  result->agreement = fr_judgement_agreement(&judgement);
  result->agreement_least = judgement.least_along;
  result->rival = fr_choice_rival(&j->choice, j->coarse, &pose, judgement.score, result->undetermined > 0);
  result->verdict = verdict_of(result, fr_judgement_evidence(&judgement));
}
