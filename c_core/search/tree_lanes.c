/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet of queries through the bucketed tree, a vector lane each. Compiled once for each instruction set (FR_ISA).
 *
 * Queries that lie close together, compared with how far they search, go nearly the same way, so they go it together: a
 * branch is taken if any of them needs it, and one vector instruction serves all. This pays where many neighbours are
 * kept; tree_step.c is for few. What is found is proven as in tree_walk.h.
 */
#include "search/tree_walk.h"

#define KEPT FR_KEPT_MOST
#define MOST_SPREAD 16   /* measured: a packet as wide as this many search radii still gains */
#define MOST_BUCKETS 512 /* of a packet; far more than it takes where floats tell the points apart */
#define WIDEN 1.001
#define ROUND_UP (1 + 1e-6)

typedef struct packet {
  const fr_tree *tree;
  fr_f16 q[3];
  fr_f16 d2[KEPT]; /* ascending; the limit for what is not yet found */
  fr_i16 position[KEPT];
  float low[3]; /* the queries' box */
  float high[3];
  float error; /* e */
} packet;

typedef struct frame {
  fr_f16 d2;    /* from the queries' box to the children still to be visited; NaN: done with */
  int32_t node; /* in its level */
} frame;

/* Do the queries lie close enough together, compared with how far they search, to go the same way? */
static int together(const fr_nn_packet *p) {
  double size2 = 0;
  double limit2 = 0;
  for (int a = 0; a < 3; a++) {
    double low = p->query[0][a];
    double high = low;
    for (int i = 1; i < p->count; i++) {
      low = fr_smaller(low, p->query[i][a]);
      high = fr_greater(high, p->query[i][a]);
    }
    size2 += (high - low) * (high - low);
  }
  for (int i = 0; i < p->count; i++)
    limit2 = fr_greater(limit2, p->limit2[i]);
  return size2 <= MOST_SPREAD * MOST_SPREAD * limit2;
}

static double reach_of(const fr_nn_packet *p) {
  double reach = 0;
  for (int i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++)
      reach = fr_greater(reach, fabs(p->query[i][a]));
  return reach;
}

static void begin(const fr_nn *nn, const fr_nn_packet *from, double reach, packet *p) {
  const double e = 6 * FR_UNIT * reach + FR_UNDERFLOW;
  const double slack = e * e * (1 + 1 / (WIDEN - 1)); /* never zero: less than the limit is what is found */
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
    p->low[a] = p->high[a] = q[a][0];
    for (int i = 1; i < FR_PACKET; i++) {
      p->low[a] = q[a][i] < p->low[a] ? q[a][i] : p->low[a];
      p->high[a] = q[a][i] > p->high[a] ? q[a][i] : p->high[a];
    }
  }
  for (int k = 0; k < KEPT; k++) {
    memcpy(&p->d2[k], limit2, sizeof limit2);
    memset(&p->position[k], -1, sizeof p->position[k]);
  }
}

/* Squared distances from the queries' box to those of a node's children. */
static inline fr_f16 box_distances(const packet *p, const fr_tree_node *node) {
  fr_f16 sum;
  FR_LOOK(FR_WIDE);
  for (size_t i = 0; i < FR_PARTS; i++) {
    sum.part[i] = fr_v_set(0);
    for (int a = 0; a < 3; a++) {
      const fr_v below = fr_v_load(&node->low[a][i * FR_LANES]) - fr_v_set(p->high[a]);
      const fr_v above = fr_v_set(p->low[a]) - fr_v_load(&node->high[a][i * FR_LANES]);
      const fr_v d = fr_v_max(fr_v_max(below, above), fr_v_set(0));
      sum.part[i] += d * d;
    }
  }
  return sum;
}

static inline int any_needs(const packet *p, const fr_tree_node *node, int child) {
  unsigned needed = 0;
  for (int i = 0; i < FR_PARTS; i++) {
    fr_v sum = fr_v_set(0);
    for (int a = 0; a < 3; a++) {
      const fr_v below = fr_v_set(node->low[a][child]) - p->q[a].part[i];
      const fr_v above = p->q[a].part[i] - fr_v_set(node->high[a][child]);
      const fr_v d = fr_v_max(fr_v_max(below, above), fr_v_set(0));
      sum += d * d;
    }
    needed |= fr_m_bits(fr_v_less(sum, p->d2[KEPT - 1].part[i]));
  }
  return needed != 0;
}

/* Put a point into the lanes, of those in one register, for which it is one of the nearest. */
static inline void insert(packet *p, int i, fr_v d2, int32_t position) {
  const fr_vi new = fr_vi_set(position);
  fr_m here = fr_v_less(d2, p->d2[KEPT - 1].part[i]);
  for (int k = KEPT - 1; k > 0; k--) {
    fr_vi *at = &p->position[k].part[i];
    const fr_v nearer = p->d2[k - 1].part[i];
    const fr_m before = fr_v_less(d2, nearer);
    *at = fr_vi_select(before, p->position[k - 1].part[i], fr_vi_select(here, new, *at));
    p->d2[k].part[i] = fr_v_min(p->d2[k].part[i], fr_v_max(nearer, d2));
    here = before;
  }
  p->position[0].part[i] = fr_vi_select(here, new, p->position[0].part[i]);
  p->d2[0].part[i] = fr_v_min(p->d2[0].part[i], d2);
}

static inline int scan_bucket(packet *p, int32_t bucket) {
  float(*x)[FR_WIDE] = p->tree->buckets[bucket];
  int changed = 0;
  FR_LOOK(FR_WIDE);
  for (int j = 0; j < FR_WIDE; j++)
    for (int i = 0; i < FR_PARTS; i++) {
      const fr_v dx = p->q[0].part[i] - fr_v_set(x[0][j]);
      const fr_v dy = p->q[1].part[i] - fr_v_set(x[1][j]);
      const fr_v dz = p->q[2].part[i] - fr_v_set(x[2][j]);
      const fr_v d2 = dx * dx + dy * dy + dz * dz;
      if (!fr_m_bits(fr_v_less(d2, p->d2[KEPT - 1].part[i])))
        continue;
      insert(p, i, d2, bucket * FR_WIDE + j); /* never the padding: infinity is not less */
      changed = 1;
    }
  return changed;
}

/* Depth first, always on to the child that is nearest to the queries' box. @return 0 if it gives up. */
static inline int search_tree(packet *p) {
  frame stack[FR_TREE_DEPTH];
  float bound = fr_f16_greatest(&p->d2[KEPT - 1]); /* no lane needs what is farther from the queries' box */
  int left = MOST_BUCKETS;
  int level = 0;
  stack[0].node = 0;
  stack[0].d2 = box_distances(p, p->tree->level[0]);
  while (level >= 0) {
    frame *at = &stack[level];
    if (!fr_f16_less(&at->d2, bound)) {
      level--;
      continue;
    }
    const int lane = fr_key_lane(fr_f16_least(&at->d2));
    const int32_t child = at->node * FR_WIDE + lane;
    fr_f16_drop(&at->d2, lane);
    if (!any_needs(p, &p->tree->level[level][at->node], lane))
      continue;
    if (level + 1 == p->tree->levels) {
      if (--left < 0)
        return 0;
      if (scan_bucket(p, child))
        bound = fr_f16_greatest(&p->d2[KEPT - 1]);
    } else {
      at = &stack[++level];
      at->node = child;
      at->d2 = box_distances(p, &p->tree->level[level][child]);
    }
  }
  return 1;
}

/* @return 0 if what lane i found does not prove which ones are the nearest. */
static int finish_lane(const fr_nn *nn, const packet *p, fr_nn_packet *to, int i) {
  int32_t candidate[KEPT];
  double reach = INFINITY; /* if not all places are taken, nothing was left out */
  int count = 0;
  while (count < KEPT && p->position[count].part[i / FR_LANES][i % FR_LANES] >= 0) {
    candidate[count] = p->position[count].part[i / FR_LANES][i % FR_LANES];
    count++;
  }
  if (count == KEPT) {
    const double last = sqrt((double)p->d2[KEPT - 1].part[i / FR_LANES][i % FR_LANES]);
    reach = fr_greater(last - (double)p->error, 0) * FR_ROUND_DOWN;
  }
  return fr_nn_finish(nn, to, i, candidate, count, reach);
}

int FR_FOR_ISA(fr_tree_lanes)(const fr_nn *nn, fr_nn_packet *queries) {
  const double reach = reach_of(queries);
  const fr_tree *tree = nn->state;
  int fit = !tree->hard && reach <= FR_WALK_FAREST && queries->count >= FR_PACKET / 4 && together(queries);
  packet p;
  if (fit) {
    begin(nn, queries, reach, &p);
    fit = search_tree(&p);
  }
  for (int i = 0; i < queries->count; i++)
    if (!(fit && finish_lane(nn, &p, queries, i)) && fr_nn_nearest_single(nn, queries, i) != 0)
      return -1;
  return 0;
}
