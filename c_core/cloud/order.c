/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Radix sort by the place on the curve, whose cells are small against the cloud. Where a cell holds many points - a
 * cloud of clusters, coordinates of many scales - it gets a curve of its own, a few times over; what is left goes by
 * coordinates. So the order is total, and its time n log n whatever the points.
 */
#include "cloud/order.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define CURVE_BITS 10 /* per axis */
#define RADIX_BITS 10
#define RUN ((size_t)2048)  /* points of a block */
#define GRAIN 16384         /* points a thread is worth */
#define CROWD ((size_t)512) /* points of a cell that gets a curve of its own, ... */
#define DEPTH 4             /* ... so many times over */
#define FEW ((size_t)16)    /* sorted by insertion */

typedef struct sorting {
  fr_order order;
  const fricp_cloud *cloud;
  const fr_frame *frame;
  size_t count;
} sorting;

/* Cells of a curve: half of them on either side of center. */
typedef struct grid {
  double center[3];
  double per_unit;
} grid;

static const grid whole_frame = {{0, 0, 0}, (1 << CURVE_BITS) / 2.0};

static void place_of(const sorting *s, int32_t id, double p[3]) {
  (void)fr_cloud_point(s->cloud, (size_t)id, p);
  fr_frame_normalize(s->frame, p, p);
}

/* Spread the low ten bits to every third place. */
static uint32_t spread_bits(uint32_t v) {
  v = (v | v << 16) & 0x030000ffU;
  v = (v | v << 8) & 0x0300f00fU;
  v = (v | v << 4) & 0x030c30c3U;
  return (v | v << 2) & 0x09249249U;
}

/* Position along the Z-order curve. The odd offset keeps gridded clouds off the cell walls. */
static uint32_t curve_key(const double p[3], const grid *g) {
  const double cells = (double)(1 << CURVE_BITS);
  uint32_t key = 0;
  for (int a = 0; a < 3; a++) {
    const double at = (p[a] - g->center[a]) * g->per_unit + 0.5003718 * cells;
    const double cell = at < 0 ? 0 : at < cells - 1 ? at : cells - 1;
    key |= spread_bits((uint32_t)cell) << a;
  }
  return key;
}

static void key_block(void *context, size_t block, int thread) {
  const sorting *s = context;
  const size_t end = (block + 1) * RUN < s->count ? (block + 1) * RUN : s->count;
  (void)thread;
  for (size_t i = block * RUN; i < end; i++) {
    double p[3];
    place_of(s, s->order.id[i], p);
    s->order.key[i] = curve_key(p, &whole_frame);
  }
}

/* Stable, by key; an odd number of passes, so that the result is where the room was. Left midway if interrupted. */
static void radix_sort(const fr_order *from, size_t n) {
  fr_order o = *from;
  size_t start[1 << RADIX_BITS];
  for (int shift = 0; shift < 3 * CURVE_BITS; shift += RADIX_BITS) {
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < n; i++) {
      if (fr_interrupt_each(o.interrupt, i))
        return;
      start[o.key[i] >> shift & ((1U << RADIX_BITS) - 1)]++;
    }
    size_t sum = 0;
    for (size_t b = 0; b < sizeof start / sizeof start[0]; b++) {
      const size_t held = start[b];
      start[b] = sum;
      sum += held;
    }
    for (size_t i = 0; i < n; i++) {
      if (fr_interrupt_each(o.interrupt, i))
        return;
      const size_t to = start[o.key[i] >> shift & ((1U << RADIX_BITS) - 1)]++;
      o.other_key[to] = o.key[i];
      o.other_id[to] = o.id[i];
    }
    const fr_order swapped = {o.other_key, o.other_id, o.key, o.id, o.interrupt};
    o = swapped;
  }
}

static int comes_before(const sorting *s, int32_t a, int32_t b) {
  double p[3];
  double q[3];
  place_of(s, a, p);
  place_of(s, b, q);
  for (int i = 0; i < 3; i++)
    if (p[i] != q[i])
      return p[i] < q[i];
  return a < b;
}

static void insertion_sort(const sorting *s, int32_t *id, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const int32_t moved = id[i];
    size_t at = i;
    for (; at > 0 && comes_before(s, moved, id[at - 1]); at--)
      id[at] = id[at - 1];
    id[at] = moved;
  }
}

/* By halves of ever longer runs, in `room`. Left midway if interrupted. */
static void merge_sort(const sorting *s, int32_t *id, int32_t *room, size_t n) {
  for (size_t i = 0; i < n; i += FEW)
    insertion_sort(s, id + i, n - i < FEW ? n - i : FEW);
  for (size_t run = FEW; run < n; run *= 2)
    for (size_t first = 0; first + run < n && fr_interrupt_check(s->order.interrupt, 0) == FRICP_STOP_NONE;
         first += 2 * run) {
      const size_t end = n - first < 2 * run ? n : first + 2 * run;
      size_t right = first + run;
      size_t left = 0;
      memcpy(room, id + first, run * sizeof *id);
      for (size_t to = first; left < run; to++)
        id[to] = right < end && comes_before(s, id[right], room[left]) ? id[right++] : room[left++];
    }
}

/* The grid of the box of some points. @return 0 if they are all at one place. */
static int grid_of(const sorting *s, const int32_t *id, size_t n, grid *g) {
  double low[3] = {INFINITY, INFINITY, INFINITY};
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double side = 0;
  for (size_t i = 0; i < n; i++) {
    double p[3];
    place_of(s, id[i], p);
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], p[a]);
      high[a] = fmax(high[a], p[a]);
    }
  }
  for (int a = 0; a < 3; a++) {
    g->center[a] = low[a] + (high[a] - low[a]) / 2;
    side = fmax(side, high[a] - low[a]);
  }
  g->per_unit = (1 << CURVE_BITS) / side;
  return side > 0;
}

static void sort_cells(const sorting *s, size_t first, size_t end, int depth);

/* Points that share a cell. */
static void sort_cell(const sorting *s, size_t first, size_t end, int depth) { // NOLINT(misc-no-recursion)
  const size_t n = end - first;
  const fr_order o = {s->order.key + first, s->order.id + first, s->order.other_key + first, s->order.other_id + first,
                      s->order.interrupt};
  grid g;
  if (n <= FEW) {
    insertion_sort(s, o.id, n);
    return;
  }
  if (n < CROWD || depth == DEPTH || !grid_of(s, o.id, n, &g)) {
    merge_sort(s, o.id, o.other_id, n);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double p[3];
    place_of(s, o.id[i], p);
    o.key[i] = curve_key(p, &g);
  }
  radix_sort(&o, n);
  memcpy(o.key, o.other_key, n * sizeof *o.key);
  memcpy(o.id, o.other_id, n * sizeof *o.id);
  sort_cells(s, first, end, depth + 1);
}

static void sort_cells(const sorting *s, size_t first, size_t end, int depth) { // NOLINT(misc-no-recursion)
  for (size_t i = first; i < end && fr_interrupt_check(s->order.interrupt, 0) == FRICP_STOP_NONE;) {
    size_t next = i + 1;
    while (next < end && s->order.key[next] == s->order.key[i])
      next++;
    if (next - i > 1)
      sort_cell(s, i, next, depth);
    i = next;
  }
}

void fr_order_sort(fr_order *order, const fricp_cloud *cloud, const fr_frame *frame, size_t n, int threads) {
  sorting s = {*order, cloud, frame, n};
  fr_parallel_for(fr_thread_count(threads, n, GRAIN), (n + RUN - 1) / RUN, key_block, &s, order->interrupt);
  radix_sort(&s.order, n);
  const fr_order sorted = {order->other_key, order->other_id, order->key, order->id, order->interrupt};
  *order = s.order = sorted;
  sort_cells(&s, 0, n, 0);
}
