/* SPDX-License-Identifier: BSD-3-Clause */
/* Target points at the same place: folded, counted, and given back by their callers' indices. */
#include "cloud/duplicates.h"
#include "fixture.h"
#include "prng.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) {
  const size_t x = *(const size_t *)a;
  const size_t y = *(const size_t *)b;
  return x < y ? -1 : x > y;
}

/* Fold `count` points drawn from `places` places and account for every one of them. */
static void check_fold(size_t count, uint64_t places, uint64_t seed) {
  double(*points)[3] = malloc(count * sizeof *points);
  double(*original)[3] = malloc(count * sizeof *original);
  int32_t *index = malloc(count * sizeof *index);
  int *seen = calloc(count, sizeof *seen);
  ck_assert(points && original && index && seen);
  prng g = prng_seed(seed, 0);
  size_t *at = malloc(count * sizeof *at); /* drawn places, ascending: fold() asks for it */
  ck_assert_ptr_nonnull(at);
  for (size_t i = 0; i < count; i++)
    at[i] = (size_t)prng_below(&g, places);
  qsort(at, count, sizeof *at, by_size);
  for (size_t i = 0; i < count; i++) {
    const double x = (double)at[i];
    const double p[3] = {x, i % 2 ? 0.0 : -0.0, x * 0.5}; /* -0 and 0 are one place */
    memcpy(points[i], p, sizeof p);
    memcpy(original[i], p, sizeof p);
    index[i] = (int32_t)i;
  }
  fr_duplicates d;
  size_t left = count;
  ck_assert_int_eq(fr_duplicates_fold(&d, &fixture_memory, points, index, &left), 0);
  ck_assert_uint_eq(left + d.count, count);
  ck_assert_int_eq(fr_duplicates_place(&d, &fixture_memory, index, left, count), 0);
  size_t wrong = 0;
  for (size_t i = 0; i < left; i++) {
    seen[index[i]]++;
    wrong += memcmp(points[i], original[index[i]], sizeof points[i]) != 0;
    const struct fr_duplicate *first = NULL;
    const size_t more = fr_duplicates_of(&d, (int32_t)i, &first);
    for (size_t k = 0; k < more; k++) {
      seen[first[k].index]++;
      wrong += first[k].index <= (k ? first[k - 1].index : index[i]); /* the lowest is kept, the others ascend */
      wrong += points[i][0] != original[first[k].index][0];
    }
    wrong += i > 0 && points[i][0] <= points[i - 1][0]; /* no place twice */
  }
  for (size_t i = 0; i < count; i++)
    wrong += seen[i] != 1;
  ck_assert_uint_eq(wrong, 0);
  fr_release(&fixture_memory, d.pair);
  free(at);
  free(points);
  free(original);
  free(index);
  free(seen);
}

START_TEST(every_point_is_accounted_for) {
  static const size_t counts[] = {1, 2, 3, 10, 100, 2047, 2048, 2049, 10000};
  for (size_t c = 0; c < COUNT(counts); c++)
    for (uint64_t places = 1; places < 1000000; places *= 10)
      check_fold(counts[c], places, places + counts[c]);
}
END_TEST

START_TEST(points_of_their_own_stay) {
  double(*points)[3] = cloud_make(CLOUD_RANDOM, 5000, 3);
  int32_t index[5000];
  for (int i = 0; i < 5000; i++)
    index[i] = i;
  fr_duplicates d;
  size_t left = 5000;
  ck_assert_int_eq(fr_duplicates_fold(&d, &fixture_memory, points, index, &left), 0);
  ck_assert_uint_eq(left, 5000);
  ck_assert_uint_eq(d.count, 0);
  const struct fr_duplicate *first = NULL;
  ck_assert_int_eq(fr_duplicates_place(&d, &fixture_memory, index, 5000, 5000), 0);
  ck_assert_uint_eq(fr_duplicates_of(&d, 17, &first), 0);
  fr_release(&fixture_memory, d.pair);
  free(points);
}
END_TEST

static void *refuse(void *context, size_t size) {
  (void)context, (void)size;
  return NULL;
}

START_TEST(no_memory_is_told) {
  double(*points)[3] = cloud_make(CLOUD_SAME, 800, 3);
  size_t left = 800;
  int32_t index[800];
  for (int i = 0; i < 800; i++)
    index[i] = i;
  const fr_memory none = {NULL, refuse, fixture_memory.release};
  fr_duplicates d;
  ck_assert_int_eq(fr_duplicates_fold(&d, &none, points, index, &left), -1);
  free(points);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {every_point_is_accounted_for, points_of_their_own_stay, no_memory_is_told};
  return run_suite("duplicates", tests, COUNT(tests));
}
