/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds that are hard for a tree: the answers are those of brute force. unit_nn_work counts what it takes. */
#include "fixture.h"
#include "search/tree_split.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

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
      hard_query(kind, (const double(*)[3])f->points, f->nn.count, &g, p.query[i]);
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
      fixture f = fixture_hard((hard_kind)kind, counts[c]);
      neighbor *sorted = malloc(counts[c] * sizeof *sorted);
      ck_assert_ptr_nonnull(sorted);
      check_queries((hard_kind)kind, &f, sorted);
      free(sorted);
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
  const TTest *const tests[] = {answers_are_exact, splits_do_not_depend_on_the_order};
  return run_suite("nn_hard", tests, COUNT(tests));
}
