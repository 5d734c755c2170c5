/* SPDX-License-Identifier: BSD-3-Clause */
/* Random correspondences, and what a metric makes of them: for the suites of metrics and steps. */
#ifndef FRICP_TEST_METRIC_PAIRS_H
#define FRICP_TEST_METRIC_PAIRS_H

#include "model/metric.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* Correspondences in the target's frame. */
typedef struct pairs {
  int count;
  double y[MOST][3], q[MOST][3], n[MOST][3], w[MOST];
} pairs;

/* `count` of them; every seventh has no weight. */
pairs random_pairs(prng *g, int count, int dimension);

/* A metric's block of those from `first` on. */
void fill_block(const pairs *p, int first, const double center[3], fr_block *block);

/* A metric's sums over all. */
void sum_up(const fr_metric *metric, const pairs *p, const double center[3], double sums[FR_SUMS]);

/* The step of a metric. */
fr_step step_of(fr_metric_id id, const pairs *p, int dimension);

/* The residual of pair i with its source point moved. */
double residual_of(fr_metric_id id, const pairs *p, int i, const double moved[3]);

#endif
