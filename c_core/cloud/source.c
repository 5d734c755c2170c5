/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/source.h"

#include "base/parallel.h"
#include "cloud/order.h"

#include <math.h>
#include <string.h>

#define RUN ((size_t)2048) /* points of a block when packing */
#define GRAIN 16384        /* points a thread is worth when packing */

/* Lay all arrays for n points into one block, which large pages can hold. @return its bytes. */
static size_t lay_out(fr_source *source, unsigned char *base, size_t n, int weighted) {
  size_t bytes = 0;
  for (int a = 0; a < 3; a++)
    source->x[a] = fr_carve(base, &bytes, n + FR_GROUP - 1, sizeof *source->x[a]);
  source->normal[0] = source->normal[1] = source->normal[2] = NULL;
  source->weight = weighted ? fr_carve(base, &bytes, n, sizeof *source->weight) : NULL;
  source->index = fr_carve(base, &bytes, n, sizeof *source->index);
  return bytes;
}

static int reserve_all(fr_source *source, const fr_memory *memory, size_t n, int weighted) {
  const size_t bytes = lay_out(source, NULL, n, weighted);
  unsigned char *base = fr_buffer_reserve(memory, &source->arrays, bytes, 1);
  if (!base)
    return 0;
  (void)lay_out(source, base, n, weighted);
  return 1;
}

/* What the workers share. */
typedef struct packing {
  fr_source *source;
  const fricp_cloud *cloud;
  double extent;
  fr_order order;
  const int32_t *id; /* along the curve */
  size_t count;
  double (*sum)[3]; /* of each block of a stage, from the frame's center */
  size_t stage;     /* positions from here on are this stage's: */
  size_t first;     /* ranks along the curve, */
  size_t step;      /* every step-th */
  size_t end;
} packing;

static void put_block(void *context, size_t block, int thread) {
  const packing *p = context;
  fr_source *source = p->source;
  const size_t count = p->end - p->stage;
  const size_t end = (block + 1) * RUN < count ? (block + 1) * RUN : count;
  double sum[3] = {0, 0, 0};
  (void)thread;
  for (size_t i = block * RUN; i < end; i++) {
    const size_t at = p->stage + i;
    const int32_t index = p->id[p->first + i * p->step];
    double point[3];
    (void)fr_cloud_point(p->cloud, (size_t)index, point);
    for (int a = 0; a < 3; a++) {
      const double x = point[a] - source->center[a];
      source->x[a][at] = x / p->extent;
      sum[a] += x;
    }
    if (source->weight)
      source->weight[at] = fr_cloud_weight(p->cloud, (size_t)index) / source->largest_weight;
    source->index[at] = index;
  }
  memcpy(p->sum[block], sum, sizeof sum);
}

static void put_stage(packing *p, int threads, double sum[3]) {
  const size_t blocks = (p->end - p->stage + RUN - 1) / RUN;
  fr_parallel_for(threads, blocks, put_block, p, p->order.interrupt);
  for (size_t b = 0; b < blocks; b++)
    for (int a = 0; a < 3; a++)
      sum[a] += p->sum[b][a];
}

/* As how many points of one weight the first `end` count: (sum w)^2 / sum w^2. */
static double size_of(const fr_source *source, size_t end) {
  double sum = 0;
  double squares = 0;
  if (!source->weight)
    return (double)end;
  for (size_t i = 0; i < end; i++) {
    sum += source->weight[i];
    squares += source->weight[i] * source->weight[i];
  }
  return squares > 0 ? sum * sum / squares : 0;
}

/* Every 2^s-th point along the curve first, then what a step half as long adds, and so on. */
static void put_in_stages(packing *p, int threads) {
  fr_source *source = p->source;
  const size_t n = p->count;
  double sum[3] = {0, 0, 0};
  size_t step = 1;
  while (n / (2 * step) >= FR_COARSEST)
    step *= 2;
  source->stages = 0;
  p->first = 0;
  p->step = step;
  p->end = 0;
  for (; step > 0; p->first = step /= 2) {
    p->stage = p->end;
    p->end += n > p->first ? (n - p->first + p->step - 1) / p->step : 0;
    put_stage(p, threads, sum);
    source->stage_size[source->stages] = size_of(source, p->end);
    source->stage_end[source->stages++] = p->end;
    if (source->stages > 1) /* the odd multiples of a step lie two steps apart */
      p->step /= 2;
  }
  source->count = p->end;
  for (int a = 0; a < 3; a++)
    source->centroid[a] = source->center[a] + sum[a] / (double)n;
}

/* Only what weights are to each other counts. */
static fricp_status weigh(fr_source *source, const fricp_cloud *cloud, const int32_t *id, size_t n,
                          fr_interrupt *interrupt, fricp_error *error) {
  double largest = 0;
  for (size_t i = 0; i < n && !fr_interrupt_each(interrupt, i); i++)
    largest = fmax(largest, fr_cloud_weight(cloud, (size_t)id[i]));
  if (!(largest > 0))
    return fr_interrupt_reason(interrupt) == FRICP_STOP_NONE
               ? fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "source: all weights are zero")
               : fr_interrupted(interrupt, "while the source was read", error);
  source->largest_weight = largest;
  source->weight_sum = 0;
  for (size_t i = 0; i < n && !fr_interrupt_each(interrupt, i); i++)
    source->weight_sum += fr_cloud_weight(cloud, (size_t)id[i]) / largest;
  return FRICP_OK;
}

/* Places among the points, which follow each other if they are at one; no more than `most` are counted. */
static size_t count_places(const fricp_cloud *cloud, const int32_t *id, size_t n, size_t most) {
  size_t places = 0;
  double last[3] = {NAN, NAN, NAN};
  for (size_t i = 0; i < n && places < most; i++) {
    double p[3];
    (void)fr_cloud_point(cloud, (size_t)id[i], p);
    places += p[0] != last[0] || p[1] != last[1] || p[2] != last[2];
    memcpy(last, p, sizeof p);
  }
  return places;
}

/* Check and sort. */
static fricp_status arrange(packing *p, size_t needed, int threads, fricp_error *error) {
  fr_source *source = p->source;
  const size_t n = p->count;
  fr_order *order = &p->order;
  fr_frame frame = {{0}, 0};
  (void)fr_cloud_finite(p->cloud, order->id, order->interrupt);
  fricp_status status =
      fr_cloud_frame(p->cloud, order->id, n, needed, source->x[0], "source", &frame, order->interrupt, error);
  if (status != FRICP_OK)
    return status;
  if (fr_interrupt_check(order->interrupt, 0) != FRICP_STOP_NONE)
    return fr_interrupted(order->interrupt, "while the source was read", error);
  memcpy(source->center, frame.center, sizeof source->center);
  fr_order_sort(order, p->cloud, &frame, n, threads);
  if (fr_interrupt_check(order->interrupt, 0) != FRICP_STOP_NONE)
    return fr_interrupted(order->interrupt, "while the source was sorted", error);
  p->id = order->id;
  status = weigh(source, p->cloud, order->id, n, order->interrupt, error);
  if (status != FRICP_OK)
    return status;
  const size_t places = count_places(p->cloud, order->id, n, needed);
  if (places < needed)
    return fr_fail(error, FRICP_ERROR_TOO_FEW_POINTS,
                   "source: its %zu points lie at %zu places, which do not determine a pose in %d-D", n, places,
                   (int)p->cloud->dimension);
  return FRICP_OK;
}

fricp_status fr_source_pack(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud, size_t count,
                            double extent, size_t needed, const fr_order *order, int threads, fricp_error *error) {
  packing p = {.source = source, .cloud = cloud, .extent = extent, .order = *order, .count = count};
  p.sum = fr_buffer_reserve(memory, &source->sums, count / RUN + 1, sizeof *p.sum);
  if (!p.sum || !reserve_all(source, memory, count, cloud->weights != NULL))
    return fr_out_of_memory(error, "the source", count);
  threads = fr_thread_count(threads, count, GRAIN);
  const fricp_status status = arrange(&p, needed, threads, error);
  if (status != FRICP_OK)
    return status;
  put_in_stages(&p, threads);
  for (size_t i = count; i < count + FR_GROUP - 1; i++)
    source->x[0][i] = source->x[1][i] = source->x[2][i] = 0;
  source->cloud_count = cloud->count;
  source->skipped = fr_cloud_selected(cloud) - count;
  return FRICP_OK;
}

void fr_source_release(fr_source *source, const fr_memory *memory) {
  fr_buffer_release(memory, &source->arrays);
  fr_buffer_release(memory, &source->sums);
  fr_buffer_release(memory, &source->normals);
}

size_t fr_source_prefix(const fr_source *source, size_t least) {
  int stage = 0;
  while (stage + 1 < source->stages && source->stage_size[stage] < (double)least)
    stage++;
  return source->stage_end[stage];
}

/* As put_in_stages() puts them. */
size_t fr_source_position(const fr_source *source, size_t rank) {
  size_t step = (size_t)1 << (source->stages - 1);
  if (rank % step == 0)
    return rank / step;
  int stage = 0;
  for (; rank % step != 0; step /= 2)
    stage++;
  return source->stage_end[stage - 1] + (rank - step) / (2 * step);
}

size_t fr_source_rank(const fr_source *source, size_t position) {
  size_t step = (size_t)1 << (source->stages - 1);
  if (position < source->stage_end[0])
    return position * step;
  int stage = 1;
  for (step /= 2; position >= source->stage_end[stage]; step /= 2)
    stage++;
  return step + (position - source->stage_end[stage - 1]) * 2 * step;
}

double fr_source_weight(const fr_source *source, size_t points) {
  double sum = 0;
  if (!source->weight)
    return (double)points;
  for (size_t i = 0; i < points; i++)
    sum += source->weight[i];
  return sum;
}
