/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search of the bucketed tree. Compiled once for each instruction set (FR_ISA).
 *
 * Rounding. Query and points are rounded to float (unit u = 2^-24). A point p at distance d of the query q has
 * |p| <= |q| + d, so its computed distance is at most d (1 + few u) + e with e = 2 sqrt(3) u |q|, and its square at
 * most d^2 (1 + w) + e^2 (1 + 1 / w) for any w > 0 that is more than a few u. What is within that for the best d so far
 * is measured again in double: no true neighbour is missed, and no square root is needed to move the bound. w = 1/1000
 * serves queries near the points. For one far off it would take in the whole cloud: there, w = e / (distance to the
 * cloud).
 */
#include "nn_tree.h"
#include "simd.h"

#include <math.h>
#include <string.h>

#define WIDEN 1e-3
#define LEAST_WIDEN 1e-6
#define NEAR 4    /* extents: beyond, w is fitted to the query */
#define STACK 160 /* 7 children left behind on each of at most 12 levels, and the last eight */

typedef struct entry {
  float d2;
  int32_t child;
} entry;

typedef struct search {
  const fr_nn *nn;
  const fr_tree *tree;
  const double *query;
  fr_f8 q[3];
  double widen; /* 1 + w */
  double slack; /* e^2 (1 + 1 / w) */
} search;

static inline float bound_of(const search *s, double d2) {
  return (float)(d2 * s->widen + s->slack);
}

static double distance_to_cloud(const search *s) {
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    const double below = (double)s->tree->low[a] - s->query[a];
    const double above = s->query[a] - (double)s->tree->high[a];
    const double d = fmax(fmax(below, above), 0);
    sum += d * d;
  }
  return sqrt(sum);
}

static inline search begin(const fr_nn *nn, const double query[3]) {
  search s = {.nn = nn, .tree = nn->state, .query = query};
  double reach = 0;
  for (int a = 0; a < 3; a++) {
    s.q[a] = fr_f8_set((float)query[a]);
    reach = fmax(reach, fabs(query[a]));
  }
  const double e = 2 * 3 * 5.9604644775390625e-8 * reach; /* |q| <= sqrt(3) reach */
  double w = WIDEN;
  if (reach > NEAR)
    w = fmin(fmax(e / distance_to_cloud(&s), LEAST_WIDEN), WIDEN); /* inside the cloud's box: WIDEN */
  s.widen = 1 + w;
  s.slack = e * e * (1 + 1 / w);
  return s;
}

/* Squared distances from the query to the boxes of a node's children. */
static inline fr_f8 box_distances(const search *s, const fr_tree_node *node) {
  fr_f8 sum = {0};
  for (int a = 0; a < 3; a++) {
    fr_f8 low;
    fr_f8 high;
    memcpy(&low, node->low[a], sizeof low);
    memcpy(&high, node->high[a], sizeof high);
    const fr_f8 d = fr_f8_max(fr_f8_max(low - s->q[a], s->q[a] - high), fr_f8_set(0));
    sum += d * d;
  }
  return sum;
}

static inline fr_f8 bucket_distances(const search *s, int32_t bucket) {
  const float *base = s->tree->buckets + (size_t)bucket * 3 * FR_BUCKET;
  fr_f8 x[3];
  memcpy(x, base, sizeof x);
  const fr_f8 dx = x[0] - s->q[0];
  const fr_f8 dy = x[1] - s->q[1];
  const fr_f8 dz = x[2] - s->q[2];
  return dx * dx + dy * dy + dz * dz;
}

/* Push the children within bound so that the nearest is on top. */
static inline int push_children(const search *s, const fr_tree_node *node, float bound, entry *stack, int top) {
  const fr_f8 distances = box_distances(s, node);
  unsigned mask = fr_f8_at_most(distances, fr_f8_set(bound));
  float d2[FR_BUCKET];
  memcpy(d2, &distances, sizeof d2);
  const int base = top;
  for (; mask; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    int i = top++;
    for (; i > base && stack[i - 1].d2 < d2[lane]; i--)
      stack[i] = stack[i - 1];
    stack[i] = (entry){d2[lane], node->child[lane]};
  }
  return top;
}

static inline int lane_of_minimum(const float *d2, unsigned mask) {
  int best = __builtin_ctz(mask);
  for (mask &= mask - 1; mask; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    if (d2[lane] < d2[best])
      best = lane;
  }
  return best;
}

/* Measure in double what float cannot rule out. The lane that looks nearest goes first: it moves the bound most. */
static inline int scan_bucket(const search *s, int32_t bucket, int k, int found, double limit2, float *bound,
                              int32_t *position, double *d2) {
  const fr_f8 distances = bucket_distances(s, bucket);
  unsigned mask = fr_f8_at_most(distances, fr_f8_set(*bound));
  if (!mask)
    return found;
  float float2[FR_BUCKET];
  memcpy(float2, &distances, sizeof float2);
  while (mask) {
    const int lane = lane_of_minimum(float2, mask);
    mask &= ~(1U << lane);
    const int32_t candidate = bucket * FR_BUCKET + lane;
    const double distance2 = fr_distance2(s->query, s->nn->points[candidate]);
    if (!(distance2 <= limit2))
      continue;
    found = fr_nn_insert(s->nn, candidate, distance2, k, found, position, d2);
    if (found == k) {
      *bound = bound_of(s, d2[k - 1] < limit2 ? d2[k - 1] : limit2);
      mask &= fr_f8_at_most(distances, fr_f8_set(*bound));
    }
  }
  return found;
}

int FR_FOR_ISA(fr_tree_nearest)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,
                                double *d2) {
  const search s = begin(nn, query);
  float bound = bound_of(&s, limit2);
  entry stack[STACK];
  int found = 0;
  int top = push_children(&s, s.tree->nodes, bound, stack, 0);
  while (top > 0) {
    const entry next = stack[--top];
    if (next.d2 > bound)
      continue;
    if (next.child < 0)
      found = scan_bucket(&s, ~next.child, k, found, limit2, &bound, position, d2);
    else
      top = push_children(&s, s.tree->nodes + next.child, bound, stack, top);
  }
  return found;
}

int FR_FOR_ISA(fr_tree_within)(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,
                               int capacity) {
  const search s = begin(nn, query);
  const float bound = bound_of(&s, limit2);
  entry stack[STACK];
  int found = 0;
  int top = push_children(&s, s.tree->nodes, bound, stack, 0);
  while (top > 0) {
    const entry next = stack[--top];
    if (next.child >= 0) {
      top = push_children(&s, s.tree->nodes + next.child, bound, stack, top);
      continue;
    }
    unsigned mask = fr_f8_at_most(bucket_distances(&s, ~next.child), fr_f8_set(bound));
    for (; mask; mask &= mask - 1) {
      const int32_t candidate = ~next.child * FR_BUCKET + __builtin_ctz(mask);
      if ((size_t)candidate >= nn->count) /* an infinite bound lets the padding in */
        continue;
      const double distance2 = fr_distance2(query, nn->points[candidate]);
      if (!(distance2 <= limit2))
        continue;
      if (found < capacity) {
        position[found] = candidate;
        d2[found] = distance2;
      }
      found++;
    }
  }
  return found;
}
