/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet of queries through the bucketed tree, in step. Compiled once for each instruction set (FR_ISA).
 *
 * One query waits for memory and for the outcome of each comparison before it knows where to go on. So all of a packet
 * take a step before any takes the next: their steps do not depend on each other and overlap, wherever in the cloud the
 * queries are. Those that go down a level are told from those that look at a bucket without a branch to mispredict.
 */
#include "search/tree_walk.h"

typedef struct packet {
  const fr_tree *tree;
  int count;                  /* of the queries still on their way, ... */
  int32_t pending[FR_PACKET]; /* ... these */
  fr_walk walk[FR_PACKET];
} packet;

#define MOST_STEPS 200 /* far more than it takes where floats tell the points apart */

/* All to their first bucket; then until no query has anything left to visit, or has taken too many steps: those are
 * left pending. kept is a constant where this is inlined. */
static inline void search(packet *p, int kept) {
  const int last = p->tree->levels - 1;
  for (int l = 0; l < last; l++)
    for (int i = 0; i < p->count; i++)
      fr_walk_enter(&p->walk[p->pending[i]], p->tree);
  for (int i = 0; i < p->count; i++)
    fr_walk_scan(&p->walk[p->pending[i]], p->tree, kept);
  for (int step = 0; p->count > 0 && step < MOST_STEPS; step++) {
    int32_t lower[FR_PACKET];
    int32_t bucket[FR_PACKET];
    int lowers = 0;
    int buckets = 0;
    for (int i = 0; i < p->count; i++) {
      fr_walk *w = &p->walk[p->pending[i]];
      w->level = fr_walk_deepest(w, p->tree);
      lower[lowers] = p->pending[i];
      bucket[buckets] = p->pending[i];
      lowers += (w->level >= 0) & (w->level < last);
      buckets += w->level == last;
    }
    p->count = 0;
    for (int i = 0; i < lowers; i++) {
      p->pending[p->count++] = lower[i];
      fr_walk_enter(&p->walk[lower[i]], p->tree);
    }
    for (int i = 0; i < buckets; i++) {
      p->pending[p->count++] = bucket[i];
      fr_walk_scan(&p->walk[bucket[i]], p->tree, kept);
    }
  }
}

/* @return 0 if what a walk found does not prove which ones are the nearest. */
static int finish(const fr_nn *nn, const fr_walk *w, fr_nn_packet *to, int i) {
  int32_t candidate[FR_KEPT];
  int count = 0;
  while (count < to->kept && w->position[count] >= 0) {
    candidate[count] = w->position[count];
    count++;
  }
  return fr_nn_finish(nn, to, i, candidate, count, fr_walk_reach(w));
}

int FR_FOR_ISA(fr_tree_packet)(const fr_nn *nn, fr_nn_packet *queries) {
  if (queries->kept == FR_KEPT_MOST)
    return FR_FOR_ISA(fr_tree_lanes)(nn, queries);
  packet p;
  int fit[FR_PACKET] = {0};
  p.tree = nn->state;
  p.count = 0;
  for (int i = 0; i < queries->count; i++) {
    fit[i] = fr_walk_begin(&p.walk[i], p.tree, queries->query[i], queries->limit2[i]);
    p.pending[p.count] = i;
    p.count += fit[i];
  }
  if (queries->kept == 1)
    search(&p, 1);
  else
    search(&p, FR_KEPT);
  for (int i = 0; i < p.count; i++)
    fit[p.pending[i]] = 0;
  for (int i = 0; i < queries->count; i++)
    if (!(fit[i] && finish(nn, &p.walk[i], queries, i)) && fr_nn_nearest_single(nn, queries, i) != 0)
      return -1;
  return 0;
}
