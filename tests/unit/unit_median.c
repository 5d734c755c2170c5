/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection against a full sort, and its work counted: a second copy, whose comparisons go through this file. */
#define fr_select counted_select
#define fr_median counted_median
#define FR_LESS(a, b) is_less(a, b)
static int is_less(double a, double b);
#include "maths/median.c"
#undef fr_select
#undef fr_median
#undef FR_MEDIAN_H
#include "maths/median.h"
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

/* ---- Work, counted ---- */

static size_t comparisons;
static double *fixed; /* McIlroy's adversary: values are numbers of items, whose order it decides when it has to; NULL:
                         values are compared */
static double next_fixed;
static double candidate;

static int is_less(double a, double b) {
  comparisons++;
  if (!fixed)
    return a < b;
  const size_t i = (size_t)a;
  const size_t j = (size_t)b;
  if (isinf(fixed[i]) && isinf(fixed[j]))
    fixed[a == candidate ? i : j] = next_fixed++; /* what is likely a pivot becomes the least of those left */
  if (isinf(fixed[i]))
    candidate = a;
  else if (isinf(fixed[j]))
    candidate = b;
  return fixed[i] < fixed[j];
}

/* A bound for every input: a round costs the sample or the medians of five, and a pass against either end; a round that
 * leaves more than three quarters is followed by one that leaves at most seven tenths and a few. Measured: up to 9. */
#define MOST_COMPARISONS 20

static void check_work(double *values, size_t count, size_t rank) {
  double *kept = copy_of(values, count);
  comparisons = 0;
  counted_select(values, count, rank);
  ck_assert_uint_lt(comparisons, MOST_COMPARISONS * count);
  comparisons = 0;
  (void)counted_median(kept, count);
  ck_assert_uint_lt(comparisons, MOST_COMPARISONS * count);
  free(kept);
}

/* hard_for_a_tree/adv.c's kind: an order made against the very pivots that are chosen. */
START_TEST(work_is_linear_against_an_adversary) {
  const size_t counts[] = {500, 3000, 50000, 400000};
  for (size_t c = 0; c < COUNT(counts); c++) {
    const size_t n = counts[c];
    double *items = malloc(n * sizeof *items);
    double *order = malloc(n * sizeof *order);
    ck_assert(items && order);
    for (int which = 0; which < 3; which++) {
      for (size_t i = 0; i < n; i++) {
        items[i] = (double)i;
        order[i] = INFINITY;
      }
      fixed = order;
      next_fixed = 0;
      candidate = -1;
      comparisons = 0;
      counted_select(items, n, which * (n - 1) / 2);
      fixed = NULL;
      ck_assert_uint_lt(comparisons, MOST_COMPARISONS * n);
      check_work(order, n, which * (n - 1) / 2); /* the order that came of it, as values */
    }
    free(items);
    free(order);
  }
}
END_TEST

START_TEST(work_is_linear_on_patterns) {
  enum { N = 200000 };
  double *values = malloc(N * sizeof *values);
  ck_assert_ptr_nonnull(values);
  for (size_t period = 1; period < N; period = period * 7 + 1)
    for (int pattern = 0; pattern < 6; pattern++) {
      for (size_t i = 0; i < N; i++) {
        const size_t p = i % period;
        const size_t run = i / (period + 1);
        const double all[6] = {(double)p,
                               (double)run,
                               (double)(p * N + run),
                               fabs((double)i - (double)period),
                               i % 64 == 32 ? (double)i : 0,
                               (double)(p == 0) * (double)i};
        values[i] = all[pattern];
      }
      check_work(values, N, N / 2 + period % 1000);
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

/* A sample that holds none of the lower half, and of the upper half its least value so often that both ends of the bracket
 * are it: the upper middle is in the bracket, the lower one is not. */
START_TEST(the_lower_middle_lies_outside_the_bracket) {
  enum { N = 1000, HALF = N / 2, SAMPLE = 100 };
  double place[N];
  double values[N];
  double low;
  double high;
  for (int i = 0; i < N; i++)
    place[i] = values[i] = i;
  bracket(place, N, HALF, &low, &high); /* puts the sample first */
  for (int i = 0; i < N; i++)
    values[(int)place[i]] = i < SAMPLE ? 1 : i < SAMPLE + HALF ? 0 : 2;
  ck_assert_double_eq(fr_median(values, N), 0.5);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {small_counts_every_rank,
                                patterns,
                                a_million,
                                one_two_and_extremes,
                                work_is_linear_against_an_adversary,
                                work_is_linear_on_patterns,
                                the_lower_middle_lies_outside_the_bracket};
  return run_suite("median", tests, COUNT(tests));
}
