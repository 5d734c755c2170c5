/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries to a prepared target. Its index knows places; points at the same place as another (duplicates.h) are put in
 * here, in the order of (distance, the caller's index). The caller's arrays are all the room there is.
 */
#include "cloud/target.h"

#include "api/attention.h"
#include "api/options.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "cloud/neighborhood.h"

#include <math.h>
#include <string.h>

#define FARTHEST2 1e300 /* of a query, normalised: the squared distance to any point is finite */

/* ---- A heap of indices, the greatest first ---- */

static void swap(int32_t *a, int32_t *b) {
  const int32_t t = *a;
  *a = *b;
  *b = t;
}

static void sift_down(int32_t *heap, size_t at, size_t count) {
  for (size_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child])
      child++;
    if (heap[child] <= heap[at])
      return;
    swap(&heap[at], &heap[child]);
  }
}

/* Keep the `room` least. @return 0 if the index is not one of them. */
static int keep_least(int32_t *heap, size_t *count, size_t room, int32_t index) {
  if (*count == room) {
    if (index > heap[0])
      return 0;
    heap[0] = index;
    sift_down(heap, 0, room);
    return 1;
  }
  size_t at = (*count)++;
  heap[at] = index;
  for (; at > 0 && heap[(at - 1) / 2] < heap[at]; at = (at - 1) / 2)
    swap(&heap[at], &heap[(at - 1) / 2]);
  return 1;
}

static void sort_heap(int32_t *heap, size_t count) {
  for (size_t i = count; i-- > 1;) {
    swap(&heap[0], &heap[i]);
    sift_down(heap, 0, i);
  }
}

static void sort_indices(int32_t *v, size_t count) {
  for (size_t i = count / 2; i-- > 0;)
    sift_down(v, i, count);
  sort_heap(v, count);
}

/* ---- From places to points ---- */

static int points_at(const fricp_target *target, int32_t position) {
  const struct fr_duplicate *first = NULL;
  return 1 + (int)fr_duplicates_of(&target->duplicates, position, &first);
}

/* Write the indices of the points at a place, ascending, as far as there is room. @return how many. */
static int put_place(const fricp_target *target, int32_t position, int32_t *out, int room) {
  const struct fr_duplicate *first = NULL;
  const int more = (int)fr_duplicates_of(&target->duplicates, position, &first);
  int put = 0;
  if (room > 0)
    out[put++] = target->index[position];
  for (int d = 0; d < more && put < room; d++)
    out[put++] = first[d].index;
  return put;
}

/* Places at the same distance that hold more points than there is room for: the lowest indices. d2 holds the places. */
static void put_least(const fricp_target *target, int places, const double *d2, int32_t *out, int room) {
  size_t count = 0;
  for (int i = 0; i < places; i++) {
    const struct fr_duplicate *first = NULL;
    const int32_t position = (int32_t)d2[i];
    const int more = (int)fr_duplicates_of(&target->duplicates, position, &first);
    int kept = keep_least(out, &count, (size_t)room, target->index[position]);
    for (int d = 0; d < more && kept; d++)
      kept = keep_least(out, &count, (size_t)room, first[d].index);
  }
  sort_heap(out, count);
}

/* How many of the places, which are in order, hold the k nearest points: of those at the last one's distance no more
 * than can have a point among them. */
static int places_needed(const fricp_target *target, int places, const int32_t *position, const double *d2, int k) {
  int64_t points = 0; /* at smaller distances */
  int64_t tied = 0;
  int first = 0; /* at the same distance */
  for (int i = 0; i < places; i++) {
    if (d2[i] != d2[first]) {
      points += tied;
      tied = 0;
      first = i;
    }
    if (points >= k || i - first >= k - points)
      return i;
    tied += points_at(target, position[i]);
  }
  return places;
}

/* Positions of the places nearest become indices of the points nearest. @return how many, at most k. */
static int unfold(const fricp_target *target, int places, int32_t *indices, double *d2, int k) {
  if (target->duplicates.count == 0) { /* in order as they are */
    for (int i = 0; i < places; i++)
      indices[i] = target->index[indices[i]];
    return places;
  }
  const int needed = places_needed(target, places, indices, d2, k);
  /* Places go to the end: each holds a point at least, so that what is written stays before what is still to be read.
   */
  memmove(indices + (k - needed), indices, (size_t)needed * sizeof *indices);
  memmove(d2 + (k - needed), d2, (size_t)needed * sizeof *d2);
  int out = 0;
  for (int i = k - needed; i < k && out < k;) {
    const double distance2 = d2[i];
    const int begin = out;
    int64_t points = 0;
    int end = i;
    for (; end < k && d2[end] == distance2; end++)
      points += points_at(target, indices[end]);
    if (points <= k - out) {
      const int tied = end - i;
      for (; i < end; i++)
        out += put_place(target, indices[i], indices + out, k - out);
      if (tied > 1)
        sort_indices(indices + begin, (size_t)(out - begin));
    } else {
      for (int j = 0; j < end - i; j++)
        d2[out + j] = indices[i + j];
      put_least(target, end - i, d2 + out, indices + out, k - out);
      out = k;
      i = end;
    }
    for (int j = begin; j < out; j++)
      d2[j] = distance2;
  }
  return out;
}

/* ---- The interface ---- */

static int query_of(const fricp_target *target, const double query[3], double out[3]) {
  fr_target_normalize(target, query, out);
  return out[0] * out[0] + out[1] * out[1] + out[2] * out[2] < FARTHEST2; /* not of NaN */
}

/* Distances in the caller's unit. Of those that differ by rounding only, some may become equal. */
static void scale(const fricp_target *target, int count, int32_t *indices, double *d2) {
  for (int i = 0; i < count; i++)
    d2[i] *= target->extent * target->extent;
  for (int begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && d2[end] == d2[begin];)
      end++;
    if (end - begin > 1)
      sort_indices(indices + begin, (size_t)(end - begin));
  }
}

int fricp_target_nearest(const fricp_target *target, const double query[3], int k, double max_squared_distance,
                         int32_t *indices, double *squared_distances) {
  double q[3];
  if (!target || !query || k < 0 || (k > 0 && (!indices || !squared_distances)))
    return -(int)FRICP_ERROR_INVALID_ARGUMENT;
  if (k == 0 || !query_of(target, query, q) || !(max_squared_distance >= 0))
    return 0;
  const size_t points = target->count + target->duplicates.count;
  if ((size_t)k > points) /* no more is written, whatever room there is */
    k = (int)points;
  const double limit2 = max_squared_distance / (target->extent * target->extent);
  int found = fr_nn_nearest(&target->nn, q, k, limit2, indices, squared_distances);
  if (found < 0)
    return -(int)FRICP_ERROR_SEARCH;
  found = unfold(target, found, indices, squared_distances, k);
  scale(target, found, indices, squared_distances);
  return found;
}

/* All points at places within the limit, also those that were not written. */
static int count_within(const fricp_target *target, const double q[3], double limit2, int places) {
  int total = places;
  for (size_t i = 0; i < target->duplicates.count; i++)
    total += fr_distance2(q, target->points[target->duplicates.pair[i].kept]) <= limit2;
  return total;
}

int fricp_target_within(const fricp_target *target, const double query[3], double max_squared_distance,
                        int32_t *indices, double *squared_distances, int capacity) {
  double q[3];
  if (!target || !query || capacity < 0 || (capacity > 0 && (!indices || !squared_distances)))
    return -(int)FRICP_ERROR_INVALID_ARGUMENT;
  if (!query_of(target, query, q) || !(max_squared_distance >= 0))
    return 0;
  const double limit2 = max_squared_distance / (target->extent * target->extent);
  const int found = target->nn.ops->within(&target->nn, q, limit2, indices, squared_distances, capacity);
  if (found < 0)
    return -(int)FRICP_ERROR_SEARCH;
  const int places = found < capacity ? found : capacity;
  int out = places;
  for (int i = 0; i < places; i++) {
    const struct fr_duplicate *first = NULL;
    const int more = (int)fr_duplicates_of(&target->duplicates, indices[i], &first);
    for (int d = 0; d < more && out < capacity; d++) {
      indices[out] = first[d].index;
      squared_distances[out++] = squared_distances[i];
    }
    indices[i] = target->index[indices[i]];
  }
  scale(target, out, indices, squared_distances);
  return found < capacity && out < capacity ? out : count_within(target, q, limit2, found);
}

/* ---- Of all points at once ---- */

#define BLOCK 512
#define DURING "while the target's neighbours were searched"

typedef struct sweep {
  const fricp_target *target;
  const fr_nn *nn; /* the target's, but with an interrupt of this call */
  int k;
  int32_t *rows;
  _Atomic int failed;
} sweep;

/* Rows of the points at a place, whose neighbours are the same; found are places, in the order of results. */
static void put_rows(const sweep *s, size_t position, int found, int32_t *indices, double *d2) {
  const fricp_target *target = s->target;
  const struct fr_duplicate *first = NULL;
  const size_t more = fr_duplicates_of(&target->duplicates, (int32_t)position, &first);
  found = unfold(target, found, indices, d2, s->k);
  scale(target, found, indices, d2);
  int32_t *row = s->rows + (size_t)target->index[position] * (size_t)s->k;
  memcpy(row, indices, (size_t)found * sizeof *row);
  for (size_t i = 0; i < more; i++)
    memcpy(s->rows + (size_t)first[i].index * (size_t)s->k, row, (size_t)s->k * sizeof *row);
}

static void rows_one_by_one(sweep *s, size_t at, size_t end, int thread) {
  int32_t indices[FR_NN_MAX_K];
  double d2[FR_NN_MAX_K];
  for (; at < end && fr_interrupt_check(s->nn->interrupt, thread) == FRICP_STOP_NONE; at++) {
    const int found = fr_nn_nearest(s->nn, s->nn->points[at], s->k, INFINITY, indices, d2);
    if (found < 0)
      s->failed = 1;
    else
      put_rows(s, at, found, indices, d2);
  }
}

static void rows_together(sweep *s, size_t first, size_t end, int thread) {
  fr_nn_own own = {.k = (size_t)s->k < s->nn->count ? s->k : (int)s->nn->count};
  int32_t indices[FR_NN_MAX_K];
  double d2[FR_NN_MAX_K];
  for (own.first = first; own.first < end && fr_interrupt_check(s->nn->interrupt, thread) == FRICP_STOP_NONE;
       own.first += FR_PACKET) {
    const int count = end - own.first < FR_PACKET ? (int)(end - own.first) : FR_PACKET;
    own.wanted = (1U << count) - 1;
    s->nn->ops->nearest_own(s->nn, &own);
    for (int i = 0; i < count; i++) {
      const double *point = s->nn->points[own.first + (size_t)i];
      int found = 0;
      for (int j = 0; j < own.k; j++) {
        const int32_t position = own.position[i][j];
        found = fr_nn_insert(s->nn, position, fr_distance2(point, s->nn->points[position]), own.k, found, indices, d2);
      }
      put_rows(s, own.first + (size_t)i, fr_nn_sort(s->nn, own.k, found, indices, d2), indices, d2);
    }
  }
}

static void rows_of_block(void *context, size_t block, int thread) {
  sweep *s = context;
  const size_t end = (block + 1) * BLOCK < s->nn->count ? (block + 1) * BLOCK : s->nn->count;
  if (s->nn->ops->nearest_own)
    rows_together(s, block * BLOCK, end, thread);
  else
    rows_one_by_one(s, block * BLOCK, end, thread);
}

fricp_status fricp_target_neighbors(const fricp_target *target, int k, const fricp_target_options *options,
                                    int32_t *indices, fricp_error *error) {
  const double started = fr_seconds();
  fr_clear(error);
  if (!target || !indices)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "fricp_target_neighbors: target or indices is NULL");
  if (k < 1 || k > FR_NN_MAX_K)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "fricp_target_neighbors: k is %d, must be 1 to %d", k,
                   FR_NN_MAX_K);
  fricp_target_options used;
  const fricp_status status = fr_target_options_check(options, &used, error);
  if (status != FRICP_OK)
    return status;
  fr_attention attention;
  fr_nn nn = target->nn;
  nn.interrupt = fr_attention_begin(&attention, &used, started);
  sweep s = {.target = target, .nn = &nn, .k = k, .rows = indices};
  memset(indices, 0xff, target->cloud_count * (size_t)k * sizeof *indices); /* -1 */
  fr_parallel_for(fr_neighborhood_threads(&nn, used.threads), (nn.count + BLOCK - 1) / BLOCK, rows_of_block, &s,
                  nn.interrupt);
  return fr_neighborhood_outcome(&nn, s.failed, DURING, error);
}
