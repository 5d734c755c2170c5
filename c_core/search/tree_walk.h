/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One query on its way through the bucketed tree, for the tree_*.c files.
 *
 * It keeps its nearest by squared distances in float. Query and points are rounded to float (unit u = 2^-24). A point p
 * at distance d of the query q has |p| <= |q| + d, so its computed distance c is at most d (1 + few u) + e and at least
 * (d - e) (1 - few u), with e = 2 sqrt(3) u |q|, and a little for the underflow of squares. What is nearer, measured in
 * double, than c - e for the last one kept is nearer than all that are not kept. Where this does not prove enough (a
 * tie of all that are kept, say) the query has to be searched another way.
 */
#ifndef FR_NN_WALK_H
#define FR_NN_WALK_H

#include "base/simd.h"
#include "search/tree.h"

#include <math.h>

#define FR_UNIT 5.9604644775390625e-8
#define FR_UNDERFLOW 1e-18 /* at most so far off is a distance whose square is less than any normal float */

/* Numbers only: fmax() and fmin(), which know NaN, are calls. */
static inline double fr_greater(double a, double b) {
  return a > b ? a : b;
}

static inline double fr_smaller(double a, double b) {
  return a < b ? a : b;
}

typedef struct fr_walk {
  float q[3];
  float bound; /* what is not nearer than this need not be looked at */
  float slack;
  float error; /* e */
  int level;
  int32_t node[FR_TREE_DEPTH]; /* on the way down, in its level */
  fr_f4 d2;                    /* ascending; the limit for what is not yet found */
  fr_i4 position;
  fr_f16 left[FR_TREE_DEPTH]; /* distances of each node's children still to be visited; NaN: done with */
} fr_walk;

/* How far off is what need not be looked at: for one neighbour, whose second is kept too and says whether the first is
 * certain, beyond (c + 2 e)^2 <= c^2 (1 + w) + 4 e^2 (1 + 1 / w) of the first one; w = 1/1000. */
#define FR_WALK_WIDEN 1.001F

static inline void fr_walk_bound(fr_walk *w, int kept) {
  if (kept == 1) {
    const float enough = w->d2[0] * FR_WALK_WIDEN + w->slack;
    w->bound = enough < w->d2[1] ? enough : w->d2[1];
  } else {
    w->bound = w->d2[kept - 1];
  }
}

/* Squared distances from the query to the boxes of a node's children. */
static inline fr_f16 fr_box_distances(const float q[3], const fr_tree_node *node) {
  fr_f16 sum;
  FR_LOOK(FR_WIDE);
  for (size_t i = 0; i < FR_PARTS; i++) {
    sum.part[i] = fr_v_set(0);
    for (int a = 0; a < 3; a++) {
      const fr_v below = fr_v_load(&node->low[a][i * FR_LANES]) - fr_v_set(q[a]);
      const fr_v above = fr_v_set(q[a]) - fr_v_load(&node->high[a][i * FR_LANES]);
      const fr_v d = fr_v_max(fr_v_max(below, above), fr_v_set(0));
      sum.part[i] += d * d;
    }
  }
  return sum;
}

static inline fr_f16 fr_bucket_distances(const float q[3], float (*bucket)[FR_WIDE]) {
  fr_f16 sum;
  FR_LOOK(FR_WIDE);
  for (size_t i = 0; i < FR_PARTS; i++) {
    const fr_v dx = fr_v_load(&bucket[0][i * FR_LANES]) - fr_v_set(q[0]);
    const fr_v dy = fr_v_load(&bucket[1][i * FR_LANES]) - fr_v_set(q[1]);
    const fr_v dz = fr_v_load(&bucket[2][i * FR_LANES]) - fr_v_set(q[2]);
    sum.part[i] = dx * dx + dy * dy + dz * dz;
  }
  return sum;
}

/* The largest coordinate of a query. */
static inline double fr_walk_reach_of(const double query[3]) {
  double reach = 0;
  for (int a = 0; a < 3; a++)
    reach = fr_greater(reach, fabs(query[a]));
  return reach;
}

/* Start at the root. @return 0 if floats tell too little to go this way; then there is no walk. */
static inline int fr_walk_begin(fr_walk *w, const fr_tree *tree, const double query[3], double limit2) {
  const double reach = fr_walk_reach_of(query);
  if (reach > FR_WALK_FAREST || tree->hard)
    return 0;
  const double e = 2 * 3 * FR_UNIT * reach + FR_UNDERFLOW; /* |q| <= sqrt(3) reach */
  const double slack = 4 * e * e * 1002;                   /* never zero: less than the bound is what is looked at */
  for (int a = 0; a < 3; a++)
    w->q[a] = (float)query[a];
  w->error = (float)(e * (1 + 1e-6));
  w->slack = (float)slack;
  w->bound = (float)(limit2 * (double)FR_WALK_WIDEN + slack);
  w->d2 = fr_f4_set(w->bound);
  w->position = fr_i4_set(-1);
  w->level = 0;
  w->node[0] = 0;
  w->left[0] = fr_box_distances(w->q, tree->level[0]);
  for (int l = 1; l < tree->levels; l++)
    w->left[l] = fr_f16_set(NAN);
  return 1;
}

/* The deepest level with something left to visit, -1 if there is none. */
static inline int fr_walk_deepest(const fr_walk *w, const fr_tree *tree) {
  unsigned levels = 1;
  for (int l = 0; l < tree->levels; l++)
    levels |= (unsigned)(fr_f16_less(&w->left[l], w->bound) != 0) << (l + 1);
  return 30 - __builtin_clz(levels);
}

/* The nearest child left of the node at the walk's level; it is done with. @return its number in the next level. */
static inline int32_t fr_walk_next(fr_walk *w) {
  fr_f16 *left = &w->left[w->level];
  const int lane = fr_key_lane(fr_f16_least(left));
  fr_f16_drop(left, lane);
  return w->node[w->level] * FR_WIDE + lane;
}

/* Go down one level. */
static inline void fr_walk_enter(fr_walk *w, const fr_tree *tree) {
  const int32_t child = fr_walk_next(w);
  w->level++;
  w->node[w->level] = child;
  w->left[w->level] = fr_box_distances(w->q, &tree->level[w->level][child]);
}

/* Keep a point if it is one of the nearest. */
static inline void fr_walk_insert(fr_walk *w, float d2, int32_t position, int kept) {
  const fr_f4 new = fr_f4_set(d2);
  const fr_f4 before = (fr_f4)fr_i4_shift((fr_i4)w->d2);
  const fr_i4 moved = fr_i4_select(new < before, fr_i4_shift(w->position), fr_i4_set(position));
  w->position = fr_i4_select(new < w->d2, moved, w->position);
  w->d2 = fr_f4_max(before, fr_f4_min(w->d2, new));
  fr_walk_bound(w, kept);
}

/* Look at a bucket below the walk's level, nearest point first. kept is a constant where this is inlined. */
static inline void fr_walk_scan(fr_walk *w, const fr_tree *tree, int kept) {
  const int32_t bucket = fr_walk_next(w);
  fr_f16 d2 = fr_bucket_distances(w->q, tree->buckets[bucket]);
  do { /* once in any case: often needed, and no branch to mispredict */
    const int32_t key = fr_f16_least(&d2);
    fr_f16_drop(&d2, fr_key_lane(key));
    fr_walk_insert(w, fr_key_value(key), bucket * FR_WIDE + fr_key_lane(key), kept);
  } while (fr_f16_less(&d2, w->bound)); /* never the padding: infinity is not less */
}

/* Not nearer than this is any point that is not kept, by its true distance. */
static inline double fr_walk_reach(const fr_walk *w) {
  return fr_greater(sqrt((double)w->bound) - (double)w->error, 0) * (1 - 2e-6);
}

#endif
