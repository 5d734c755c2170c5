/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of queries, by every back end and instruction set, against a full sort and against the queries one by one. */
#include "engines.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

START_TEST(packets_down_a_deep_tree) {
  enum { N = 300000 };
  double(*points)[3] = cloud_make(CLOUD_RANDOM, N, 21);
  fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 4);
  engine engines[MOST_ENGINES];
  const int engine_count = all_engines(engines);
  for (int e = 0; e < engine_count; e++)
    if (engines[e].ops == &fr_nn_tree)
      check_packets_of(&engines[e], &f, 23);
  fixture_free(&f);
  free(points);
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
  const TTest *const tests[] = {packets, packets_of_no_reach, tiny_distances, packets_down_a_deep_tree};
  return run_suite("nn_packets", tests, COUNT(tests));
}
