/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bucketed tree of wide boxes, as tree.c builds it and tree_*.c search it.
 *
 * Buckets of sixteen points, the coordinates of a bucket as three vectors of floats. A node has up to sixteen children
 * and their bounding boxes, so that one pass of vector instructions rejects or keeps all of them. Boxes are tight: a
 * query from afar prunes by them as well as one from near by. Everything is full but the last of each level, so that
 * places say all: child i of the j-th node of a level is the (16 j + i)-th of the next one, or, below the last level,
 * that bucket; and point i of bucket j is that of position 16 j + i.
 *
 * Floats are fast, and prove most of what they find (tree_walk.h). Where they do not - ties, queries far off, clusters
 * far apart - or have looked at too much, the same tree is searched with its boxes in double (tree_exact.c), which
 * needs no proof. So building is n log n whatever the coordinates, and searching wherever a query has a nearest point
 * that is nearer than most: from the middle of a sphere, exactly, all are looked at.
 */
#ifndef FR_NN_TREE_H
#define FR_NN_TREE_H

#include "search/look.h"
#include "search/nn.h"

#define FR_WIDE 16
#define FR_WALK_FAREST 4 /* extents: beyond, floats tell too little to search by them */
#define FR_TREE_DEPTH 7  /* 16^7 buckets are more than 2^31 points */

typedef struct fr_tree_node {
  float low[3][FR_WIDE]; /* +infinity for an unused child */
  float high[3][FR_WIDE];
} fr_tree_node;

/* The same boxes as they are. */
typedef struct fr_tree_exact_node {
  double low[3][FR_WIDE]; /* +infinity for an unused child */
  double high[3][FR_WIDE];
} fr_tree_exact_node;

typedef struct fr_tree {
  int levels; /* 1 to FR_TREE_DEPTH */
  fr_tree_node *level[FR_TREE_DEPTH];
  fr_tree_exact_node *exact[FR_TREE_DEPTH];
  float (*buckets)[4][FR_WIDE]; /* x, y, z, and what the build needs; lanes past the end are +infinity */
  size_t node_count;
  size_t bucket_count;
  int hard; /* floats do not tell many of the points from their neighbours */
} fr_tree;

/* A coordinate as a float whose square is finite. What is clamped only looks nearer than it is, which is safe. */
static inline float fr_tree_coordinate(double x) {
  return (float)(x > 1e18 ? 1e18 : x < -1e18 ? -1e18 : x);
}

#define FR_DECLARE_TREE_KERNEL(isa)                                                                                    \
  int fr_tree_nearest_##isa(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,           \
                            double *d2);                                                                               \
  int fr_tree_packet_##isa(const fr_nn *nn, fr_nn_packet *packet);                                                     \
  int fr_tree_exact_##isa(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,             \
                          double *d2);                                                                                 \
  int fr_tree_lanes_##isa(const fr_nn *nn, fr_nn_packet *packet);                                                      \
  void fr_tree_own_##isa(const fr_nn *nn, fr_nn_own *own);                                                             \
  int fr_tree_within_##isa(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,       \
                           int capacity);

FR_DECLARE_TREE_KERNEL(generic)
FR_DECLARE_TREE_KERNEL(avx2)
FR_DECLARE_TREE_KERNEL(avx512)

#endif
