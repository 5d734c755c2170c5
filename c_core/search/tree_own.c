/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nearest neighbours of the tree's own points, those of a bucket at once. Compiled once for each instruction set
 * (FR_ISA).
 *
 * The points of a bucket lie close together, so one walk gathers what any of them can need: every bucket whose box is
 * within a guessed distance of the box of theirs. Whoever has k of what was gathered within that distance has all of its
 * k nearest among them. Which ones these are is a selection: distances grow with the area, so that a guess at the k-th
 * from a count of those below is close after two or three of them, and nothing has to be sorted.
 *
 * All of it is in double and needs no proof, for the reason that tree_exact.c gives: computed distances of points are
 * never less than those of their boxes.
 */
#include "base/simd.h"
#include "base/simd_pack.h"
#include "search/tree.h"

#include <float.h>
#include <math.h>

#define MOST 2048 /* points gathered: more means that the distance is too long a guess */
#define TRIES 6   /* then one at a time */
#define WIDER 1.6 /* the squared distance of each try over that of the one before */
#define SPARE 1.1 /* of the squared distance of the k-th of one point over that of the point before */
#define ROUNDS 16 /* of the selection: then what is left, ties among it, goes by insertion */

typedef struct crowd {
  int count; /* a multiple of FR_WIDE */
  int32_t bucket[MOST / FR_WIDE];
  double low[3][MOST / FR_WIDE]; /* their boxes */
  double high[3][MOST / FR_WIDE];
  double x[3][MOST]; /* lanes past the end are +infinity */
} crowd;

typedef struct box {
  const double (*low)[FR_WIDE];
  const double (*high)[FR_WIDE];
  int lane;
} box;

/* The children of a node that are at most so far from a box. */
static inline unsigned children_near(const fr_tree_exact_node *node, const box *b, double limit2) {
  unsigned more = 0;
  for (int i = 0; i < FR_WIDE; i += 8) {
    fr_d8 d2 = fr_d8_set(0);
    for (int a = 0; a < 3; a++) {
      const fr_d8 above = fr_d8_load(node->low[a] + i) - fr_d8_set(b->high[a][b->lane]);
      const fr_d8 below = fr_d8_set(b->low[a][b->lane]) - fr_d8_load(node->high[a] + i);
      const fr_d8 d = fr_d8_max(fr_d8_max(above, below), fr_d8_set(0));
      d2 += d * d;
    }
    more |= fr_d8_less(fr_d8_set(limit2), d2) << i;
  }
  return ~more & ((1U << FR_WIDE) - 1);
}

static void add_bucket(const fr_nn *nn, int32_t bucket, crowd *c) {
  const size_t first = (size_t)bucket * FR_WIDE;
  const int used = nn->count - first < FR_WIDE ? (int)(nn->count - first) : FR_WIDE;
  const double(*p)[3] = nn->points + first;
  const fr_tree *tree = nn->state;
  const fr_tree_exact_node *node = &tree->exact[tree->levels - 1][bucket / FR_WIDE];
  const int number = c->count / FR_WIDE;
  c->bucket[number] = bucket;
  for (int a = 0; a < 3; a++) {
    c->low[a][number] = node->low[a][bucket % FR_WIDE];
    c->high[a][number] = node->high[a][bucket % FR_WIDE];
  }
  for (int a = 0; a < 3; a++) {
    double *x = c->x[a] + c->count;
    for (int i = 0; i < used; i++)
      x[i] = p[i][a];
    for (int i = used; i < FR_WIDE; i++)
      x[i] = INFINITY;
  }
  c->count += FR_WIDE;
}

/* Every bucket at most so far from the box. @return 0 if they are too many. */
static int gather(const fr_nn *nn, const box *around, double limit2, crowd *c) {
  const fr_tree *tree = nn->state;
  unsigned left[FR_TREE_DEPTH];
  int32_t node[FR_TREE_DEPTH];
  int level = 0;
  limit2 = limit2 < DBL_MAX ? limit2 : DBL_MAX; /* never an unused child: infinity is more */
  node[0] = 0;
  left[0] = children_near(tree->exact[0], around, limit2);
  c->count = 0;
  while (level >= 0) {
    if (!left[level]) {
      level--;
      continue;
    }
    const int32_t child = node[level] * FR_WIDE + __builtin_ctz(left[level]);
    left[level] &= left[level] - 1;
    if (level + 1 < tree->levels) {
      level++;
      node[level] = child;
      left[level] = children_near(&tree->exact[level][child], around, limit2);
    } else if ((size_t)child < tree->bucket_count) {
      if (c->count == MOST)
        return 0;
      add_bucket(nn, child, c);
    }
  }
  return 1;
}

typedef struct kept {
  int count;
  double d2[MOST + 8];
  int32_t position[MOST + 8];
} kept;

/* Those of eight buckets, from `first` on, that are at most so far. */
static inline unsigned buckets_near(const crowd *c, int first, const fr_d8 q[3], fr_d8 limit) {
  fr_d8 d2 = fr_d8_set(0);
  for (int a = 0; a < 3; a++) {
    const fr_d8 below = fr_d8_load(c->low[a] + first) - q[a];
    const fr_d8 above = q[a] - fr_d8_load(c->high[a] + first);
    const fr_d8 d = fr_d8_max(fr_d8_max(below, above), fr_d8_set(0));
    d2 += d * d;
  }
  const int left = c->count / FR_WIDE - first;
  return ~fr_d8_less(limit, d2) & (left < 8 ? (1U << left) - 1 : 0xff);
}

/* What of eight points of the crowd, from i on, is at most so far. @return how many are kept then. */
static inline int keep_eight(const crowd *c, int i, const fr_d8 q[3], fr_d8 limit, int count, kept *near) {
  const fr_d8 dx = q[0] - fr_d8_load(c->x[0] + i);
  const fr_d8 dy = q[1] - fr_d8_load(c->x[1] + i);
  const fr_d8 dz = q[2] - fr_d8_load(c->x[2] + i);
  const fr_d8 d2 = dx * dx + dy * dy + dz * dz;
  const unsigned some = ~fr_d8_less(limit, d2) & 0xff;
  const int32_t first = c->bucket[i / FR_WIDE] * FR_WIDE + i % FR_WIDE;
  return count + fr_pack_values(near->d2 + count, near->position + count, d2, first, some);
}

/* What of the crowd is at most so far; then eight times infinity. */
static inline void keep_near(const crowd *c, const double q[3], double limit2, kept *near) {
  const fr_d8 limit = fr_d8_set(limit2);
  const fr_d8 query[3] = {fr_d8_set(q[0]), fr_d8_set(q[1]), fr_d8_set(q[2])};
  int count = 0;
  for (int first = 0; first * FR_WIDE < c->count; first += 8)
    for (unsigned left = buckets_near(c, first, query, limit); left; left &= left - 1) {
      const int i = (first + __builtin_ctz(left)) * FR_WIDE;
      count = keep_eight(c, i, query, limit, count, near);
      count = keep_eight(c, i + 8, query, limit, count, near);
    }
  near->count = count;
  fr_d8_store(near->d2 + count, fr_d8_set(INFINITY));
}

/* Of eight, from i on. */
static inline unsigned at_most(const kept *near, int i, fr_d8 limit2) {
  return ~fr_d8_less(limit2, fr_d8_load(near->d2 + i)) & 0xff;
}

static inline int count_at_most(const kept *near, double limit2) {
  const fr_d8 limit = fr_d8_set(limit2);
  int count = 0;
  for (int i = 0; i < near->count; i += 8)
    count += __builtin_popcount(at_most(near, i, limit));
  return count;
}

/* The k nearest of what is kept, ties by the caller's index. @return about the squared distance of the k-th,
 * no less than it. */
static double select_nearest(const fr_nn *nn, const kept *near, int k, double limit2, int32_t *position) {
  double low = -1; /* too little, with `below` at most so far; and enough, with `within` */
  double high = limit2;
  int below = 0;
  int within = near->count;
  for (int i = 0; i < ROUNDS && within > k; i++) {
    const double base = low > 0 ? low : 0;
    const double middle = base + (high - base) * (k - below + 0.5) / (within - below + 1);
    const int count = count_at_most(near, middle);
    if (count >= k) {
      high = middle;
      within = count;
    } else {
      low = middle;
      below = count;
    }
  }
  double d2[FR_NN_MAX_K];
  int taken = 0;
  int found = 0;
  const int sure = within == k ? k : below;
  const fr_d8 most = fr_d8_set(within == k ? high : low);
  for (int i = 0; taken < sure; i += 8)
    taken += fr_pack_numbers(position + taken, near->position + i, at_most(near, i, most));
  if (within == k)
    return high;
  for (int i = 0; i < near->count; i++)
    if (near->d2[i] > low && near->d2[i] <= high)
      found = fr_nn_insert(nn, near->position[i], near->d2[i], k - below, found, position + below, d2);
  return high;
}

static double search_one(const fr_nn *nn, size_t at, int k, int32_t *position) {
  double d2[FR_NN_MAX_K] = {0};
  const int found = FR_FOR_ISA(fr_tree_nearest)(nn, nn->points[at], k, INFINITY, position, d2);
  return found > 0 ? d2[found - 1] : 0;
}

/* Those of the points left that have k of the crowd within the limit. @return the others. */
static unsigned search_crowd(const fr_nn *nn, fr_nn_own *own, const crowd *c, double limit2, unsigned left) {
  kept near;
  unsigned open = 0;
  double last2 = own->reach2; /* of the point before */
  for (; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const double *q = nn->points[own->first + (size_t)i];
    const double tried2 = last2 * 1.25 < limit2 ? last2 * 1.25 : limit2;
    double within2 = tried2;
    keep_near(c, q, within2, &near);
    if (near.count < own->k && tried2 < limit2)
      keep_near(c, q, within2 = limit2, &near);
    if (near.count < own->k) {
      open |= 1U << i;
      continue;
    }
    last2 = select_nearest(nn, &near, own->k, within2, own->position[i]);
    own->reach2 = last2 > own->reach2 ? last2 : own->reach2;
  }
  return open;
}

void FR_FOR_ISA(fr_tree_own)(const fr_nn *nn, fr_nn_own *own) {
  const fr_tree *tree = nn->state;
  const size_t bucket = own->first / FR_WIDE;
  const fr_tree_exact_node *node = &tree->exact[tree->levels - 1][bucket / FR_WIDE];
  const box around = {node->low, node->high, (int)(bucket % FR_WIDE)};
  unsigned left = own->wanted;
  double limit2 = own->reach2 * SPARE;
  own->reach2 = 0;
  crowd c;
  for (int i = 0; i < TRIES && left; i++) {
    if (!(limit2 > 0) || !gather(nn, &around, limit2, &c)) {
      const int first = __builtin_ctz(left);
      own->reach2 = search_one(nn, own->first + (size_t)first, own->k, own->position[first]);
      limit2 = own->reach2;
      left &= left - 1;
      continue;
    }
    left = search_crowd(nn, own, &c, limit2, left);
    limit2 *= WIDER;
  }
  for (; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    own->reach2 = search_one(nn, own->first + (size_t)i, own->k, own->position[i]);
  }
}
