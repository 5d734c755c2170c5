/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over the source: move, match, weigh, sum. */
#ifndef FR_PASS_H
#define FR_PASS_H

#include "align/rules.h"
#include "align/split.h"
#include "cloud/matches.h"
#include "cloud/sweep.h"
#include "cloud/target.h"
#include "model/kernel.h"
#include "model/metric.h"

typedef struct fr_pass {
  const fricp_target *target;
  const fr_source *source;
  fr_matches *matches;
  const fr_metric *metric;
  const fr_kernel *kernel;
  double shape; /* of the kernel */
  const fr_sweep *sweep;
  fr_reuse_function *reuse;
  const fr_rules *rules;
  const fr_nn *reciprocal;         /* index of the source, for one-to-one correspondences; NULL: not asked for */
  double least_cosine;             /* of a pair's normals; 0: not asked */
  fricp_pair_function accept_pair; /* the caller's gate; NULL: none */
  void *pair_context;
  double extent;       /* of the target, in the caller's unit: for the gate */
  double max_distance; /* in units of the target's extent; INFINITY: none */
  int threads;
  double *block_sums;      /* [block][FR_SUMS + 2] */
  fr_split *split;         /* to be taken further by the pass; NULL: none */
  fr_interrupt *interrupt; /* NULL: none */
  /* The result of the last run. */
  double energy;  /* sum of prior * rho(residual) over the points used */
  size_t matched; /* points with a correspondence */
  double sums[FR_SUMS];
  double cut;      /* of a kernel by rank: the squared residual of the last point that counts, ... */
  double cut_part; /* ... and how much of those that have it does */
} fr_pass;

/* The pass's kernel, as fr_kernel.apply(); by rank as in the last run. */
static inline double fr_pass_weigh(const fr_pass *pass, double nu, int n, const double *squared, const double *prior,
                                   double *weight) {
  const int ranked = pass->kernel->ranked;
  return pass->kernel->apply(ranked ? pass->cut : nu, ranked ? pass->cut_part : pass->shape, n, squared, prior, weight);
}

/* Room for block_sums, in doubles, for so many points. */
size_t fr_pass_room(size_t points);

/* Run over the first `points` points of the source at a pose (normalised frames). widen: search at least so far,
 * whatever the kernel's cutoff. record: leave match, distance2, residual and weight in matches.
 * @return 0, or -1 if the search failed or the run was interrupted: then nothing is known. */
int fr_pass_run(fr_pass *pass, const fricp_pose *pose, double nu, size_t points, double widen, int record);

#endif
