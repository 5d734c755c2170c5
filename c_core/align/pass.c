/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass, block by block: y = R p + t, its correspondence (paper, Eq. CorresponcePoint), residual, kernel weight,
 * sums for the alignment step. Energy and step come out of the same sweep, so an iteration reads the source once.
 *
 * Block sums are combined in the order of the blocks: the same bits for any number of threads.
 *
 * A kernel by rank needs all residuals before it weighs one: the blocks are swept twice, the second time with the
 * correspondences that the first one noted.
 */
#include "align/pass.h"

#include "base/parallel.h"
#include "cloud/neighborhood.h"
#include "maths/rank.h"

#include <math.h>
#include <string.h>

#define ROOM (FR_SUMS + 2) /* sums, energy, matched */

typedef enum stage { ALL, RANK /* note matches and residuals */, WEIGH /* from there on */ } stage;

typedef struct run {
  fr_pass *pass;
  const fricp_pose *pose;
  double nu;
  double limit;
  size_t points;
  int record;
  stage stage;
  int repeat; /* the answers of the last pass hold */
  _Atomic int failed;
} run;

size_t fr_pass_room(size_t points) {
  return (points + FR_BLOCK - 1) / FR_BLOCK * ROOM;
}

static void point_of(const fr_block *block, int i, double y[3]) {
  for (int a = 0; a < 3; a++)
    y[a] = block->y[a][i] + block->center[a];
}

/* The squared distance within which FR_KEPT target points are known to lie: those kept for the source point, which is
 * at y. */
static double known_reach2(const fr_nn *nn, const fr_matches *matches, size_t point, const double y[3]) {
  double reach2 = 0;
  for (int k = 0; k < FR_KEPT; k++) {
    const int32_t known = matches->kept[k][point];
    if (known < 0)
      return INFINITY;
    reach2 = fmax(reach2, fr_distance2(y, nn->points[known]));
  }
  return reach2 * (1 + 1e-12);
}

/* Search for some points of a block. What a point found earlier bounds its search. */
static int search_points(const run *r, size_t first, const int32_t *which, int count, fr_block *block) {
  fr_matches *matches = r->pass->matches;
  const fr_nn *nn = &r->pass->target->nn;
  const double outer = r->limit * r->pass->rules->margin;
  fr_nn_packet p;
  p.count = count;
  p.kept = FR_KEPT;
  p.sure = 1;
  for (int j = 0; j < count; j++) {
    point_of(block, which[j], p.query[j]);
    p.limit2[j] = fmin(outer * outer, known_reach2(nn, matches, first + (size_t)which[j], p.query[j]));
  }
  if (fr_nn_nearest_packet(nn, &p) != 0)
    return -1;
  for (int j = 0; j < count; j++) {
    const int i = which[j];
    fr_matches_store(matches, first + (size_t)i, p.query[j], p.found[j], p.position[j], p.d2[j], p.reach[j]);
    if (p.found[j] > 0)
      block->match[i] = p.position[j][0];
  }
  return 0;
}

/* A search whose distances are not Euclidean bounds nothing: ask it for every point, unless the source has not moved since
 * it was asked. */
static int match_by_hook(const run *r, size_t first, fr_block *block, int thread) {
  const fr_nn *nn = &r->pass->target->nn;
  const fr_source *source = r->pass->source;
  fr_matches *matches = r->pass->matches;
  for (int i = 0; i < block->count; i++) {
    int32_t *answer = &matches->kept[0][first + (size_t)i];
    double y[3];
    double distance2 = 0;
    if (fr_interrupt_check(r->pass->interrupt, thread) != FRICP_STOP_NONE)
      return 0;
    point_of(block, i, y);
    if (!r->repeat) {
      const int found =
          nn->ops->nearest_of(nn, source->index[first + (size_t)i], y, 1, r->limit * r->limit, answer, &distance2);
      if (found < 0)
        return -1;
      if (found == 0)
        *answer = -1; /* whatever the caller's search wrote */
    }
    block->match[i] = *answer;
  }
  return 0;
}

static int match_points(const run *r, size_t first, size_t owned, fr_block *block, int thread) {
  const fr_nn *nn = &r->pass->target->nn;
  if (!nn->ops->euclidean)
    return match_by_hook(r, first, block, thread);
  int32_t pending[FR_BLOCK];
  const int count =
      r->pass->reuse(nn, r->pass->source, r->pass->matches, first, owned, r->pose, r->limit, block, pending);
  for (int j = 0; j < count && fr_interrupt_check(r->pass->interrupt, thread) == FRICP_STOP_NONE; j += FR_PACKET)
    if (search_points(r, first, pending + j, count - j < FR_PACKET ? count - j : FR_PACKET, block) != 0)
      return -1;
  return 0;
}

/* Keep a pair only if its source point is the nearest to its target point, too. */
static int drop_one_sided(const run *r, size_t first, fr_block *block, int thread) {
  const fricp_pose back = fricp_pose_inverse(r->pose);
  for (int i = 0; i < block->count; i++) {
    if (block->match[i] < 0)
      continue;
    if (fr_interrupt_check(r->pass->interrupt, thread) != FRICP_STOP_NONE)
      return 0;
    double q[3];
    int32_t nearest = -1;
    double d2 = 0;
    fr_apply(&back, r->pass->target->points[block->match[i]], q);
    if (fr_nn_nearest(r->pass->reciprocal, q, 1, INFINITY, &nearest, &d2) != 1)
      return -1;
    const double own[3] = {r->pass->source->x[0][first + (size_t)i], r->pass->source->x[1][first + (size_t)i],
                           r->pass->source->x[2][first + (size_t)i]};
    if (d2 < fr_distance2(q, own))
      block->match[i] = -1;
  }
  return 0;
}

/* Keep a pair only if its normals are near enough in direction; where one is missing nothing is known. */
static void drop_turned(const run *r, fr_block *block) {
  for (int i = 0; i < block->count; i++) {
    if (block->match[i] < 0)
      continue;
    const float *n = r->pass->target->normals[block->match[i]];
    const double m[3] = {block->m[0][i], block->m[1][i], block->m[2][i]};
    const int known = fr_has_normal(n) && (m[0] != 0 || m[1] != 0 || m[2] != 0);
    const double cosine = fabs(m[0] * (double)n[0] + m[1] * (double)n[1] + m[2] * (double)n[2]);
    if (known && cosine < r->pass->least_cosine)
      block->match[i] = -1;
  }
}

/* Ask the caller about each pair that would count, in his terms. */
static void ask_caller(const run *r, size_t first, fr_block *block, int thread) {
  const fr_pass *pass = r->pass;
  const fr_nn *nn = &pass->target->nn;
  const int bounded = nn->ops->euclidean;
  for (int i = 0; i < block->count; i++) {
    const int32_t match = block->match[i];
    double y[3];
    if (match < 0 || !(block->prior[i] > 0))
      continue;
    if (fr_interrupt_check(pass->interrupt, thread) != FRICP_STOP_NONE)
      return;
    point_of(block, i, y);
    const double d2 = fr_distance2(y, nn->points[match]);
    if (bounded && d2 > r->limit * r->limit)
      continue;
    const int32_t source = pass->source->index[first + (size_t)i];
    if (!pass->accept_pair(pass->pair_context, source, pass->target->index[match], d2 * pass->extent * pass->extent))
      block->match[i] = -1;
  }
}

static void record(const run *r, size_t first, const fr_block *block) {
  fr_matches *matches = r->pass->matches;
  const fr_nn *nn = &r->pass->target->nn;
  const int distance = r->pass->metric->residual_is_distance;
  for (int i = 0; i < block->count; i++) {
    const size_t at = first + (size_t)i;
    const int32_t match = block->match[i];
    double y[3];
    point_of(block, i, y);
    matches->match[at] = match;
    matches->distance2[at] = match < 0 ? INFINITY : fr_distance2(y, nn->points[match]);
    matches->residual[at] = match < 0 ? 0 : distance ? sqrt(block->squared[i]) : block->residual[i];
    matches->weight[at] = block->prior[i] > 0 ? block->weight[i] / block->prior[i] : 0;
  }
}

/* The correspondences of a moved block. @return 0 if they are not known. */
static int correspond(run *r, size_t first, size_t owned, fr_block *block, int thread) {
  if (match_points(r, first, owned, block, thread) != 0 ||
      (r->pass->reciprocal && drop_one_sided(r, first, block, thread) != 0)) {
    r->failed = 1;
    return 0;
  }
  if (r->pass->least_cosine > 0)
    drop_turned(r, block);
  if (r->pass->accept_pair)
    ask_caller(r, first, block, thread);
  return fr_interrupt_reason(r->pass->interrupt) == FRICP_STOP_NONE; /* else perhaps not all were searched */
}

/* What costs nothing is taken last. */
static void note_rank(const run *r, size_t first, const fr_block *block) {
  for (int i = 0; i < block->count; i++) {
    const int free = block->match[i] < 0 && block->bare[i] < 0 && !isfinite(r->limit);
    r->pass->matches->residual[first + (size_t)i] = free ? INFINITY : block->squared[i];
  }
}

/* The truncated kernel: beyond the limit a point costs what it costs there, so the energy knows no step, and weighs
 * nothing. Without a limit, one that has no correspondence is left out. */
static void run_block(run *r, size_t number, size_t owned, int thread) {
  const fr_sweep *sweep = r->pass->sweep;
  const fr_nn *nn = &r->pass->target->nn;
  fr_block block;
  const size_t first = number * FR_BLOCK;
  const size_t left = r->points - first;
  block.count = left < FR_BLOCK ? (int)left : FR_BLOCK;
  block.padded = (block.count + 7) / 8 * 8;
  sweep->move(r->pass->source, first, r->pose, &block);
  if (r->pass->metric->needs_source_normals || r->pass->least_cosine > 0)
    sweep->turn(r->pass->source, first, r->pose, &block);
  int32_t *noted = r->pass->matches->match + first;
  if (r->stage == WEIGH)
    memcpy(block.match, noted, (size_t)block.count * sizeof *noted);
  else if (!correspond(r, first, owned, &block, thread))
    return;
  if (r->stage == RANK)
    memcpy(noted, block.match, (size_t)block.count * sizeof *noted);
  sweep->gather(nn->points, r->pass->metric->needs_normals ? r->pass->target->normals : NULL,
                nn->ops->euclidean ? r->limit : INFINITY, &block);
  r->pass->metric->residuals(&block);
  sweep->charge(isfinite(r->limit) ? r->limit * r->limit : 0, &block);
  if (r->stage == RANK) {
    note_rank(r, first, &block);
    return;
  }
  double *out = r->pass->block_sums + number * ROOM;
  memset(out, 0, ROOM * sizeof *out);
  out[FR_SUMS] = fr_pass_weigh(r->pass, r->nu, block.padded, block.squared, block.prior, block.weight);
  out[FR_SUMS + 1] = sweep->clear(&block);
  r->pass->metric->accumulate(&block, out);
  if (r->record)
    record(r, first, &block);
  if (r->pass->split)
    fr_split_block(r->pass->split, r->pass->metric, r->nu, r->pass->shape, first, &block);
}

static void run_blocks(void *context, size_t first, size_t end, int thread) {
  run *r = context;
  const size_t owned = end * FR_BLOCK < r->points ? end * FR_BLOCK : r->points;
  for (size_t number = first; number < end && fr_interrupt_check(r->pass->interrupt, thread) == FRICP_STOP_NONE;
       number++)
    run_block(r, number, owned, thread);
}

/* Where the search may stop: at the distance limit, and where the kernel's weight is nothing, if the residual it sees
 * is the distance and the search's distances are that, too. */
static double search_limit(const fr_pass *pass, double nu, double widen) {
  double limit = pass->max_distance;
  if (pass->metric->residual_is_distance && pass->kernel->cutoff > 0 && pass->target->nn.ops->euclidean)
    limit = fmin(limit, fmax(pass->kernel->cutoff * nu, widen));
  return limit;
}

/* Sweep the blocks. @return 0, or -1 if nothing is known. */
static int sweep_blocks(run *r, size_t blocks) {
  const fr_pass *pass = r->pass;
  if (pass->kernel->ranked) {
    r->stage = RANK;
    fr_parallel_runs(pass->threads, blocks, run_blocks, r, pass->interrupt);
    if (r->failed || fr_interrupt_reason(pass->interrupt) != FRICP_STOP_NONE)
      return -1;
    r->pass->cut =
        fr_rank_cut(pass->matches->residual, pass->source->weight, r->points, pass->shape, &r->pass->cut_part);
    r->stage = WEIGH;
  }
  fr_parallel_runs(pass->threads, blocks, run_blocks, r, pass->interrupt);
  return r->failed || fr_interrupt_reason(pass->interrupt) != FRICP_STOP_NONE ? -1 : 0;
}

int fr_pass_run(fr_pass *pass, const fricp_pose *pose, double nu, size_t points, double widen, int record) {
  const int bounds = pass->target->nn.ops->euclidean;
  run r = {pass, pose, nu, search_limit(pass, nu, widen), points, record, ALL, 0, 0};
  r.repeat =
      !bounds && points <= pass->matches->asked_points && fr_pose_distance(pose, &pass->matches->asked_pose) == 0;
  pass->matches->asked_points = 0;
  const size_t blocks = (points + FR_BLOCK - 1) / FR_BLOCK;
  fr_matches_limit(pass->matches, r.limit);
  if (sweep_blocks(&r, blocks) != 0)
    return -1;
  if (!bounds) {
    pass->matches->asked_pose = *pose;
    pass->matches->asked_points = points;
  }
  pass->energy = 0;
  double matched = 0;
  memset(pass->sums, 0, sizeof pass->sums);
  for (size_t b = 0; b < blocks; b++) {
    const double *from = pass->block_sums + b * ROOM;
    for (int k = 0; k < FR_SUMS; k++)
      pass->sums[k] += from[k];
    pass->energy += from[FR_SUMS];
    matched += from[FR_SUMS + 1];
  }
  pass->matched = (size_t)matched;
  if (pass->split)
    fr_split_sum(pass->split, blocks);
  return 0;
}
