/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FLANN's KDTREE_SINGLE, the only exact one of its trees. The only user of flann.h.
 *
 * Not thread-safe: every call of FLANN's C binding writes its process-wide log level and seed. Among points at the same
 * distance FLANN may keep another than the one with the lowest index.
 */
#include "nn.h"

#include <flann/flann.h>

#include <limits.h>
#include <math.h>

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
  struct FLANNParameters p = parameters();
  float speedup = 0;
  /* FLANN reads the points only, but its binding has no const. */
  union {
    const double (*in)[3];
    double *out;
  } points = {nn->points};
  nn->state = flann_build_index_double(points.out, (int)nn->count, 3, &speedup, &p);
  if (!nn->state)
    return fr_fail(error, FRICP_ERROR_SEARCH, "target: FLANN built no index of its %zu points", nn->count);
  return FRICP_OK;
}

static void destroy(fr_nn *nn) {
  struct FLANNParameters p = parameters();
  if (nn->state)
    (void)flann_free_index_double(nn->state, &p);
}

static int nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  if (k > FR_NN_MAX_K)
    return fr_nn_brute.nearest(nn, query, k, limit2, position, d2);
  int candidate[FR_NN_MAX_K];
  double distance[FR_NN_MAX_K];
  double q[3] = {query[0], query[1], query[2]};
  struct FLANNParameters p = parameters();
  if (flann_find_nearest_neighbors_index_double(nn->state, q, 1, candidate, distance, k, &p) != 0)
    return -1;
  int found = 0;
  for (int i = 0; i < k; i++) {
    if (candidate[i] < 0 || (size_t)candidate[i] >= nn->count)
      return -1;
    const double distance2 = fr_distance2(query, nn->points[candidate[i]]);
    if (distance2 <= limit2)
      found = fr_nn_insert(nn, candidate[i], distance2, k, found, position, d2);
  }
  return fr_nn_sort(nn, k, found, position, d2);
}

const fr_nn_ops fr_nn_flann = {"flann", 0, 1, build, destroy, nearest, NULL, NULL, fr_nn_within_all};
