/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's allocator: every allocation may fail, nothing leaks, and the next scan allocates nothing. */
#include "api.h"

#include <stdlib.h>
#include <string.h>

static scene small_scene(size_t count) {
  const scene_spec spec = {.source_count = count, .overlap = 0.9, .noise = 0.001, .seed = 1, .angle = 3};
  return make_scene(&spec);
}

/* Three kinds of preparation; the last has duplicates, which take memory of their own. */
static fricp_target_options prepare_as(int kind, const fricp_allocator *allocator) {
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.allocator = allocator;
  o.threads = 1;
  o.given_normals_only = kind == 0;
  return o;
}

static int nearest_by_hook(void *context, const double query[3], int k, double limit2, int32_t *indices,
                           double *squared) {
  (void)k;
  *indices = (int32_t)nearest_by_looking(context, query, squared);
  return *squared <= limit2;
}

START_TEST(every_allocation_of_a_target_may_fail) {
  scene s = small_scene(400);
  for (size_t i = 0; i < 3 * 200; i++)
    s.target[3 * 200 + i] = s.target[i]; /* duplicates */
  const fricp_cloud all = target_of(&s);
  for (int kind = 0; kind < 4; kind++) {
    fricp_cloud cloud = all;
    if (kind < 2)
      cloud.count = 200;
    fricp_search search = FRICP_SEARCH_INIT;
    search.context = &cloud;
    search.nearest = nearest_by_hook;
    int failures = 0;
    for (long n = 1;; n++, failures++) {
      counter c = {0, 0, n};
      const fricp_allocator allocator = counting_allocator(&c);
      fricp_target_options o = prepare_as(kind, &allocator);
      if (kind == 3) {
        o.search = &search;
        o.given_normals_only = 1;
      }
      fricp_target *target = NULL;
      fricp_error error;
      const fricp_status status = fricp_target_create(&target, &cloud, &o, &error);
      if (status == FRICP_OK) {
        ck_assert_int_lt(c.calls, n);
        fricp_target_destroy(target);
        ck_assert_int_eq(c.live, 0);
        break;
      }
      ck_assert_int_eq(status, FRICP_ERROR_OUT_OF_MEMORY);
      ck_assert_ptr_null(target);
      ck_assert_ptr_nonnull(strstr(error.text, "memory"));
      ck_assert_int_eq(c.live, 0);
    }
    ck_assert_int_ge(failures, 5);
  }
  scene_free(&s);
}
END_TEST

/* Three in ten are astray, so that method auto does not trust its first choice and looks for such points. */
static scene scattered_scene(size_t count) {
  const scene_spec spec = {.source_count = count, .overlap = 0.3, .outliers = 0.3, .seed = 1, .angle = 10};
  return make_scene(&spec);
}

/* Of kinds of calls each allocation in turn: after its refusal the very same solver goes on and finds, to the bit, what a
 * fresh one finds. */
static void refuse_each(scene s, int first, int end) {
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *target = target_or_fail(&cloud, NULL);
  double *weights = malloc(s.source_count * sizeof *weights);
  ck_assert_ptr_nonnull(weights);
  for (size_t i = 0; i < s.source_count; i++)
    weights[i] = 1 + (double)(i % 2);
  fricp_cloud weighted = source;
  weighted.weights = weights;
  for (int kind = first; kind < end; kind++) {
    fricp_options options = options_for(kind < 2    ? FRICP_METHOD_ROBUST_ICP_PLANE
                                        : kind == 4 ? FRICP_METHOD_ROBUST_SYMMETRIC_ICP
                                                    : FRICP_METHOD_AUTO);
    options.reciprocal = kind == 1 || kind == 4;
    options.starts = kind == 3 ? 6 : 0;
    options.max_iterations = 12;
    fricp_solver *fresh = solver_or_fail();
    const fricp_result expected = align_or_fail(fresh, target, &weighted, NULL, &options);
    fricp_solver_destroy(fresh);
    int failures = 0;
    for (long n = 1;; n++, failures++) {
      counter c = {0, 0, n};
      const fricp_allocator allocator = counting_allocator(&c);
      fricp_solver *solver = NULL;
      fricp_status status = fricp_solver_create(&solver, &allocator);
      if (status != FRICP_OK) {
        ck_assert_int_eq(status, FRICP_ERROR_OUT_OF_MEMORY);
        ck_assert_ptr_null(solver);
        ck_assert_int_eq(c.live, 0);
        continue;
      }
      fricp_result r = FRICP_RESULT_INIT;
      status = fricp_solver_align(solver, target, &weighted, NULL, &options, &r);
      if (status != FRICP_OK) {
        ck_assert_int_eq(status, FRICP_ERROR_OUT_OF_MEMORY);
        ck_assert_ptr_nonnull(strstr(fricp_solver_last_error(solver), "memory"));
        ck_assert_int_eq(r.converged, 0);
        r = align_or_fail(solver, target, &weighted, NULL, &options);
      }
      check_same_result(&r, &expected);
      fricp_solver_destroy(solver);
      ck_assert_int_eq(c.live, 0);
      if (c.calls < n)
        break;
    }
    ck_assert_int_ge(failures, 5);
  }
  free(weights);
  fricp_target_destroy(target);
  scene_free(&s);
}

START_TEST(every_allocation_of_a_solver_may_fail) {
  refuse_each(small_scene(600), 0, 5);
  if (!SANITIZED) /* the counting allocator sees leaks by itself */
    refuse_each(scattered_scene(160), 5, 6);
}
END_TEST

/* As the header promises: "allocates nothing if an earlier source was as large (but with method auto)". */
START_TEST(the_next_scan_allocates_nothing) {
  scene s = small_scene(3000);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *target = target_or_fail(&cloud, NULL);
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int kind = 0; kind < 3; kind++) {
      if (SANITIZED && kind != method % 3)
        continue;
      counter c = {0, 0, 0};
      const fricp_allocator allocator = counting_allocator(&c);
      fricp_solver *solver = NULL;
      ck_assert_int_eq(fricp_solver_create(&solver, &allocator), FRICP_OK);
      fricp_options options = options_for(method);
      options.reciprocal = kind == 1;
      options.threads = kind == 2 ? 2 : 1;
      options.max_iterations = 24; /* some on each level: what is needed is needed by then */
      const fricp_result first = align_or_fail(solver, target, &source, NULL, &options);
      const long calls = c.calls;
      const long live = c.live;
      for (int again = 0; again < 3; again++) {
        fricp_cloud scan = source;
        scan.count -= (size_t)(again * 500);
        const fricp_result r = align_or_fail(solver, target, &scan, NULL, &options);
        if (again == 0)
          check_same_result(&r, &first); /* a used solver is as good as a fresh one */
      }
      if (c.calls != calls && method != FRICP_METHOD_AUTO)
        ck_abort_msg("%s, kind %d: %ld allocations on later scans", fricp_method_name(method), kind, c.calls - calls);
      ck_assert_int_eq(c.live, live);
      fricp_solver_destroy(solver);
      ck_assert_int_eq(c.live, 0);
    }
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

/* Aligning leaves the target as it is: nothing is allocated from its allocator. */
START_TEST(a_prepared_target_is_done) {
  scene s = small_scene(1000);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  counter c = {0, 0, 0};
  const fricp_allocator allocator = counting_allocator(&c);
  const fricp_target_options o = prepare_as(1, &allocator);
  fricp_target *target = target_or_fail(&cloud, &o);
  const long calls = c.calls;
  fricp_solver *solver = solver_or_fail();
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    (void)align_or_fail(solver, target, &source, NULL, &options);
  }
  int32_t index[10];
  double squared[10];
  ck_assert_int_eq(fricp_target_nearest(target, origin, 10, 1e300, index, squared), 10);
  ck_assert_int_eq(c.calls, calls);
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  ck_assert_int_eq(c.live, 0);
  scene_free(&s);
}
END_TEST

/* Issue 4's bar: at the peak at most 100 bytes a source point and 60 a target point; small fixed buffers apart. */
typedef struct peak {
  size_t now, most;
} peak;

static void *measure(void *context, size_t size) {
  peak *p = context;
  size_t *block = malloc(size + 16);
  ck_assert_ptr_nonnull(block);
  *block = size;
  p->now += size;
  p->most = p->now > p->most ? p->now : p->most;
  return (char *)block + 16;
}

static void unmeasure(void *context, void *memory) {
  peak *p = context;
  if (!memory)
    return;
  size_t *block = (size_t *)(void *)((char *)memory - 16);
  p->now -= *block;
  free(block);
}

START_TEST(bytes_a_point) {
  scene s = small_scene(60000);
  const fricp_cloud source = source_of(&s);
  fricp_cloud cloud = target_of(&s);
  cloud.normals = NULL;
  peak target_peak = {0, 0};
  peak solver_peak = {0, 0};
  fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  allocator.allocate = measure;
  allocator.release = unmeasure;
  allocator.context = &target_peak;
  const fricp_target_options o = prepare_as(0, &allocator);
  fricp_target *target = target_or_fail(&cloud, &o);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(target, &info), FRICP_OK);
  ck_assert_double_eq_tol((double)info.bytes / (double)target_peak.now, 1, 0.02); /* what is told is what is held */
  fricp_allocator second = allocator;
  second.context = &solver_peak;
  fricp_solver *solver = NULL;
  ck_assert_int_eq(fricp_solver_create(&solver, &second), FRICP_OK);
  const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  (void)align_or_fail(solver, target, &source, NULL, &options);
  const double fixed = 1e6; /* trace of 1024 rows, scratch */
  ck_assert_double_le((double)target_peak.most - fixed, 60.0 * 60000);
  ck_assert_double_le((double)solver_peak.most - fixed, 100.0 * 60000);
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  ck_assert_uint_eq(target_peak.now, 0);
  ck_assert_uint_eq(solver_peak.now, 0);
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {every_allocation_of_a_target_may_fail, every_allocation_of_a_solver_may_fail,
                                the_next_scan_allocates_nothing, a_prepared_target_is_done, bytes_a_point};
  return run_suite("memory", tests, COUNT(tests));
}
