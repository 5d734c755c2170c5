/* SPDX-License-Identifier: BSD-3-Clause */
/* Brute force: what the other back ends are checked against. */
#include "search/nn.h"

static fricp_status build(fr_nn *nn, int32_t *order, int threads, fricp_error *error) {
  (void)nn, (void)order, (void)threads, (void)error;
  return FRICP_OK;
}

static void destroy(fr_nn *nn) {
  (void)nn;
}

static int nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  int found = 0;
  for (size_t i = 0; i < nn->count; i++) {
    const double distance2 = fr_distance2(query, nn->points[i]);
    if (distance2 <= limit2)
      found = fr_nn_insert(nn, (int32_t)i, distance2, k, found, position, d2);
  }
  return fr_nn_sort(nn, k, found, position, d2);
}

const fr_nn_ops fr_nn_brute = {"brute", 1, 1, build, destroy, nearest, NULL, NULL, fr_nn_within_all, NULL};
