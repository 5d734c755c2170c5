/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbours of all points at once are those that one query a point finds, which api_search holds against all points. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 700, MANY = 30000 /* some 0.2 s of work: the clock is looked at but now and then */ };

/* Kinds: a ball; integer places, full of ties and of points at the same place; few places; a plane curve. */
static void make(double *points, int count, int kind, prng *g) {
  for (int i = 0; i < count; i++) {
    double *p = points + (ptrdiff_t)i * 3;
    for (int a = 0; a < 3; a++)
      p[a] = kind == 0   ? prng_normal(g)
             : kind == 1 ? (double)prng_below(g, 7)
             : kind == 2 ? (double)prng_below(g, 2)
                         : sin(0.01 * i + 2 * a);
  }
  points[(ptrdiff_t)5 * 3 + 1] = NAN; /* skipped */
}

static void check_rows(const fricp_target *target, const double *points, int d, int k, const int32_t *rows) {
  int32_t index[N];
  double squared[N];
  for (int i = 0; i < N; i++) {
    const double *p = points + (ptrdiff_t)i * 3;
    const double query[3] = {p[0], p[1], d == 3 ? p[2] : 0};
    const int found = fricp_target_nearest(target, query, k, INFINITY, index, squared);
    ck_assert_int_ge(found, 0);
    for (int j = found; j < k; j++)
      index[j] = -1;
    ck_assert_mem_eq(rows + (ptrdiff_t)i * k, index, (size_t)k * sizeof *index);
  }
}

START_TEST(rows_are_single_answers) {
  static const int ks[] = {1, 6, 30, 64, 256};
  double points[3 * N];
  int32_t *rows = malloc((size_t)N * 256 * sizeof *rows);
  ck_assert(rows);
  prng g = prng_seed(44, 0);
  for (int kind = 0; kind < 4; kind++)
    for (int d = 2; d <= 3; d++)
      for (int32_t type = FRICP_SEARCH_DEFAULT; type <= FRICP_SEARCH_BRUTE; type++) {
        make(points, N, kind, &g);
        const fricp_cloud cloud = scene_view(points, N, NULL, d);
        fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
        o.search_type = type;
        fricp_target *target = target_or_fail(&cloud, &o);
        for (size_t i = 0; i < COUNT(ks); i++) {
          o.threads = 1 + (int)i % 2;
          ck_assert_int_eq(fricp_target_neighbors(target, ks[i], &o, rows, NULL), FRICP_OK);
          check_rows(target, points, d, ks[i], rows);
        }
        fricp_target_destroy(target);
      }
  free(rows);
}
END_TEST

/* More are asked for than there are; only what the index list names has a row. */
START_TEST(rows_of_a_few_points) {
  const double points[18] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9, 9, 0, 0, 0};
  const int32_t used[4] = {0, 1, 2, 5};
  const int32_t expected[36] = {0,  5,  1,  2,  -1, -1, 1,  0,  5,  2,  -1, -1, 2, 0, 5, 1, -1, -1,
                                -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 5, 1, 2, -1, -1};
  int32_t rows[36];
  fricp_cloud cloud = scene_view(points, 6, NULL, 3);
  cloud.indices = used;
  cloud.index_count = 4;
  fricp_target *target = target_or_fail(&cloud, NULL);
  ck_assert_int_eq(fricp_target_neighbors(target, 6, NULL, rows, NULL), FRICP_OK);
  ck_assert_mem_eq(rows, expected, sizeof rows);
  fricp_target_destroy(target);
}
END_TEST

static int refuse(void *context, const fricp_progress *p) {
  (void)p;
  ++*(int *)context;
  return 1;
}

START_TEST(errors_and_interrupts) {
  double *points = malloc(3 * MANY * sizeof *points);
  int32_t *rows = malloc((size_t)MANY * 256 * sizeof *rows);
  int asked = 0;
  ck_assert(points && rows);
  prng g = prng_seed(45, 0);
  make(points, MANY, 0, &g);
  const fricp_cloud cloud = scene_view(points, MANY, NULL, 3);
  fricp_target *target = target_or_fail(&cloud, NULL);
  fricp_error error;
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  ck_assert_int_eq(fricp_target_neighbors(NULL, 1, NULL, rows, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(fricp_target_neighbors(target, 1, NULL, NULL, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(fricp_target_neighbors(target, 0, NULL, rows, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert(strstr(error.text, "k is 0"));
  ck_assert_int_eq(fricp_target_neighbors(target, 257, NULL, rows, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  o.threads = -1;
  ck_assert_int_eq(fricp_target_neighbors(target, 1, &o, rows, &error), FRICP_ERROR_INVALID_ARGUMENT);
  o.threads = 1;
  o.progress = refuse;
  o.progress_context = &asked;
  ck_assert_int_eq(fricp_target_neighbors(target, 256, &o, rows, &error), FRICP_ERROR_INTERRUPTED);
  ck_assert_int_ge(asked, 1);
  o.progress = NULL;
  o.time_limit = 1e-12;
  ck_assert_int_eq(fricp_target_neighbors(target, 256, &o, rows, &error), FRICP_ERROR_INTERRUPTED);
  ck_assert_int_eq(fricp_target_neighbors(target, 1, NULL, rows, &error), FRICP_OK);
  fricp_target_destroy(target);
  free(points);
  free(rows);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {rows_are_single_answers, rows_of_a_few_points, errors_and_interrupts};
  return run_suite("neighbors", tests, COUNT(tests));
}
