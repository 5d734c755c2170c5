/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sixteen queries at a time through the bucketed tree. Compiled once for each instruction set (FR_ISA).
 *
 * Neighbouring queries go nearly the same way through the tree, so they go it together: a lane each, and a branch is
 * taken if any of them needs it. One query waits for memory and for the outcome of each comparison before it knows
 * where to go on; sixteen together wait once.
 *
 * A lane keeps its nearest by squared distances in float. With the rounding error e of coordinates (see
 * nn_tree_kernel.c), a point at computed distance c is at least (c - e) (1 - few u) away. What is nearer,
 * measured in double, than that for the last one kept, is nearer than all that are not kept. Where this does not prove
 * enough (a tie of all that are kept, say) the query is searched again by itself.
 */
#include "nn_tree.h"
#include "simd.h"

#include <math.h>
#include <string.h>

#define FAREST 4       /* extents: beyond, e grows too large for the packet's way of rounding */
#define MOST_SPREAD 16 /* measured: a packet as wide as this many search radii still gains */
#define WIDEN 1.001
#define ROUND_DOWN (1 - 1e-6)
#define ROUND_UP (1 + 1e-6)

typedef struct packet {
  const fr_tree *tree;
  fr_f16 q[3];
  fr_f16 d2[FR_KEPT_MOST]; /* ascending; the limit for what is not yet found */
  fr_i16 position[FR_KEPT_MOST];
  fr_f8 low[3]; /* the queries' box, in every lane */
  fr_f8 high[3];
  float error; /* e */
} packet;

typedef struct frame {
  fr_f8 d2; /* from the queries' box to the children still to be visited; NaN: done with */
  const fr_tree_node *node;
} frame;

/* Do the queries lie close enough together, compared with how far they search, to go the same way? */
static int together(const fr_nn_packet *p) {
  double size2 = 0;
  double limit2 = 0;
  for (int a = 0; a < 3; a++) {
    double low = p->query[0][a];
    double high = low;
    for (int i = 1; i < p->count; i++) {
      low = fmin(low, p->query[i][a]);
      high = fmax(high, p->query[i][a]);
    }
    size2 += (high - low) * (high - low);
  }
  for (int i = 0; i < p->count; i++)
    limit2 = fmax(limit2, p->limit2[i]);
  return size2 <= MOST_SPREAD * MOST_SPREAD * limit2;
}

static double reach_of(const fr_nn_packet *p) {
  double reach = 0;
  for (int i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++)
      reach = fmax(reach, fabs(p->query[i][a]));
  return reach;
}

static void begin(const fr_nn *nn, const fr_nn_packet *from, double reach, packet *p) {
  const double e = 6 * 5.9604644775390625e-8 * reach;
  const double slack = e * e * (1 + 1 / (WIDEN - 1));
  p->tree = nn->state;
  p->error = (float)(e * ROUND_UP);
  float q[3][FR_PACKET];
  float limit2[FR_PACKET];
  for (int i = 0; i < FR_PACKET; i++) {
    const int used = i < from->count;
    for (int a = 0; a < 3; a++)
      q[a][i] = (float)from->query[used ? i : 0][a];
    limit2[i] = used ? (float)(from->limit2[i] * WIDEN + slack) : -1;
  }
  for (int a = 0; a < 3; a++) {
    memcpy(&p->q[a], q[a], sizeof p->q[a]);
    p->low[a] = fr_f8_set(-fr_f16_greatest(-p->q[a]));
    p->high[a] = fr_f8_set(fr_f16_greatest(p->q[a]));
  }
  for (int k = 0; k < from->kept; k++) {
    memcpy(&p->d2[k], limit2, sizeof limit2);
    p->position[k] = fr_i16_set(-1);
  }
}

static inline fr_f8 box_distances(const packet *p, const fr_tree_node *node) {
  fr_f8 sum = {0};
  for (int a = 0; a < 3; a++) {
    fr_f8 low;
    fr_f8 high;
    memcpy(&low, node->low[a], sizeof low);
    memcpy(&high, node->high[a], sizeof high);
    const fr_f8 d = fr_f8_max(fr_f8_max(low - p->high[a], p->low[a] - high), fr_f8_set(0));
    sum += d * d;
  }
  return sum;
}

static inline int any_needs(const packet *p, const fr_tree_node *node, int child, int kept) {
  fr_f16 sum = {0};
  for (int a = 0; a < 3; a++) {
    const fr_f16 below = fr_f16_set(node->low[a][child]) - p->q[a];
    const fr_f16 above = p->q[a] - fr_f16_set(node->high[a][child]);
    const fr_f16 d = fr_f16_max(fr_f16_max(below, above), fr_f16_set(0));
    sum += d * d;
  }
  return fr_m16_any(fr_f16_less(sum, p->d2[kept - 1]));
}

/* Put a point into the lanes for which it is one of the nearest. */
static inline void insert(packet *p, fr_f16 d2, int32_t position, int kept) {
  const fr_i16 new = fr_i16_set(position);
  fr_m16 here = fr_f16_less(d2, p->d2[kept - 1]);
  for (int k = kept - 1; k > 0; k--) {
    const fr_m16 before = fr_f16_less(d2, p->d2[k - 1]);
    p->position[k] = fr_i16_select(before, p->position[k - 1], fr_i16_select(here, new, p->position[k]));
    p->d2[k] = fr_f16_min(p->d2[k], fr_f16_max(p->d2[k - 1], d2));
    here = before;
  }
  p->position[0] = fr_i16_select(here, new, p->position[0]);
  p->d2[0] = fr_f16_min(p->d2[0], d2);
}

static inline int scan_bucket(packet *p, int32_t bucket, int kept) {
  const float *x = p->tree->buckets + (size_t)bucket * 3 * FR_BUCKET;
  int changed = 0;
  for (int i = 0; i < FR_BUCKET; i++) {
    const fr_f16 dx = p->q[0] - fr_f16_set(x[i]);
    const fr_f16 dy = p->q[1] - fr_f16_set(x[i + FR_BUCKET]);
    const fr_f16 dz = p->q[2] - fr_f16_set(x[i + 2 * FR_BUCKET]);
    const fr_f16 d2 = dx * dx + dy * dy + dz * dz;
    if (!fr_m16_any(fr_f16_less(d2, p->d2[kept - 1])))
      continue;
    insert(p, d2, bucket * FR_BUCKET + i, kept); /* never the padding: infinity is not less */
    changed = 1;
  }
  return changed;
}

/* Depth first, always on to the child that is nearest to the queries' box. kept is a constant where this is inlined. */
static inline void search_tree(packet *p, int kept) {
  frame stack[FR_TREE_DEPTH];
  float bound = fr_f16_greatest(p->d2[kept - 1]); /* no lane needs what is farther from the queries' box */
  int top = 0;
  stack[0].node = p->tree->nodes;
  stack[0].d2 = box_distances(p, stack[0].node);
  while (top >= 0) {
    frame *at = &stack[top];
    if (!fr_f8_at_most(at->d2, fr_f8_set(bound))) {
      top--;
      continue;
    }
    const int lane = fr_f8_least(at->d2);
    const int32_t child = at->node->child[lane];
    at->d2 = fr_f8_without(at->d2, lane);
    if (child == FR_NO_CHILD || !any_needs(p, at->node, lane, kept))
      continue;
    if (child < 0) {
      if (scan_bucket(p, ~child, kept))
        bound = fr_f16_greatest(p->d2[kept - 1]);
    } else {
      at = &stack[++top];
      at->node = p->tree->nodes + child;
      at->d2 = box_distances(p, at->node);
    }
  }
}

/* Measure what lane i found in double. @return 0 if that does not prove which ones are the nearest. */
static int finish_lane(const fr_nn *nn, const packet *p, fr_nn_packet *to, int i) {
  const double limit2 = to->limit2[i];
  const double limit = sqrt(limit2);
  double reach = limit;
  int found = 0;
  for (int k = 0; k < to->kept; k++) {
    const int32_t candidate = p->position[k][i];
    if (candidate < 0)
      break;
    const double distance2 = fr_distance2(to->query[i], nn->points[candidate]);
    if (distance2 <= limit2)
      found = fr_nn_insert(nn, candidate, distance2, to->kept, found, to->position[i], to->d2[i]);
    if (k == to->kept - 1)
      reach = fmin(reach, fmax(sqrt((double)p->d2[k][i]) - (double)p->error, 0) * ROUND_DOWN);
  }
  to->found[i] = found;
  to->reach[i] = reach;
  return found >= to->sure ? to->d2[i][to->sure - 1] < reach * reach : reach >= limit;
}

int FR_FOR_ISA(fr_tree_packet)(const fr_nn *nn, fr_nn_packet *queries) {
  const double reach = reach_of(queries);
  const int fit = reach <= FAREST && queries->count >= FR_PACKET / 4 && together(queries);
  packet p;
  if (fit) {
    begin(nn, queries, reach, &p);
    if (queries->kept == FR_KEPT)
      search_tree(&p, FR_KEPT);
    else
      search_tree(&p, FR_KEPT_MOST);
  }
  for (int i = 0; i < queries->count; i++)
    if (!(fit && finish_lane(nn, &p, queries, i)) && fr_nn_nearest_single(nn, queries, i) != 0)
      return -1;
  return 0;
}
