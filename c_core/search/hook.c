/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/hook.h"

#include "base/import.h"

#include <string.h>

typedef struct hook {
  fricp_search search;
  double center[3];
  double extent;
  size_t cloud_count;
  int32_t *position; /* the caller's index -> position, -1: not held */
} hook;

static void destroy(fr_nn *nn) {
  hook *h = nn->state;
  if (!h)
    return;
  fr_release(nn->memory, h->position);
  fr_release(nn->memory, h);
  nn->state = NULL;
}

static void to_caller(const hook *h, const double query[3], double q[3]) {
  for (int a = 0; a < 3; a++)
    q[a] = h->center[a] + h->extent * query[a];
}

/* The caller's order is kept: its distances may be of another metric. Geometric distances are what we report. */
static int from_caller(const fr_nn *nn, const double query[3], int found, int k, double limit2, int32_t *position,
                       double *d2) {
  const hook *h = nn->state;
  if (found < 0 || found > k)
    return -1;
  int kept = 0;
  for (int i = 0; i < found; i++) {
    if (position[i] < 0 || (size_t)position[i] >= h->cloud_count)
      return -1;
    const int32_t at = h->position[position[i]];
    if (at < 0)
      continue;
    d2[kept] = fr_distance2(query, nn->points[at]);
    if (d2[kept] <= limit2)
      position[kept++] = at;
  }
  return kept;
}

static int nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  const hook *h = nn->state;
  double q[3];
  to_caller(h, query, q);
  const int found = h->search.nearest(h->search.context, q, k, limit2 * h->extent * h->extent, position, d2);
  return from_caller(nn, query, found, k, limit2, position, d2);
}

static int nearest_of(const fr_nn *nn, int32_t source_index, const double query[3], int k, double limit2,
                      int32_t *position, double *d2) {
  const hook *h = nn->state;
  if (!h->search.nearest_of)
    return nearest(nn, query, k, limit2, position, d2);
  double q[3];
  to_caller(h, query, q);
  const int found =
      h->search.nearest_of(h->search.context, source_index, q, k, limit2 * h->extent * h->extent, position, d2);
  return from_caller(nn, query, found, k, limit2, position, d2);
}

static const fr_nn_ops serial = {"hook", 0, 0, NULL, destroy, nearest, nearest_of, NULL, fr_nn_within_all, NULL};
static const fr_nn_ops parallel = {"hook", 1, 0, NULL, destroy, nearest, nearest_of, NULL, fr_nn_within_all, NULL};

fricp_status fr_nn_hook_init(fr_nn *nn, const fricp_search *search, const double center[3], double extent,
                             size_t cloud_count, fricp_error *error) {
  fricp_search known;
  const fricp_status status =
      fr_import(&known, sizeof known, FR_THROUGH(fricp_search, nearest), search, "search", error);
  if (status != FRICP_OK)
    return status;
  if (!known.nearest || known.reserved != 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "search: set the function nearest and leave reserved zero");
  hook *h = fr_allocate(nn->memory, 1, sizeof *h);
  if (!h)
    return fr_out_of_memory(error, "the search hook", cloud_count);
  h->search = known;
  memcpy(h->center, center, sizeof h->center);
  h->extent = extent;
  h->cloud_count = cloud_count;
  h->position = fr_allocate(nn->memory, cloud_count, sizeof *h->position);
  nn->state = h;
  nn->ops = known.thread_safe ? &parallel : &serial;
  nn->bytes = cloud_count * sizeof *h->position;
  if (!h->position) {
    destroy(nn);
    return fr_out_of_memory(error, "the search hook", cloud_count);
  }
  memset(h->position, -1, cloud_count * sizeof *h->position);
  for (size_t i = 0; i < nn->count; i++)
    h->position[nn->index[i]] = (int32_t)i;
  return FRICP_OK;
}
