/* SPDX-License-Identifier: BSD-3-Clause */
/* Time limit and cancel in every phase of every call. How late an answer comes is counted in searches, or in the work of
 * the same machine, never in seconds: a busy machine is no fault. */
#define _POSIX_C_SOURCE 199309L
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIMIT 1.0  /* seconds: time enough to get to the phase that is slow, by far not enough for all of it */
#define GRACE 0.05 /* seconds that a call may still take for what each point comes to */

typedef struct asked {
  int calls;
  int cancel_at; /* 0: never */
  double seconds;
  double work; /* of the calling thread, at the last question */
  int iteration;
  fricp_pose pose;
} asked;

static int answer(void *context, const fricp_progress *p) {
  asked *a = context;
  ck_assert_double_ge(p->seconds, a->seconds);
  ck_assert(verify_finite(&p->target_from_source));
  a->seconds = p->seconds;
  a->work = clock_of(CLOCK_THREAD_CPUTIME_ID);
  a->iteration = p->iteration;
  a->pose = p->target_from_source;
  return ++a->calls == a->cancel_at;
}

/* A search by looking at every point, which takes its time where neighbours of that number are asked for, from some
 * call on. */
typedef struct slow_search {
  const double *points;
  size_t count;
  int slow_k;
  int after; /* calls with that k */
  int calls;
  double deadline; /* CLOCK_MONOTONIC; INFINITY: none */
  const asked *host;
  int late; /* slow calls after the deadline or the host's no */
} slow_search;

static int is_late(const slow_search *s) {
  return clock_of(CLOCK_MONOTONIC) > s->deadline || (s->host->cancel_at > 0 && s->host->calls >= s->host->cancel_at);
}

static int search_slowly(void *context, const double query[3], int k, double limit, int32_t *indices, double *squared) {
  slow_search *s = context;
  if (k == s->slow_k && s->calls++ >= s->after) {
    s->late += is_late(s);
    const struct timespec nap = {0, 10000000};
    (void)nanosleep(&nap, NULL);
  }
  return neighbors_by_looking(s->points, s->count, query, k, limit, indices, squared);
}

static scene small_pair(void) {
  const scene_spec spec = {.source_count = 2000, .overlap = 0.9, .noise = 0.001, .seed = 5, .angle = 4};
  return make_scene(&spec);
}

/* Spacing (k = 8), noise (12) and normals (30) of a target, each slow in its turn: 10 ms a query, and a query or
 * more for each point, most of which are not asked any more. */
START_TEST(every_phase_of_a_slow_preparation) {
  scene s = small_pair();
  fricp_cloud cloud = target_of(&s);
  cloud.normals = NULL;
  cloud.count = 300; /* the phases before it are done before the first question */
  const int phases[] = {8, 12, 30};
  for (size_t phase = 0; phase < COUNT(phases); phase++)
    for (int cancel = 0; cancel < 2; cancel++) {
      asked a = {.cancel_at = cancel ? 20 : 0};
      slow_search slow = {.points = cloud.points,
                          .count = cloud.count,
                          .slow_k = phases[phase],
                          .deadline = cancel ? INFINITY : clock_of(CLOCK_MONOTONIC) + LIMIT,
                          .host = &a};
      fricp_search search = FRICP_SEARCH_INIT;
      search.context = &slow;
      search.nearest = search_slowly;
      counter memory = {0, 0, 0};
      const fricp_allocator allocator = counting_allocator(&memory);
      fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
      o.search = &search;
      o.allocator = &allocator;
      o.estimate_normals = phases[phase] == 30;
      o.time_limit = cancel ? 0 : LIMIT;
      o.progress = answer;
      o.progress_context = &a;
      fricp_target *target = NULL;
      fricp_error error;
      ck_assert_int_eq(fricp_target_create(&target, &cloud, &o, &error), FRICP_ERROR_INTERRUPTED);
      ck_assert_int_lt(slow.late, (int)cloud.count / 4);
      ck_assert_ptr_null(target);
      ck_assert_ptr_nonnull(strstr(error.text, cancel ? "cancelled" : "time_limit"));
      ck_assert_int_ge(slow.calls, 1); /* it was this phase */
      ck_assert_int_eq(memory.live, 0);
      ck_assert(!cancel || a.calls == a.cancel_at);
    }
  scene_free(&s);
}
END_TEST

/* Matches become slow from the n-th query on: in the first pass, in some later one, after the last. The result is that
 * of the last pose that was told. */
START_TEST(a_slow_pass_is_left_midway) {
  scene s = small_pair();
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  const asked nobody = {0};
  slow_search slow = {.points = cloud.points, .count = cloud.count, .deadline = INFINITY, .host = &nobody};
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = &slow;
  search.nearest = search_slowly;
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.search = &search;
  fricp_target *target = target_or_fail(&cloud, &o);
  fricp_solver *solver = solver_or_fail();
  slow.slow_k = 1;
  const double shift[3] = {0.01, 0, 0};
  const fricp_pose guess = turn((const double[3]){0, 0, 1}, 1, origin, shift);
  const int after[] = {0, 3000, 25000};
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_FAST_ICP};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t k = 0; k < COUNT(after); k++)
      for (int cancel = 0; cancel < 2; cancel++) {
        asked a = {.cancel_at = cancel ? 1000000 : 0};
        fricp_options options = options_for(methods[m]);
        slow.calls = 0;
        slow.after = after[k];
        options.time_limit = cancel ? 0 : 0.3;
        options.progress = answer;
        options.progress_context = &a;
        if (cancel) { /* some questions after it has become slow */
          asked counted = {0};
          fricp_options quick = options;
          slow.after = 1000000000;
          quick.progress_context = &counted;
          quick.max_iterations = 1;
          (void)align_or_fail(solver, target, &source, &guess, &quick);
          a.cancel_at = counted.calls + 10;
          slow.calls = 0;
          slow.after = after[k];
        }
        slow.late = 0;
        slow.deadline = cancel ? INFINITY : clock_of(CLOCK_MONOTONIC) + options.time_limit;
        slow.host = &a;
        const fricp_result r = align_or_fail(solver, target, &source, &guess, &options);
        slow.host = &nobody;
        ck_assert_int_lt(slow.late, (int)s.source_count / 4); /* in vain, and for what the points come to */
        if (r.stop_reason == FRICP_STOP_CONVERGED)
          continue; /* done before it became slow */
        ck_assert_int_eq(r.stop_reason, cancel ? FRICP_STOP_CANCELLED : FRICP_STOP_TIME_LIMIT);
        ck_assert_int_eq(r.converged, 0);
        ck_assert_int_eq(r.iterations, a.iteration);
        if (a.calls > 0)
          ck_assert(verify_same_bits(&r.target_from_source, &a.pose));
        if (after[k] == 0)
          ck_assert_int_eq(r.iterations, 0);
      }
  slow.slow_k = 0; /* as if nothing had been */
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  const fricp_result again = align_or_fail(solver, target, &source, &guess, &options);
  fricp_solver *fresh = solver_or_fail();
  const fricp_result expected = align_or_fail(fresh, target, &source, &guess, &options);
  check_same_result(&again, &expected);
  fricp_solver_destroy(fresh);
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

static double *many_points(size_t count, uint64_t seed) {
  prng g = prng_seed(seed, 0);
  double *p = malloc(3 * count * sizeof *p);
  ck_assert_ptr_nonnull(p);
  for (size_t i = 0; i < count; i++) {
    p[3 * i] = (double)prng_below(&g, 1000000) / 1e6;
    p[3 * i + 1] = (double)prng_below(&g, 1000000) / 1e6;
    p[3 * i + 2] = 0.1 * sin(9 * p[3 * i]) * cos(7 * p[3 * i + 1]);
  }
  return p;
}

/* A call that nothing ends. @return the calling thread's work. */
static double whole_work(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                         const fricp_options *options) {
  const double before = clock_of(CLOCK_THREAD_CPUTIME_ID);
  (void)register_or_fail(source, target, guess, options);
  return clock_of(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* What is known of an ended call is returned, and is true. */
static void check_ended(const fricp_result *r, const asked *a, const fricp_pose *guess) {
  ck_assert_int_eq(r->stop_reason, a->cancel_at ? FRICP_STOP_CANCELLED : FRICP_STOP_TIME_LIMIT);
  ck_assert(verify_finite(&r->target_from_source));
  ck_assert_int_eq(r->iterations, a->calls ? a->iteration : 0);
  if (r->iterations == 0 && r->candidates == 0) /* else it is the chosen one's */
    for (int i = 0; i < 3; i++)
      ck_assert_double_eq_tol(r->target_from_source.translation[i], guess->translation[i], 1e-12);
  ck_assert(!a->cancel_at || a->calls == a->cancel_at);
}

/* One call on large clouds, with limits that fall into every phase, and cancelled at every question: a finite pose (the
 * guess to the bit where nothing was accepted), no convergence, and soon: the host is asked each 20 ms, so that little
 * of the whole work lies between the last question and the end. */
START_TEST(large_clouds_at_any_moment) {
  enum { N = UNLESS_SANITIZED(80000, 40000) };
  double *p = many_points(N, 1);
  double *q = many_points(N, 2);
  fricp_cloud source = FRICP_CLOUD_INIT;
  fricp_cloud target = FRICP_CLOUD_INIT;
  source.points = p;
  target.points = q;
  source.count = target.count = N;
  const double shift[3] = {0.02, -0.01, 0.015};
  const fricp_pose guess = turn((const double[3]){1, 2, 3}, 2, origin, shift);
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    fricp_options o = options_for(methods[m]);
    o.threads = 1;
    const double whole = whole_work(&source, &target, &guess, &o);
    for (int threads = 1; threads < 4; threads += 2)
      for (int cancel = 0; cancel < 2; cancel++)
        for (int k = 0; k < (cancel ? 6 : 8); k++) {
          asked a = {.cancel_at = cancel ? 1 << k : 0, .work = clock_of(CLOCK_THREAD_CPUTIME_ID)};
          o.threads = threads;
          o.progress = answer;
          o.progress_context = &a;
          o.time_limit = cancel ? 0 : ldexp(0.002, k);
          const double start = clock_of(CLOCK_MONOTONIC);
          const fricp_result r = register_or_fail(&source, &target, &guess, &o);
          const double took = clock_of(CLOCK_MONOTONIC) - start;
          if (r.converged)
            break;
          check_ended(&r, &a, &guess);
          ck_assert_double_le(r.seconds_prepare + r.seconds_solve, took);
          const double in_vain = clock_of(CLOCK_THREAD_CPUTIME_ID) - a.work;
          ck_assert_double_lt(in_vain, GRACE + whole / 4);
        }
  }
  free(p);
  free(q);
}
END_TEST

/* Normals alone, the search of which takes its time: ended as a target's preparation is, and nothing is written. */
START_TEST(normals_are_left_midway) {
  scene s = small_pair();
  fricp_cloud cloud = target_of(&s);
  cloud.count = 300;
  double normals[900];
  for (int cancel = 0; cancel < 2; cancel++) {
    asked a = {.cancel_at = cancel ? 20 : 0};
    slow_search slow = {.points = cloud.points,
                        .count = cloud.count,
                        .slow_k = 30,
                        .deadline = cancel ? INFINITY : clock_of(CLOCK_MONOTONIC) + LIMIT,
                        .host = &a};
    fricp_search search = FRICP_SEARCH_INIT;
    search.context = &slow;
    search.nearest = search_slowly;
    fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
    o.search = &search;
    o.time_limit = cancel ? 0 : LIMIT;
    o.progress = answer;
    o.progress_context = &a;
    normals[0] = 42;
    fricp_error error;
    ck_assert_int_eq(fricp_estimate_normals(&cloud, &o, NULL, normals, &error), FRICP_ERROR_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(error.text, cancel ? "cancelled" : "time_limit"));
    ck_assert_int_lt(slow.late, (int)cloud.count / 4);
    ck_assert_int_ge(slow.calls, 1);
    ck_assert_double_eq(normals[0], 42);
  }
  scene_free(&s);
}
END_TEST

/* What is wrong is told, and what is nearly a rotation is mended, whether the limit passes meanwhile or not. */
START_TEST(arguments_come_before_the_clock) {
  enum { N = UNLESS_SANITIZED(80000, 40000) };
  double *p = many_points(N, 1);
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = p;
  cloud.count = N;
  fricp_cloud flat = cloud;
  flat.dimension = 2;
  fricp_cloud none = cloud;
  none.points = NULL;
  fricp_pose wrong = fricp_pose_identity();
  wrong.rotation[0][0] = -INFINITY;
  fricp_pose near = fricp_pose_identity();
  near.rotation[0][0] += 5e-4;
  for (int limited = 0; limited < 2; limited++) {
    fricp_options o = options_for(FRICP_METHOD_ROBUST_ICP);
    o.time_limit = limited ? 1e-4 : 0; /* preparing takes a hundred times that */
    o.max_iterations = 1;
    fricp_result r = FRICP_RESULT_INIT;
    ck_assert_int_eq(fricp_register(&cloud, &cloud, &wrong, &o, &r, NULL), FRICP_ERROR_BAD_POSE);
    ck_assert_int_eq(fricp_register(&flat, &cloud, NULL, &o, &r, NULL), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(fricp_register(&none, &cloud, NULL, &o, &r, NULL), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(fricp_register(&cloud, &cloud, &near, &o, &r, NULL), FRICP_OK);
    ck_assert(!limited || r.stop_reason == FRICP_STOP_TIME_LIMIT);
    ck_assert_double_le(verify_orthonormality(&r.target_from_source), 1e-9);
  }
  free(p);
}
END_TEST

START_TEST(limits_are_checked) {
  scene s = small_pair();
  const fricp_cloud cloud = target_of(&s);
  const double wrong[] = {-1, NAN, INFINITY};
  for (size_t i = 0; i < COUNT(wrong); i++) {
    fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
    o.time_limit = wrong[i];
    fricp_target *target = NULL;
    fricp_error error;
    ck_assert_int_eq(fricp_target_create(&target, &cloud, &o, &error), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "time_limit"));
  }
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.time_limit = 1e6;
  fricp_target_destroy(target_or_fail(&cloud, &o));
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {every_phase_of_a_slow_preparation, a_slow_pass_is_left_midway,
                                large_clouds_at_any_moment,        normals_are_left_midway,
                                arguments_come_before_the_clock,   limits_are_checked};
  return run_suite("interrupt", tests, COUNT(tests));
}
