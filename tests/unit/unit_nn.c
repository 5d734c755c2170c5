/* SPDX-License-Identifier: BSD-3-Clause */
/* Every search back end against a full sort in double: the same neighbours, the same distances to the last bit. */
#include "engines.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_position(const void *a, const void *b) {
  return *(const int32_t *)a - *(const int32_t *)b;
}

static void check_within(const engine *e, const fixture *f, const double query[3], double limit2,
                         const neighbor *sorted, size_t within, const char *what) {
  int32_t *position = malloc(sizeof *position * (f->nn.count + 1) * 2);
  double *d2 = malloc(sizeof *d2 * (f->nn.count + 1));
  ck_assert(position && d2);
  int32_t *expected = position + f->nn.count + 1;
  const int found = e->within(&f->nn, query, limit2, position, d2, (int)f->nn.count);
  if (found != (int)within)
    ck_abort_msg("%s, %s: within %g: %d found, %zu expected", e->name, what, limit2, found, within);
  for (int i = 0; i < found; i++)
    if (fr_distance2(query, f->points[position[i]]) != d2[i])
      ck_abort_msg("%s, %s: within: point %d is not at its distance", e->name, what, position[i]);
  for (size_t i = 0; i < within; i++)
    expected[i] = sorted[i].position;
  qsort(position, within, sizeof *position, by_position);
  qsort(expected, within, sizeof *expected, by_position);
  ck_assert_int_eq(memcmp(position, expected, within * sizeof *position), 0);
  /* A short capacity: no more is written, the number is the same. */
  const int room = (int)within / 2;
  d2[room] = -7;
  position[room] = -7;
  ck_assert_int_eq(e->within(&f->nn, query, limit2, position, d2, room), (int)within);
  ck_assert(d2[room] == -7 && position[room] == -7);
  free(position);
  free(d2);
}

/* How many of the sorted ones lie within the limit. */
static size_t up_to(double limit2, const neighbor *sorted, size_t count) {
  size_t within = 0;
  while (within < count && sorted[within].d2 <= limit2)
    within++;
  return within;
}

static void check_cloud(cloud_kind kind, size_t count, int queries, uint64_t seed) {
  static const int ks[] = {1, 3, 7, 30};
  double(*points)[3] = cloud_make(kind, count, seed);
  neighbor *sorted = malloc(sizeof *sorted * count);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  char what[64];
  (void)snprintf(what, sizeof what, "%s of %zu", cloud_name(kind), count);
  for (int e = 0; e < engine_count; e++) {
    fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, count, 1);
    prng g = prng_seed(seed, 1);
    for (int trial = 0; trial < queries; trial++) {
      double q[3];
      make_query(&g, &f, trial, q);
      const int k = ks[trial / 7 % (int)COUNT(ks)];
      (void)fixture_all_within(&f, q, INFINITY, sorted);
      const double limit2 = limit_for(trial / 3, sorted, count, k);
      const size_t within = up_to(limit2, sorted, count);
      check_nearest(&engines[e], &f, q, k, limit2, sorted, within, what);
      if (trial % 4 == 0)
        check_within(&engines[e], &f, q, limit2, sorted, within, what);
    }
    fixture_free(&f);
  }
  free(sorted);
  free(points);
}

START_TEST(all_kinds_of_clouds) {
  for (cloud_kind kind = 0; kind < CLOUD_KINDS; kind++)
    check_cloud(kind, 1203, 168, 11);
}
END_TEST

/* One bucket, partly filled ones, and the sizes around a node's sixteen buckets and sixteen nodes. */
START_TEST(all_small_sizes) {
  for (size_t count = 1; count <= 40; count++)
    for (cloud_kind kind = 0; kind < CLOUD_KINDS; kind++)
      if (kind != CLOUD_OUTLIER || count > 3)
        check_cloud(kind, count, 84, count);
  static const size_t sizes[] = {255, 256, 257, 271, 272, 273, 4095, 4096, 4097, 4112, 4113};
  for (size_t i = 0; i < COUNT(sizes); i++)
    check_cloud(CLOUD_RANDOM, sizes[i], 56, sizes[i]);
}
END_TEST

/* The largest k there is, and more than there are points. */
START_TEST(large_k) {
  double(*points)[3] = cloud_make(CLOUD_GRID, 700, 5);
  neighbor *sorted = malloc(sizeof *sorted * 700);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  for (int e = 0; e < engine_count; e++)
    for (size_t count = 200; count <= 700; count += 500) {
      fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, count, 1);
      prng g = prng_seed(6, 0);
      for (int trial = 0; trial < 30; trial++) {
        double q[3];
        make_query(&g, &f, trial, q);
        const size_t within = fixture_all_within(&f, q, INFINITY, sorted);
        check_nearest(&engines[e], &f, q, MOST_K, INFINITY, sorted, within, "large k");
      }
      fixture_free(&f);
    }
  free(sorted);
  free(points);
}
END_TEST

/* A squared distance within which at least `least` points lie: that of one of the first ones. */
static double enough_within(const fixture *f, const double q[3], int least) {
  double d2[64];
  for (int i = 0; i < 64; i++)
    d2[i] = fr_distance2(q, f->points[(size_t)i * 4001 % f->nn.count]);
  for (int i = 0; i < least; i++) /* selection: the least-th smallest */
    for (int j = i + 1; j < 64; j++)
      if (d2[j] < d2[i]) {
        const double t = d2[i];
        d2[i] = d2[j];
        d2[j] = t;
      }
  return d2[least - 1];
}

/* 300,000 points, built by several threads: the same tree, the right neighbours. */
START_TEST(a_large_cloud) {
  enum { N = 300000, QUERIES = 140 };
  double(*points)[3] = cloud_make(CLOUD_RANDOM, N, 21);
  neighbor *sorted = malloc(sizeof *sorted * N);
  fixture one = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
  fixture four = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 4);
  ck_assert_int_eq(memcmp(one.index, four.index, sizeof(int32_t) * N), 0);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  prng g = prng_seed(22, 0);
  for (int trial = 0; trial < QUERIES; trial++) {
    double q[3];
    make_query(&g, &four, trial, q);
    const int k = trial % 2 ? 1 : 7;
    const double limit2 = trial % 3 ? INFINITY : 1e-3;
    const size_t within = fixture_all_within(&four, q, fmin(limit2, enough_within(&four, q, k)), sorted);
    for (int e = 0; e < engine_count; e++)
      if (engines[e].ops == &fr_nn_tree)
        check_nearest(&engines[e], &four, q, k, limit2, sorted, within, "300,000");
  }
  fixture_free(&one);
  fixture_free(&four);
  free(sorted);
  free(points);
}
END_TEST

/* More points at one distance than any search asks a library for at once, on a sphere and at one place: the lowest
 * indices, nearer points before them. */
START_TEST(many_at_one_distance) {
  enum { POINTS = 1500, NEAR = 2 };
  static double points[POINTS][3];
  prng g = prng_seed(41, 0);
  neighbor *sorted = malloc(sizeof *sorted * POINTS);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  for (size_t i = 0; i < POINTS;
       i++) { /* permuted and signed (3, 4, 12) / 16, exactly on a sphere, a few on one of half its size */
    static const double side[3] = {3.0 / 16, 4.0 / 16, 12.0 / 16};
    const size_t first = prng_below(&g, 3);
    for (size_t a = 0; a < 3; a++)
      points[i][a] = (prng_below(&g, 2) ? 1 : -1) * side[(first + a) % 3] * (i % 400 < NEAR ? 0.5 : 1);
  }
  for (int e = 0; e < engine_count; e++) {
    fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, POINTS, 1);
    const double q[3] = {0, 0, 0};
    static const int ks[] = {1, 3, 8, 9, 30, 100, MOST_K};
    for (size_t k = 0; k < COUNT(ks); k++) {
      const size_t within = fixture_all_within(&f, q, INFINITY, sorted);
      check_nearest(&engines[e], &f, q, ks[k], INFINITY, sorted, within, "on a sphere");
      check_nearest(&engines[e], &f, q, ks[k], sorted[POINTS - 1].d2, sorted, within, "on a sphere");
    }
    fixture_free(&f);
  }
  free(sorted);
}
END_TEST

START_TEST(nothing_asked_nothing_found) {
  double(*points)[3] = cloud_make(CLOUD_RANDOM, 100, 1);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  for (int e = 0; e < engine_count; e++) {
    fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, 100, 1);
    const double q[3] = {5, 5, 5};
    int32_t position[100];
    double d2[100];
    ck_assert_int_eq(fr_nn_nearest(&f.nn, q, 0, INFINITY, position, d2), 0);
    ck_assert_int_eq(fr_nn_nearest(&f.nn, q, 5, 1e-3, position, d2), 0);
    ck_assert_int_eq(fr_nn_nearest(&f.nn, q, 1000, INFINITY, position, d2), 100); /* k above count */
    ck_assert_int_eq(engines[e].within(&f.nn, q, 1e-3, position, d2, 0), 0);
    fixture_free(&f);
  }
  free(points);
}
END_TEST

START_TEST(the_table_of_back_ends) {
  ck_assert_ptr_eq(fr_nn_find(FRICP_SEARCH_TREE), &fr_nn_tree);
  ck_assert_ptr_eq(fr_nn_find(FRICP_SEARCH_FLANN), &fr_nn_flann);
  ck_assert_ptr_eq(fr_nn_find(FRICP_SEARCH_BRUTE), &fr_nn_brute);
  ck_assert_ptr_nonnull(fr_nn_find(FRICP_SEARCH_DEFAULT));
  ck_assert_ptr_null(fr_nn_find(-1));
  ck_assert_ptr_null(fr_nn_find(4));
}
END_TEST

int main(void) {
  const TTest *const tests[] = {all_kinds_of_clouds,   all_small_sizes,      large_k,
                                a_large_cloud,         many_at_one_distance, nothing_asked_nothing_found,
                                the_table_of_back_ends};
  return run_suite("nn", tests, COUNT(tests));
}
