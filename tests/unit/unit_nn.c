/* SPDX-License-Identifier: BSD-3-Clause */
/* Every search back end against a full sort in double: the same neighbours, the same distances to the last bit. */
#include "base/isa.h"
#include "fixture.h"
#include "prng.h"
#include "search/tree.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int nearest_function(const fr_nn *, const double[3], int, double, int32_t *, double *);
typedef int packet_function(const fr_nn *, fr_nn_packet *);
typedef int within_function(const fr_nn *, const double[3], double, int32_t *, double *, int);

/* A way to search: all give equal distances in the order of the callers' indices. */
typedef struct engine {
  const char *name;
  const fr_nn_ops *ops;
  nearest_function *nearest;
  within_function *within;
  packet_function *packet;
} engine;

enum { MOST_ENGINES = 8 };

static int all_engines(engine out[MOST_ENGINES]) {
  int count = 0;
  out[count++] = (engine){"brute", &fr_nn_brute, fr_nn_brute.nearest, fr_nn_brute.within, fr_nn_nearest_packet};
  out[count++] = (engine){"flann", &fr_nn_flann, fr_nn_flann.nearest, fr_nn_flann.within, fr_nn_nearest_packet};
  out[count++] = (engine){"tree", &fr_nn_tree, fr_nn_tree.nearest, fr_nn_tree.within, fr_nn_nearest_packet};
  static const char *const names[] = {"tree generic", "tree avx2", "tree avx512"};
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++)
    out[count++] = (engine){names[isa], &fr_nn_tree, FR_PICK(isa, fr_tree_nearest), FR_PICK(isa, fr_tree_within),
                            FR_PICK(isa, fr_tree_packet)};
  return count;
}

enum { MOST_K = FR_NN_MAX_K };

/* The k nearest within limit2 must be the first of the sorted list. */
static void check_nearest(const engine *e, const fixture *f, const double query[3], int k, double limit2,
                          const neighbor *sorted, size_t within, const char *what) {
  int32_t position[MOST_K];
  double d2[MOST_K];
  const int wanted = (size_t)k < within ? k : (int)within;
  const int asked = (size_t)k < f->nn.count ? k : (int)f->nn.count;
  const int found = e->nearest(&f->nn, query, asked, limit2, position, d2);
  if (found != wanted)
    ck_abort_msg("%s, %s: k = %d, limit %g: %d found, %d expected", e->name, what, k, limit2, found, wanted);
  for (int i = 0; i < found; i++) {
    if (d2[i] != sorted[i].d2)
      ck_abort_msg("%s, %s: k = %d: distance %d is %.17g, not %.17g", e->name, what, k, i, d2[i], sorted[i].d2);
    if (fr_distance2(query, f->points[position[i]]) != d2[i])
      ck_abort_msg("%s, %s: k = %d: neighbour %d is not at its distance", e->name, what, k, i);
    if (f->index[position[i]] != sorted[i].index)
      ck_abort_msg("%s, %s: k = %d: neighbour %d is %d, not %d", e->name, what, k, i, f->index[position[i]],
                   sorted[i].index);
    for (int j = 0; j < i; j++)
      if (position[j] == position[i])
        ck_abort_msg("%s, %s: neighbour %d twice", e->name, what, position[i]);
  }
}

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

/* Near, far and on the cloud's points. */
static void make_query(prng *g, const fixture *f, int trial, double q[3]) {
  const double *p = f->points[prng_below(g, f->nn.count)];
  const double away[] = {0, 1e-9, 1e-3, 0.05, 1, 30, 1e4};
  double direction[3];
  prng_direction(g, direction);
  for (int a = 0; a < 3; a++)
    q[a] = p[a] + away[trial % (int)COUNT(away)] * direction[a];
}

/* Limits: none, none that matters, one that cuts, one equal to a distance (which counts), the next smaller, zero. */
static double limit_for(int trial, const neighbor *sorted, size_t count, int k) {
  const size_t at = (size_t)k - 1 < count ? (size_t)k - 1 : count - 1;
  const double limits[] = {INFINITY,      2 * sorted[count - 1].d2 + 1, sorted[at].d2 * 0.8,
                           sorted[at].d2, nextafter(sorted[at].d2, 0),  0,
                           sorted[0].d2};
  return limits[trial % (int)COUNT(limits)];
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

/* Query i of a searched packet: the nearest are the nearest, and what was not found is at least `reach` away. */
static void check_packet_query(const engine *e, const fixture *f, const fr_nn_packet *p, int i, const neighbor *sorted,
                               const char *what) {
  int within = 0;
  while (within < p->sure && sorted[within].d2 <= p->limit2[i])
    within++;
  if (p->found[i] < within || (within < p->sure && p->found[i] > within))
    ck_abort_msg("%s, %s: query %d: %d found within %g, not %d", e->name, what, i, p->found[i], p->limit2[i], within);
  ck_assert_int_le(p->found[i], p->kept);
  for (int k = 0; k < p->found[i]; k++) {
    ck_assert_double_le(p->d2[i][k], p->limit2[i]);
    ck_assert_double_eq(p->d2[i][k], fr_distance2(p->query[i], f->points[p->position[i][k]]));
    ck_assert(k == 0 || p->d2[i][k] >= p->d2[i][k - 1]);
    for (int j = 0; j < k; j++)
      ck_assert_int_ne(p->position[i][j], p->position[i][k]);
  }
  for (int k = 0; k < within; k++)
    if (p->d2[i][k] != sorted[k].d2 || p->position[i][k] != sorted[k].position)
      ck_abort_msg("%s, %s: query %d: neighbour %d is point %d at %.17g, not %d at %.17g", e->name, what, i, k,
                   p->position[i][k], p->d2[i][k], sorted[k].position, sorted[k].d2);
  for (size_t n = 0; n < f->nn.count; n++) {
    int found = 0;
    for (int k = 0; k < p->found[i]; k++)
      found |= p->position[i][k] == sorted[n].position;
    /* the square of a rounded root: two units of the last place */
    if (!found && !(sorted[n].d2 * (1 + 1e-15) >= p->reach[i] * p->reach[i] * (1 - 1e-15)))
      ck_abort_msg("%s, %s: query %d: point %d at %g is not beyond %g", e->name, what, i, sorted[n].position,
                   sqrt(sorted[n].d2), p->reach[i]);
  }
}

/* Packets full and not, tight and wide, near and far, with limits of all kinds. */
START_TEST(packets) {
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  enum { POINTS = 300, TRIALS = 90 };
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    double(*points)[3] = cloud_make((cloud_kind)kind, POINTS, 5);
    neighbor(*sorted)[POINTS] = malloc(sizeof *sorted * FR_PACKET);
    ck_assert(points && sorted);
    for (int e = 0; e < engine_count; e++) {
      fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, POINTS, 1);
      prng g = prng_seed(9, (uint64_t)kind);
      for (int trial = 0; trial < TRIALS; trial++) {
        const double spread[] = {0, 1e-3, 0.1, 2, 100};
        const int kept[] = {1, FR_KEPT, FR_KEPT_MOST};
        double center[3];
        make_query(&g, &f, trial, center);
        fr_nn_packet p = {.count = trial % 3 ? FR_PACKET : 1 + trial / 3 % FR_PACKET,
                          .kept = kept[trial % (int)COUNT(kept)]};
        p.sure = 1 + trial / (int)COUNT(kept) % p.kept;
        for (int i = 0; i < p.count; i++) {
          double direction[3];
          prng_direction(&g, direction);
          for (int a = 0; a < 3; a++)
            p.query[i][a] = center[a] + spread[trial % (int)COUNT(spread)] * direction[a];
          (void)fixture_all_within(&f, p.query[i], INFINITY, sorted[i]);
          p.limit2[i] = limit_for(trial + i, sorted[i], POINTS, 1 + i % 5);
        }
        ck_assert_int_eq(engines[e].packet(&f.nn, &p), 0);
        for (int i = 0; i < p.count; i++)
          check_packet_query(&engines[e], &f, &p, i, sorted[i], cloud_name((cloud_kind)kind));
      }
      fixture_free(&f);
    }
    free(points);
    free(sorted);
  }
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

/* Distances whose squares a float cannot hold: whatever is proven from floats must not rest on them. */
START_TEST(tiny_distances) {
  enum { POINTS = 700 };
  double(*points)[3] = cloud_make(CLOUD_RANDOM, POINTS, 31);
  neighbor *sorted = malloc(sizeof *sorted * POINTS);
  ck_assert(points && sorted);
  for (int i = 0; i < POINTS; i++)
    for (int a = 0; a < 3; a++)
      points[i][a] *= 1e-24;
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  for (int e = 0; e < engine_count; e++) {
    fixture f = fixture_make(engines[e].ops, (const double(*)[3])points, POINTS, 1);
    prng g = prng_seed(32, 0);
    for (int trial = 0; trial < 30; trial++) {
      const int kept[] = {1, FR_KEPT, FR_KEPT_MOST};
      fr_nn_packet p = {.count = FR_PACKET, .kept = kept[trial % (int)COUNT(kept)], .sure = 1};
      for (int i = 0; i < p.count; i++) {
        double direction[3];
        prng_direction(&g, direction);
        for (int a = 0; a < 3; a++)
          p.query[i][a] = points[prng_below(&g, POINTS)][a] + 1e-25 * direction[a];
        p.limit2[i] = INFINITY;
      }
      ck_assert_int_eq(engines[e].packet(&f.nn, &p), 0);
      for (int i = 0; i < p.count; i++) {
        const size_t within = fixture_all_within(&f, p.query[i], INFINITY, sorted);
        check_packet_query(&engines[e], &f, &p, i, sorted, "tiny");
        check_nearest(&engines[e], &f, p.query[i], p.kept, INFINITY, sorted, within, "tiny");
      }
    }
    fixture_free(&f);
  }
  free(points);
  free(sorted);
}
END_TEST

/* Packets down a deep tree: as the same queries one by one. */
static void check_packets_of(const engine *e, const fixture *f, uint64_t seed) {
  const int kept[] = {1, FR_KEPT, FR_KEPT_MOST};
  prng g = prng_seed(seed, 0);
  for (int trial = 0; trial < 60; trial++) {
    fr_nn_packet p = {.count = FR_PACKET, .kept = kept[trial % (int)COUNT(kept)]};
    p.sure = p.kept;
    for (int i = 0; i < p.count; i++) {
      make_query(&g, f, trial / 3 % 5, p.query[i]);
      p.limit2[i] = trial % 2 ? INFINITY : 1e-3;
    }
    ck_assert_int_eq(e->packet(&f->nn, &p), 0);
    for (int i = 0; i < p.count; i++) {
      int32_t position[FR_KEPT_MOST];
      double d2[FR_KEPT_MOST];
      const int found = fr_nn_tree.nearest(&f->nn, p.query[i], p.kept, p.limit2[i], position, d2);
      ck_assert_int_eq(p.found[i], found);
      for (int k = 0; k < found; k++)
        ck_assert_int_eq(p.position[i][k], position[k]);
    }
  }
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
  for (int e = 0; e < engine_count; e++)
    if (engines[e].ops == &fr_nn_tree)
      check_packets_of(&engines[e], &four, 23);
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

/* Within no distance at all of itself, and with another point closer than floats tell: found all the same, as by
 * nearest(). */
START_TEST(packets_of_no_reach) {
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  static const double points[][3] = {{1, 0, 0}, {1 + 1e-9, 0, 0}, {0, 1, 0}};
  for (int e = 0; e < engine_count; e++) {
    fixture f = fixture_make(engines[e].ops, points, COUNT(points), 1);
    static const int kept[] = {1, FR_KEPT, FR_KEPT_MOST};
    for (size_t k = 0; k < COUNT(kept); k++)
      for (size_t i = 0; i < COUNT(points); i++) {
        fr_nn_packet p = {.count = 1, .kept = kept[k], .sure = 1};
        memcpy(p.query[0], points[i], sizeof points[i]);
        ck_assert_int_eq(engines[e].packet(&f.nn, &p), 0);
        ck_assert_int_eq(p.found[0], 1);
        ck_assert(p.d2[0][0] == 0);
      }
    fixture_free(&f);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {all_kinds_of_clouds,         all_small_sizes,       large_k,       packets,
                                packets_of_no_reach,         tiny_distances,        a_large_cloud, many_at_one_distance,
                                nothing_asked_nothing_found, the_table_of_back_ends};
  return run_suite("nn", tests, COUNT(tests));
}
