/* SPDX-License-Identifier: BSD-3-Clause */
/* Give the library your own memory: a fixed pool, as on a robot that must not ask the system for more at run time.
   Shown here: by a method of the paper (auto takes some memory in each call) the second scan allocates nothing,
   everything comes back, and a pool that is too small is an error that loses nothing. */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { POINTS = 5000, SCANS = 3 };

/* A first-fit pool. Blocks lie one after the other; each header says how large its block is and whether it is used. */
typedef union header {
  struct {
    size_t size; /* of what follows, in headers */
    int used;
  } block;
  max_align_t align;
} header;

typedef struct pool {
  header *first;
  size_t length;                        /* in headers */
  size_t allocations, live, used, peak; /* the last two in headers */
} pool;

static void pool_init(pool *p, void *memory, size_t bytes) {
  const pool empty = {memory, bytes / sizeof(header), 0, 0, 0, 0};
  *p = empty;
  p->first->block.size = p->length - 1;
  p->first->block.used = 0;
}

static void *pool_allocate(void *context, size_t size) {
  pool *p = context;
  const size_t need = (size + sizeof(header) - 1) / sizeof(header);
  for (header *h = p->first; h < p->first + p->length; h += 1 + h->block.size) {
    if (h->block.used)
      continue;
    for (header *next = h + 1 + h->block.size; next < p->first + p->length && !next->block.used;
         next = h + 1 + h->block.size)
      h->block.size += 1 + next->block.size; /* join free neighbours */
    if (h->block.size < need)
      continue;
    if (h->block.size > need) {
      header *rest = h + 1 + need;
      rest->block.size = h->block.size - need - 1;
      rest->block.used = 0;
      h->block.size = need;
    }
    h->block.used = 1;
    ++p->allocations;
    ++p->live;
    p->used += 1 + need;
    p->peak = p->used > p->peak ? p->used : p->peak;
    return h + 1;
  }
  return NULL; /* the library answers FRICP_ERROR_OUT_OF_MEMORY */
}

static void pool_release(void *context, void *memory) {
  pool *p = context;
  if (!memory)
    return;
  header *h = (header *)memory - 1;
  h->block.used = 0;
  --p->live;
  p->used -= 1 + h->block.size;
}

/* Prepare the map and register the scans to it, in memory of the pool only. The status of the first failure. */
static fricp_status run(pool *p, const float *map, const float *scan, const fricp_pose *truth, int *good) {
  fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  allocator.context = p;
  allocator.allocate = pool_allocate;
  allocator.release = pool_release;
  fricp_target_options target_options = FRICP_TARGET_OPTIONS_INIT;
  target_options.allocator = &allocator;
  target_options.given_normals_only = 1; /* robust-icp goes by points */

  fricp_cloud map_view = clouds_view(map, POINTS), scan_view = clouds_view(scan, POINTS);
  fricp_target *target = NULL;
  fricp_solver *solver = NULL;
  fricp_options options = FRICP_OPTIONS_INIT;
  options.method = FRICP_METHOD_ROBUST_ICP;
  fricp_status status = fricp_target_create(&target, &map_view, &target_options, NULL);
  if (status == FRICP_OK)
    status = fricp_solver_create(&solver, &allocator);
  *good = 0;
  for (int k = 0; k < SCANS && status == FRICP_OK; ++k) {
    const size_t before = p->allocations;
    fricp_result result = FRICP_RESULT_INIT;
    status = fricp_solver_align(solver, target, &scan_view, NULL, &options, &result);
    if (status != FRICP_OK)
      break;
    const double middle[3] = {0.7, 0.5, 0.0};
    double degrees, distance;
    clouds_compare(&result.target_from_source, truth, middle, &degrees, &distance);
    printf("  scan %d: %zu allocations, off the truth %.4f degrees, %.5f\n", k, p->allocations - before, degrees,
           distance);
    *good += degrees < 0.3 && distance < 0.003 && (k == 0 || p->allocations == before);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  return status;
}

int main(void) {
  const size_t large = (size_t)8 << 20, small = (size_t)200 << 10;
  void *memory = malloc(large);
  float *scan = malloc(3 * POINTS * sizeof *scan), *map = malloc(3 * POINTS * sizeof *map);
  if (!memory || !scan || !map)
    return 1;
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(8, 0.1, 0.4, 1, 0.03, -0.04, 0.02);
  clouds_scan(map, POINTS, 0.0, &here, 0.002, 0.02, 5);
  clouds_scan(scan, POINTS, 0.2, &truth, 0.002, 0.02, 6);

  pool p;
  int good = 0;
  pool_init(&p, memory, large);
  printf("a pool of %zu KB:\n", large >> 10);
  const fricp_status enough = run(&p, map, scan, &truth, &good);
  printf("  %s; peak %zu KB, %zu bytes a point, %zu blocks not returned\n", fricp_status_text(enough),
         p.peak * sizeof(header) >> 10, p.peak * sizeof(header) / POINTS, p.live);
  int ok = enough == FRICP_OK && good == SCANS && p.live == 0;

  pool_init(&p, memory, small);
  printf("a pool of %zu KB:\n", small >> 10);
  const fricp_status short_of = run(&p, map, scan, &truth, &good);
  printf("  %s; %zu blocks not returned\n", fricp_status_text(short_of), p.live);
  ok = ok && short_of == FRICP_ERROR_OUT_OF_MEMORY && p.live == 0;

  free(memory);
  free(scan);
  free(map);
  return ok ? 0 : 1;
}
