/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection against a full sort. */
#include "median.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double *copy_of(const double *values, size_t count) {
  double *copy = malloc(count * sizeof *copy);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, values, count * sizeof *copy);
  return copy;
}

/* The median and every `step`-th rank. */
static void check(const double *values, size_t count, size_t step) {
  double *sorted = copy_of(values, count);
  qsort(sorted, count, sizeof *sorted, by_value);
  double *work = copy_of(values, count);
  const double expected =
      count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] + (sorted[count / 2] - sorted[count / 2 - 1]) / 2;
  ck_assert_double_eq(fr_median(work, count), expected);
  for (size_t rank = 0; rank < count; rank += step) {
    memcpy(work, values, count * sizeof *work);
    fr_select(work, count, rank);
    ck_assert_double_eq(work[rank], sorted[rank]);
    size_t misplaced = 0;
    for (size_t i = 0; i < count; i++)
      misplaced += i < rank ? work[i] > work[rank] : work[i] < work[rank];
    ck_assert_uint_eq(misplaced, 0);
    qsort(work, count, sizeof *work, by_value); /* a permutation: nothing lost, nothing doubled */
    ck_assert_mem_eq(work, sorted, count * sizeof *work);
  }
  free(work);
  free(sorted);
}

START_TEST(small_counts_every_rank) {
  prng g = prng_seed(1, 0);
  double values[70];
  for (size_t count = 1; count <= 70; count++)
    for (uint64_t kinds = 1; kinds <= 100; kinds = kinds * 3 + 1) {
      for (size_t i = 0; i < count; i++)
        values[i] = (double)prng_below(&g, kinds) - 3;
      check(values, count, 1);
    }
}
END_TEST

START_TEST(patterns) {
  enum { N = 3001 };
  static double values[N];
  prng g = prng_seed(2, 0);
  for (size_t count = N - 1; count <= N; count++)
    for (int pattern = 0; pattern < 7; pattern++) {
      for (size_t i = 0; i < count; i++) {
        const double x = (double)i;
        const double all[7] = {
            x, -x, 7, (double)(i % 2), fabs(x - (double)count / 2), (double)(i * 7919 % 1009), prng_normal(&g)};
        values[i] = all[pattern];
      }
      check(values, count, 211);
    }
}
END_TEST

/* Work stays linear on inputs that make a careless pivot quadratic: a million equal, sorted or two-valued numbers. */
START_TEST(a_million) {
  enum { N = 1000000 };
  double *values = malloc(N * sizeof *values);
  ck_assert_ptr_nonnull(values);
  for (int pattern = 0; pattern < 4; pattern++) {
    for (size_t i = 0; i < N; i++) {
      const double all[4] = {1, (double)i, (double)(N - i), (double)(i & 1)};
      values[i] = all[pattern];
    }
    const double expected[4] = {1, (N - 1) / 2.0, (N + 1) / 2.0, 0.5};
    ck_assert_double_eq(fr_median(values, N), expected[pattern]);
  }
  free(values);
}
END_TEST

START_TEST(one_two_and_extremes) {
  double one[] = {5};
  double two[] = {9, 4};
  double infinite[] = {INFINITY, 1, 2};
  double large[] = {1.7e308, 1.6e308}; /* their sum overflows, their mean does not */
  ck_assert_double_eq(fr_median(one, 1), 5);
  ck_assert_double_eq(fr_median(two, 2), 6.5);
  ck_assert_double_eq(fr_median(infinite, 3), 2);
  ck_assert_double_eq_tol(fr_median(large, 2), 1.65e308, 1e293);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {small_counts_every_rank, patterns, a_million, one_two_and_extremes};
  return run_suite("median", tests, COUNT(tests));
}
