/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "search_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cloud/target.h"

struct search_internal {
  fricp_target *target;
};

/* The build runs in one thread: processor time, whatever else the machine does. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A target holds its points in the order that its index asked for; a second index is built over them in the caller's
 * order, which is what a first build meets. */
static int time_build(const fricp_target *target, double *seconds) {
  int ok = 0;
  size_t n = target->count;
  double(*points)[3] = malloc(n * sizeof *points);
  int32_t *order = malloc(n * sizeof *order), *index = malloc(n * sizeof *index);
  size_t *rank = malloc(target->cloud_count * sizeof *rank);
  if (points && order && index && rank) {
    fr_nn nn;
    size_t next = 0;
    memset(rank, 0, target->cloud_count * sizeof *rank);
    for (size_t i = 0; i < n; ++i)
      rank[target->index[i]] = i + 1;
    for (size_t i = 0; i < target->cloud_count; ++i)
      if (rank[i] > 0) {
        memcpy(points[next], target->points[rank[i] - 1], sizeof points[next]);
        index[next] = (int32_t)i;
        order[next] = (int32_t)next;
        ++next;
      }
    memset(&nn, 0, sizeof nn);
    nn.ops = target->nn.ops;
    nn.memory = &target->memory;
    nn.points = (const double(*)[3])points;
    nn.index = index;
    nn.count = n;
    double start = now();
    ok = nn.ops->build(&nn, order, 1, NULL) == FRICP_OK;
    *seconds = now() - start;
    if (ok)
      nn.ops->destroy(&nn);
  }
  free(points);
  free(order);
  free(index);
  free(rank);
  return ok;
}

search_internal *search_internal_build(const fricp_cloud *cloud, int search_type, double *seconds) {
  search_internal *s = malloc(sizeof *s);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = 1;
  options.search_type = search_type;
  options.threads = 1;
  if (!s)
    return NULL;
  if (fricp_target_create(&s->target, cloud, &options, NULL) != FRICP_OK || !time_build(s->target, seconds)) {
    search_internal_free(s);
    return NULL;
  }
  return s;
}

void search_internal_free(search_internal *s) {
  if (s)
    fricp_target_destroy(s->target);
  free(s);
}

/* The index, and the points in double (and their indices) by which it settles what floats cannot. */
size_t search_internal_bytes(const search_internal *s) {
  return s->target->nn.bytes + s->target->count * (sizeof s->target->points[0] + sizeof s->target->index[0]);
}

void search_internal_normalize(const search_internal *s, const double query[3], double out[3]) {
  fr_target_normalize(s->target, query, out);
}

void search_internal_run(const search_internal *s, const double *queries, size_t count, int kept, int32_t *neighbour) {
  for (size_t i = 0; i < count; i += FR_PACKET) {
    fr_nn_packet packet;
    packet.count = count - i < FR_PACKET ? (int)(count - i) : FR_PACKET;
    packet.kept = kept;
    packet.sure = 1;
    memcpy(packet.query, queries + 3 * i, (size_t)packet.count * sizeof packet.query[0]);
    for (int j = 0; j < packet.count; ++j)
      packet.limit2[j] = (double)INFINITY;
    const int ok = fr_nn_nearest_packet(&s->target->nn, &packet) == 0;
    for (int j = 0; j < packet.count; ++j)
      neighbour[i + (size_t)j] = ok && packet.found[j] > 0 ? s->target->index[packet.position[j][0]] : -1;
  }
}
