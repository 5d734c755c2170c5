/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building the bucketed tree. A range of buckets is halved four times, each time across the longest side of its box,
 * into up to sixteen children; every child but the last is full. The shape depends on the number of points only, so
 * each subtree knows beforehand where its nodes go, and subtrees can be built at the same time.
 */
#include "nn_tree.h"

#include "isa.h"
#include "median.h"
#include "parallel.h"
#include "simd.h"

#include <math.h>
#include <string.h>

#define PARALLEL_GRAIN 20000
#define SAMPLE ((size_t)64)

typedef struct record {
  float x[3];
  int32_t id;
} record;

typedef struct box {
  float low[3];
  float high[3];
} box;

typedef struct range {
  size_t first;   /* bucket */
  size_t buckets; /* at least 1 */
  box bounds;
} range;

typedef struct builder {
  record *records; /* in the place of the buckets */
  size_t count;
  fr_tree *tree;
  fr_interrupt *interrupt;
  /* The root's children, which may be few, and theirs: so much can be built in parallel. */
  range top[FR_WIDE];
  range second[FR_WIDE * FR_WIDE];
} builder;

static size_t end_of(const builder *b, const range *r) {
  const size_t end = (r->first + r->buckets) * FR_WIDE;
  return end < b->count ? end : b->count;
}

/* A record is four floats wide, so two vector instructions take it in; the fourth lane, the id, is not looked at. */
static void measure(const builder *b, range *r) {
  fr_f4 low = {INFINITY, INFINITY, INFINITY, INFINITY};
  fr_f4 high = -low;
  const size_t end = end_of(b, r);
  for (size_t i = r->first * FR_WIDE; i < end; i++) {
    fr_f4 x;
    memcpy(&x, &b->records[i], sizeof x);
    low = fr_f4_min(x, low);
    high = fr_f4_max(x, high);
  }
  for (int a = 0; a < 3; a++) {
    r->bounds.low[a] = low[a];
    r->bounds.high[a] = high[a];
  }
}

static int longest_axis(const box *m) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (m->high[a] - m->low[a] > m->high[axis] - m->low[axis])
      axis = a;
  return axis;
}

static float middle_of(float a, float b, float c) {
  const float low = a < b ? a : b;
  const float high = a < b ? b : a;
  return c < low ? low : (c > high ? high : c);
}

/* A pivot likely to lie just beyond `rank` (of count), so that one partition leaves a small rest: from a sample. */
static float pivot_for(const record *v, size_t count, size_t rank, int axis) {
  if (count < 4 * SAMPLE)
    return middle_of(v[0].x[axis], v[count / 2].x[axis], v[count - 1].x[axis]);
  double sample[SAMPLE];
  for (size_t i = 0; i < SAMPLE; i++)
    sample[i] = (double)v[(2 * i + 1) * count / (2 * SAMPLE)].x[axis];
  const size_t at = rank * SAMPLE / count;
  fr_select(sample, SAMPLE, at);
  return (float)sample[at];
}

/* Records less than the pivot (or_equal: at most) go first, without a branch to mispredict. @return how many. */
static size_t partition(record *v, size_t count, float pivot, int or_equal, int axis) {
  size_t less = 0;
  for (size_t i = 0; i < count; i++) {
    const record r = v[i];
    v[i] = v[less];
    v[less] = r;
    less += (size_t)((r.x[axis] < pivot) | (or_equal & (r.x[axis] == pivot)));
  }
  return less;
}

/* Selection: afterwards no record before `rank` is greater along the axis than any from `rank` on. */
static void split_records(record *v, size_t count, size_t rank, int axis) {
  while (count > 1) {
    const float pivot = pivot_for(v, count, rank, axis);
    const size_t less = partition(v, count, pivot, 0, axis);
    if (rank < less) {
      count = less;
      continue;
    }
    if (rank == less)
      return;
    const size_t not_greater = less + partition(v + less, count - less, pivot, 1, axis);
    if (rank <= not_greater)
      return;
    v += not_greater;
    count -= not_greater;
    rank -= not_greater;
  }
}

/* Give the right half to another range; the left one gets whole parts of so many buckets. */
static void halve(const builder *b, size_t part, range *left, range *right) {
  const int axis = longest_axis(&left->bounds);
  const size_t half = ((left->buckets + part - 1) / part + 1) / 2 * part;
  const size_t begin = left->first * FR_WIDE;
  split_records(b->records + begin, end_of(b, left) - begin, half * FR_WIDE, axis);
  right->first = left->first + half;
  right->buckets = left->buckets - half;
  left->buckets = half;
  measure(b, left);
  measure(b, right);
}

/* Split a range into at most sixteen of `part` buckets each, in place of parts[0]. @return how many. */
static int split_range(const builder *b, size_t part, range parts[FR_WIDE], int thread) {
  int count = 1;
  for (int round = 0; round < 4; round++)
    for (int i = count - 1; i >= 0; i--)
      if (parts[i].buckets > part && fr_interrupt_check(b->interrupt, thread) == FRICP_STOP_NONE)
        halve(b, part, &parts[i], &parts[count++]);
  return count;
}

/* Buckets below each child of a node. */
static size_t buckets_below(const fr_tree *tree, int level) {
  return (size_t)1 << (4 * (tree->levels - level - 1));
}

/* Fill the node that holds all of parts[0], which becomes its children. @return how many there are. */
static int fill_node(const builder *b, int level, range parts[FR_WIDE], int thread) {
  const size_t part = buckets_below(b->tree, level);
  const size_t first = parts[0].first / part;
  fr_tree_node *node = &b->tree->level[level][first / FR_WIDE];
  const int count = split_range(b, part, parts, thread);
  for (int i = count; i < FR_WIDE; i++)
    for (int a = 0; a < 3; a++) {
      node->low[a][i] = INFINITY;
      node->high[a][i] = -INFINITY;
    }
  for (int i = 0; i < count; i++)
    for (int a = 0; a < 3; a++) {
      node->low[a][parts[i].first / part - first] = parts[i].bounds.low[a];
      node->high[a][parts[i].first / part - first] = parts[i].bounds.high[a];
    }
  return count;
}

static void build_subtree(const builder *b, int level, const range *whole, int thread) { // NOLINT(misc-no-recursion)
  range parts[FR_WIDE];
  parts[0] = *whole;
  const int count = fill_node(b, level, parts, thread);
  for (int i = 0; i < count && level + 1 < b->tree->levels; i++)
    build_subtree(b, level + 1, &parts[i], thread);
}

static void split_top(void *context, size_t block, int thread) {
  builder *b = context;
  range *parts = b->second + block * FR_WIDE;
  parts[0] = b->top[block];
  for (int i = fill_node(b, 1, parts, thread); i < FR_WIDE; i++)
    parts[i].buckets = 0;
}

static void build_second(void *context, size_t block, int thread) {
  const builder *b = context;
  if (b->second[block].buckets > 0)
    build_subtree(b, 2, &b->second[block], thread);
}

static void build_nodes(builder *b, int threads) {
  const int used = fr_thread_count(threads, b->count, PARALLEL_GRAIN);
  b->top[0] = (range){0, b->tree->bucket_count, {{0}, {0}}};
  measure(b, &b->top[0]);
  memcpy(b->tree->low, b->top[0].bounds.low, sizeof b->tree->low);
  memcpy(b->tree->high, b->top[0].bounds.high, sizeof b->tree->high);
  const size_t count = (size_t)fill_node(b, 0, b->top, 0);
  if (b->tree->levels > 1)
    fr_parallel_for(used, count, split_top, b, b->interrupt);
  if (b->tree->levels > 2)
    fr_parallel_for(used, count * FR_WIDE, build_second, b, b->interrupt);
}

/* The records of each bucket become its coordinates, in the same place. */
static void transpose_records(const builder *b, int32_t *order) {
  for (size_t i = 0; i < b->tree->bucket_count; i++) {
    record r[FR_WIDE];
    memcpy(r, b->tree->buckets[i], sizeof r);
    for (size_t lane = 0; lane < FR_WIDE; lane++) {
      const int used = i * FR_WIDE + lane < b->count;
      for (int a = 0; a < 3; a++)
        b->tree->buckets[i][a][lane] = used ? r[lane].x[a] : INFINITY;
      if (used)
        order[i * FR_WIDE + lane] = r[lane].id;
    }
  }
}

static void fill_records(builder *b, const double (*points)[3]) {
  for (size_t i = 0; i < b->count; i++) {
    b->records[i].id = (int32_t)i;
    for (int a = 0; a < 3; a++)
      b->records[i].x[a] = fr_tree_coordinate(points[i][a]);
  }
}

static void destroy(fr_nn *nn) {
  fr_tree *tree = nn->state;
  if (!tree)
    return;
  fr_release(nn->memory, tree->level[0]);
  fr_release(nn->memory, tree->buckets);
  fr_release(nn->memory, tree);
  nn->state = NULL;
}

static fr_tree *allocate_tree(const fr_memory *memory, size_t count) {
  fr_tree *tree = fr_allocate(memory, 1, sizeof *tree);
  if (!tree)
    return NULL;
  memset(tree, 0, sizeof *tree);
  tree->bucket_count = (count + FR_WIDE - 1) / FR_WIDE;
  tree->levels = 1;
  while (FR_WIDE * buckets_below(tree, 0) < tree->bucket_count)
    tree->levels++;
  size_t start[FR_TREE_DEPTH];
  for (int l = 0; l < tree->levels; l++) {
    const size_t below = FR_WIDE * buckets_below(tree, l);
    start[l] = tree->node_count;
    tree->node_count += (tree->bucket_count + below - 1) / below;
  }
  tree->level[0] = fr_allocate(memory, tree->node_count, sizeof *tree->level[0]);
  for (int l = 1; l < tree->levels && tree->level[0]; l++)
    tree->level[l] = tree->level[0] + start[l];
  tree->buckets = fr_allocate(memory, tree->bucket_count, sizeof *tree->buckets);
  return tree;
}

static fricp_status build(fr_nn *nn, int32_t *order, int threads, fricp_error *error) {
  builder b;
  b.count = nn->count;
  b.interrupt = nn->interrupt;
  nn->state = b.tree = allocate_tree(nn->memory, nn->count);
  if (!b.tree || !b.tree->level[0] || !b.tree->buckets) {
    destroy(nn);
    return fr_out_of_memory(error, "the index of the target", nn->count);
  }
  b.records = (record *)(void *)b.tree->buckets;
  fill_records(&b, nn->points);
  build_nodes(&b, threads);
  if (fr_interrupt_check(b.interrupt, 0) != FRICP_STOP_NONE) {
    destroy(nn);
    return fr_interrupted(b.interrupt, "while the index was built", error);
  }
  transpose_records(&b, order);
  nn->bytes = b.tree->node_count * sizeof(fr_tree_node) + b.tree->bucket_count * sizeof *b.tree->buckets;
  return FRICP_OK;
}

static int nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2) {
  return FR_PICK(fr_best_isa(), fr_tree_nearest)(nn, query, k, limit2, position, d2);
}

static int nearest_packet(const fr_nn *nn, fr_nn_packet *packet) {
  return FR_PICK(fr_best_isa(), fr_tree_packet)(nn, packet);
}

static int within(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2, int capacity) {
  return FR_PICK(fr_best_isa(), fr_tree_within)(nn, query, limit2, position, d2, capacity);
}

const fr_nn_ops fr_nn_tree = {"tree", 1, 1, build, destroy, nearest, NULL, nearest_packet, within};
