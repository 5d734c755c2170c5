/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building the bucketed tree. A range of buckets is halved three times, each time across the longest side of its box at
 * the median, into up to eight children; every bucket but the last is full. The shape depends on the number of points
 * only, so each subtree knows beforehand where its nodes go, and subtrees can be built at the same time.
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
  record *records;
  size_t count;
  fr_tree *tree;
  range top[FR_BUCKET]; /* the root's children, for building them in parallel */
  int32_t top_node[FR_BUCKET];
} builder;

static size_t end_of(const builder *b, const range *r) {
  const size_t end = (r->first + r->buckets) * FR_BUCKET;
  return end < b->count ? end : b->count;
}

/* A record is four floats wide, so two vector instructions take it in; the fourth lane, the id, is not looked at. */
static void measure(const builder *b, range *r) {
  fr_f4 low = {INFINITY, INFINITY, INFINITY, INFINITY};
  fr_f4 high = -low;
  const size_t end = end_of(b, r);
  for (size_t i = r->first * FR_BUCKET; i < end; i++) {
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

static void halve(const builder *b, range *left, range *right) {
  const int axis = longest_axis(&left->bounds);
  const size_t half = (left->buckets + 1) / 2;
  const size_t begin = left->first * FR_BUCKET;
  split_records(b->records + begin, end_of(b, left) - begin, half * FR_BUCKET, axis);
  right->first = left->first + half;
  right->buckets = left->buckets - half;
  left->buckets = half;
  measure(b, left);
  measure(b, right);
}

/* Split a range into at most eight, in place of parts[0]. @return how many. */
static int split_eightfold(const builder *b, range parts[FR_BUCKET]) {
  int count = 1;
  for (int round = 0; round < 3; round++)
    for (int i = count - 1; i >= 0; i--)
      if (parts[i].buckets > 1)
        halve(b, &parts[i], &parts[count++]);
  return count;
}

/* Nodes of a subtree over so many buckets; 0 for a single one, which is a leaf. */
static size_t nodes_for(size_t buckets) {
  if (buckets <= 1)
    return 0;
  size_t part[FR_BUCKET] = {buckets};
  int count = 1;
  for (int round = 0; round < 3; round++)
    for (int i = count - 1; i >= 0; i--)
      if (part[i] > 1) {
        part[count++] = part[i] - (part[i] + 1) / 2;
        part[i] = (part[i] + 1) / 2;
      }
  size_t nodes = 1;
  for (int i = 0; i < count; i++)
    nodes += nodes_for(part[i]);
  return nodes;
}

static void set_child(fr_tree_node *node, int slot, const box *bounds, int32_t child) {
  for (int a = 0; a < 3; a++) {
    node->low[a][slot] = bounds ? bounds->low[a] : INFINITY;
    node->high[a][slot] = bounds ? bounds->high[a] : -INFINITY;
  }
  node->child[slot] = child;
}

/* Fill node `at` from its children's ranges; on return next[i] is the node of child i, or -1 for a bucket. */
static int fill_node(const builder *b, size_t at, range parts[FR_BUCKET], int32_t next[FR_BUCKET]) {
  fr_tree_node *node = &b->tree->nodes[at];
  const int count = split_eightfold(b, parts);
  size_t free_node = at + 1;
  for (int i = 0; i < FR_BUCKET; i++) {
    if (i >= count) {
      set_child(node, i, NULL, FR_NO_CHILD);
      continue;
    }
    const int leaf = parts[i].buckets == 1;
    next[i] = leaf ? -1 : (int32_t)free_node;
    set_child(node, i, &parts[i].bounds, leaf ? ~(int32_t)parts[i].first : next[i]);
    free_node += nodes_for(parts[i].buckets);
  }
  return count;
}

static void build_subtree(const builder *b, size_t at, const range *whole) { // NOLINT(misc-no-recursion)
  range parts[FR_BUCKET];
  int32_t next[FR_BUCKET];
  parts[0] = *whole;
  const int count = fill_node(b, at, parts, next);
  for (int i = 0; i < count; i++)
    if (next[i] >= 0)
      build_subtree(b, (size_t)next[i], &parts[i]);
}

static void build_top(void *context, size_t block, int thread) {
  const builder *b = context;
  (void)thread;
  if (b->top_node[block] >= 0)
    build_subtree(b, (size_t)b->top_node[block], &b->top[block]);
}

static void fill_buckets(const builder *b, int32_t *order) {
  for (size_t i = 0; i < b->tree->bucket_count * FR_BUCKET; i++) {
    float *lane = b->tree->buckets + i / FR_BUCKET * 3 * FR_BUCKET + i % FR_BUCKET;
    const int used = i < b->count;
    for (int a = 0; a < 3; a++)
      lane[(size_t)a * FR_BUCKET] = used ? b->records[i].x[a] : INFINITY;
    if (used)
      order[i] = b->records[i].id;
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
  fr_release(nn->memory, tree->nodes);
  fr_release(nn->memory, tree->buckets);
  fr_release(nn->memory, tree);
  nn->state = NULL;
}

/* The tree's own memory; the buckets come last, when the records are filled: see build(). */
static fr_tree *allocate_tree(const fr_memory *memory, size_t count) {
  fr_tree *tree = fr_allocate(memory, 1, sizeof *tree);
  if (!tree)
    return NULL;
  memset(tree, 0, sizeof *tree);
  tree->bucket_count = (count + FR_BUCKET - 1) / FR_BUCKET;
  tree->node_count = tree->bucket_count > 1 ? nodes_for(tree->bucket_count) : 1;
  tree->nodes = fr_allocate(memory, tree->node_count, sizeof *tree->nodes);
  tree->buckets = fr_allocate(memory, tree->bucket_count, sizeof *tree->buckets * 3 * FR_BUCKET);
  return tree;
}

static fricp_status build(fr_nn *nn, int32_t *order, int threads, fricp_error *error) {
  builder b = {.count = nn->count};
  nn->state = b.tree = allocate_tree(nn->memory, nn->count);
  b.records = fr_allocate(nn->memory, nn->count, sizeof *b.records);
  if (!b.tree || !b.tree->nodes || !b.tree->buckets || !b.records) {
    fr_release(nn->memory, b.records);
    destroy(nn);
    return fr_out_of_memory(error, "the index of the target", nn->count);
  }
  fill_records(&b, nn->points);
  b.top[0] = (range){0, b.tree->bucket_count, {{0}, {0}}};
  measure(&b, &b.top[0]);
  memcpy(b.tree->low, b.top[0].bounds.low, sizeof b.tree->low);
  memcpy(b.tree->high, b.top[0].bounds.high, sizeof b.tree->high);
  const int parts = fill_node(&b, 0, b.top, b.top_node);
  fr_parallel_for(fr_thread_count(threads, nn->count, PARALLEL_GRAIN), (size_t)parts, build_top, &b);
  fill_buckets(&b, order);
  fr_release(nn->memory, b.records);
  nn->bytes = b.tree->node_count * sizeof *b.tree->nodes + b.tree->bucket_count * sizeof(float) * 3 * FR_BUCKET;
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
