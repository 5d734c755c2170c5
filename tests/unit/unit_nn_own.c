/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours of the tree's own points, bucket by bucket, on every instruction set against a full sort in double. */
#include "base/isa.h"
#include "fixture.h"
#include "search/tree.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void own_function(const fr_nn *, fr_nn_own *);

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a;
  const int32_t y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The set of the first k of the sorted list, ties by the callers' indices, is what must have been found. */
static void check_point(const fixture *f, fr_nn_own *own, int i, neighbor *sorted, int32_t *expected) {
  fixture_all_within(f, f->points[own->first + (size_t)i], INFINITY, sorted);
  for (int j = 0; j < own->k; j++)
    expected[j] = sorted[j].position;
  qsort(expected, (size_t)own->k, sizeof *expected, by_number);
  qsort(own->position[i], (size_t)own->k, sizeof *expected, by_number);
  ck_assert_mem_eq(own->position[i], expected, (size_t)own->k * sizeof *expected);
}

static void check_cloud(const fixture *f, own_function *search, int k, double guess) {
  const size_t n = f->nn.count;
  neighbor *sorted = malloc(n * sizeof *sorted);
  int32_t *expected = malloc((size_t)k * sizeof *expected);
  ck_assert(sorted && expected);
  fr_nn_own own = {.k = k, .reach2 = guess};
  for (own.first = 0; own.first < n; own.first += FR_PACKET) {
    own.wanted = 0;
    for (size_t i = 0; i < FR_PACKET && own.first + i < n; i++)
      own.wanted |= (unsigned)(guess > 0 || (own.first + i) % 3 != 1) << i; /* not always all of them */
    if (own.wanted)
      search(&f->nn, &own);
    for (int i = 0; i < FR_PACKET; i++)
      if (own.wanted >> i & 1)
        check_point(f, &own, i, sorted, expected);
    if (guess > 0)
      own.reach2 = guess; /* far too short or too long, each time */
  }
  free(expected);
  free(sorted);
}

START_TEST(sets_are_exact) {
  static const size_t counts[] = {1, 2, 16, 17, 33, 260, 900};
  static const int ks[] = {1, 3, 30, 63, 64, 65, FR_NN_MAX_K};
  for (cloud_kind kind = 0; kind < CLOUD_KINDS; kind++)
    for (size_t c = 0; c < COUNT(counts); c++) {
      double(*points)[3] = cloud_make(kind, counts[c], 5);
      fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, counts[c], 1);
      for (size_t i = 0; i < COUNT(ks); i++) {
        if ((size_t)ks[i] > counts[c] || (counts[c] > 500 && ks[i] != 30))
          continue;
        for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++)
          check_cloud(&f, FR_PICK(isa, fr_tree_own), ks[i], 0);
        if (counts[c] <= 300) {
          check_cloud(&f, fr_nn_tree.nearest_own, ks[i], 1e-12);
          check_cloud(&f, fr_nn_tree.nearest_own, ks[i], 1e300);
        }
      }
      fixture_free(&f);
      free(points);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {sets_are_exact};
  return run_suite("nn_own", tests, COUNT(tests));
}
