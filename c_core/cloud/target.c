/* SPDX-License-Identifier: BSD-3-Clause */
/* Preparing a target: pack, index, reorder, normals, spacing. */
#include "cloud/target.h"

#include "base/parallel.h"
#include "cloud/neighborhood.h"
#include "cloud/order.h"
#include "search/hook.h"

#include <math.h>
#include <string.h>

#define BLOCK 2048
#define SPACING_SAMPLE ((size_t)20000) /* of more points, so many tell the spacing to some 0.3 % */
#define GRAIN 16384

void fr_target_normalize(const fricp_target *target, const double p[3], double out[3]) {
  for (int a = 0; a < 3; a++)
    out[a] = (p[a] - target->center[a]) / target->extent;
  if (target->dimension == 2)
    out[2] = 0;
}

/* Loops over the target's points, in parallel. */
typedef struct sweep {
  fricp_target *target;
  const fricp_cloud *cloud;
  const fr_frame *frame;
} sweep;

static void sweep_target(const sweep *s, int threads, fr_block_function body) {
  const size_t blocks = (s->target->count + BLOCK - 1) / BLOCK;
  fr_parallel_for(fr_thread_count(threads, s->target->count, GRAIN), blocks, body, (void *)s, s->target->nn.interrupt);
}

static size_t end_of(const sweep *s, size_t block) {
  return (block + 1) * BLOCK < s->target->count ? (block + 1) * BLOCK : s->target->count;
}

static void read_points(void *context, size_t block, int thread) {
  const sweep *s = context;
  fricp_target *target = s->target;
  const size_t end = end_of(s, block);
  (void)thread;
  for (size_t i = block * BLOCK; i < end; i++) {
    double p[3];
    (void)fr_cloud_point(s->cloud, (size_t)target->index[i], p);
    fr_frame_normalize(s->frame, p, target->points[i]);
  }
}

/* Of the points at one place the first that has a usable one. */
static void read_normal(const sweep *s, size_t position, double n[3]) {
  const struct fr_duplicate *other = NULL;
  const size_t others = fr_duplicates_of(&s->target->duplicates, (int32_t)position, &other);
  int usable = fr_cloud_normal(s->cloud, (size_t)s->target->index[position], n);
  for (size_t i = 0; i < others && !usable; i++)
    usable = fr_cloud_normal(s->cloud, (size_t)other[i].index, n);
}

static void read_normals(void *context, size_t block, int thread) {
  const sweep *s = context;
  fricp_target *target = s->target;
  const size_t end = end_of(s, block);
  (void)thread;
  for (size_t i = block * BLOCK; i < end; i++) {
    double n[3];
    read_normal(s, i, n);
    for (int a = 0; a < 3; a++)
      target->normals[i][a] = (float)n[a];
  }
}

/* The caller's indices, along the curve, so that nothing depends on their order. */
static fricp_status sort_indices(fricp_target *target, const fricp_cloud *cloud, const fr_frame *frame, int threads,
                                 fricp_error *error) {
  const size_t n = target->count;
  int32_t *room = fr_allocate(&target->memory, n, 3 * sizeof *room);
  if (!room)
    return fr_out_of_memory(error, "the target", n);
  fr_order order = {(uint32_t *)room, target->index, (uint32_t *)room + n, room + 2 * n, target->nn.interrupt};
  fr_order_sort(&order, cloud, frame, n, threads);
  if (order.id != target->index)
    memcpy(target->index, order.id, n * sizeof *order.id);
  fr_release(&target->memory, room);
  return FRICP_OK;
}

static fricp_status pack(fricp_target *target, const fricp_cloud *cloud, int threads, fricp_error *error) {
  const size_t n = fr_cloud_finite(cloud, NULL, target->nn.interrupt);
  target->count = n;
  target->skipped = fr_cloud_selected(cloud) - n;
  target->cloud_count = cloud->count;
  target->dimension = cloud->dimension;
  target->points = fr_allocate(&target->memory, n, sizeof *target->points);
  target->index = fr_allocate(&target->memory, n, sizeof *target->index);
  if (!target->points || !target->index)
    return fr_out_of_memory(error, "the target", n);
  (void)fr_cloud_finite(cloud, target->index, target->nn.interrupt);
  fr_frame frame = {{0}, 0};
  fricp_status status = fr_cloud_frame(cloud, target->index, n, (size_t)cloud->dimension, target->points[0], "target",
                                       &frame, target->nn.interrupt, error);
  if (status == FRICP_OK)
    status = sort_indices(target, cloud, &frame, threads, error);
  if (status != FRICP_OK)
    return status;
  target->extent = frame.extent;
  memcpy(target->center, frame.center, sizeof target->center);
  const sweep s = {target, cloud, &frame};
  sweep_target(&s, threads, read_points);
  return FRICP_OK;
}

/* Bring points and indices into the order asked for, along the cycles of the permutation: no second copy. order[i] < 0
 * marks what has its place. Left midway if interrupted. */
static void reorder(fricp_target *target, int32_t *order) {
  size_t moved = 0;
  for (size_t start = 0; start < target->count; start++) {
    if (order[start] < 0)
      continue;
    double point[3];
    memcpy(point, target->points[start], sizeof point);
    const int32_t index = target->index[start];
    size_t to = start;
    for (;;) {
      const size_t from = (size_t)order[to];
      if (fr_interrupt_each(target->nn.interrupt, moved++))
        return;
      order[to] = -1;
      if (from == start)
        break;
      memcpy(target->points[to], target->points[from], sizeof point);
      target->index[to] = target->index[from];
      to = from;
    }
    memcpy(target->points[to], point, sizeof point);
    target->index[to] = index;
  }
}

/* Of every `step` ranks along the curve one, which one being mixed, so that no period of a grid is met. @return the
 * number of its run, or -1 if this rank is not taken. */
static int64_t run_of(int32_t rank, size_t step, size_t runs) {
  const size_t run = (size_t)rank / step;
  const size_t which = (size_t)(((uint64_t)run * 2654435769U >> 7) % step);
  return run < runs && (size_t)rank % step == which ? (int64_t)run : -1;
}

/* order[position]: the rank along the curve. */
static fricp_status choose_samples(fricp_target *target, const int32_t *order, fricp_error *error) {
  const size_t n = target->count;
  const size_t step = (n - 1) / FR_NOISE_SAMPLE + 1;
  target->samples = n / step;
  for (size_t i = 0; i < n && !fr_interrupt_each(target->nn.interrupt, i); i++) {
    const int64_t run = run_of(order[i], step, target->samples);
    if (run >= 0)
      target->sample[run] = (int32_t)i;
  }
  const size_t wide = (n - 1) / SPACING_SAMPLE + 1;
  if (wide == 1)
    return FRICP_OK;
  target->spacing_samples = n / wide;
  target->spacing_sample = fr_allocate(&target->memory, target->spacing_samples, sizeof *target->spacing_sample);
  if (!target->spacing_sample)
    return fr_out_of_memory(error, "the spacing of the target", target->spacing_samples);
  size_t taken = 0;
  for (size_t i = 0; i < n && !fr_interrupt_each(target->nn.interrupt, i); i++)
    if (run_of(order[i], wide, target->spacing_samples) >= 0)
      target->spacing_sample[taken++] = (int32_t)i;
  return FRICP_OK;
}

static fricp_status build_index(fricp_target *target, const fricp_target_options *options, fricp_error *error) {
  fr_nn *nn = &target->nn;
  if (!options->search &&
      fr_duplicates_fold(&target->duplicates, &target->memory, target->points, target->index, &target->count) != 0)
    return fr_out_of_memory(error, "the target", target->cloud_count);
  if (target->count < (size_t)target->dimension)
    return fr_fail(error, FRICP_ERROR_TOO_FEW_POINTS,
                   "target: its %zu points lie at %zu places, which do not determine a pose in %d-D",
                   target->count + target->duplicates.count, target->count, target->dimension);
  nn->memory = &target->memory;
  nn->points = (const double(*)[3])target->points;
  nn->index = target->index;
  nn->count = target->count;
  int32_t *order = fr_allocate(&target->memory, target->count, sizeof *order);
  if (!order)
    return fr_out_of_memory(error, "the index of the target", target->count);
  for (size_t i = 0; i < target->count; i++)
    order[i] = (int32_t)i;
  fricp_status status = FRICP_OK;
  if (options->search) { /* speaks of every point */
    status = choose_samples(target, order, error);
    if (status == FRICP_OK)
      status = fr_nn_hook_init(nn, options->search, target->center, target->extent, target->cloud_count, error);
  } else {
    const fr_nn_ops *ops = fr_nn_find(options->search_type);
    status = ops->build(nn, order, options->threads, error);
    if (status == FRICP_OK) {
      nn->ops = ops;
      status = choose_samples(target, order, error);
      reorder(target, order);
    }
    if (status == FRICP_OK && fr_interrupt_check(nn->interrupt, 0) != FRICP_STOP_NONE)
      status = fr_interrupted(nn->interrupt, "after the index was built", error);
  }
  fr_release(&target->memory, order);
  if (status == FRICP_OK &&
      fr_duplicates_place(&target->duplicates, &target->memory, target->index, target->count, target->cloud_count) != 0)
    return fr_out_of_memory(error, "the target", target->count);
  return status;
}

static void count_normals(fricp_target *target) {
  target->normal_count = 0;
  for (size_t i = 0; i < target->count; i++)
    target->normal_count += fr_has_normal(target->normals[i]);
}

static fricp_status prepare_normals(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                                    fricp_error *error) {
  if (!cloud->normals && options->given_normals_only)
    return FRICP_OK;
  target->normals = fr_allocate(&target->memory, target->count, sizeof *target->normals);
  if (!target->normals)
    return fr_out_of_memory(error, "the normals of the target", target->count);
  const sweep s = {target, cloud, NULL};
  sweep_target(&s, options->threads, read_normals);
  if (!options->given_normals_only) {
    const int neighbors = options->normal_neighbors ? options->normal_neighbors
                          : target->dimension == 2  ? FR_NORMAL_NEIGHBORS_2D
                                                    : FR_NORMAL_NEIGHBORS;
    const fr_normal_fit fit = {target->dimension, neighbors, FR_LINE, "while the target's normals were estimated"};
    const fricp_status status = fr_estimate_normals(&target->nn, &fit, target->normals, options->threads, error);
    if (status != FRICP_OK)
      return status;
  }
  count_normals(target);
  return FRICP_OK;
}

fricp_status fr_target_find_normals(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                                    fricp_error *error) {
  fricp_status status = pack(target, cloud, options->threads, error);
  if (status == FRICP_OK && fr_interrupt_check(target->nn.interrupt, 0) != FRICP_STOP_NONE)
    status = fr_interrupted(target->nn.interrupt, "while the target was read", error);
  if (status == FRICP_OK)
    status = build_index(target, options, error);
  return status == FRICP_OK ? prepare_normals(target, cloud, options, error) : status;
}

fricp_status fr_target_prepare(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                               fricp_error *error) {
  fricp_status status = fr_target_find_normals(target, cloud, options, error);
  if (status == FRICP_OK)
    status =
        fr_measure_spacing(&target->nn, (const float(*)[3])target->normals, target->spacing_sample,
                           target->spacing_samples, options->threads, &target->spacing, &target->plane_spacing, error);
  if (status == FRICP_OK)
    status = fr_measure_noise(&target->nn, target->dimension, target->spacing, target->sample, target->samples,
                              options->threads, &target->noise, error);
  fr_release(&target->memory, target->spacing_sample);
  target->spacing_sample = NULL;
  return status;
}

void fr_target_release(fricp_target *target) {
  if (target->nn.ops)
    target->nn.ops->destroy(&target->nn);
  fr_release(&target->memory, target->spacing_sample);
  fr_release(&target->memory, target->duplicates.pair);
  fr_release(&target->memory, target->normals);
  fr_release(&target->memory, target->points);
  fr_release(&target->memory, target->index);
}
