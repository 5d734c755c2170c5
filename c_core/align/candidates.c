/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/candidates.h"

#include "align/axes.h"
#include "align/method.h"
#include "align/spread.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define STOP 0.05      /* spacings of the cells: a step that ends a way */
#define STOP_FAR 0.1   /* the same, of a rotation that is only looked at */
#define POINTS_END 0.5 /* spacings: the last width by points */
#define FAR_END 0.7    /* the same, of a rotation that is only looked at */
#define WIDTH 2.0      /* spacings: least first width, least limit of distance */
#define KEPT 5         /* poses of other rotations that are refined */
#define DISTINCT 2.0   /* spacings that two of them are apart */
#define NEARLY_ALL 0.8 /* least share of each cloud's cells that are near: of a pose that is only near the right one */
#define FIRST 2        /* ways that are tried first, and alone if they come to poses no farther apart ... */
#define SAME 1.0       /* ... than so many spacings, ... */
#define SURE 1.85      /* ... with so much evidence */

/* A way from a start. */
typedef struct way {
  const char *name;
  double points;  /* first width by points, in medians; 0: not by points */
  int32_t method; /* what follows: by planes or symmetric, ... */
  double width;   /* ... its first width, in medians; 0: where points end */
  int reciprocal; /* only pairs that are each other's nearest */
} way;

/* The first two suit much overlap, the others little. */
static const way ways[] = {
    {"symmetric-3", 0, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 3, 0},
    {"point-3-symmetric", 3, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 0, 0},
    {"plane-3-mutual", 0, FRICP_METHOD_ROBUST_ICP_PLANE, 3, 1},
    {"symmetric-3-mutual", 0, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 3, 1},
};
static const way far_way = {"point-3", 3, 0, 0, 0};
static const way axes_way = {FR_AXES_WAY, 0, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 3, 0};
static const way refine_way = {"plane", 0, FRICP_METHOD_ROBUST_ICP_PLANE, 0, 0};
#define WAYS ((int)(sizeof ways / sizeof ways[0]))

/* One run of its own, on whatever thread. */
typedef struct trial {
  const struct trials *all;
  const way *way;
  int start;
  fricp_pose pose; /* where it begins; what it comes to */
  fr_matches matches;
  double *sums;
  double energy;
  fr_judgement judgement;
  int ended; /* it came to an end */
} trial;

typedef struct trials {
  const fr_coarse *coarse;
  const fr_icp *like;
  int far; /* only look */
  int count;
  trial *trial;
} trials;

static void set_up(const trials *t, trial *one, int32_t of, fr_interrupt *interrupt, fr_icp *icp) {
  const fr_coarse *c = t->coarse;
  const fr_frames *frames = t->far ? &c->few_frames : &c->frames;
  const fr_method *method = fr_method_find(of);
  const fr_isa isa = fr_best_isa();
  const double stop = (t->far ? STOP_FAR : STOP) * c->spacing;
  memset(icp, 0, sizeof *icp);
  icp->settings = fr_settings_of(&c->target, t->like->pass.rules);
  icp->scheme = fr_scheme_find(method->scheme);
  icp->settings.history = method->history;
  icp->settings.limits = fr_method_limits(method);
  icp->settings.all_points = 1;
  icp->settings.nu_start_least = WIDTH * c->spacing; /* on flat ground planes are met at any start */
  icp->settings.translation_epsilon = stop;
  icp->settings.rotation_epsilon = 2 * stop; /* at half an extent from the middle */
  icp->started = t->like->started;
  icp->lock = t->like->lock;
  icp->lock.chart = fr_chart_from_caller(frames, &t->like->lock.chart);
  icp->prior = fr_spring_from_caller(frames, &t->like->prior);
  icp->pass = t->like->pass;
  icp->pass.accept_pair = NULL; /* cells are no points of the caller's */
  icp->pass.least_cosine = 0;
  icp->pass.target = &c->target;
  icp->pass.source = t->far ? &c->few : &c->source;
  icp->pass.matches = &one->matches;
  icp->pass.block_sums = one->sums;
  icp->pass.metric = fr_metric_find(method->metric, isa);
  icp->pass.kernel = fr_kernel_find(method->kernel, isa);
  icp->pass.max_distance = fmax(t->like->pass.max_distance / c->target.extent, WIDTH * c->spacing);
  icp->pass.reciprocal = one->way->reciprocal ? &c->index.nn : NULL;
  icp->pass.threads = 1;
  icp->pass.interrupt = interrupt;
  icp->now.pose = one->pose;
}

/* From a first width in medians, or an absolute one, to the last. @return 1 if it came to an end. */
static int run(trial *one, fr_icp *icp, double medians, double nu_start, double nu_end) {
  icp->settings.nu_start_factor = medians;
  icp->settings.nu_start = medians > 0 ? 0 : nu_start;
  icp->settings.nu_end = nu_end;
  fr_matches_forget(&one->matches, NULL);
  if (fr_icp_run(icp, NULL) != FRICP_OK || fr_interrupt_reason(icp->pass.interrupt) != FRICP_STOP_NONE)
    return 0;
  one->pose = icp->now.pose;
  one->energy = icp->now.energy;
  return 1;
}

static void try_one(void *context, size_t number, int thread) {
  trials *t = context;
  trial *one = &t->trial[number];
  const fr_coarse *c = t->coarse;
  const double points_end = fmax((t->far ? FAR_END : POINTS_END) * c->spacing, c->width);
  fr_interrupt own;
  fr_icp icp;
  fr_interrupt *interrupt = thread == 0 ? t->like->pass.interrupt : &own;
  if (thread != 0)
    fr_interrupt_share(&own, t->like->pass.interrupt);
  one->ended = 1;
  if (one->way->points > 0) {
    set_up(t, one, FRICP_METHOD_ROBUST_ICP, interrupt, &icp);
    one->ended = run(one, &icp, one->way->points, 0, points_end);
  }
  if (one->ended && !t->far) {
    set_up(t, one, one->way->method, interrupt, &icp);
    one->ended = run(one, &icp, one->way->width, fmax(points_end, 2 * c->width), c->width) &&
                 fr_judge(c, &one->pose, &one->judgement) == 0;
  }
}

/* Room for the trials' own, by the calling thread. */
static fricp_status run_all(trials *t, const fr_memory *memory, int threads, fricp_error *error) {
  const size_t n = t->far ? t->coarse->few.count : t->coarse->source.count;
  const size_t room = fr_pass_room(n);
  double *sums = fr_allocate(memory, (size_t)t->count * room, sizeof *sums);
  int ready = sums != NULL;
  for (int i = 0; i < t->count; i++) {
    t->trial[i].sums = sums ? sums + (size_t)i * room : NULL;
    ready = fr_matches_reserve(&t->trial[i].matches, memory, n) == 0 && ready;
  }
  if (ready)
    fr_parallel_for(fr_thread_count(threads, (size_t)t->count, 1), (size_t)t->count, try_one, t,
                    t->like->pass.interrupt);
  for (int i = 0; i < t->count; i++)
    fr_matches_release(&t->trial[i].matches, memory);
  fr_release(memory, sums);
  return ready ? FRICP_OK : fr_out_of_memory(error, "the candidates", (size_t)t->count);
}

/* Of the rotations that ended, by energy, the best few that are distinct from each other. @return how many. */
static int keep_best(const trials *t, int kept[KEPT]) {
  int count = 0;
  for (;;) {
    int best = -1;
    for (int i = 0; i < t->count && fr_interrupt_check(t->like->pass.interrupt, 0) == FRICP_STOP_NONE; i++) {
      const trial *one = &t->trial[i];
      int fresh = one->ended && (best < 0 || one->energy < t->trial[best].energy);
      for (int k = 0; k < count && fresh; k++)
        fresh = fr_coarse_apart(t->coarse, &one->pose, &t->trial[kept[k]].pose) > DISTINCT * t->coarse->spacing;
      if (fresh)
        best = i;
    }
    if (best < 0 || count == KEPT)
      return count;
    kept[count++] = best;
  }
}

/* Where rotation number i begins: of all `starts`, or of those nearby. */
static fricp_pose beginning(const fr_coarse *coarse, int i, int starts, const double *axis, const fricp_pose *start) {
  const fricp_pose from = fr_pose_to_caller(&coarse->frames, start);
  const fricp_pose pose = starts > 1 ? fr_spread_rotation(i, starts - 1, axis, &from, coarse->source.centroid)
                                     : fr_nearby_rotation(i, axis, &from, coarse->source.centroid);
  return fr_pose_from_caller(&coarse->few_frames, &pose);
}

/* Look at rotations of the start; what is worth it goes into `next`. @return how many. */
static int look_around(const trials *all, const fricp_pose *start, int starts, const fr_memory *memory, int threads,
                       trial *next, fricp_status *status, fricp_error *error) {
  trials t = *all;
  int kept[KEPT];
  double axis[3];
  const int turns = fr_lock_free_turns(&all->like->lock, all->coarse->target.dimension, axis);
  if (turns == 0)
    return 0;
  t.far = 1;
  t.count = starts > 1 ? starts - 1 : FR_NEARBY;
  t.trial = fr_allocate(memory, (size_t)t.count, sizeof *t.trial);
  if (!t.trial) {
    *status = fr_out_of_memory(error, "the starts", (size_t)t.count);
    return 0;
  }
  memset(t.trial, 0, (size_t)t.count * sizeof *t.trial);
  for (int i = 0; i < t.count; i++) {
    t.trial[i].way = &far_way;
    t.trial[i].start = i + 1;
    t.trial[i].pose = beginning(t.coarse, i, starts, turns == 1 ? axis : NULL, start);
  }
  *status = run_all(&t, memory, threads, error);
  for (int i = 0; i < t.count; i++) {
    const fricp_pose found = fr_pose_to_caller(&t.coarse->few_frames, &t.trial[i].pose);
    t.trial[i].pose = fr_pose_from_caller(&t.coarse->frames, &found);
  }
  const int count = *status == FRICP_OK ? keep_best(&t, kept) : 0;
  for (int k = 0; k < count; k++) {
    next[k].way = &refine_way;
    next[k].start = t.trial[kept[k]].start;
    next[k].pose = t.trial[kept[k]].pose;
  }
  fr_release(memory, t.trial);
  return count;
}

/* What came to an end is added, and the choice made anew. */
static void choose(fr_choice *choice, const trials *t, const fricp_pose *start) {
  for (int i = 0; i < t->count; i++) {
    const trial *one = &t->trial[i];
    if (!one->ended)
      continue;
    const double moved = choice->from_start ? fr_coarse_apart(t->coarse, &one->pose, start) : 0;
    choice->candidate[choice->count++] = (fr_candidate){one->way->name, one->start, one->pose, moved, one->judgement};
  }
  choice->best = fr_choice_best(choice, t->coarse);
}

/* Have the first ways come to one pose that leaves little to be asked? */
static int are_sure(const trials *t) {
  const trial *a = &t->trial[0];
  const trial *b = &t->trial[1];
  return a->ended && b->ended && fr_coarse_apart(t->coarse, &a->pose, &b->pose) <= SAME * t->coarse->spacing &&
         fmax(fr_judgement_evidence(&a->judgement), fr_judgement_evidence(&b->judgement)) >= SURE;
}

fricp_status fr_candidates_try(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start, const fr_icp *like,
                               const fr_memory *memory, int threads, fricp_error *error) {
  trial list[WAYS];
  trials t = {coarse, like, 0, FIRST, list};
  choice->count = choice->best = 0;
  memset(list, 0, sizeof list);
  for (int i = 0; i < WAYS; i++) {
    list[i].way = &ways[i];
    list[i].pose = *start;
  }
  fricp_status status = run_all(&t, memory, threads, error);
  if (status == FRICP_OK && !are_sure(&t)) {
    trials rest = {coarse, like, 0, WAYS - FIRST, list + FIRST};
    t.count = WAYS;
    status = run_all(&rest, memory, threads, error);
  }
  if (status == FRICP_OK)
    choose(choice, &t, start);
  return status;
}

fricp_status fr_candidates_around(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start, int starts,
                                  const fr_icp *like, const fr_memory *memory, int threads, fricp_error *error) {
  trial list[KEPT];
  trials t = {coarse, like, 0, 0, list};
  fricp_status status = FRICP_OK;
  memset(list, 0, sizeof list);
  t.count = look_around(&t, start, starts, memory, threads, list, &status, error);
  if (status == FRICP_OK && t.count > 0)
    status = run_all(&t, memory, threads, error);
  if (status == FRICP_OK)
    choose(choice, &t, start);
  return status;
}

/* Is it worth a way? In 2-D cells are finer than axes are exact. */
static int lies_on(const fr_coarse *coarse, const fricp_pose *pose) {
  fr_judgement judgement;
  return coarse->target.dimension == 2 ||
         (fr_judge(coarse, pose, &judgement) == 0 && fmin(judgement.near[0], judgement.near[1]) >= NEARLY_ALL);
}

fricp_status fr_candidates_by_axes(fr_choice *choice, const fr_coarse *coarse, const fricp_pose *start,
                                   const fr_icp *like, const fr_memory *memory, int threads, fricp_error *error) {
  fricp_pose poses[FR_AXES];
  trial list[FR_AXES];
  trials t = {coarse, like, 0, 0, list};
  const int count = like->lock.locked ? 0 : fr_axes_poses(coarse, poses);
  memset(list, 0, sizeof list);
  for (int i = 0; i < count && fr_interrupt_check(like->pass.interrupt, 0) == FRICP_STOP_NONE; i++)
    if (fr_choice_is_another(coarse, &poses[i], &choice->candidate[choice->best].pose) && lies_on(coarse, &poses[i])) {
      list[t.count].way = &axes_way;
      list[t.count++].pose = poses[i];
    }
  if (t.count == 0)
    return FRICP_OK;
  const fricp_status status = run_all(&t, memory, threads, error);
  for (int i = 0; i < t.count; i++)
    list[i].ended = list[i].ended && fr_choice_is_whole(&list[i].judgement);
  if (status == FRICP_OK)
    choose(choice, &t, start);
  return status;
}
