/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact nearest neighbours. A back end is one file and one row of the table in nn.c.
 *
 * Positions, not the caller's indices, are what a search returns: a back end may ask for the points in an order of its
 * own (neighbours in space next to each other in memory), and everything per target point is kept in that order.
 */
#ifndef FR_NN_H
#define FR_NN_H

#include "base/interrupt.h"
#include "base/memory.h"

#define FR_NN_MAX_K 256
#define FR_PACKET 16             /* queries of a packet */
#define FR_KEPT 3                /* neighbours that a packet finds for each; or 1, ... */
#define FR_KEPT_MOST 8           /* ... or these */
#define FR_ROUND_DOWN (1 - 1e-6) /* for a distance kept as a float */

typedef struct fr_nn fr_nn;

/* Queries that lie close together, searched together. */
typedef struct fr_nn_packet {
  int count; /* 1 to FR_PACKET */
  int kept;  /* 1, FR_KEPT or FR_KEPT_MOST */
  int sure;  /* 1 to kept: so many must be the nearest; others found need not be the next ones */
  double query[FR_PACKET][3];
  double limit2[FR_PACKET];
  /* Found, at most limit2 away and ordered as by nearest(). */
  int found[FR_PACKET];
  int32_t position[FR_PACKET][FR_KEPT_MOST];
  double d2[FR_PACKET][FR_KEPT_MOST];
  double reach[FR_PACKET]; /* no other point is nearer than this distance */
} fr_nn_packet;

/* Neighbours of the index's own points, of as many as are next to each other. */
typedef struct fr_nn_own {
  size_t first;    /* position, a multiple of FR_PACKET */
  unsigned wanted; /* bit i: of point first + i, which there is */
  int k;           /* 1 to FR_NN_MAX_K, and at most as many as there are points */
  double reach2;   /* a guess at the squared distance of the k-th, 0: none; becomes one for the next ones */
  /* Found: of each the k that nearest() finds, in any order; room to pack eight at a time. */
  int32_t position[FR_PACKET][FR_NN_MAX_K + 8];
} fr_nn_own;

typedef struct fr_nn_ops {
  const char *name;
  int thread_safe; /* may nearest be called by several threads at once */
  int euclidean;   /* are its distances the Euclidean ones, so that bounds on them hold */
  /* Index nn->points. order[i], given as i, becomes the old position of what must come i-th. */
  fricp_status (*build)(fr_nn *nn, int32_t *order, int threads, fricp_error *error);
  void (*destroy)(fr_nn *nn);
  /* At most k positions with a squared distance of at most limit2, ordered by (distance, caller's index); k <= count.
   * The distances are those computed in double. @return how many, negative on a failure. query is finite. */
  int (*nearest)(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2);
  /* As nearest, for the source point of that caller's index; NULL: it makes no difference which one asks. */
  int (*nearest_of)(const fr_nn *nn, int32_t source_index, const double query[3], int k, double limit2,
                    int32_t *position, double *d2);
  /* Search a packet; NULL: one query at a time. @return 0. */
  int (*nearest_packet)(const fr_nn *nn, fr_nn_packet *packet);
  /* All positions with a squared distance of at most limit2; writes at most capacity. @return how many there are. */
  int (*within)(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2, int capacity);
  /* Neighbours of its own points; NULL: one at a time. */
  void (*nearest_own)(const fr_nn *nn, fr_nn_own *own);
} fr_nn_ops;

struct fr_nn {
  const fr_nn_ops *ops;
  const fr_memory *memory;
  const double (*points)[3]; /* the target's, in the order asked for; borrowed */
  const int32_t *index;      /* the caller's index of each; borrowed */
  size_t count;              /* at least 1 */
  size_t bytes;              /* held by the back end */
  fr_interrupt *interrupt;   /* while it is built, or neighbourhoods are measured; else NULL */
  void *state;
};

extern const fr_nn_ops fr_nn_tree;
extern const fr_nn_ops fr_nn_flann;
extern const fr_nn_ops fr_nn_brute;

/* The back end of a fricp_search_type, NULL if there is none of that number. */
const fr_nn_ops *fr_nn_find(int32_t search_type);

/* As nn->ops->nearest, for any k >= 0. */
int fr_nn_nearest(const fr_nn *nn, const double query[3], int k, double limit2, int32_t *position, double *d2);

/* Search a packet with any back end whose distances are Euclidean. @return 0, negative on a failure. */
int fr_nn_nearest_packet(const fr_nn *nn, fr_nn_packet *packet);

/* For back ends: search query i of a packet by nearest(). @return 0, negative on a failure. */
int fr_nn_nearest_single(const fr_nn *nn, fr_nn_packet *packet, int i);

/* For back ends: measure in double the `count` candidates that a search in floats kept for query i of a packet; no
 * other point is nearer than reach. @return 0 if that does not prove which ones are the nearest. */
int fr_nn_finish(const fr_nn *nn, fr_nn_packet *packet, int i, const int32_t *candidate, int count, double reach);

/* For back ends: a within() that looks at every point. */
int fr_nn_within_all(const fr_nn *nn, const double query[3], double limit2, int32_t *position, double *d2,
                     int capacity);

/* For back ends: is (distance2, candidate) before (other2, other) in the order of results? */
static inline int fr_nn_before(const fr_nn *nn, double distance2, int32_t candidate, double other2, int32_t other) {
  return distance2 < other2 || (distance2 == other2 && nn->index[candidate] < nn->index[other]);
}

/* For back ends: of so many and more, the best so far are kept as a heap, the last of all first. */
#define FR_NN_HEAP 64

int fr_nn_push(const fr_nn *nn, int32_t candidate, double distance2, int k, int found, int32_t *position, double *d2);

/* For back ends: the distance of the last of k. */
static inline double fr_nn_last(const double *d2, int k) {
  return d2[k < FR_NN_HEAP ? k - 1 : 0];
}

/* For back ends: bring what was inserted into the order of results. @return found. */
int fr_nn_sort(const fr_nn *nn, int k, int found, int32_t *position, double *d2);

/* For back ends: put a candidate into the `found` best so far (room for k), which fr_nn_sort() orders at the end.
 * @return the new number. */
static inline int fr_nn_insert(const fr_nn *nn, int32_t candidate, double distance2, int k, int found,
                               int32_t *position, double *d2) {
  if (k >= FR_NN_HEAP)
    return fr_nn_push(nn, candidate, distance2, k, found, position, d2);
  int i = found < k ? found : k - 1;
  if (found == k && !fr_nn_before(nn, distance2, candidate, d2[i], position[i]))
    return found;
  for (; i > 0 && fr_nn_before(nn, distance2, candidate, d2[i - 1], position[i - 1]); i--) {
    position[i] = position[i - 1];
    d2[i] = d2[i - 1];
  }
  position[i] = candidate;
  d2[i] = distance2;
  return found < k ? found + 1 : k;
}

/* Squared Euclidean distance, as every back end reports it. */
static inline double fr_distance2(const double a[3], const double b[3]) {
  const double x = a[0] - b[0];
  const double y = a[1] - b[1];
  const double z = a[2] - b[2];
  return x * x + y * y + z * z;
}

#endif
