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
#define NEAR 4 /* extents: beyond, w is fitted to the query */

/* A node on the way down, and how far its children are that are still to be visited; NaN: done with. */
typedef struct frame {
  fr_f8 d2;
  const fr_tree_node *node;
} frame;

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
    s.q[a] = fr_f8_set(fr_tree_coordinate(query[a]));
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

/* Measure in double what float cannot rule out, nearest first: it moves the bound most. */
static inline int scan_bucket(const search *s, int32_t bucket, int k, int found, double limit2, float *bound,
                              int32_t *position, double *d2) {
  fr_f8 distances = bucket_distances(s, bucket);
  while (fr_f8_at_most(distances, fr_f8_set(*bound))) {
    const int lane = fr_f8_least(distances);
    distances = fr_f8_without(distances, lane);
    const int32_t candidate = bucket * FR_BUCKET + lane;
    if ((size_t)candidate >= s->nn->count) /* an infinite bound lets the padding in */
      continue;
    const double distance2 = fr_distance2(s->query, s->nn->points[candidate]);
    if (!(distance2 <= limit2))
      continue;
    found = fr_nn_insert(s->nn, candidate, distance2, k, found, position, d2);
    if (found == k)
      *bound = bound_of(s, d2[k - 1] < limit2 ? d2[k - 1] : limit2);
  }
  return found;
}

/* Depth first, always on to the nearest child that is left. */
static inline int search_tree(const search *s, int k, double limit2, int32_t *position, double *d2) {
  frame stack[FR_TREE_DEPTH];
  float bound = bound_of(s, limit2);
  int found = 0;
  int top = 0;
  stack[0].node = s->tree->nodes;
  stack[0].d2 = box_distances(s, stack[0].node);
  while (top >= 0) {
    frame *at = &stack[top];
    if (!fr_f8_at_most(at->d2, fr_f8_set(bound))) {
      top--;
      continue;
    }
    const int lane = fr_f8_least(at->d2);
    const int32_t child = at->node->child[lane];
    at->d2 = fr_f8_without(at->d2, lane);
    if (child == FR_NO_CHILD) /* an infinite bound lets it in */
      continue;
    if (child < 0) {
      found = scan_bucket(s, ~child, k, found, limit2, &bound, position, d2);
    } else {
      at = &stack[++top];
      at->node = s->tree->nodes + child;
      at->d2 = box_distances(s, at->node);
    }
  }
  return found;
}

int FR_FOR_ISA(fr_tree_nearest)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,
                                double *d2) {
  const search s = begin(nn, query);
  return k == 1 ? search_tree(&s, 1, limit2, position, d2) : search_tree(&s, k, limit2, position, d2);
}

/* The exact distances of one bucket. */
static inline int list_bucket(const search *s, int32_t bucket, unsigned mask, double limit2, int found,
                              int32_t *position, double *d2, int capacity) {
  for (; mask; mask &= mask - 1) {
    const int32_t candidate = bucket * FR_BUCKET + __builtin_ctz(mask);
    if ((size_t)candidate >= s->nn->count)
      continue;
    const double distance2 = fr_distance2(s->query, s->nn->points[candidate]);
    if (!(distance2 <= limit2))
      continue;
    if (found < capacity) {
      position[found] = candidate;
      d2[found] = distance2;
    }
    found++;
  }
  return found;
}

int FR_FOR_ISA(fr_tree_within)(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,
                               int capacity) {
  const search s = begin(nn, query);
  const fr_f8 bound = fr_f8_set(bound_of(&s, limit2));
  int32_t stack[FR_TREE_DEPTH * FR_BUCKET];
  int found = 0;
  int top = 1;
  stack[0] = 0;
  while (top > 0) {
    const int32_t child = stack[--top];
    if (child == FR_NO_CHILD)
      continue;
    if (child < 0) {
      const unsigned mask = fr_f8_at_most(bucket_distances(&s, ~child), bound);
      found = list_bucket(&s, ~child, mask, limit2, found, position, d2, capacity);
      continue;
    }
    const fr_tree_node *node = s.tree->nodes + child;
    for (unsigned mask = fr_f8_at_most(box_distances(&s, node), bound); mask; mask &= mask - 1)
      stack[top++] = node->child[__builtin_ctz(mask)];
  }
  return found;
}
