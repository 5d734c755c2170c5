/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers do not hang on the order of the points: periods of it, ties by index, crowded places. */
#include "api.h"

#include <math.h>
#include <stdlib.h>

/* Spacing is measured on a sample of a large target: it must not fall in step with a period of the caller's order.
 * Every p-th point has a normal, which one of them makes no difference: to the sampling error of 20,000 / p points, 1.5
 * / sqrt of them, five of those. */
START_TEST(periods_of_the_callers_order) {
  enum { N = 60001 };
  double *points = malloc(3 * N * sizeof *points);
  double *normals = malloc(3 * N * sizeof *normals);
  ck_assert(points && normals);
  prng g = prng_seed(12, 0);
  for (int i = 0; i < N; i++) { /* a rough floor */
    points[3 * i] = prng_range(&g, 0, 1);
    points[3 * i + 1] = prng_range(&g, 0, 1);
    points[3 * i + 2] = 0.001 * prng_normal(&g);
  }
  double first = 0;
  for (int period = 2; period <= 4; period++)
    for (int phase = 0; phase < period; phase++) {
      for (int i = 0; i < N; i++) {
        normals[3 * i] = normals[3 * i + 1] = 0;
        normals[3 * i + 2] = i % period == phase;
      }
      const fricp_cloud cloud = scene_view(points, N, normals, 3);
      fricp_target *target = target_or_fail(&cloud, NULL);
      fricp_target_info info = FRICP_TARGET_INFO_INIT;
      ck_assert_int_eq(fricp_target_get_info(target, &info), FRICP_OK);
      first = first > 0 ? first : info.plane_spacing;
      ck_assert_double_gt(info.plane_spacing, 0);
      ck_assert_double_le(fabs(info.plane_spacing / first - 1), 5 * 1.5 / sqrt(20000.0 / period));
      fricp_target_destroy(target);
    }
  free(points);
  free(normals);
}
END_TEST

/* Whatever k, the k nearest are the first k of all points in the order of (distance, index): points that lie as far as
 * others, points at the same place, and only some of them that fit. Integer places, most of them at 1 from the origin,
 * which is the median: everything is exact. */
START_TEST(ties_go_by_index_for_every_k) {
  enum { N = 240 };
  double points[3 * N];
  prng g = prng_seed(91, 0);
  for (int kind = 0; kind < 3; kind++)
    for (int32_t type = FRICP_SEARCH_DEFAULT; type <= FRICP_SEARCH_BRUTE; type++) {
      for (size_t i = 0; i < N; i++) {
        const int axis = i % 5 < 3 ? (int)prng_below(&g, 3) : -1;
        const double wide = kind == 0 ? 0 : kind;
        for (int a = 0; a < 3; a++)
          points[3 * i + (size_t)a] = axis >= 0 ? (a == axis ? (double)(2 * prng_below(&g, 2)) - 1 : 0)
                                                : (double)prng_below(&g, (uint64_t)(2 * wide + 1)) - wide;
      }
      const fricp_cloud cloud = scene_view(points, N, NULL, 3);
      fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
      o.search_type = type;
      fricp_target *target = target_or_fail(&cloud, &o);
      for (int trial = 0; trial < 6; trial++) {
        int32_t all[N];
        double all_d2[N];
        int32_t some[N];
        double some_d2[N];
        const double query[3] = {(double)(trial % 3) - 1, trial / 3 * 0.5, 0};
        ck_assert_int_eq(fricp_target_nearest(target, query, N, INFINITY, all, all_d2), N);
        for (int i = 1; i < N; i++)
          ck_assert(all_d2[i - 1] < all_d2[i] || (all_d2[i - 1] == all_d2[i] && all[i - 1] < all[i]));
        for (int k = 1; k < N; k++) {
          ck_assert_int_eq(fricp_target_nearest(target, query, k, INFINITY, some, some_d2), k);
          ck_assert_mem_eq(some, all, (size_t)k * sizeof *all);
          ck_assert_mem_eq(some_d2, all_d2, (size_t)k * sizeof *all_d2);
        }
        for (int capacity = 0; capacity <= N; capacity += 30) {
          int within = 0;
          while (within < N && all_d2[within] <= all_d2[60])
            within++;
          ck_assert_int_ge(fricp_target_within(target, query, all_d2[60] * (1 + 1e-12), some, some_d2, capacity),
                           within);
        }
      }
      fricp_target_destroy(target);
    }
}
END_TEST

/* Quadratic in k or in the points of a place this takes minutes. */
START_TEST(many_neighbours_and_crowded_places) {
  enum { N = 400000 };
  double *points = malloc(3 * N * sizeof *points);
  int32_t *index = malloc(N * sizeof *index);
  double *d2 = malloc(N * sizeof *d2);
  ck_assert(points && index && d2);
  for (int places = 8; places <= N; places += N - 8) {
    prng g = prng_seed(92, 0);
    for (size_t i = 0; i < 3 * (size_t)N; i++)
      points[i] = places == N ? prng_uniform(&g) : (double)prng_below(&g, 2);
    const fricp_cloud cloud = scene_view(points, N, NULL, 3);
    fricp_target *target = target_or_fail(&cloud, NULL);
    const double query[3] = {0.25, 0.25, 0.25};
    for (int k = N; k > 0; k /= 10) {
      ck_assert_int_eq(fricp_target_nearest(target, query, k, INFINITY, index, d2), k);
      for (int i = 1; i < k; i++)
        ck_assert(d2[i - 1] < d2[i] || (d2[i - 1] == d2[i] && index[i - 1] < index[i]));
      ck_assert_int_eq(fricp_target_within(target, query, INFINITY, index, d2, k), N);
    }
    for (int i = 0; i < 10000; i++)
      ck_assert_int_eq(fricp_target_nearest(target, query, 1, INFINITY, index, d2), 1);
    fricp_target_destroy(target);
  }
  free(points);
  free(index);
  free(d2);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {periods_of_the_callers_order, ties_go_by_index_for_every_k,
                                many_neighbours_and_crowded_places};
  return run_suite("search order", tests, COUNT(tests));
}
