/* SPDX-License-Identifier: BSD-3-Clause */
/* A search or a gate of the caller's that is slow: time limit and cancel in every phase of every call, by a clock that goes by
 * work (work.h); and what comes before the clock. The calls are those of the public header. */
#include "host.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1.0 /* seconds: time enough to get to the phase that is slow, by far not enough for all of it */

/* A search by looking at every point, which takes 10 ms where neighbours of that number are asked for, from some call
 * on. */
typedef struct slow_search {
  const double *points;
  size_t count;
  int slow_k;
  int after; /* calls with that k */
  int calls;
  double deadline; /* work; INFINITY: none */
  const asked *host;
  int late; /* slow calls after the deadline or the host's no */
} slow_search;

static int is_late(const slow_search *s) {
  return work_done() > s->deadline || (s->host->cancel_at > 0 && s->host->calls >= s->host->cancel_at);
}

static int search_slowly(void *context, const double query[3], int k, double limit, int32_t *indices, double *squared) {
  slow_search *s = context;
  if (k == s->slow_k && s->calls++ >= s->after) {
    s->late += is_late(s);
    work_wait(0.01);
  }
  return neighbors_by_looking(s->points, s->count, query, k, limit, indices, squared);
}

/* The work at which a limit from now on has passed, at the speed that is the default. */
static double deadline_of(double seconds) {
  return work_done() + seconds * SPEED;
}

static scene small_pair(void) {
  const scene_spec spec = {.source_count = 800, .overlap = 0.9, .noise = 0.001, .seed = 5, .angle = 4};
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
      asked a = {.caller = pthread_self(), .cancel_at = cancel ? 20 : 0};
      slow_search slow = {.points = cloud.points,
                          .count = cloud.count,
                          .slow_k = phases[phase],
                          .deadline = cancel ? INFINITY : deadline_of(LIMIT),
                          .host = &a};
      fricp_search search = FRICP_SEARCH_INIT;
      search.context = &slow;
      search.nearest = search_slowly;
      counter memory = {0, 0, 0};
      const fricp_allocator allocator = counting_allocator(&memory);
      fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
      o.search = &search;
      o.allocator = &allocator;
      o.given_normals_only = phases[phase] != 30;
      o.time_limit = cancel ? 0 : LIMIT;
      o.progress = answer;
      o.progress_context = &a;
      fricp_target *target = NULL;
      fricp_error error;
      ck_assert_int_eq(fricp_target_create(&target, &cloud, &o, &error), FRICP_ERROR_INTERRUPTED);
      ck_assert_int_le(slow.late, 1);
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
  const int after[] = {0, 1200, 10000};
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_FAST_ICP};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t k = 0; k < COUNT(after); k++)
      for (int cancel = 0; cancel < 2; cancel++) {
        asked a = {.caller = pthread_self(), .cancel_at = cancel ? 1000000 : 0};
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
        slow.deadline = cancel ? INFINITY : deadline_of(options.time_limit);
        slow.host = &a;
        const fricp_result r = align_or_fail(solver, target, &source, &guess, &options);
        slow.host = &nobody;
        ck_assert_int_le(slow.late, 8); /* for what the points come to, 50 ms */
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

/* A gate on pairs that takes 10 ms for each. */
typedef struct slow_gate {
  double deadline; /* work; INFINITY: none */
  const asked *host;
  int calls, late;
} slow_gate;

static int accept_slowly(void *context, int32_t source, int32_t target, double squared_distance) {
  slow_gate *g = context;
  (void)source, (void)target, (void)squared_distance;
  g->calls++;
  g->late += work_done() > g->deadline || (g->host->cancel_at > 0 && g->host->calls >= g->host->cancel_at);
  work_wait(0.01);
  return 1;
}

START_TEST(a_slow_gate_is_left_midway) {
  scene s = small_pair();
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int cancel = 0; cancel < 2; cancel++) {
    asked a = {.caller = pthread_self(), .cancel_at = cancel ? 20 : 0};
    slow_gate gate = {.deadline = cancel ? INFINITY : deadline_of(LIMIT), .host = &a};
    fricp_options o = options_for(FRICP_METHOD_ROBUST_ICP);
    o.threads = 1;
    o.accept_pair = accept_slowly;
    o.pair_context = &gate;
    o.progress = answer;
    o.progress_context = &a;
    o.time_limit = cancel ? 0 : LIMIT;
    const fricp_result r = register_or_fail(&source, &target, NULL, &o);
    ck_assert_int_eq(r.stop_reason, cancel ? FRICP_STOP_CANCELLED : FRICP_STOP_TIME_LIMIT);
    ck_assert_int_ge(gate.calls, 20);
    ck_assert_int_le(gate.late, 8); /* for what the points come to, 50 ms */
  }
  scene_free(&s);
}
END_TEST
/* Normals alone, the search of which takes its time: ended as a target's preparation is, and nothing is written. */
START_TEST(normals_are_left_midway) {
  scene s = small_pair();
  fricp_cloud cloud = target_of(&s);
  cloud.count = 300;
  double normals[900];
  for (int cancel = 0; cancel < 2; cancel++) {
    asked a = {.caller = pthread_self(), .cancel_at = cancel ? 20 : 0};
    slow_search slow = {.points = cloud.points,
                        .count = cloud.count,
                        .slow_k = 30,
                        .deadline = cancel ? INFINITY : deadline_of(LIMIT),
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
    ck_assert_int_le(slow.late, 1);
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
                                a_slow_gate_is_left_midway,        normals_are_left_midway,
                                arguments_come_before_the_clock,   limits_are_checked};
  return run_suite("interrupt", tests, COUNT(tests));
}
