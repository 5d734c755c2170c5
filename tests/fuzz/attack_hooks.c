/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library calls back: searches that lie, watchers that cancel, gates that reject. */
#include "attack.h"

#include <math.h>
#include <string.h>

static int look_honestly(const looker *l, const double q[3], int k, double limit2, int32_t *indices, double *d2) {
  int found = 0;
  for (size_t i = 0; i < l->cloud->count; i++) {
    double p[3];
    point_of(l->cloud, i, p);
    const double distance2 =
        (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
    if (!(distance2 <= limit2) || (found == k && !(distance2 < d2[k - 1])))
      continue;
    int at = found < k ? found++ : k - 1;
    for (; at > 0 && distance2 < d2[at - 1]; at--) {
      indices[at] = indices[at - 1];
      d2[at] = d2[at - 1];
    }
    indices[at] = (int32_t)i;
    d2[at] = distance2;
  }
  return found;
}

static int look(void *context, const double query[3], int k, double limit2, int32_t *indices, double *d2) {
  const looker *l = context;
  if (!all_finite(query, 3) || k < 1 || !(limit2 >= 0))
    finding("own search asked for nonsense", "k %d, limit %g, query %g %g %g", k, limit2, query[0], query[1], query[2]);
  int found = look_honestly(l, query, k, limit2, indices, d2);
  const lie told = l->lie != HONEST && chance(l->attack, 30) ? l->lie : HONEST;
  for (int i = 0; i < found && told != HONEST; i++) {
    if (told == BAD_INDEX)
      indices[i] = chance(l->attack, 50) ? any_integer(l->attack) : (int32_t)l->cloud->count;
    if (told == NO_NUMBERS)
      d2[i] = NAN;
    if (told == UNSORTED)
      indices[i] = indices[found - 1 - i];
    if (told == SAME)
      indices[i] = indices[0];
  }
  return told == TOO_MANY ? k + 1 + below(l->attack, 1000) : told == NEGATIVE ? -1 : told == NOTHING ? 0 : found;
}

static int look_of(void *context, int32_t source_index, const double query[3], int k, double limit2, int32_t *indices,
                   double *d2) {
  if (source_index < 0)
    finding("own search asked for nonsense", "source point %d", source_index);
  return look(context, query, k, limit2, indices, d2);
}

fricp_search searching(looker *l) {
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = l;
  search.nearest = look;
  search.thread_safe = l->lie == HONEST; /* lies draw random numbers */
  search.nearest_of = chance(l->attack, 40) ? look_of : NULL;
  return search;
}

int watch(void *context, const fricp_progress *p) {
  hooks *h = context;
  if (!h) /* a struct_size that ends before the context */
    return 0;
  const double numbers[] = {p->nu, p->energy, p->seconds};
  if (!all_finite(numbers, COUNT(numbers)))
    finding("progress not finite", "nu %g, energy %g, seconds %g", p->nu, p->energy, p->seconds);
  const int early = p->levels == 0; /* asked before there are correspondences, where that takes more than 20 ms */
  if (early ? p->level != 0 || p->iteration != 0 || p->nu != 0 || p->energy != 0
            : p->level < 0 || p->level >= p->levels || p->iteration < 0)
    finding("progress counters", "level %d of %d, iteration %d", p->level, p->levels, p->iteration);
  judge_pose("progress", &p->target_from_source);
  h->asked = 1;
  return --h->left == 0;
}

int has_cancelled(const hooks *h) {
  return h->left == 0 && h->asked;
}

static void hear(void *context, const char *line) {
  if (context)
    ((hooks *)context)->heard += strlen(line);
  if (strchr(line, '\n'))
    finding("log line with a newline", "%s", line);
}

int gate(void *context, int32_t source_index, int32_t target_index, double squared_distance) {
  const hooks *h = context;
  if (!h) /* as above */
    return 1;
  if (source_index < 0 || (size_t)source_index >= h->source_count || target_index < 0 ||
      (size_t)target_index >= h->target_count || !(squared_distance >= 0) || !isfinite(squared_distance))
    finding("gate asked for nonsense", "source %d of %zu, target %d of %zu, squared distance %g", source_index,
            h->source_count, target_index, h->target_count, squared_distance);
  uint32_t hash = ((uint32_t)source_index * 2654435761U) ^ ((uint32_t)target_index * 40503U) ^ h->salt;
  hash ^= hash >> 15;
  return (hash * 2246822519U) >> 24 < h->salt % 256; /* some share of the pairs, the same ones at every pass */
}

void hook(attack *a, fricp_options *o, hooks *h, const fricp_cloud *source, const fricp_cloud *target) {
  memset(h, 0, sizeof *h);
  h->left = chance(a, 20) ? 1 + below(a, 10) : 0;
  h->salt = (uint32_t)below(a, INT32_MAX);
  h->source_count = source->count;
  h->target_count = target->count;
  if (chance(a, 20)) {
    o->progress = watch;
    o->progress_context = h;
  }
  if (chance(a, 20)) {
    o->log = hear;
    o->log_context = h;
  }
  if (chance(a, 15)) {
    o->accept_pair = gate;
    o->pair_context = h;
  }
}
