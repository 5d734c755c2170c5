/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building the bucketed tree. A range of buckets is halved four times, each time across the longest side of its box,
 * into up to sixteen children; every child but the last is full. The shape depends on the number of points only, so
 * each subtree knows beforehand where its nodes go, and subtrees can be built at the same time. When all points have
 * their places, boxes are measured from the buckets up.
 */
#include "search/tree.h"

#include "base/isa.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "search/tree_split.h"

#include <math.h>
#include <string.h>

#define PARALLEL_GRAIN 20000
#define BLOCK 256 /* buckets, when they are filled */
#define ULP 1.1920929e-7
#define STEPS 256       /* a range with fewer steps of a float is measured and split in double, ... */
#define SMALLEST 1e-30  /* ... and so is one as small as this */
#define HARD_STEPS 128  /* of a bucket; see fr_tree.hard */
#define HARD_SIZE 1e-16 /* squares underflow */
#define HARD_SHARE 16

typedef struct range {
  size_t first;   /* bucket */
  size_t buckets; /* at least 1 */
  double extent[3];
  int exact; /* floats tell too little */
} range;

typedef struct builder {
  const double (*points)[3];
  fr_record *records; /* in the place of the buckets */
  size_t count;
  fr_tree *tree;
  int32_t *order;
  fr_interrupt *interrupt;
  _Atomic size_t hard; /* buckets */
  /* The root's children, which may be few, and theirs: so much can be built in parallel. */
  range top[FR_WIDE];
  range second[FR_WIDE * FR_WIDE];
} builder;

static size_t end_of(const builder *b, const range *r) {
  const size_t end = (r->first + r->buckets) * FR_WIDE;
  return end < b->count ? end : b->count;
}

static int longest_axis(const double extent[3]) {
  const int axis = extent[1] > extent[0];
  return extent[2] > extent[axis] ? 2 : axis;
}

static double greater(double a, double b) {
  return a > b ? a : b;
}

static void measure_exactly(const builder *b, range *r) {
  double low[3] = {INFINITY, INFINITY, INFINITY};
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const size_t end = end_of(b, r);
  FR_LOOK(end - r->first * FR_WIDE);
  for (size_t i = r->first * FR_WIDE; i < end; i++)
    for (int a = 0; a < 3; a++) {
      const double x = b->points[b->records[i].id][a];
      low[a] = x < low[a] ? x : low[a];
      high[a] = x > high[a] ? x : high[a];
    }
  for (int a = 0; a < 3; a++)
    r->extent[a] = high[a] - low[a];
}

/* A record is four floats wide, so two vector instructions take it in; the fourth lane, the id, is not looked at. */
static void measure(const builder *b, range *r) {
  fr_f4 low = {INFINITY, INFINITY, INFINITY, INFINITY};
  fr_f4 high = -low;
  const size_t end = end_of(b, r);
  FR_LOOK(r->exact ? 0 : end - r->first * FR_WIDE);
  for (size_t i = r->first * FR_WIDE; i < end && !r->exact; i++) {
    fr_f4 x;
    memcpy(&x, &b->records[i], sizeof x);
    low = fr_f4_min(x, low);
    high = fr_f4_max(x, high);
  }
  double largest = 0;
  for (int a = 0; a < 3; a++) {
    r->extent[a] = (double)high[a] - (double)low[a];
    largest = greater(largest, greater((double)high[a], -(double)low[a]));
  }
  const double longest = r->extent[longest_axis(r->extent)];
  r->exact |= !(longest > STEPS * ULP * largest && longest > SMALLEST);
  if (r->exact)
    measure_exactly(b, r);
}

/* Give the right half to another range; the left one gets whole parts of so many buckets. */
static void halve(const builder *b, size_t part, range *left, range *right) {
  const int axis = longest_axis(left->extent);
  const size_t half = ((left->buckets + part - 1) / part + 1) / 2 * part;
  const size_t begin = left->first * FR_WIDE;
  fr_split_records(b->points, b->records + begin, end_of(b, left) - begin, half * FR_WIDE, axis, left->exact);
  right->first = left->first + half;
  right->buckets = left->buckets - half;
  right->exact = left->exact;
  left->buckets = half;
  measure(b, left);
  measure(b, right);
}

/* Buckets below each child of a node. */
static size_t buckets_below(const fr_tree *tree, int level) {
  return (size_t)1 << (4 * (tree->levels - level - 1));
}

/* Split the range of a node in that level, parts[0], into its children, in place of it. @return how many. */
static int split_range(const builder *b, int level, range parts[FR_WIDE], int thread) {
  const size_t part = buckets_below(b->tree, level);
  int count = 1;
  for (int round = 0; round < 4; round++)
    for (int i = count - 1; i >= 0; i--)
      if (parts[i].buckets > part && fr_interrupt_check(b->interrupt, thread) == FRICP_STOP_NONE)
        halve(b, part, &parts[i], &parts[count++]);
  return count;
}

static void split_subtree(const builder *b, int level, const range *whole, int thread) { // NOLINT(misc-no-recursion)
  range parts[FR_WIDE];
  parts[0] = *whole;
  const int count = split_range(b, level, parts, thread);
  for (int i = 0; i < count && level + 1 < b->tree->levels; i++)
    split_subtree(b, level + 1, &parts[i], thread);
}

static void split_top(void *context, size_t block, int thread) {
  builder *b = context;
  range *parts = b->second + block * FR_WIDE;
  parts[0] = b->top[block];
  for (int i = split_range(b, 1, parts, thread); i < FR_WIDE; i++)
    parts[i].buckets = 0;
}

static void split_second(void *context, size_t block, int thread) {
  const builder *b = context;
  if (b->second[block].buckets > 0)
    split_subtree(b, 2, &b->second[block], thread);
}

static void split_all(builder *b, int threads) {
  b->top[0] = (range){0, b->tree->bucket_count, {0}, 0};
  measure(b, &b->top[0]);
  const size_t count = (size_t)split_range(b, 0, b->top, 0);
  if (b->tree->levels > 1)
    fr_parallel_for(threads, count, split_top, b, b->interrupt);
  if (b->tree->levels > 2)
    fr_parallel_for(threads, count * FR_WIDE, split_second, b, b->interrupt);
}

/* ---- Buckets and boxes ---- */

typedef struct box {
  double low[3];
  double high[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void put_box(fr_tree *tree, int level, size_t child, const box *m) {
  fr_tree_node *node = &tree->level[level][child / FR_WIDE];
  fr_tree_exact_node *exact = &tree->exact[level][child / FR_WIDE];
  for (int a = 0; a < 3; a++) {
    exact->low[a][child % FR_WIDE] = m->low[a];
    exact->high[a][child % FR_WIDE] = m->high[a];
    node->low[a][child % FR_WIDE] = isinf(m->low[a]) ? INFINITY : fr_tree_coordinate(m->low[a]);
    node->high[a][child % FR_WIDE] = isinf(m->low[a]) ? -INFINITY : fr_tree_coordinate(m->high[a]);
  }
}

/* The records of a bucket become its coordinates, in the same place. */
static void fill_bucket(const builder *b, size_t bucket, box *m) {
  fr_record r[FR_WIDE];
  float(*x)[FR_WIDE] = b->tree->buckets[bucket];
  memcpy(r, x, sizeof r);
  *m = nothing;
  for (size_t lane = 0; lane < FR_WIDE; lane++) {
    const int used = bucket * FR_WIDE + lane < b->count;
    const double *p = used ? b->points[r[lane].id] : NULL;
    if (used)
      b->order[bucket * FR_WIDE + lane] = r[lane].id;
    for (int a = 0; a < 3; a++) {
      x[a][lane] = used ? fr_tree_coordinate(p[a]) : INFINITY;
      if (!used)
        continue;
      m->low[a] = p[a] < m->low[a] ? p[a] : m->low[a];
      m->high[a] = p[a] > m->high[a] ? p[a] : m->high[a];
    }
  }
}

/* Have the floats too few steps to tell the points of a bucket that queries in floats come near? */
static int is_hard(const box *m) {
  double largest = 0;
  double longest = 0;
  for (int a = 0; a < 3; a++) {
    largest = greater(largest, greater(m->high[a], -m->low[a]));
    longest = greater(longest, m->high[a] - m->low[a]);
  }
  return largest <= FR_WALK_FAREST && longest <= HARD_STEPS * ULP * largest + HARD_SIZE;
}

static void fill_block(void *context, size_t block, int thread) {
  builder *b = context;
  size_t hard = 0;
  (void)thread;
  for (size_t i = block * BLOCK; i < (block + 1) * BLOCK && i < b->tree->bucket_count; i++) {
    box m;
    fill_bucket(b, i, &m);
    hard += (size_t)is_hard(&m);
    put_box(b->tree, b->tree->levels - 1, i, &m);
  }
  b->hard += hard;
}

/* The box of all children of a node. */
static box box_of(const fr_tree_exact_node *node) {
  box m = nothing;
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < FR_WIDE; i++) {
      m.low[a] = node->low[a][i] < m.low[a] ? node->low[a][i] : m.low[a];
      m.high[a] = node->high[a][i] > m.high[a] ? node->high[a][i] : m.high[a];
    }
  return m;
}

static size_t nodes_of(const fr_tree *tree, int level) {
  const size_t below = FR_WIDE * buckets_below(tree, level);
  return (tree->bucket_count + below - 1) / below;
}

static void fill_all(builder *b, int threads) {
  fr_tree *tree = b->tree;
  const int last = tree->levels - 1;
  fr_parallel_for(threads, (tree->bucket_count + BLOCK - 1) / BLOCK, fill_block, b, b->interrupt);
  for (int level = last; level >= 0; level--) {
    size_t children = tree->bucket_count;
    if (level < last) {
      children = nodes_of(tree, level + 1);
      for (size_t i = 0; i < children; i++) {
        const box m = box_of(&tree->exact[level + 1][i]);
        put_box(tree, level, i, &m);
      }
    }
    for (; children % FR_WIDE != 0; children++)
      put_box(tree, level, children, &nothing);
  }
  tree->hard = b->hard * HARD_SHARE > tree->bucket_count;
}

/* ---- The back end ---- */

static void destroy(fr_nn *nn) {
  fr_tree *tree = nn->state;
  if (!tree)
    return;
  fr_release(nn->memory, tree->exact[0]);
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
    start[l] = tree->node_count;
    tree->node_count += nodes_of(tree, l);
  }
  tree->level[0] = fr_allocate(memory, tree->node_count, sizeof *tree->level[0]);
  tree->exact[0] = fr_allocate(memory, tree->node_count, sizeof *tree->exact[0]);
  for (int l = 1; l < tree->levels && tree->level[0] && tree->exact[0]; l++) {
    tree->level[l] = tree->level[0] + start[l];
    tree->exact[l] = tree->exact[0] + start[l];
  }
  tree->buckets = fr_allocate(memory, tree->bucket_count, sizeof *tree->buckets);
  return tree;
}

static int fill_records(const builder *b) {
  for (size_t i = 0; i < b->count; i++) {
    if (fr_interrupt_each(b->interrupt, i))
      return -1;
    b->records[i].id = (int32_t)i;
    for (int a = 0; a < 3; a++)
      b->records[i].x[a] = fr_tree_coordinate(b->points[i][a]);
  }
  return 0;
}

static fricp_status build(fr_nn *nn, int32_t *order, int threads, fricp_error *error) {
  builder b = {.points = nn->points, .count = nn->count, .order = order, .interrupt = nn->interrupt};
  nn->state = b.tree = allocate_tree(nn->memory, nn->count);
  if (!b.tree || !b.tree->level[0] || !b.tree->exact[0] || !b.tree->buckets) {
    destroy(nn);
    return fr_out_of_memory(error, "the index of the target", nn->count);
  }
  b.records = (fr_record *)(void *)b.tree->buckets;
  threads = fr_thread_count(threads, nn->count, PARALLEL_GRAIN);
  if (fill_records(&b) == 0)
    split_all(&b, threads);
  if (fr_interrupt_check(b.interrupt, 0) == FRICP_STOP_NONE)
    fill_all(&b, threads);
  if (fr_interrupt_reason(b.interrupt) != FRICP_STOP_NONE) {
    destroy(nn);
    return fr_interrupted(b.interrupt, "while the index was built", error);
  }
  nn->bytes = b.tree->node_count * (sizeof(fr_tree_node) + sizeof(fr_tree_exact_node)) +
              b.tree->bucket_count * sizeof *b.tree->buckets;
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

static void nearest_own(const fr_nn *nn, fr_nn_own *own) {
  FR_PICK(fr_best_isa(), fr_tree_own)(nn, own);
}

const fr_nn_ops fr_nn_tree = {"tree", 1, 1, build, destroy, nearest, NULL, nearest_packet, within, nearest_own};
