/* SPDX-License-Identifier: BSD-3-Clause */
/* One target shared by many threads, solvers used again, and any number of threads inside: always the same bits. */
#include "api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, SCANS = 6 };

typedef struct shared {
  const fricp_target *target;
  scene scans[SCANS];
  int32_t methods[SCANS];
} shared;

typedef struct worker {
  const shared *all;
  int number;
  int failures;
  fricp_result results[SCANS];
} worker;

/* Each worker takes the scans in another order, with one solver for all. */
static void *work(void *context) {
  worker *w = context;
  fricp_solver *solver = NULL;
  w->failures += fricp_solver_create(&solver, NULL) != FRICP_OK;
  for (int i = 0; i < SCANS; i++) {
    const int k = (i * (w->number % 2 ? 5 : 1) + w->number) % SCANS;
    const fricp_cloud source = source_of(&w->all->scans[k]);
    const fricp_options options = options_for(w->all->methods[k]);
    w->results[k] = (fricp_result)FRICP_RESULT_INIT;
    w->failures += fricp_solver_align(solver, w->all->target, &source, NULL, &options, &w->results[k]) != FRICP_OK;
    int32_t index;
    double squared;
    w->failures += fricp_target_nearest(w->all->target, source.points, 1, 1e300, &index, &squared) != 1;
  }
  fricp_solver_destroy(solver);
  return NULL;
}

/* Tests of Check may not run in threads: workers count failures, the main thread judges. */
static void share(int32_t search_type, const fricp_search *search, size_t target_count) {
  shared all;
  memset(&all, 0, sizeof all);
  for (int k = 0; k < SCANS; k++) {
    const scene_spec spec = {.source_count = 600 + 300 * (size_t)k,
                             .target_count = target_count,
                             .seed = 1,
                             .overlap = 0.85,
                             .noise = 0.001,
                             .angle = 2 + k};
    all.scans[k] = make_scene(&spec);
    all.methods[k] = k % 6;
  }
  const fricp_cloud cloud = target_of(&all.scans[0]);
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.search_type = search_type;
  o.search = search;
  fricp_target *target = target_or_fail(&cloud, &o);
  all.target = target;
  fricp_result expected[SCANS];
  for (int k = 0; k < SCANS; k++) {
    fricp_solver *fresh = solver_or_fail(); /* a fresh one for each */
    const fricp_cloud source = source_of(&all.scans[k]);
    const fricp_options options = options_for(all.methods[k]);
    expected[k] = align_or_fail(fresh, target, &source, NULL, &options);
    fricp_solver_destroy(fresh);
  }
  worker workers[WORKERS];
  pthread_t threads[WORKERS];
  memset(workers, 0, sizeof workers);
  for (int i = 0; i < WORKERS; i++) {
    workers[i].all = &all;
    workers[i].number = i;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < WORKERS; i++)
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < WORKERS; i++) {
    ck_assert_int_eq(workers[i].failures, 0);
    for (int k = 0; k < SCANS; k++)
      check_same_result(&workers[i].results[k], &expected[k]);
  }
  fricp_target_destroy(target);
  for (int k = 0; k < SCANS; k++)
    scene_free(&all.scans[k]);
}

/* A caller's own search, by looking at every point of a packed cloud of doubles. */
static int look(void *context, const double query[3], int k, double max_squared_distance, int32_t *indices,
                double *squared_distances) {
  const fricp_cloud *cloud = context;
  return neighbors_by_looking(cloud->points, cloud->count, query, k, max_squared_distance, indices, squared_distances);
}

START_TEST(a_target_is_shared) {
  share(FRICP_SEARCH_DEFAULT, NULL, 2000);
  share(FRICP_SEARCH_BRUTE, NULL, 300);
}
END_TEST

/* FLANN's C binding has a process-wide state. */
START_TEST(a_target_with_flann_is_shared) {
  share(FRICP_SEARCH_FLANN, NULL, 2000);
}
END_TEST

START_TEST(a_target_with_an_own_search_is_shared) {
  const scene_spec spec = {
      .source_count = 600, .target_count = 300, .seed = 1, .overlap = 0.85, .noise = 0.001, .angle = 2};
  scene s = make_scene(&spec); /* the target that share() makes */
  fricp_cloud cloud = target_of(&s);
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = &cloud;
  search.nearest = look;
  search.thread_safe = 1;
  share(FRICP_SEARCH_DEFAULT, &search, 300);
  scene_free(&s);
}
END_TEST

/* 40,000 points are worth several threads; preparation, normals and solve each by few and by more than most machines
 * have. */
START_TEST(threads_inside_change_no_bit) {
  static const int32_t counts[] = {1, 2, 5, 64, 100000, 0};
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE,
                                    FRICP_METHOD_FAST_ICP};
  const scene_spec spec = {.source_count = 40000, .overlap = 0.85, .noise = 0.001, .seed = 2, .angle = 4};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  fricp_cloud target = target_of(&s);
  target.normals = NULL;
  double *normals[2] = {malloc(sizeof(double) * 120000), malloc(sizeof(double) * 120000)};
  ck_assert(normals[0] && normals[1]);
  for (size_t m = 0; m < COUNT(methods); m++) {
    fricp_result first = FRICP_RESULT_INIT;
    for (size_t k = 0; k < COUNT(counts); k++) {
      fricp_options options = options_for(methods[m]);
      options.threads = counts[k];
      options.max_iterations = 12; /* several levels, the last of all points among them */
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      ck_assert_int_ge(r.threads, 1);
      ck_assert_int_le(r.threads, counts[k] ? counts[k] : 1024);
      if (k == 0)
        first = r;
      check_same_result(&r, &first);
    }
  }
  for (int i = 0; i < 2; i++) {
    fricp_target_options one_or_three = FRICP_TARGET_OPTIONS_INIT;
    one_or_three.threads = 1 + 2 * i;
    ck_assert_int_eq(fricp_estimate_normals(&target, &one_or_three, NULL, normals[i], NULL), FRICP_OK);
  }
  ck_assert_int_eq(memcmp(normals[0], normals[1], sizeof(double) * 120000), 0);
  free(normals[0]);
  free(normals[1]);
  scene_free(&s);
}
END_TEST

/* A solver that has seen other targets, methods, sizes, dimensions and failures gives the bits of a fresh one. */
START_TEST(a_used_solver_is_as_good_as_a_fresh_one) {
  fricp_solver *used = solver_or_fail();
  for (int k = 0; k < 12; k++) {
    const scene_spec spec = {.kind = k % 3 == 1 ? SCENE_OUTLINE : SCENE_BLOB,
                             .source_count = (size_t)(300 + k * 977 % 2500),
                             .overlap = 0.8,
                             .noise = 0.001,
                             .seed = (uint64_t)k,
                             .angle = 3};
    scene s = make_scene(&spec);
    const fricp_cloud source = source_of(&s);
    const fricp_cloud cloud = target_of(&s);
    fricp_target *target = target_or_fail(&cloud, NULL);
    fricp_options options = options_for(k % 5);
    options.reciprocal = k % 4 == 3;
    fricp_solver *fresh = solver_or_fail();
    const fricp_result expected = align_or_fail(fresh, target, &source, NULL, &options);
    const fricp_result r = align_or_fail(used, target, &source, NULL, &options);
    check_same_result(&r, &expected);
    const fricp_result once = register_or_fail(&source, &cloud, NULL, &options);
    check_same_result(&once, &expected); /* and so does the one-call form */
    fricp_cloud bad = source;
    bad.count = (size_t)(k % 2);
    fricp_result refused = FRICP_RESULT_INIT;
    ck_assert_int_ne(fricp_solver_align(used, target, &bad, NULL, &options, &refused), FRICP_OK);
    fricp_solver_destroy(fresh);
    fricp_target_destroy(target);
    scene_free(&s);
  }
  fricp_solver_destroy(used);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_target_is_shared, a_target_with_flann_is_shared,
                                a_target_with_an_own_search_is_shared, threads_inside_change_no_bit,
                                a_used_solver_is_as_good_as_a_fresh_one};
  return run_suite("threads", tests, COUNT(tests));
}
