/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search of the bucketed tree in double. Compiled once for each instruction set (FR_ISA).
 *
 * Needs no slack and no proof: subtraction, squares and sums round monotonically, so no point of a box has a distance,
 * as computed, that is less than the box's, computed in the same way. Slower than the searches in floats, for what
 * those cannot do: coordinates too close together for floats, queries far off, ties.
 */
#include "base/simd.h"
#include "search/tree.h"

#include <float.h>
#include <math.h>

#define EIGHTS (FR_WIDE / 8)

/* A node on the way down. */
typedef struct frame {
  fr_d8 d2[EIGHTS]; /* to its children */
  unsigned left;    /* those not yet visited */
  int32_t node;     /* in its level */
  int begun;
} frame;

/* Bit i is set where a[i] <= b. */
static inline unsigned at_most(const fr_d8 a[EIGHTS], double b) {
  unsigned more = 0;
  for (int i = 0; i < EIGHTS; i++)
    more |= fr_d8_less(fr_d8_set(b), a[i]) << (8 * i);
  return ~more & ((1U << FR_WIDE) - 1);
}

static inline void box_distances(const double q[3], const fr_tree_exact_node *node, fr_d8 d2[EIGHTS]) {
  FR_LOOK(FR_WIDE);
  for (int i = 0; i < EIGHTS; i++) {
    d2[i] = fr_d8_set(0);
    for (int a = 0; a < 3; a++) {
      const fr_d8 below = fr_d8_load(node->low[a] + (size_t)8 * (size_t)i) - fr_d8_set(q[a]);
      const fr_d8 above = fr_d8_set(q[a]) - fr_d8_load(node->high[a] + (size_t)8 * (size_t)i);
      const fr_d8 d = fr_d8_max(fr_d8_max(below, above), fr_d8_set(0));
      d2[i] += d * d;
    }
  }
}

static inline void enter(frame *at, const double q[3], const fr_tree *tree, int level, int32_t node) {
  at->node = node;
  at->begun = 0;
  at->left = (1U << FR_WIDE) - 1;
  box_distances(q, &tree->exact[level][node], at->d2);
}

/* The nearest of some children. */
static inline int nearest_child(const frame *at, unsigned some) {
  double d2[FR_WIDE];
  memcpy(d2, at->d2, sizeof d2);
  int best = __builtin_ctz(some);
  for (some &= some - 1; some; some &= some - 1)
    best = d2[__builtin_ctz(some)] < d2[best] ? __builtin_ctz(some) : best;
  return best;
}

/* @return the points of the bucket that are at most so far. */
static inline unsigned scan_bucket(const fr_nn *nn, const double q[3], int32_t bucket, double bound,
                                   double d2[FR_WIDE]) {
  const size_t first = (size_t)bucket * FR_WIDE;
  const double(*p)[3] = nn->points + first;
  FR_LOOK(FR_WIDE);
  if (nn->count - first >= FR_WIDE) {
    for (int i = 0; i < FR_WIDE; i++)
      d2[i] = fr_distance2(q, p[i]);
  } else {
    const int count = (int)(nn->count - first);
    for (int i = 0; i < FR_WIDE; i++)
      d2[i] = i < count ? fr_distance2(q, p[i]) : INFINITY;
  }
  const fr_d8 halves[EIGHTS] = {fr_d8_load(d2), fr_d8_load(d2 + 8)};
  return at_most(halves, bound);
}

/* What is left to visit of the tree. */
typedef struct descent {
  const fr_tree *tree;
  int level; /* -1: nothing */
  frame stack[FR_TREE_DEPTH];
} descent;

static inline void begin(descent *d, const fr_tree *tree, const double q[3]) {
  d->tree = tree;
  d->level = 0;
  enter(&d->stack[0], q, tree, 0, 0);
}

/* The next bucket at most so far, -1 if there is none: nearest children first, but the buckets of one node, after the
 * first, as they come. */
static inline int32_t next_bucket(descent *d, const double q[3], double bound) {
  while (d->level >= 0) {
    frame *at = &d->stack[d->level];
    const unsigned some = at->left & at_most(at->d2, bound);
    if (!some) {
      d->level--;
      continue;
    }
    const int last = d->level + 1 == d->tree->levels;
    const int lane = last && at->begun ? __builtin_ctz(some) : nearest_child(at, some);
    const int32_t child = at->node * FR_WIDE + lane;
    at->left = some & ~(1U << lane);
    at->begun = 1;
    if (last)
      return child;
    d->level++;
    enter(&d->stack[d->level], q, d->tree, d->level, child);
  }
  return -1;
}

int FR_FOR_ISA(fr_tree_exact)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,
                              double *d2) {
  double bound = limit2 < DBL_MAX ? limit2 : DBL_MAX; /* never an unused child: infinity is more */
  int found = 0;
  descent d;
  begin(&d, nn->state, query);
  for (int32_t bucket; (bucket = next_bucket(&d, query, bound)) >= 0;) {
    double distance2[FR_WIDE];
    for (unsigned some = scan_bucket(nn, query, bucket, bound, distance2); some; some &= some - 1) {
      const int i = __builtin_ctz(some);
      found = fr_nn_insert(nn, bucket * FR_WIDE + i, distance2[i], k, found, position, d2);
      if (found == k && fr_nn_last(d2, k) < bound)
        bound = fr_nn_last(d2, k);
    }
  }
  return fr_nn_sort(nn, k, found, position, d2);
}

int FR_FOR_ISA(fr_tree_within)(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,
                               int capacity) {
  const double bound = limit2 < DBL_MAX ? limit2 : DBL_MAX;
  int found = 0;
  descent d;
  begin(&d, nn->state, query);
  for (int32_t bucket; (bucket = next_bucket(&d, query, bound)) >= 0;) {
    double distance2[FR_WIDE];
    for (unsigned some = scan_bucket(nn, query, bucket, bound, distance2); some; some &= some - 1) {
      const int i = __builtin_ctz(some);
      if (found < capacity) {
        position[found] = bucket * FR_WIDE + i;
        d2[found] = distance2[i];
      }
      found++;
    }
  }
  return found;
}
