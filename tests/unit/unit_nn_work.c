/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds that are hard for a tree take n log n too, by counting: this is the tree compiled anew, with every point, box
 * and record that it looks at counted (search/look.h). The instruction sets look at the same. */
#include "fixture.h"
#include "search/look.h"
#include "search/tree_split.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double fr_looks;

enum { QUERIES = 256 };

static double n_log_n(size_t n) {
  return (double)n * log2((double)n);
}

static double looks_of_singles(const fixture *f, const double (*query)[3]) {
  int32_t position;
  double d2;
  const double start = fr_looks;
  for (int i = 0; i < QUERIES; i++)
    ck_assert_int_eq(fr_nn_nearest(&f->nn, query[i], 1, INFINITY, &position, &d2), 1);
  return (fr_looks - start) / QUERIES;
}

static double looks_of_packets(const fixture *f, const double (*query)[3], int kept) {
  fr_nn_packet p = {.count = FR_PACKET, .kept = kept, .sure = 1};
  const double start = fr_looks;
  for (int i = 0; i < QUERIES; i += FR_PACKET) {
    memcpy(p.query, query + i, sizeof p.query);
    for (int j = 0; j < FR_PACKET; j++)
      p.limit2[j] = INFINITY;
    ck_assert_int_eq(fr_nn_nearest_packet(&f->nn, &p), 0);
  }
  return (fr_looks - start) / QUERIES;
}

/* An ordinary cloud takes 2.8 n log2 n to build. A search looks at a few nodes and buckets of sixteen; but from the centre
 * of a sphere at every point, and before that at no more in vain. */
START_TEST(work_is_n_log_n) {
  enum { N = 30000 };
  for (int k = 0; k < HARD_KINDS; k++) {
    const hard_kind kind = (hard_kind)k;
    const double start = fr_looks;
    fixture f = fixture_hard(kind, N);
    const double built = (fr_looks - start) / n_log_n(N);
    ck_assert_double_ge(built, 1); /* it does count */
    ck_assert_double_le(built, 5);
    prng g = prng_seed(79, (uint64_t)kind);
    double(*query)[3] = malloc(QUERIES * sizeof *query);
    ck_assert_ptr_nonnull(query);
    for (int i = 0; i < QUERIES; i++)
      hard_query(kind, (const double(*)[3])f.points, N, &g, query[i]);
    const double(*q)[3] = (const double(*)[3])query;
    const double looks[] = {looks_of_singles(&f, q), looks_of_packets(&f, q, 1), looks_of_packets(&f, q, FR_KEPT),
                            looks_of_packets(&f, q, FR_KEPT_MOST)};
    if (getenv("FRICP_VERBOSE"))
      fprintf(stderr, "kind %d: built %.2f n log n; a query: single %.0f, packets %.0f, %.0f, %.0f\n", k, built,
              looks[0], looks[1], looks[2], looks[3]);
    for (size_t i = 0; i < COUNT(looks); i++) {
      ck_assert_double_ge(looks[i], FR_PACKET);
      ck_assert_double_le(looks[i], kind == HARD_SPHERE ? 2 * N : N / 32.0);
    }
    free(query);
    fixture_free(&f);
  }
}
END_TEST

/* ---- Orders made against the pivots ---- */

enum { NINE = 9, SAMPLE = 64 }; /* pivots of tree_split.c are the middle of so many doubles, or of so many floats */

static void swap(size_t *a, size_t *b) {
  const size_t t = *a;
  *a = *b;
  *b = t;
}

/* Values along x for which the middle of nine is the fifth of what is left, for hundreds of rounds: a selection of the
 * middle that goes on that way is quadratic. Of the nine, five get the lowest values not yet given, the others the
 * highest; which are high ones where they are met again, until there are too many of them. @return rounds. */
static int mislead_nines(double (*points)[3], size_t count) {
  size_t *v = malloc(count * sizeof *v); /* numbers of the records, in their order */
  char *given = calloc(count, 1);
  ck_assert(v && given);
  size_t low = 0;
  size_t high = count;
  size_t first = 0;
  int rounds = 0;
  for (size_t i = 0; i < count; i++)
    v[i] = i;
  for (int lows = 5; lows == 5; first += 5, rounds++) {
    size_t *at = v + first;
    for (size_t i = 0; i < NINE; i++)
      swap(&at[i], &at[i + i * (count - first - NINE) / 8]);
    lows = 0;
    for (int i = 0; i < NINE; i++)
      if (!given[at[i]]) {
        points[at[i]][0] = (double)(lows < 5 ? low++ : --high);
        given[at[i]] = 1;
        lows += lows < 5;
      }
    for (int i = 1; i < NINE; i++) /* as the pivot is found */
      for (int j = i; j > 0 && points[at[j]][0] < points[at[j - 1]][0]; j--)
        swap(&at[j], &at[j - 1]);
  }
  for (size_t i = 0; i < count; i++)
    if (!given[i])
      points[i][0] = (double)low++;
  free(given);
  free(v);
  return rounds;
}

/* The same of the pivots that a sample of floats gives: of a sample, as many as are not above its pivot get the lowest
 * values not yet given, the others the highest. */
static int mislead_samples(double (*points)[3], size_t count, size_t rank) {
  size_t *v = malloc(count * sizeof *v);
  ck_assert_ptr_nonnull(v);
  size_t low = 0;
  size_t high = count;
  size_t first = 0;
  int rounds = 0;
  for (size_t i = 0; i < count; i++) {
    v[i] = i;
    points[i][0] = INFINITY;
  }
  for (;; rounds++) {
    const size_t left = count - first;
    const size_t wanted = (rank - first) * SAMPLE / left + 1;
    size_t lows = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
      double *x = points[v[first + (2 * i + 1) * left / (2 * SAMPLE)]];
      if (!isinf(x[0]))
        continue;
      x[0] = (double)(lows < wanted ? low++ : --high);
      lows += lows < wanted;
    }
    if (lows < wanted)
      break;
    for (int more = 0; more < 2; more++) /* as the tree parts them: less than the pivot, and the pivot */
      for (size_t i = first; i < count; i++) {
        swap(&v[i], &v[first]);
        first += points[v[first]][0] < (double)(low - 1 + (size_t)more);
      }
  }
  for (size_t i = 0; i < count; i++)
    if (isinf(points[i][0]))
      points[i][0] = (double)low++;
  free(v);
  return rounds;
}

typedef enum disorder { BY_CHANCE, SORTED, REVERSED, EQUAL, UP_AND_DOWN, SAMPLES_LOW, NINES_LOW, DISORDERS } disorder;

static void put_in_order(disorder how, double (*points)[3], size_t count) {
  prng g = prng_seed(81, (uint64_t)how);
  for (size_t i = 0; i < count; i++) {
    const double at = (double)i;
    points[i][1] = points[i][2] = 0;
    points[i][0] = how == SORTED        ? at
                   : how == REVERSED    ? -at
                   : how == EQUAL       ? 1
                   : how == UP_AND_DOWN ? fmin(at, (double)count - at)

                                        : prng_range(&g, 0, 1);
  }
  if (how == SAMPLES_LOW)
    ck_assert_int_ge(mislead_samples(points, count, count / 2), 50);
  if (how == NINES_LOW)
    ck_assert_int_ge(mislead_nines(points, count), 300);
}

START_TEST(splits_are_n_log_n) {
  enum { N = 8192 };
  double(*points)[3] = malloc(N * sizeof *points);
  fr_record *records = malloc(N * sizeof *records);
  ck_assert(points && records);
  for (int how = 0; how < DISORDERS; how++)
    for (int exact = 0; exact < 2; exact++) {
      put_in_order((disorder)how, points, N);
      for (int32_t i = 0; i < N; i++) {
        records[i].id = i;
        for (int a = 0; a < 3; a++)
          records[i].x[a] = (float)points[i][a];
      }
      const double start = fr_looks;
      fr_split_records((const double(*)[3])points, records, N, N / 2, 0, exact);
      const double looks = (fr_looks - start) / n_log_n(N);
      if (getenv("FRICP_VERBOSE"))
        fprintf(stderr, "order %d, exact %d: %.3f n log n\n", how, exact, looks);
      ck_assert_double_ge(looks * log2(N), 1);
      ck_assert_double_le(looks, 3);
      for (size_t i = 0; i < N; i++)
        if (i < N / 2)
          ck_assert_double_le(points[records[i].id][0], points[records[N / 2].id][0]);
    }
  free(records);
  free(points);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {work_is_n_log_n, splits_are_n_log_n};
  return run_suite("nn_work", tests, COUNT(tests));
}
