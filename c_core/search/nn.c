/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/nn.h"

#include <math.h>

const fr_nn_ops *fr_nn_find(int32_t search_type) {
  static const fr_nn_ops *const table[] = {
      [FRICP_SEARCH_DEFAULT] = &fr_nn_tree,
      [FRICP_SEARCH_TREE] = &fr_nn_tree,
      [FRICP_SEARCH_FLANN] = &fr_nn_flann,
      [FRICP_SEARCH_BRUTE] = &fr_nn_brute,
  };
  if (search_type < 0 || (size_t)search_type >= sizeof table / sizeof table[0])
    return NULL;
  return table[search_type];
}

int fr_nn_nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  if ((size_t)k > nn->count)
    k = (int)nn->count;
  return k > 0 ? nn->ops->nearest(nn, query, k, limit2, position, d2) : 0;
}

static void swap(int32_t *position, double *d2, size_t a, size_t b) {
  const int32_t p = position[a];
  const double d = d2[a];
  position[a] = position[b];
  d2[a] = d2[b];
  position[b] = p;
  d2[b] = d;
}

/* Is entry a before b? */
static int is_before(const fr_nn *nn, const int32_t *position, const double *d2, size_t a, size_t b) {
  return fr_nn_before(nn, d2[a], position[a], d2[b], position[b]);
}

static void sift_down(const fr_nn *nn, size_t count, int32_t *position, double *d2) {
  for (size_t at = 0, child = 1; child < count; at = child, child = 2 * at + 1) {
    if (child + 1 < count && is_before(nn, position, d2, child, child + 1))
      child++;
    if (!is_before(nn, position, d2, at, child))
      return;
    swap(position, d2, at, child);
  }
}

int fr_nn_push(const fr_nn *nn, int32_t candidate, double distance2, int k, int found, int32_t *position, double *d2) {
  if (found == k) {
    if (fr_nn_before(nn, distance2, candidate, d2[0], position[0])) {
      position[0] = candidate;
      d2[0] = distance2;
      sift_down(nn, (size_t)k, position, d2);
    }
    return k;
  }
  position[found] = candidate;
  d2[found] = distance2;
  for (size_t at = (size_t)found; at > 0 && is_before(nn, position, d2, (at - 1) / 2, at); at = (at - 1) / 2)
    swap(position, d2, at, (at - 1) / 2);
  return found + 1;
}

int fr_nn_sort(const fr_nn *nn, int k, int found, int32_t *position, double *d2) {
  for (size_t i = k < FR_NN_HEAP ? 1 : (size_t)found; i-- > 1;) {
    swap(position, d2, 0, i);
    sift_down(nn, i, position, d2);
  }
  return found;
}

int fr_nn_nearest_single(const fr_nn *nn, fr_nn_packet *packet, int i) {
  double *d2 = packet->d2[i];
  const int found = fr_nn_nearest(nn, packet->query[i], packet->kept, packet->limit2[i], packet->position[i], d2);
  packet->found[i] = found;
  packet->reach[i] = sqrt(found == packet->kept ? d2[packet->kept - 1] : packet->limit2[i]);
  return found < 0 ? -1 : 0;
}

int fr_nn_finish(const fr_nn *nn, fr_nn_packet *packet, int i, const int32_t *candidate, int count, double reach) {
  const double limit2 = packet->limit2[i];
  const double limit = sqrt(limit2);
  double *d2 = packet->d2[i];
  int found = 0;
  for (int k = 0; k < count; k++) {
    const double distance2 = fr_distance2(packet->query[i], nn->points[candidate[k]]);
    if (distance2 <= limit2)
      found = fr_nn_insert(nn, candidate[k], distance2, packet->kept, found, packet->position[i], d2);
  }
  if (reach > limit)
    reach = limit;
  packet->found[i] = found;
  packet->reach[i] = reach;
  return found >= packet->sure ? d2[packet->sure - 1] < reach * reach : limit > 0 && reach >= limit;
}

int fr_nn_nearest_packet(const fr_nn *nn, fr_nn_packet *packet) {
  if (nn->ops->nearest_packet)
    return nn->ops->nearest_packet(nn, packet);
  for (int i = 0; i < packet->count; i++)
    if (fr_nn_nearest_single(nn, packet, i) != 0)
      return -1;
  return 0;
}

int fr_nn_within_all(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,
                     int capacity) {
  int found = 0;
  for (size_t i = 0; i < nn->count; i++) {
    const double distance2 = fr_distance2(query, nn->points[i]);
    if (!(distance2 <= limit2))
      continue;
    if (found < capacity) {
      position[found] = (int32_t)i;
      d2[found] = distance2;
    }
    found++;
  }
  return found;
}
