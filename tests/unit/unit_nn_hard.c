/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds that are hard for a tree: the answers are those of brute force, and the work is n log n. Work is measured in time
 * against brute force on the same cloud in the same process, with room for a busy machine: what is quadratic, or looks at
 * thousands of points, is beyond it by far. */
#define _POSIX_C_SOURCE 199309L
#include "base/isa.h"
#include "fixture.h"
#include "prng.h"
#include "search/tree.h"
#include "search/tree_split.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum hard_kind {
  HARD_CLUSTERS,      /* two sheets a million extents apart */
  HARD_UNEQUAL,       /* two fifths of the points far off */
  HARD_MANY_CLUSTERS, /* tight heaps at random places */
  HARD_EXPONENTIAL,   /* coordinates of 2^-300 to 1 */
  HARD_OUTLIERS,      /* a tenth of the points 1e9 extents off */
  HARD_FARTHEST,      /* one at 1e149 */
  HARD_TINY,          /* all within 1e-30 */
  HARD_LINE,          /* with equal floats */
  HARD_SPHERE,        /* asked from its centre */
  HARD_PLAIN,         /* asked from 1e6 and 1e12 extents off */
  HARD_KINDS
} hard_kind;

static void sheet(prng *g, double p[3]) {
  p[0] = prng_range(g, 0, 1);
  p[1] = prng_range(g, 0, 1);
  p[2] = 0.2 * sin(7 * p[0]) * cos(5 * p[1]);
}

static void hard_point(hard_kind kind, size_t i, prng *g, double p[3]) {
  sheet(g, p);
  switch (kind) {
  case HARD_CLUSTERS:
    p[0] += i % 2 ? 1e6 : 0;
    break;
  case HARD_UNEQUAL:
    p[0] += i % 5 < 2 ? 1e6 : 0;
    break;
  case HARD_MANY_CLUSTERS:
    for (int a = 0; a < 3; a++)
      p[a] = 1e-12 * p[a] + (double)((i % 97) * (size_t)(31 + 17 * a) % 97) / 97;
    break;
  case HARD_EXPONENTIAL:
    for (int a = 0; a < 3; a++)
      p[a] = (prng_below(g, 2) ? 1 : -1) * ldexp(1 + 1e-3 * prng_range(g, 0, 1), -(int)prng_below(g, 300));
    break;
  case HARD_OUTLIERS:
    for (int a = 0; a < 3 && i % 10 == 0; a++)
      p[a] = 1e9 * prng_range(g, -1, 1);
    break;
  case HARD_FARTHEST:
    p[0] = i == 7 ? 1e149 : p[0];
    break;
  case HARD_TINY:
    for (int a = 0; a < 3; a++)
      p[a] *= 1e-30;
    break;
  case HARD_LINE:
    p[0] = 1 + 1e-9 * p[0];
    p[1] = p[2] = 0;
    break;
  case HARD_SPHERE: {
    const double angle = prng_range(g, 0, 6.283185307179586);
    const double z = prng_range(g, -1, 1);
    const double r = sqrt(1 - z * z);
    p[0] = r * cos(angle);
    p[1] = r * sin(angle);
    p[2] = z;
    break;
  }
  default:
    break;
  }
}

/* Near a point of the cloud; a sphere's: near its centre; a plain cloud's: far off. */
static void hard_query(hard_kind kind, const fixture *f, prng *g, double q[3]) {
  memcpy(q, f->points[prng_below(g, f->nn.count)], 3 * sizeof *q);
  for (int a = 0; a < 3; a++) {
    if (kind == HARD_SPHERE)
      q[a] = 1e-7 * prng_range(g, 0, 1);
    else if (kind == HARD_PLAIN)
      q[a] += (double)(a + 1) * (prng_below(g, 2) ? 1e6 : 1e12);
    else
      q[a] *= 1 + 1e-7 * prng_range(g, -1, 1);
  }
}

static fixture hard_fixture(hard_kind kind, size_t count) {
  prng g = prng_seed(77, (uint64_t)kind);
  double(*points)[3] = malloc(count * sizeof *points);
  ck_assert_ptr_nonnull(points);
  for (size_t i = 0; i < count; i++)
    hard_point(kind, i, &g, points[i]);
  const fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, count, 1);
  free(points);
  return f;
}

static double cpu_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Everything a search says, against a full sort: any k, limits, packets. */
static void check_queries(hard_kind kind, const fixture *f, neighbor *sorted) {
  static const int kept[] = {1, FR_KEPT, FR_KEPT_MOST};
  int32_t position[100];
  double d2[100];
  prng g = prng_seed(78, (uint64_t)kind);
  for (int trial = 0; trial < 40; trial++) {
    fr_nn_packet p = {.count = FR_PACKET, .kept = kept[trial % 3]};
    p.sure = p.kept;
    for (int i = 0; i < p.count; i++) {
      hard_query(kind, f, &g, p.query[i]);
      p.limit2[i] = INFINITY;
    }
    ck_assert_int_eq(fr_nn_nearest_packet(&f->nn, &p), 0);
    for (int i = 0; i < p.count; i += 5) {
      ck_assert_uint_eq(fixture_all_within(f, p.query[i], INFINITY, sorted), f->nn.count);
      ck_assert_int_eq(p.found[i], p.kept);
      for (int k = 0; k < p.kept; k++)
        ck_assert_int_eq(p.position[i][k], sorted[k].position);
      const int asked[] = {1, 2, 5, 30, 100};
      for (size_t n = 0; n < COUNT(asked); n++) {
        ck_assert_int_eq(fr_nn_nearest(&f->nn, p.query[i], asked[n], INFINITY, position, d2), asked[n]);
        for (int k = 0; k < asked[n]; k++) {
          ck_assert_int_eq(position[k], sorted[k].position);
          ck_assert_double_eq(d2[k], sorted[k].d2);
        }
      }
      const double limit2 = sorted[20].d2; /* some may be as far */
      size_t within = 0;
      while (within < f->nn.count && sorted[within].d2 <= limit2)
        within++;
      ck_assert_int_eq(f->nn.ops->within(&f->nn, p.query[i], limit2, position, d2, 100), (int)within);
    }
  }
}

START_TEST(answers_are_exact) {
  const size_t counts[] = {200, 3000};
  for (size_t c = 0; c < COUNT(counts); c++)
    for (int kind = 0; kind < HARD_KINDS; kind++) {
      fixture f = hard_fixture((hard_kind)kind, counts[c]);
      neighbor *sorted = malloc(counts[c] * sizeof *sorted);
      ck_assert_ptr_nonnull(sorted);
      check_queries((hard_kind)kind, &f, sorted);
      free(sorted);
      fixture_free(&f);
    }
}
END_TEST

/* Sanitizers instrument the loops by what they read, brute force's the least: there the work is only done. */
#define TIMES_COMPARE !SANITIZED

/* Building takes what it takes for an ordinary cloud, times a constant; searching is not slower than looking at every
 * point, which where a tree helps at all is beaten a hundred times (30,000 points: log n against n). */
START_TEST(work_is_n_log_n) {
  enum { N = 30000, QUERIES = 256 };
  double ordinary = 0;
  for (int k = HARD_KINDS - 1; k >= 0; k--) {
    const hard_kind kind = (hard_kind)k;
    double start = cpu_seconds();
    fixture f = hard_fixture(kind, N);
    const double built = cpu_seconds() - start;
    if (kind == HARD_PLAIN)
      ordinary = built;
    ck_assert_double_lt(built, 20 * ordinary + 0.05);
    prng g = prng_seed(79, (uint64_t)kind);
    double(*query)[3] = malloc(QUERIES * sizeof *query);
    ck_assert_ptr_nonnull(query);
    for (int i = 0; i < QUERIES; i++)
      hard_query(kind, &f, &g, query[i]);
    int32_t position[FR_KEPT];
    double d2[FR_KEPT];
    double brute = INFINITY;
    double single = INFINITY;
    double packets = INFINITY;
    fr_nn_packet p = {.count = FR_PACKET, .kept = FR_KEPT, .sure = 1};
    for (int trial = 0; trial < 3; trial++) { /* the least of three: caches are shared with whatever else runs */
      start = cpu_seconds();
      for (int i = 0; i < QUERIES; i++)
        ck_assert_int_eq(fr_nn_brute.nearest(&f.nn, query[i], 1, INFINITY, position, d2), 1);
      brute = fmin(brute, cpu_seconds() - start);
      start = cpu_seconds();
      for (int i = 0; i < QUERIES; i++)
        ck_assert_int_eq(fr_nn_nearest(&f.nn, query[i], 1, INFINITY, position, d2), 1);
      single = fmin(single, cpu_seconds() - start);
      start = cpu_seconds();
      for (int i = 0; i < QUERIES; i += FR_PACKET) {
        memcpy(p.query, query + i, sizeof p.query);
        for (int j = 0; j < FR_PACKET; j++)
          p.limit2[j] = INFINITY;
        ck_assert_int_eq(fr_nn_nearest_packet(&f.nn, &p), 0);
      }
      packets = fmin(packets, cpu_seconds() - start);
    }
    const double allowed = kind == HARD_SPHERE ? 3 * brute : brute / 3;
    if (getenv("FRICP_VERBOSE"))
      fprintf(stderr, "kind %d: built %.4f; a query: brute %.2f, single %.2f, packets %.2f us\n", k, built,
              1e6 * brute / QUERIES, 1e6 * single / QUERIES, 1e6 * packets / QUERIES);
    if (TIMES_COMPARE) {
      ck_assert_double_lt(single, allowed + 0.005);
      ck_assert_double_lt(packets, allowed + 0.005);
    }
    free(query);
    fixture_free(&f);
  }
}
END_TEST

/* The halves are the same for every order of the input: by coordinate, the other two, number. Orders that mislead a
 * sample among them. */
START_TEST(splits_do_not_depend_on_the_order) {
  enum { N = 4000 };
  prng g = prng_seed(80, 0);
  double(*points)[3] = malloc(N * sizeof *points);
  fr_record *records = malloc(N * sizeof *records);
  unsigned char *left = malloc(N);
  ck_assert(points && records && left);
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < N; i++)
      for (int a = 0; a < 3; a++)
        points[i][a] = kind == 0   ? prng_range(&g, 0, 1)
                       : kind == 1 ? (double)prng_below(&g, 20)
                       : kind == 2 ? 1 + 1e-12 * prng_range(&g, 0, 1)
                                   : (a == 0 && i % 64 == 32 ? 2 : 1);
    for (int order = 0; order < 6; order++) {
      const size_t rank = N / 2 + 16;
      for (size_t i = 0; i < N; i++) {
        const size_t id = order == 0 ? i : order == 1 ? N - 1 - i : (i * 1237 + 11 * (size_t)order) % N;
        records[i].id = (int32_t)id;
        for (int a = 0; a < 3; a++)
          records[i].x[a] = (float)points[id][a];
      }
      fr_split_records((const double(*)[3])points, records, N, rank, 0, order % 2);
      for (size_t i = 0; i < N; i++) {
        const int is_left = i < rank;
        if (order == 0)
          left[records[i].id] = (unsigned char)is_left;
        ck_assert_int_eq(left[records[i].id], is_left);
      }
    }
  }
  free(left);
  free(records);
  free(points);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {answers_are_exact, work_is_n_log_n, splits_do_not_depend_on_the_order};
  return run_suite("nn_hard", tests, COUNT(tests));
}
