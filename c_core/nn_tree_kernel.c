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
#include "nn_walk.h"

#define WIDEN 1e-3
#define LEAST_WIDEN 1e-6
#define NEAR 4 /* extents: beyond, w is fitted to the query */

/* A node on the way down, and how far its children are that are still to be visited; NaN: done with. */
typedef struct frame {
  fr_f16 d2;
  int32_t node; /* in its level */
} frame;

typedef struct search {
  const fr_nn *nn;
  const fr_tree *tree;
  const double *query;
  float q[3];
  double widen; /* 1 + w */
  double slack; /* e^2 (1 + 1 / w) */
} search;

/* Never zero: what is less is looked at. */
static inline float bound_of(const search *s, double d2) {
  return (float)(d2 * s->widen + s->slack);
}

static double distance_to_cloud(const search *s) {
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    const double below = (double)s->tree->low[a] - s->query[a];
    const double above = s->query[a] - (double)s->tree->high[a];
    const double d = fr_greater(fr_greater(below, above), 0);
    sum += d * d;
  }
  return sqrt(sum);
}

static inline search begin(const fr_nn *nn, const double query[3]) {
  search s = {.nn = nn, .tree = nn->state, .query = query};
  double reach = 0;
  for (int a = 0; a < 3; a++) {
    s.q[a] = fr_tree_coordinate(query[a]);
    reach = fr_greater(reach, fabs(query[a]));
  }
  const double e = 2 * 3 * FR_UNIT * reach + FR_UNDERFLOW; /* |q| <= sqrt(3) reach */
  double w = WIDEN;
  if (reach > NEAR)
    w = fr_smaller(fr_greater(e / distance_to_cloud(&s), LEAST_WIDEN), WIDEN); /* inside the cloud's box: WIDEN */
  s.widen = 1 + w;
  s.slack = e * e * (1 + 1 / w);
  return s;
}

/* Measure in double what float cannot rule out, nearest first: it moves the bound most. */
static inline int scan_bucket(const search *s, int32_t bucket, int k, int found, double limit2, float *bound,
                              int32_t *position, double *d2) {
  fr_f16 distances = fr_bucket_distances(s->q, s->tree->buckets[bucket]);
  while (fr_f16_less(&distances, *bound)) { /* never the padding: infinity is not less */
    const int lane = fr_key_lane(fr_f16_least(&distances));
    fr_f16_drop(&distances, lane);
    const int32_t candidate = bucket * FR_WIDE + lane;
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
  int level = 0;
  stack[0].node = 0;
  stack[0].d2 = fr_box_distances(s->q, s->tree->level[0]);
  while (level >= 0) {
    frame *at = &stack[level];
    if (!fr_f16_less(&at->d2, bound)) {
      level--;
      continue;
    }
    const int lane = fr_key_lane(fr_f16_least(&at->d2));
    const int32_t child = at->node * FR_WIDE + lane;
    fr_f16_drop(&at->d2, lane);
    if (level + 1 == s->tree->levels) {
      found = scan_bucket(s, child, k, found, limit2, &bound, position, d2);
    } else {
      at = &stack[++level];
      at->node = child;
      at->d2 = fr_box_distances(s->q, &s->tree->level[level][child]);
    }
  }
  return found;
}

/* As a walk: what is found is measured in double only at the end. @return -1 if that does not prove it the nearest. */
static int search_one(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2) {
  const fr_tree *tree = nn->state;
  const int last = tree->levels - 1;
  fr_walk w;
  if (!fr_walk_begin(&w, tree, query, limit2))
    return -1;
  while (w.level < last)
    fr_walk_enter(&w, tree);
  while (w.level >= 0) {
    if (!fr_f16_less(&w.left[w.level], w.bound))
      w.level--;
    else if (w.level < last)
      fr_walk_enter(&w, tree);
    else
      fr_walk_scan(&w, tree, 1);
  }
  if (w.position[0] < 0)
    return 0;
  const double reach = fr_walk_reach(&w);
  *position = w.position[0];
  *d2 = fr_distance2(query, nn->points[*position]);
  if (!(*d2 < reach * reach))
    return -1;
  return *d2 <= limit2;
}

int FR_FOR_ISA(fr_tree_nearest)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,
                                double *d2) {
  if (k == 1) {
    const int found = search_one(nn, query, limit2, position, d2);
    if (found >= 0)
      return found;
  }
  const search s = begin(nn, query);
  return search_tree(&s, k, limit2, position, d2);
}

/* The exact distances of one bucket. */
static inline int list_bucket(const search *s, int32_t bucket, unsigned mask, double limit2, int found,
                              int32_t *position, double *d2, int capacity) {
  for (; mask; mask &= mask - 1) {
    const int32_t candidate = bucket * FR_WIDE + __builtin_ctz(mask);
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
  const float bound = bound_of(&s, limit2);
  struct {
    int32_t number;
    int level; /* that of the tree's depth: a bucket */
  } stack[FR_TREE_DEPTH * FR_WIDE] = {{0, 0}};
  int found = 0;
  int top = 1;
  while (top > 0) {
    const int32_t number = stack[--top].number;
    const int level = stack[top].level;
    if (level == s.tree->levels) {
      const fr_f16 distances = fr_bucket_distances(s.q, s.tree->buckets[number]);
      const unsigned mask = fr_f16_less(&distances, bound);
      found = list_bucket(&s, number, mask, limit2, found, position, d2, capacity);
      continue;
    }
    const fr_f16 distances = fr_box_distances(s.q, &s.tree->level[level][number]);
    for (unsigned mask = fr_f16_less(&distances, bound); mask; mask &= mask - 1) {
      stack[top].number = number * FR_WIDE + __builtin_ctz(mask);
      stack[top++].level = level + 1;
    }
  }
  return found;
}
