/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/strays.h"

#include "base/isa.h"
#include "base/parallel.h"
#include "cloud/plane_fit.h"
#include "maths/median.h"
#include "search/nn.h"

#include <math.h>
#include <string.h>

#define NEIGHBORS 16 /* the point itself among them */
#define ALONE 1.3    /* medians of the farthest neighbour's distance: fewer points than elsewhere */
#define ROUND 0.06   /* least share of the smallest variance: neighbours in all directions, as a volume has them */
#define OFF 3.0      /* standard deviations of the neighbours from the plane: not one of them */
#define APART 0.35   /* of the farthest neighbour's distance: what the grid can tell from the surface */
#define BLOCK 512
#define GRAIN 4096

enum { ON_PLANE, IN_VOLUME, OFF_PLANE };

/* By position: */
typedef struct search {
  int dimension;
  fr_nn nn;
  double *reach;        /* to the farthest neighbour */
  unsigned char *where; /* is the point, among its neighbours */
} search;

/* The square of a point's distance from the plane through its neighbours' mean. */
static double height2(const fr_nn *nn, size_t at, const int32_t *position, const double normal[3]) {
  double height = 0;
  for (int a = 0; a < 3; a++) {
    double mean = 0;
    for (int j = 0; j < NEIGHBORS; j++)
      mean += nn->points[position[j]][a] / NEIGHBORS;
    height += normal[a] * (nn->points[at][a] - mean);
  }
  return height * height;
}

/* Of the point in a lane, by the covariance of its neighbours, times their number. */
static void place(search *s, size_t at, const int32_t *position, const fr_eigen_lanes *lanes, int lane, double trace) {
  const double normal[3] = {lanes->vector[0][lane], lanes->vector[1][lane], lanes->vector[2][lane]};
  double reach2 = 0;
  for (int j = 0; j < NEIGHBORS; j++)
    reach2 = fmax(reach2, fr_distance2(s->nn.points[at], s->nn.points[position[j]]));
  const double off2 = height2(&s->nn, at, position, normal);
  const double others2 = fmax(lanes->value[0][lane] * trace - off2, 0) / (NEIGHBORS - 1);
  s->reach[at] = sqrt(reach2);
  if (off2 > OFF * OFF * others2 && off2 > APART * APART * reach2)
    s->where[at] = OFF_PLANE;
  else if (lanes->value[0][lane] > ROUND)
    s->where[at] = IN_VOLUME;
}

static void place_together(search *s, fr_nn_own *own, size_t first, int count) {
  const fr_isa isa = fr_best_isa();
  int32_t *position[FR_EIGEN_LANES];
  double trace[FR_EIGEN_LANES];
  fr_eigen_lanes lanes;
  for (int i = 0; i < count; i++)
    position[i] = own->position[first - own->first + (size_t)i];
  FR_PICK(isa, fr_plane_fit)(s->nn.points, position, count, NEIGHBORS, &lanes);
  for (int i = 0; i < count; i++) {
    if (s->dimension == 2) /* so that the least is in the plane */
      lanes.matrix[5][i] = lanes.matrix[0][i] + lanes.matrix[2][i];
    trace[i] = lanes.matrix[0][i] + lanes.matrix[2][i] + lanes.matrix[5][i];
  }
  const unsigned solved = FR_PICK(isa, fr_eigen_lanes)(&lanes);
  for (int i = 0; i < count; i++)
    if (solved >> i & 1)
      place(s, first + (size_t)i, position[i], &lanes, i, trace[i]);
}

static void place_block(void *context, size_t block, int thread) {
  search *s = context;
  const size_t end = (block + 1) * BLOCK < s->nn.count ? (block + 1) * BLOCK : s->nn.count;
  fr_nn_own own = {.k = NEIGHBORS};
  for (own.first = block * BLOCK; own.first < end; own.first += FR_PACKET) {
    const size_t count = end - own.first < FR_PACKET ? end - own.first : FR_PACKET;
    if (fr_interrupt_check(s->nn.interrupt, thread) != FRICP_STOP_NONE)
      return;
    own.wanted = (unsigned)((1ULL << count) - 1);
    s->nn.ops->nearest_own(&s->nn, &own);
    for (size_t i = 0; i < count; i += FR_EIGEN_LANES)
      place_together(s, &own, own.first + i, (int)(count - i < FR_EIGEN_LANES ? count - i : FR_EIGEN_LANES));
  }
}

/* Points in the order of the tree, and where each came from. */
static fricp_status build(search *s, const double (*points)[3], double (*sorted)[3], int32_t *order, int threads,
                          fricp_error *error) {
  for (size_t i = 0; i < s->nn.count; i++)
    order[i] = (int32_t)i;
  memcpy(sorted, points, s->nn.count * sizeof *sorted);
  s->nn.points = (const double(*)[3])sorted;
  s->nn.index = order;
  const fricp_status status = fr_nn_tree.build(&s->nn, order, threads, error);
  if (status != FRICP_OK)
    return status;
  s->nn.ops = &fr_nn_tree;
  for (size_t i = 0; i < s->nn.count; i++)
    memcpy(sorted[i], points[order[i]], sizeof *sorted);
  return FRICP_OK;
}

/* Compared with the other points of the cloud, by the caller's indices. */
static void mark(search *s, int threads, unsigned char *stray) {
  const size_t count = s->nn.count;
  memset(s->reach, 0, count * sizeof *s->reach);
  memset(s->where, ON_PLANE, count);
  fr_parallel_for(fr_thread_count(threads, count, GRAIN), (count + BLOCK - 1) / BLOCK, place_block, s, s->nn.interrupt);
  if (fr_interrupt_reason(s->nn.interrupt) != FRICP_STOP_NONE)
    return;
  memcpy(s->reach + count, s->reach, count * sizeof *s->reach);
  const double alone = ALONE * fr_median(s->reach + count, count);
  for (size_t i = 0; i < count; i++)
    stray[s->nn.index[i]] = s->where[i] == OFF_PLANE || (s->where[i] == IN_VOLUME && s->reach[i] > alone);
}

fricp_status fr_strays_find(const double (*points)[3], size_t count, int dimension, const fr_memory *memory,
                            fr_interrupt *interrupt, int threads, unsigned char *stray, fricp_error *error) {
  search s = {.dimension = dimension, .nn = {.memory = memory, .count = count, .interrupt = interrupt}};
  fricp_status status = FRICP_OK;
  memset(stray, 0, count);
  if (count < NEIGHBORS)
    return FRICP_OK;
  double(*sorted)[3] = fr_allocate(memory, count, sizeof *sorted);
  int32_t *order = fr_allocate(memory, count, sizeof *order);
  s.reach = fr_allocate(memory, 2 * count, sizeof *s.reach);
  s.where = fr_allocate(memory, count, 1);
  if (!sorted || !order || !s.reach || !s.where)
    status = fr_out_of_memory(error, "the stray points of a cloud", count);
  else
    status = build(&s, points, sorted, order, threads, error);
  if (s.nn.ops) {
    mark(&s, threads, stray);
    s.nn.ops->destroy(&s.nn);
  }
  fr_release(memory, s.where);
  fr_release(memory, s.reach);
  fr_release(memory, order);
  fr_release(memory, sorted);
  return status;
}
