/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to search that there is on this machine, queries that try them, and the check of an answer. */
#ifndef FRICP_TEST_ENGINES_H
#define FRICP_TEST_ENGINES_H

#include "fixture.h"
#include "prng.h"

typedef int nearest_function(const fr_nn *, const double[3], int, double, int32_t *, double *);
typedef int packet_function(const fr_nn *, fr_nn_packet *);
typedef int within_function(const fr_nn *, const double[3], double, int32_t *, double *, int);

/* A way to search: all give equal distances in the order of the callers' indices. */
typedef struct engine {
  const char *name;
  const fr_nn_ops *ops;
  nearest_function *nearest;
  within_function *within;
  packet_function *packet;
} engine;

enum { MOST_ENGINES = 8 };

enum { MOST_K = FR_NN_MAX_K };

/* @return how many there are. */
int all_engines(engine out[MOST_ENGINES]);

/* The k nearest within limit2 must be the first of the sorted list, of which `within` lie within it. */
void check_nearest(const engine *e, const fixture *f, const double query[3], int k, double limit2,
                   const neighbor *sorted, size_t within, const char *what);

/* Near, far and on the cloud's points. */
void make_query(prng *g, const fixture *f, int trial, double q[3]);

/* Limits: none, none that matters, one that cuts, one equal to a distance (which counts), the next smaller, zero. */
double limit_for(int trial, const neighbor *sorted, size_t count, int k);

#endif
