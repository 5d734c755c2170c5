/* SPDX-License-Identifier: BSD-3-Clause */
/* A search back end over a cloud of the test's own, and the answer that it must give. */
#ifndef FRICP_TEST_FIXTURE_H
#define FRICP_TEST_FIXTURE_H

#include "cloud/matches.h"
#include "hard_clouds.h"

/* An index as target.c builds it. points and index lie in the back end's order. */
typedef struct fixture {
  fr_nn nn;
  double (*points)[3];
  int32_t *index;
} fixture;

/* malloc and free. */
extern const fr_memory fixture_memory;

/* Index a copy of count points; their callers' indices are a shuffle of 0 .. count - 1, so that ties by index and ties
 * by position differ. */
fixture fixture_make(const fr_nn_ops *ops, const double (*points)[3], size_t count, int threads);
/* The tree over a cloud that is hard for one. */
fixture fixture_hard(hard_kind kind, size_t count);
void fixture_free(fixture *f);

/* Pack a checked view, of which nothing is known yet. Aborts if it is refused. */
void fixture_pack(fr_source *source, fr_matches *matches, const fricp_cloud *cloud, double extent);

/* One found neighbour. */
typedef struct neighbor {
  double d2;
  int32_t index; /* the caller's */
  int32_t position;
} neighbor;

/* Every point within limit2, ordered by (distance, caller's index): a full sort. @return how many. `out` has room for
 * all. */
size_t fixture_all_within(const fixture *f, const double query[3], double limit2, neighbor *out);

/* ---- Clouds ---- */

typedef enum cloud_kind {
  CLOUD_RANDOM,
  CLOUD_GRID,       /* exact ties everywhere */
  CLOUD_DUPLICATES, /* every point eight times */
  CLOUD_LINE,
  CLOUD_FLAT,
  CLOUD_FAR,      /* a million extents from the origin */
  CLOUD_CLUSTERS, /* dense heaps far apart */
  CLOUD_SAME,     /* one place only */
  CLOUD_OUTLIER,  /* one point very far off */
  CLOUD_KINDS
} cloud_kind;

/* To be given to free(). */
double (*cloud_make(cloud_kind kind, size_t count, uint64_t seed))[3];
const char *cloud_name(cloud_kind kind);

#endif
