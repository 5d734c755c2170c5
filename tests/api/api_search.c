/* SPDX-License-Identifier: BSD-3-Clause */
/* A prepared target's answers against looking at every point, by every back end; what it tells of itself. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct hit {
  double squared;
  int32_t index;
} hit;

static int by_distance(const void *a, const void *b) {
  const hit *x = a;
  const hit *y = b;
  if (x->squared != y->squared)
    return x->squared < y->squared ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* All finite points of a cloud of doubles, nearest first. @return how many. */
static size_t sort_all(const double *points, size_t count, int dimension, const double q[3], hit *out) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    double squared = 0;
    for (size_t a = 0; a < (size_t)dimension; a++)
      squared += (points[3 * i + a] - q[a]) * (points[3 * i + a] - q[a]);
    if (isfinite(squared))
      out[found++] = (hit){squared, (int32_t)i};
  }
  qsort(out, found, sizeof *out, by_distance);
  return found;
}

typedef enum cloud_kind { PLAIN, GRIDDED, REPEATED, HEAP, HOLES, KINDS } cloud_kind;

/* Integers, so that equal distances are equal in any arithmetic, or scattered numbers. */
static void fill(cloud_kind kind, double *points, size_t count) {
  prng g = prng_seed(3, (uint64_t)kind);
  for (size_t i = 0; i < count; i++)
    for (size_t a = 0; a < 3; a++) {
      double v = prng_range(&g, -10, 10);
      if (kind == GRIDDED)
        v = floor(v / 2);
      if (kind == REPEATED && i % 8 != 0)
        v = points[3 * (i - 1) + a];
      if (kind == HEAP && i % 2 == 0)
        v = 1; /* half of the points at one place */
      if (kind == HOLES && i % 7 == 2)
        v = NAN;
      points[3 * i + a] = v;
    }
}

/* ties: how many leading answers are free of ties at the cut, or -1 if all must be in (distance, index) order. */
static void check_nearest(const fricp_target *t, const double *points, size_t count, int dimension, const double q[3],
                          int k, double limit, const hit *sorted, size_t total, const char *what, int by_index) {
  int32_t index[300];
  double squared[300];
  size_t expected = 0;
  while (expected < total && expected < (size_t)k && sorted[expected].squared <= limit)
    expected++;
  const int found = fricp_target_nearest(t, q, k, limit, index, squared);
  if (found != (int)expected)
    ck_abort_msg("%s, %d-D, k = %d, limit %g: %d found, not %zu", what, dimension, k, limit, found, expected);
  for (int i = 0; i < found; i++) {
    if (fabs(squared[i] - sorted[i].squared) > 1e-12 * (1 + sorted[i].squared))
      ck_abort_msg("%s, %d-D, k = %d: distance %d is %g, not %g", what, dimension, k, i, squared[i], sorted[i].squared);
    if (by_index && index[i] != sorted[i].index)
      ck_abort_msg("%s, %d-D, k = %d: neighbour %d is %d, not %d", what, dimension, k, i, index[i], sorted[i].index);
    double own = 0;
    for (size_t a = 0; a < (size_t)dimension; a++)
      own += (points[3 * (size_t)index[i] + a] - q[a]) * (points[3 * (size_t)index[i] + a] - q[a]);
    int wrong = index[i] < 0 || (size_t)index[i] >= count || fabs(own - squared[i]) > 1e-12 * (1 + own);
    for (int j = 0; j < i; j++)
      wrong += index[i] == index[j];
    if (wrong)
      ck_abort_msg("%s, %d-D, k = %d: neighbour %d is none or comes twice", what, dimension, k, i);
  }
}

static int by_index(const void *a, const void *b) {
  return *(const int32_t *)a - *(const int32_t *)b;
}

static void check_within(const fricp_target *t, const double q[3], double limit, const hit *sorted, size_t total,
                         size_t count) {
  size_t expected = 0;
  while (expected < total && sorted[expected].squared <= limit)
    expected++;
  int32_t *index = malloc(sizeof *index * (count + 1));
  int32_t *right = malloc(sizeof *right * (count + 1));
  double *squared = malloc(sizeof *squared * (count + 1));
  ck_assert(index && right && squared);
  ck_assert_int_eq(fricp_target_within(t, q, limit, index, squared, (int)count), (int)expected);
  for (size_t i = 0; i < expected; i++)
    right[i] = sorted[i].index;
  qsort(index, expected, sizeof *index, by_index);
  qsort(right, expected, sizeof *right, by_index);
  ck_assert_int_eq(memcmp(index, right, expected * sizeof *index), 0);
  for (size_t room = 0; room <= expected; room += 1 + expected / 5) { /* never more than there is room for */
    index[room] = -9;
    squared[room] = -9;
    ck_assert_int_eq(fricp_target_within(t, q, limit, index, squared, (int)room), (int)expected);
    ck_assert(index[room] == -9 && squared[room] == -9);
    size_t wrong = 0;
    for (size_t i = 0; i < room; i++)
      wrong += index[i] < 0 || (size_t)index[i] >= count || squared[i] > limit * (1 + 1e-12);
    ck_assert_uint_eq(wrong, 0);
  }
  free(index);
  free(right);
  free(squared);
}

/* Limits halfway between two distances of a grid of halves: no rounding decides. */
START_TEST(answers_are_those_of_looking) {
  enum { COUNT_POINTS = 600 };
  static double points[3 * COUNT_POINTS];
  static hit sorted[COUNT_POINTS];
  static const int ks[] = {0, 1, 2, 5, 30, 256};
  static const int32_t types[] = {FRICP_SEARCH_DEFAULT, FRICP_SEARCH_TREE, FRICP_SEARCH_FLANN, FRICP_SEARCH_BRUTE};
  static const char *const names[KINDS] = {"plain", "gridded", "repeated", "heap", "holes"};
  for (cloud_kind kind = 0; kind < KINDS; kind++)
    for (int dimension = 2; dimension <= 3; dimension++)
      for (size_t type = 0; type < COUNT(types); type++) {
        fill(kind, points, COUNT_POINTS);
        const fricp_cloud cloud = scene_view(points, COUNT_POINTS, NULL, dimension);
        fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
        o.search_type = types[type];
        o.threads = 1;
        fricp_target *t = target_or_fail(&cloud, &o);
        prng g = prng_seed(5, 0);
        for (int trial = 0; trial < 40; trial++) {
          double q[3];
          for (int a = 0; a < 3; a++)
            q[a] = trial % 4 == 0 ? 1 : prng_range(&g, -14, 14) * (trial % 5 ? 1 : 100);
          const size_t total = sort_all(points, COUNT_POINTS, dimension, q, sorted);
          /* scaling to the extent rounds: at exact ties between different places any order may come out */
          const int ordered = kind != GRIDDED && types[type] != FRICP_SEARCH_FLANN;
          const double limits[] = {INFINITY, 4.75, 0.1};
          for (size_t k = 0; k < COUNT(ks); k++)
            for (size_t l = 0; l < COUNT(limits); l++)
              check_nearest(t, points, COUNT_POINTS, dimension, q, ks[k], limits[l], sorted, total, names[kind],
                            ordered);
          check_within(t, q, 4.75, sorted, total, COUNT_POINTS);
          check_within(t, q, 1e9, sorted, total, COUNT_POINTS);
        }
        fricp_target_destroy(t);
      }
}
END_TEST

START_TEST(odd_queries) {
  const scene_spec spec = {.source_count = 300, .seed = 1};
  scene s = make_scene(&spec);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *t = target_or_fail(&cloud, NULL);
  int32_t index[300];
  double squared[300];
  const double bad[3][3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}};
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(fricp_target_nearest(t, bad[i], 5, INFINITY, index, squared), 0);
    ck_assert_int_eq(fricp_target_within(t, bad[i], 1, index, squared, 300), 0);
  }
  ck_assert_int_eq(fricp_target_nearest(t, origin, 5, NAN, index, squared), 0);
  ck_assert_int_eq(fricp_target_nearest(t, origin, 5, -1, index, squared), 0);
  ck_assert_int_eq(fricp_target_nearest(t, origin, 5, 0, index, squared), 0);
  ck_assert_int_eq(fricp_target_nearest(t, s.target, 1, 0, index, squared), 1); /* on a point */
  ck_assert_int_eq(index[0], 0);
  ck_assert_double_eq(squared[0], 0);
  const double far[3] = {1e140, 0, 0};
  ck_assert_int_eq(fricp_target_nearest(t, far, 2, INFINITY, index, squared), 2);
  ck_assert_double_eq_tol(squared[0] / 1e280, 1, 1e-9);
  ck_assert_int_eq(fricp_target_nearest(t, origin, 300, INFINITY, index, squared), 300);
  ck_assert_int_eq(fricp_target_nearest(t, origin, 1000000, INFINITY, index, squared), 300);
  fricp_target_destroy(t);
  scene_free(&s);
}
END_TEST

START_TEST(facts_about_a_target) {
  const scene_spec spec = {.source_count = 1000, .seed = 2, .scale = 7};
  scene s = make_scene(&spec);
  for (size_t i = 0; i < 1000; i += 100)
    s.target[3 * i] = NAN;
  for (size_t i = 1; i < 1000; i += 50)
    memset(s.target_normals + 3 * i, 0, 3 * sizeof(double));
  const fricp_cloud cloud = target_of(&s);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target *t = target_or_fail(&cloud, NULL);
  ck_assert_int_eq(fricp_target_get_info(t, &info), FRICP_OK);
  ck_assert_uint_eq(info.normals, 990); /* what has none, is given one */
  fricp_target_destroy(t);
  t = target_as_given(&cloud);
  ck_assert_int_eq(fricp_target_get_info(t, &info), FRICP_OK);
  ck_assert_uint_eq(info.points, 990);
  ck_assert_uint_eq(info.skipped, 10);
  ck_assert_uint_eq(info.normals, 970);
  ck_assert_int_eq(info.dimension, 3);
  ck_assert_double_gt(info.extent, s.diameter / 4);
  ck_assert_double_lt(info.extent, s.diameter * 2);
  ck_assert_double_gt(info.plane_spacing, 0);
  ck_assert_double_lt(info.plane_spacing, info.spacing);
  double normals[3000];
  ck_assert_int_eq(fricp_target_get_normals(t, normals, 1000), FRICP_OK);
  for (size_t i = 0; i < 1000; i++)
    for (size_t a = 0; a < 3; a++)
      if (i % 100 == 0 || i % 50 == 1)
        ck_assert(isnan(normals[3 * i + a]));
      else
        ck_assert_double_eq_tol(normals[3 * i + a], s.target_normals[3 * i + a], 1e-6);
  ck_assert_int_eq(fricp_target_get_normals(t, normals, 999), FRICP_ERROR_INVALID_ARGUMENT);
  fricp_target_destroy(t);
  fricp_cloud bare = cloud;
  bare.normals = NULL;
  t = target_as_given(&bare);
  ck_assert_int_eq(fricp_target_get_normals(t, normals, 1000), FRICP_ERROR_NO_NORMALS);
  ck_assert_int_eq(fricp_target_get_info(t, &info), FRICP_OK);
  ck_assert_uint_eq(info.normals, 0);
  ck_assert_double_eq(info.plane_spacing, 0);
  fricp_target_destroy(t);
  scene_free(&s);
}
END_TEST

/* The cloud may go once the target is made. */
START_TEST(a_target_keeps_nothing_of_the_callers) {
  const scene_spec spec = {.source_count = 500, .same_sample = 1, .seed = 3, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *t = target_or_fail(&cloud, NULL);
  memset(s.target, 0xff, sizeof(double) * 3 * s.target_count);
  memset(s.target_normals, 0xff, sizeof(double) * 3 * s.target_count);
  fricp_solver *solver = solver_or_fail();
  const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
  const fricp_result r = align_or_fail(solver, t, &source, NULL, &options);
  ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
  fricp_solver_destroy(solver);
  fricp_target_destroy(t);
  scene_free(&s);
}
END_TEST

/* Exact is exact: the back end is no part of the result. */
START_TEST(every_back_end_gives_the_same_bits) {
  static const int32_t types[] = {FRICP_SEARCH_TREE, FRICP_SEARCH_FLANN, FRICP_SEARCH_BRUTE};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.kind = dimension == 3 ? SCENE_BLOB : SCENE_OUTLINE,
                               .source_count = UNLESS_SANITIZED(1500, 500),
                               .overlap = 0.8,
                               .noise = 0.001,
                               .seed = 4,
                               .angle = 4};
      scene s = make_scene(&spec);
      const fricp_cloud source = source_of(&s);
      const fricp_cloud cloud = target_of(&s);
      fricp_result first = FRICP_RESULT_INIT;
      for (size_t k = 0; k < COUNT(types); k++) {
        fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
        o.search_type = types[k];
        fricp_target *t = target_or_fail(&cloud, &o);
        fricp_solver *solver = solver_or_fail();
        fricp_options options = options_for(method);
        options.nu_end_factor = 0.5; /* its default looks at a sample of the target in the back end's order */
        const fricp_result r = align_or_fail(solver, t, &source, NULL, &options);
        if (k == 0)
          first = r;
        check_same_result(&r, &first);
        fricp_solver_destroy(solver);
        fricp_target_destroy(t);
      }
      scene_free(&s);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {answers_are_those_of_looking, odd_queries, facts_about_a_target,
                                a_target_keeps_nothing_of_the_callers, every_back_end_gives_the_same_bits};
  return run_suite("search", tests, COUNT(tests));
}
