/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include "parallel.h"

#include <math.h>
#include <string.h>

#define COARSEST 1000 /* points; fewer are no sample of a shape, and cost next to nothing */
#define CURVE_BITS 10 /* per axis of the space-filling curve */
#define RADIX_BITS 10
#define RUN ((size_t)2048)       /* points a block when packing, ... */
#define MOST_RUNS ((size_t)2048) /* ... or so many blocks: their sums fit FR_FRAME_SCRATCH */
#define GRAIN 16384              /* points a thread is worth when packing */

/* Sorting works in the buffers of the final pass, which are free until then. */
typedef struct order {
  uint32_t *key;
  int32_t *id;
  uint32_t *other_key;
  int32_t *other_id;
} order;

/* The next `count` elements of a block at base; NULL if there is no block yet and only *bytes counts. */
static void *take(unsigned char *base, size_t *bytes, size_t count, size_t size) {
  void *array = base ? base + *bytes : NULL;
  *bytes += (count * size + FR_ALIGNMENT - 1) / FR_ALIGNMENT * FR_ALIGNMENT;
  return array;
}

/* Lay all arrays for n points into one block, which large pages can hold. @return its bytes. */
static size_t lay_out(fr_source *source, unsigned char *base, size_t n, int weighted) {
  const size_t padded = n + FR_GROUP - 1;
  size_t bytes = 0;
  for (int a = 0; a < 3; a++)
    source->x[a] = take(base, &bytes, padded, sizeof *source->x[a]);
  source->weight = weighted ? take(base, &bytes, n, sizeof *source->weight) : NULL;
  source->index = take(base, &bytes, n, sizeof *source->index);
  for (int a = 0; a < 3; a++)
    source->anchor[a] = take(base, &bytes, n, sizeof *source->anchor[a]);
  source->reach = take(base, &bytes, n, sizeof *source->reach);
  for (int k = 0; k < FR_KEPT; k++)
    source->kept[k] = take(base, &bytes, n, sizeof *source->kept[k]);
  source->slack = take(base, &bytes, padded, sizeof *source->slack);
  source->last = take(base, &bytes, (n + FR_BLOCK - 1) / FR_BLOCK, sizeof *source->last);
  source->match = take(base, &bytes, n, sizeof *source->match);
  source->distance2 = take(base, &bytes, n, sizeof *source->distance2);
  source->residual = take(base, &bytes, n, sizeof *source->residual);
  source->final_weight = take(base, &bytes, n, sizeof *source->final_weight);
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

/* Spread the low ten bits to every third place. */
static uint32_t spread_bits(uint32_t v) {
  v = (v | v << 16) & 0x030000ffU;
  v = (v | v << 8) & 0x0300f00fU;
  v = (v | v << 4) & 0x030c30c3U;
  return (v | v << 2) & 0x09249249U;
}

/* Position along the Z-order curve through a cube of twice the extent around the center. The odd offset keeps gridded
 * clouds off the cell walls. */
static uint32_t curve_key(const double p[3], const fr_frame *frame) {
  uint32_t key = 0;
  for (int a = 0; a < 3; a++) {
    const double cells = (double)(1 << CURVE_BITS);
    const double at = ((p[a] - frame->center[a]) / (2 * frame->extent) + 0.5003718) * cells;
    const double cell = fmin(fmax(at, 0), cells - 1);
    key |= spread_bits((uint32_t)cell) << a;
  }
  return key;
}

/* Radix sort by key, stable. The result is in key and id. */
static void sort_order(order *o, size_t n) {
  size_t start[1 << RADIX_BITS];
  for (int shift = 0; shift < 3 * CURVE_BITS; shift += RADIX_BITS) {
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < n; i++)
      start[o->key[i] >> shift & ((1U << RADIX_BITS) - 1)]++;
    size_t sum = 0;
    for (size_t b = 0; b < sizeof start / sizeof start[0]; b++) {
      const size_t held = start[b];
      start[b] = sum;
      sum += held;
    }
    for (size_t i = 0; i < n; i++) {
      const size_t to = start[o->key[i] >> shift & ((1U << RADIX_BITS) - 1)]++;
      o->other_key[to] = o->key[i];
      o->other_id[to] = o->id[i];
    }
    const order swapped = {o->other_key, o->other_id, o->key, o->id};
    *o = swapped;
  }
}

/* What the workers share. */
typedef struct packing {
  fr_source *source;
  const fricp_cloud *cloud;
  const fr_frame *frame;
  double extent;
  order order;
  size_t run;       /* points of a block */
  double (*sum)[3]; /* of each block, from the frame's center */
  size_t stage;     /* positions from here on are this stage's: */
  size_t first;     /* ranks along the curve, */
  size_t step;      /* every step-th */
  size_t end;
} packing;

static size_t end_of_run(const packing *p, size_t block, size_t count) {
  return (block + 1) * p->run < count ? (block + 1) * p->run : count;
}

static void key_block(void *context, size_t block, int thread) {
  const packing *p = context;
  const size_t end = end_of_run(p, block, p->frame->finite);
  (void)thread;
  double sum[3] = {0, 0, 0};
  for (size_t i = block * p->run; i < end; i++) {
    double point[3];
    (void)fr_cloud_point(p->cloud, (size_t)p->order.id[i], point);
    p->order.key[i] = curve_key(point, p->frame);
    for (int a = 0; a < 3; a++)
      sum[a] += point[a] - p->frame->center[a];
  }
  memcpy(p->sum[block], sum, sizeof sum);
}

static void forget_point(fr_source *source, size_t at) {
  source->reach[at] = source->slack[at] = -1;
  for (int a = 0; a < 3; a++)
    source->anchor[a][at] = 0;
  for (int k = 0; k < FR_KEPT; k++)
    source->kept[k][at] = -1;
}

static void forget_poses(fr_source *source) {
  source->slack_limit = INFINITY;
  memset(source->last, 0, (source->count + FR_BLOCK - 1) / FR_BLOCK * sizeof *source->last);
}

static void put_block(void *context, size_t block, int thread) {
  const packing *p = context;
  fr_source *source = p->source;
  const size_t end = end_of_run(p, block, p->end - p->stage);
  (void)thread;
  for (size_t i = block * p->run; i < end; i++) {
    const size_t at = p->stage + i;
    const int32_t index = p->order.id[p->first + i * p->step];
    double point[3];
    (void)fr_cloud_point(p->cloud, (size_t)index, point);
    for (int a = 0; a < 3; a++)
      source->x[a][at] = (point[a] - source->center[a]) / p->extent;
    if (source->weight)
      source->weight[at] = fr_cloud_weight(p->cloud, (size_t)index);
    source->index[at] = index;
    forget_point(source, at);
  }
}

/* Every 2^s-th point along the curve first, then what a step half as long adds, and so on. */
static void put_in_stages(packing *p, int threads) {
  fr_source *source = p->source;
  const size_t n = p->frame->finite;
  size_t step = 1;
  while (n / (2 * step) >= COARSEST)
    step *= 2;
  source->stages = 0;
  p->first = 0;
  p->step = step;
  p->end = 0;
  for (; step > 0; p->first = step /= 2) {
    p->stage = p->end;
    p->end += n > p->first ? (n - p->first + p->step - 1) / p->step : 0;
    fr_parallel_for(threads, (p->end - p->stage + p->run - 1) / p->run, put_block, p, source->interrupt);
    source->stage_end[source->stages++] = p->end;
    if (source->stages > 1) /* the odd multiples of a step lie two steps apart */
      p->step /= 2;
  }
  source->count = p->end;
}

fricp_status fr_source_pack(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud, double extent,
                            size_t needed, int threads, fricp_error *error) {
  fr_frame frame = {{0}, 0, 0};
  double *scratch = fr_buffer_reserve(memory, &source->scratch, FR_FRAME_SCRATCH, sizeof *scratch);
  if (!scratch)
    return fr_out_of_memory(error, "the source", cloud->count);
  const fricp_status status = fr_cloud_frame(cloud, scratch, "source", &frame, error);
  if (status != FRICP_OK)
    return status;
  if (frame.finite < needed || !(frame.extent > 0))
    return fr_fail(error, FRICP_ERROR_TOO_FEW_POINTS,
                   "source: %zu finite points%s do not determine a pose in %d-D; it needs %zu at different places",
                   frame.finite, frame.extent > 0 ? "" : ", all at the same place,", cloud->dimension, needed);
  const size_t selected = fr_cloud_selected(cloud);
  const size_t n = frame.finite;
  if (!reserve_all(source, memory, n, cloud->weights != NULL))
    return fr_out_of_memory(error, "the source", n);
  packing p = {.source = source, .cloud = cloud, .frame = &frame, .extent = extent};
  p.order.key = (uint32_t *)source->distance2;
  p.order.id = (int32_t *)source->residual;
  p.order.other_key = (uint32_t *)source->final_weight;
  p.order.other_id = source->match;
  p.run = RUN > n / MOST_RUNS + 1 ? RUN : n / MOST_RUNS + 1;
  p.sum = (double(*)[3])scratch;
  size_t held = 0;
  for (size_t i = 0; i < selected; i++) {
    double point[3];
    const size_t index = fr_cloud_index(cloud, i);
    if (fr_cloud_point(cloud, index, point))
      p.order.id[held++] = (int32_t)index;
  }
  threads = fr_thread_count(threads, n, GRAIN);
  const size_t runs = (n + p.run - 1) / p.run;
  fr_parallel_for(threads, runs, key_block, &p, source->interrupt);
  for (int a = 0; a < 3; a++) {
    double sum = 0;
    for (size_t r = 0; r < runs; r++)
      sum += p.sum[r][a];
    source->center[a] = frame.center[a];
    source->centroid[a] = frame.center[a] + sum / (double)n;
  }
  sort_order(&p.order, n);
  put_in_stages(&p, threads);
  for (size_t i = n; i < n + FR_GROUP - 1; i++)
    source->x[0][i] = source->x[1][i] = source->x[2][i] = source->slack[i] = 0;
  forget_poses(source);
  source->cloud_count = cloud->count;
  source->skipped = selected - n;
  return FRICP_OK;
}

void fr_source_forget(fr_source *source) {
  for (size_t i = 0; i < source->count; i++)
    forget_point(source, i);
  forget_poses(source);
}

void fr_source_release(fr_source *source, const fr_memory *memory) {
  fr_buffer_release(memory, &source->arrays);
  fr_buffer_release(memory, &source->scratch);
}

size_t fr_source_prefix(const fr_source *source, size_t least) {
  int stage = 0;
  while (stage + 1 < source->stages && source->stage_end[stage] < least)
    stage++;
  return source->stage_end[stage];
}
