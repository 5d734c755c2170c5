/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layer 2: the bucketed tree of wide boxes, as nn_tree.c builds it and nn_tree_kernel.c searches it.
 *
 * Buckets of eight points, the coordinates of a bucket as three vectors of eight floats. A node has up to eight
 * children and their bounding boxes, so that one pass of vector instructions rejects or keeps all of them. Boxes are
 * tight: a query from afar prunes by them as well as one from near by.
 *
 * Floats decide only what is looked at. Whatever could be among the nearest within their rounding is measured again in
 * double: see slack in nn_tree_kernel.c.
 */
#ifndef FR_NN_TREE_H
#define FR_NN_TREE_H

#include "nn.h"

#define FR_BUCKET 8
#define FR_NO_CHILD INT32_MIN
#define FR_TREE_DEPTH 16 /* 8^11 buckets are more than 2^31 points */

typedef struct fr_tree_node {
  float low[3][FR_BUCKET]; /* +infinity for an unused child */
  float high[3][FR_BUCKET];
  int32_t child[FR_BUCKET]; /* >= 0: a node; < 0: bucket ~child; or FR_NO_CHILD */
} fr_tree_node;

typedef struct fr_tree {
  fr_tree_node *nodes; /* the root is node 0 */
  float *buckets;      /* [bucket][axis][lane]; lanes past the end are +infinity */
  size_t node_count;
  size_t bucket_count;
  float low[3]; /* the box of all points */
  float high[3];
} fr_tree;

/* A coordinate as a float whose square is finite. What is clamped only looks nearer than it is, which is safe. */
static inline float fr_tree_coordinate(double x) {
  return (float)(x > 1e18 ? 1e18 : x < -1e18 ? -1e18 : x);
}

#define FR_DECLARE_TREE_KERNEL(isa)                                                                                    \
  int fr_tree_nearest_##isa(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position,           \
                            double *d2);                                                                               \
  int fr_tree_packet_##isa(const fr_nn *nn, fr_nn_packet *packet);                                                     \
  int fr_tree_within_##isa(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,       \
                           int capacity);

FR_DECLARE_TREE_KERNEL(generic)
FR_DECLARE_TREE_KERNEL(avx2)
FR_DECLARE_TREE_KERNEL(avx512)

#endif
