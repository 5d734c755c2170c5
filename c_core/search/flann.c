/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FLANN's KDTREE_SINGLE, the only exact one of its trees. The only user of flann.h.
 *
 * Every call of FLANN's C binding writes its process-wide log level and seed: one lock lets one thread in at a time, so
 * that a target may be shared. What remains: a program that calls FLANN itself does so beside that lock, and must leave
 * FLANN's distance type Euclidean; and a child forked while another thread was in FLANN finds the lock taken for ever.
 *
 * The binding lets std::bad_alloc through into C, which ends the process, so memory is asked for before FLANN does: too
 * little for a build is an error, too little for a query is no obstacle to looking at every point. What remains: other
 * threads may take what was there a moment before.
 *
 * Among points at equal distances FLANN keeps any. It is therefore asked for more, until the last is farther away than
 * what is wanted; where that takes too many, every point is looked at.
 */
#include "search/nn.h"

#include <flann/flann.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define MOST (2 * FR_NN_MAX_K)
#define FEW 1000       /* points that are looked at sooner than asked for again */
#define ROUNDING 1e-11 /* of FLANN's squared distances to boxes, which are sums along a path down the tree */
/* Of one point: its address, index, copy and two nodes; the worst that its tree can come to. */
#define BUILD_BYTES (sizeof(double *) + sizeof(int) + sizeof(double[3]) + sizeof(char[2][64]))
/* For the rest of a build, or a query: more than malloc keeps aside by size, so that it comes back for any use. */
#define CALL_BYTES sizeof(char[MOST][64])

static pthread_mutex_t flann = PTHREAD_MUTEX_INITIALIZER;

/* malloc is where FLANN's memory comes from, whatever the caller's allocator is. volatile: else a compiler may take a
 * block that nobody uses for granted. */
static int is_there_memory(size_t points) {
  void *volatile probe = malloc(points * BUILD_BYTES + CALL_BYTES);
  free(probe);
  return probe != NULL;
}

static struct FLANNParameters parameters(void) {
  struct FLANNParameters p = DEFAULT_FLANN_PARAMETERS;
  p.algorithm = FLANN_INDEX_KDTREE_SINGLE;
  p.checks = FLANN_CHECKS_UNLIMITED;
  p.eps = 0;
  p.sorted = 1;
  p.cores = 1;
  p.leaf_max_size = 10;
  p.log_level = FLANN_LOG_NONE;
  p.random_seed = 0; /* 0: leaves the process's generator alone */
  return p;
}

static fricp_status build(fr_nn *nn, int32_t *order, int threads, fricp_error *error) {
  (void)order, (void)threads;
  if (nn->count > INT_MAX)
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: %zu points are too many for FLANN", nn->count);
  if (!is_there_memory(nn->count))
    return fr_out_of_memory(error, "FLANN's index of the target", nn->count);
  struct FLANNParameters p = parameters();
  float speedup = 0;
  /* FLANN reads the points only, but its binding has no const. */
  union {
    const double (*in)[3];
    double *out;
  } points = {nn->points};
  (void)pthread_mutex_lock(&flann);
  nn->state = flann_build_index_double(points.out, (int)nn->count, 3, &speedup, &p);
  (void)pthread_mutex_unlock(&flann);
  if (!nn->state)
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: FLANN built no index of its %zu points", nn->count);
  return FRICP_OK;
}

static void destroy(fr_nn *nn) {
  struct FLANNParameters p = parameters();
  if (!nn->state)
    return;
  (void)pthread_mutex_lock(&flann);
  (void)flann_free_index_double(nn->state, &p);
  (void)pthread_mutex_unlock(&flann);
}

/* FLANN's `asked` nearest, at most MOST. @return 0 if it did not find so many: distances that are not finite. */
static int ask(const fr_nn *nn, const double query[3], int asked, int candidate[MOST], double distance[MOST]) {
  double q[3] = {query[0], query[1], query[2]};
  struct FLANNParameters p = parameters();
  for (int i = 0; i < asked; i++)
    distance[i] = NAN; /* what FLANN does not find it leaves as it was, and the candidate undefined */
  if (!is_there_memory(0))
    return 0;
  (void)pthread_mutex_lock(&flann);
  const int failed = flann_find_nearest_neighbors_index_double(nn->state, q, 1, candidate, distance, asked, &p);
  (void)pthread_mutex_unlock(&flann);
  for (int i = 0; i < asked; i++)
    if (failed || !isfinite(distance[i]) || candidate[i] < 0 || (size_t)candidate[i] >= nn->count)
      return 0;
  return 1;
}

static int nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  int candidate[MOST];
  double distance[MOST];
  for (int asked = k < MOST ? k + 1 : MOST + 1; asked <= MOST; asked = nn->count > FEW ? 2 * asked : MOST + 1) {
    if ((size_t)asked > nn->count)
      asked = (int)nn->count;
    if (!ask(nn, query, asked, candidate, distance))
      break;
    int found = 0;
    for (int i = 0; i < asked; i++) {
      const double distance2 = fr_distance2(query, nn->points[candidate[i]]);
      if (distance2 <= limit2)
        found = fr_nn_insert(nn, candidate[i], distance2, k, found, position, d2);
    }
    found = fr_nn_sort(nn, k, found, position, d2);
    const double wanted = found == k ? d2[k - 1] : limit2; /* nothing beyond it matters */
    if ((size_t)asked == nn->count || distance[asked - 1] * (1 - ROUNDING) > wanted)
      return found;
  }
  return fr_nn_brute.nearest(nn, query, k, limit2, position, d2);
}

const fr_nn_ops fr_nn_flann = {"flann", 0, 1, build, destroy, nearest, NULL, NULL, fr_nn_within_all, NULL};
