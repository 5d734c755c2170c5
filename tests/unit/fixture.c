/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void give(void *context, void *memory) {
  (void)context;
  free(memory);
}

const fr_memory fixture_memory = {NULL, take, give};

static void *room(size_t count, size_t size) {
  void *p = malloc(count * size + 1);
  ck_assert_ptr_nonnull(p);
  return p;
}

static int32_t *shuffle(size_t count) {
  int32_t *index = room(count, sizeof *index);
  prng g = prng_seed(count, 77);
  for (size_t i = 0; i < count; i++)
    index[i] = (int32_t)i;
  for (size_t i = count; i > 1; i--) {
    const size_t j = prng_below(&g, i);
    const int32_t t = index[i - 1];
    index[i - 1] = index[j];
    index[j] = t;
  }
  return index;
}

fixture fixture_make(const fr_nn_ops *ops, const double (*points)[3], size_t count, int threads) {
  fixture f = {.points = room(count, sizeof *f.points), .index = shuffle(count)};
  int32_t *order = room(count, sizeof *order);
  memcpy(f.points, points, count * sizeof *points);
  for (size_t i = 0; i < count; i++)
    order[i] = (int32_t)i;
  f.nn.memory = &fixture_memory;
  f.nn.points = (const double(*)[3])f.points;
  f.nn.index = f.index;
  f.nn.count = count;
  fricp_error error;
  if (ops->build(&f.nn, order, threads, &error) != FRICP_OK)
    ck_abort_msg("%s", error.text);
  f.nn.ops = ops;
  int32_t *index = room(count, sizeof *index);
  memcpy(index, f.index, count * sizeof *index);
  for (size_t i = 0; i < count; i++) {
    memcpy(f.points[i], points[order[i]], sizeof *points);
    f.index[i] = index[order[i]];
  }
  free(index);
  free(order);
  return f;
}

fixture fixture_hard(hard_kind kind, size_t count) {
  double(*points)[3] = hard_points(kind, count);
  const fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, count, 1);
  free(points);
  return f;
}

void fixture_free(fixture *f) {
  if (f->nn.ops)
    f->nn.ops->destroy(&f->nn);
  free(f->points);
  free(f->index);
}

void fixture_pack(fr_source *source, fr_matches *matches, const fricp_cloud *cloud, double extent) {
  const size_t count = fr_cloud_finite(cloud, NULL, NULL);
  fricp_error error;
  ck_assert_int_eq(fr_matches_reserve(matches, &fixture_memory, count), 0);
  const fr_order order = fr_matches_room(matches, NULL);
  if (fr_source_pack(source, &fixture_memory, cloud, count, extent, 3, &order, 1, &error) != FRICP_OK)
    ck_abort_msg("%s", error.text);
  fr_matches_forget(matches, NULL);
}

static int by_distance(const void *a, const void *b) {
  const neighbor *x = a;
  const neighbor *y = b;
  if (x->d2 != y->d2)
    return x->d2 < y->d2 ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

size_t fixture_all_within(const fixture *f, const double query[3], double limit2, neighbor *out) {
  size_t count = 0;
  for (size_t i = 0; i < f->nn.count; i++) {
    const double x = query[0] - f->points[i][0];
    const double y = query[1] - f->points[i][1];
    const double z = query[2] - f->points[i][2];
    const double d2 = x * x + y * y + z * z;
    if (d2 <= limit2)
      out[count++] = (neighbor){d2, f->index[i], (int32_t)i};
  }
  qsort(out, count, sizeof *out, by_distance);
  return count;
}

static void put(cloud_kind kind, prng *g, size_t i, double p[3], const double before[3]) {
  for (int a = 0; a < 3; a++)
    p[a] = prng_range(g, -0.5, 0.5);
  switch (kind) {
  case CLOUD_GRID:
    for (int a = 0; a < 3; a++)
      p[a] = floor(p[a] * 12) / 8;
    break;
  case CLOUD_DUPLICATES:
    if (i % 8 != 0)
      memcpy(p, before, 3 * sizeof *p);
    break;
  case CLOUD_LINE:
    p[1] = 2 * p[0];
    p[2] = -p[0];
    break;
  case CLOUD_FLAT:
    p[2] = 0;
    break;
  case CLOUD_FAR:
    p[0] += 1e6;
    p[1] -= 1e6;
    p[2] += 7e5;
    break;
  case CLOUD_CLUSTERS:
    for (int a = 0; a < 3; a++)
      p[a] = p[a] * 1e-4 + (double)(prng_bits(g) % 3) - 1;
    break;
  case CLOUD_SAME:
    p[0] = p[1] = p[2] = 0.25;
    break;
  case CLOUD_OUTLIER:
    if (i == 3)
      p[1] = -1e39; /* more than a float holds */
    break;
  default:
    break;
  }
}

double (*cloud_make(cloud_kind kind, size_t count, uint64_t seed))[3] {
  double(*points)[3] = room(count, sizeof *points);
  prng g = prng_seed(seed, (uint64_t)kind);
  const double none[3] = {0, 0, 0};
  for (size_t i = 0; i < count; i++)
    put(kind, &g, i, points[i], i ? points[i - 1] : none);
  return points;
}

const char *cloud_name(cloud_kind kind) {
  static const char *const names[CLOUD_KINDS] = {"random", "grid",     "duplicates", "line",   "flat",
                                                 "far",    "clusters", "same",       "outlier"};
  return names[kind];
}
