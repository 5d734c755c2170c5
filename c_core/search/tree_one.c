/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search of the bucketed tree, one query at a time. Compiled once for each instruction set (FR_ISA).
 *
 * Rounding. Query and points are rounded to float (unit u = 2^-24). A point p at distance d of the query q has
 * |p| <= |q| + d, so its computed distance is at most d (1 + few u) + e with e = 2 sqrt(3) u |q|, and its square at
 * most d^2 (1 + w) + e^2 (1 + 1 / w) for any w > 0 that is more than a few u. What is within that for the best d so far
 * is measured again in double: no true neighbour is missed, and no square root is needed to move the bound.
 */
#include "search/tree_walk.h"

#define WIDEN 1e-3
#define GIVE_UP 32 /* buckets, and one more for each neighbour: what looks at more is searched in double */

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

static inline search begin(const fr_nn *nn, const double query[3]) {
  search s = {.nn = nn, .tree = nn->state, .query = query};
  for (int a = 0; a < 3; a++)
    s.q[a] = fr_tree_coordinate(query[a]);
  const double e = 2 * 3 * FR_UNIT * fr_walk_reach_of(query) + FR_UNDERFLOW; /* |q| <= sqrt(3) reach */
  s.widen = 1 + WIDEN;
  s.slack = e * e * (1 + 1 / WIDEN);
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

/* Depth first, always on to the nearest child that is left. @return how many were found, -1 if it gives up. */
static inline int search_tree(const search *s, int k, double limit2, int32_t *position, double *d2) {
  frame stack[FR_TREE_DEPTH];
  float bound = bound_of(s, limit2);
  int left = GIVE_UP + k;
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
      if (--left < 0)
        return -1;
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
  int left = GIVE_UP;
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
    else if (--left < 0)
      return -1;
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

/* Several, a bucket at a time. @return -1 if floats do not serve. */
static int search_some(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  const fr_tree *tree = nn->state;
  if (tree->hard || k >= FR_NN_HEAP || fr_walk_reach_of(query) > FR_WALK_FAREST)
    return -1;
  const search s = begin(nn, query);
  return search_tree(&s, k, limit2, position, d2);
}

int FR_FOR_ISA(fr_tree_nearest)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,
                                double *d2) {
  const int found =
      k == 1 ? search_one(nn, query, limit2, position, d2) : search_some(nn, query, k, limit2, position, d2);
  return found >= 0 ? found : FR_FOR_ISA(fr_tree_exact)(nn, query, k, limit2, position, d2);
}
