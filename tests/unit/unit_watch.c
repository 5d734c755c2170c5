/* SPDX-License-Identifier: BSD-3-Clause */
/* Time limit and cancel on large clouds, by a clock that goes by work (work.h): how often they are looked at in every phase of
 * every call, and how much is done after the time is up or the host has said no. The calls are those of the public header. */
#include "host.h"
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST 4e6 /* blocks between two looks of one thread at the clock, some milliseconds */
#define LAST 12.0   /* blocks a point after the last look: the result */
#define JUDGING 1e6 /* blocks besides, of method auto's cells */
#define WHOLE 2.5   /* seconds of a call that nothing ends, as the clock is set */
#define GRACE 0.05  /* seconds that a call may still take for what each point comes to */

/* The clock is set so that a call that nothing ends takes WHOLE seconds. */
static void set_clock(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                      const fricp_options *options) {
  const double before = work_done();
  (void)register_or_fail(source, target, guess, options);
  work_set_speed((work_done() - before) / WHOLE);
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

static int go_on(void *context, const fricp_progress *p) {
  (void)context, (void)p;
  return 0;
}

static int any_pair(void *context, int32_t source, int32_t target, double squared_distance) {
  (void)context, (void)source, (void)target, (void)squared_distance;
  return 1;
}

/* @param most  thousand blocks: some 1.5 times what there is. A loop over all points that forgets to look takes more. */
static void check_watched(const char *what, int threads, size_t count, double most) {
  const double longest = work_unwatched();
  const double last = work_since_look();
  if (getenv("FRICP_VERBOSE"))
    fprintf(stderr, "%s, threads %d: at most %.0f thousand blocks without a look, %.1f a point after the last\n", what,
            threads, longest / 1e3, last / (double)count);
  ck_assert_double_ge(longest, 1000); /* it does count */
  ck_assert_double_le(longest, 1e3 * most);
  ck_assert_double_le(last, LAST * (double)count + JUDGING);
}

/* Two clouds of one surface, not of the same points. */
typedef struct surface_pair {
  double *points[2];
  fricp_cloud source, target;
  fricp_pose guess;
} surface_pair;

static surface_pair surface_pair_make(size_t count, double degrees) {
  const double shift[3] = {0.02, -0.01, 0.015};
  surface_pair p = {{many_points(count, 1), many_points(count, 2)}, FRICP_CLOUD_INIT, FRICP_CLOUD_INIT, {{{0}}, {0}}};
  p.source.points = p.points[0];
  p.target.points = p.points[1];
  p.source.count = p.target.count = count;
  p.guess = turn((const double[3]){1, 2, 3}, degrees, origin, shift);
  return p;
}

static void surface_pair_free(surface_pair *p) {
  free(p->points[0]);
  free(p->points[1]);
}

/* Every phase of a registration, on clouds so large that any of them is too long to go by unwatched, with each thing that is
 * asked of every pair. */
START_TEST(the_clock_is_looked_at_in_every_phase) {
  enum { MANY = UNLESS_SANITIZED(300000, 100000), SOME = UNLESS_SANITIZED(50000, 20000), FEW = 5000 };
  static const struct {
    const char *name;
    size_t count;
    int32_t method, kernel, reciprocal, starts;
    double normal_angle, degrees;
    int gate;
    double most;
  } calls[] = {
      {"index and passes by points", MANY, FRICP_METHOD_ROBUST_ICP, 0, 0, 0, 0, 2, 0, 1900},
      {"normals and passes by planes", MANY, FRICP_METHOD_ROBUST_ICP_PLANE, 0, 0, 0, 0, 2, 0, 1900},
      {"normals of both, their angle", MANY, FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 0, 0, 0, 1, 2, 0, 5000},
      {"pairs both ways", MANY, FRICP_METHOD_ROBUST_ICP, 0, 1, 0, 0, 2, 0, 5000},
      {"a gate of the caller's", SOME, FRICP_METHOD_ROBUST_ICP, 0, 0, 0, 0, 2, 1, 1900},
      {"a kernel by rank", SOME, FRICP_METHOD_ROBUST_ICP, FRICP_KERNEL_TRIMMED, 0, 0, 0, 2, 0, 1900},
      {"multipliers", SOME, FRICP_METHOD_SPARSE_ICP, 0, 0, 0, 0, 2, 0, 1900},
      {"candidates", SOME, FRICP_METHOD_AUTO, 0, 0, 0, 0, 2, 0, 1900},
      {"candidates all around", FEW, FRICP_METHOD_AUTO, 0, 0, UNLESS_SANITIZED(150, 100), 0, 100, 0, 1900},
  };
  for (size_t c = 0; c < COUNT(calls); c++) {
    surface_pair pair = surface_pair_make(calls[c].count, calls[c].degrees);
    fricp_options o = options_for(calls[c].method);
    o.kernel = calls[c].kernel;
    o.reciprocal = calls[c].reciprocal;
    o.starts = calls[c].starts;
    o.max_normal_angle = calls[c].normal_angle;
    o.accept_pair = calls[c].gate ? any_pair : NULL;
    o.progress = go_on;
    for (o.threads = 1; o.threads <= (o.method == FRICP_METHOD_AUTO ? 3 : 1); o.threads += 2) {
      work_watch();
      (void)register_or_fail(&pair.source, &pair.target, &pair.guess, &o);
      check_watched(calls[c].name, o.threads, calls[c].count, calls[c].most);
    }
    surface_pair_free(&pair);
  }
}
END_TEST

/* The same of calls that register nothing. */
START_TEST(the_clock_is_looked_at_without_a_pose) {
  enum { N = UNLESS_SANITIZED(300000, 100000), K = 8 };
  surface_pair pair = surface_pair_make(N, 0);
  double *normals = malloc(3 * N * sizeof *normals);
  int32_t *rows = malloc(N * K * sizeof *rows);
  ck_assert(normals && rows);
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.progress = go_on;
  o.given_normals_only = 1;
  fricp_target *target = target_or_fail(&pair.target, &o);
  for (o.threads = 1; o.threads < 4; o.threads += 2) {
    fricp_error error;
    work_watch();
    ck_assert_int_eq(fricp_estimate_normals(&pair.target, &o, NULL, normals, &error), FRICP_OK);
    check_watched("normals alone", o.threads, N, 1900);
    work_watch();
    ck_assert_int_eq(fricp_target_neighbors(target, K, &o, rows, &error), FRICP_OK);
    check_watched("neighbours", o.threads, N, 100);
  }
  fricp_target_destroy(target);
  free(rows);
  free(normals);
  surface_pair_free(&pair);
}
END_TEST

/* What a call may do after a no or the end of its time: what each thread does until it looks, what each point comes to if
 * that is soon known, and a result. */
static double allowed(int threads) {
  return threads * LONGEST + GRACE * work_speed();
}

/* One call on large clouds, with limits that fall into every phase, and cancelled at questions of every phase: a finite pose
 * (the guess to the bit where nothing was accepted), no convergence, and little is done in vain. */
START_TEST(large_clouds_at_any_moment) {
  enum { N = UNLESS_SANITIZED(25000, 10000), LIMITS = 8, CANCELS = 4 };
  surface_pair pair = surface_pair_make(N, 2);
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    fricp_options o = options_for(methods[m]);
    o.threads = 1;
    set_clock(&pair.source, &pair.target, &pair.guess, &o);
    for (int threads = 1; threads < 4; threads += 2)
      for (int cancel = 0; cancel < 2; cancel++)
        for (int k = 0; k < (cancel ? CANCELS : LIMITS); k++) {
          asked a = {.caller = pthread_self(), .cancel_at = cancel ? 1 << 2 * k : 0};
          o.threads = threads;
          o.progress = answer;
          o.progress_context = &a;
          o.time_limit = cancel ? 0 : WHOLE * (k + 0.1) / LIMITS;
          const double start = work_done();
          const fricp_result r = register_or_fail(&pair.source, &pair.target, &pair.guess, &o);
          const double end = work_done();
          ck_assert_int_eq(a.strangers, 0);
          if (r.converged)
            break;
          check_ended(&r, &a, &pair.guess);
          ck_assert_double_le(r.seconds_prepare + r.seconds_solve, (end - start) / work_speed());
          ck_assert_double_le(end - (cancel ? a.work : start + o.time_limit * work_speed()), allowed(threads));
        }
  }
  work_set_speed(SPEED);
  surface_pair_free(&pair);
}
END_TEST

/* Method auto on a target that is ready, ended at any moment: no verdict, and nothing is left; the guess while no candidate is
 * chosen. */
START_TEST(candidates_at_any_moment) {
  static const int32_t starts[] = {0, 20};
  enum { LIMITS = 4, CANCELS = 3 };
  const scene_spec spec = {
      .source_count = UNLESS_SANITIZED(10000, 5000), .overlap = 0.5, .noise = 0.002, .seed = 13, .angle = 60};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *target = target_or_fail(&cloud, NULL);
  const double axis[3] = {1, 2, 3};
  const double shift[3] = {0.02, -0.01, 0.015};
  const fricp_pose guess = turn(axis, 2, origin, shift);
  counter memory = {0, 0, 0};
  const fricp_allocator allocator = counting_allocator(&memory);
  int early = 0;
  for (size_t n = 0; n < COUNT(starts); n++) {
    fricp_options options = options_for(FRICP_METHOD_AUTO);
    options.starts = starts[n];
    options.threads = 1;
    set_clock(&source, &cloud, &guess, &options);
    options.progress = answer;
    for (options.threads = 1; options.threads < 3; options.threads++)
      for (int cancel = 0; cancel < 2; cancel++)
        for (int k = 0; k < (cancel ? CANCELS : LIMITS); k++) {
          fricp_solver *solver = NULL;
          ck_assert_int_eq(fricp_solver_create(&solver, &allocator), FRICP_OK);
          asked a = {.caller = pthread_self(), .cancel_at = cancel ? 1 << 2 * k : 0};
          options.progress_context = &a;
          options.time_limit = cancel ? 0 : WHOLE * (k + 0.1) / LIMITS;
          const double start = work_done();
          const fricp_result r = align_or_fail(solver, target, &source, &guess, &options);
          const double end = work_done();
          ck_assert_int_eq(a.strangers, 0);
          if (r.stop_reason == FRICP_STOP_CANCELLED || r.stop_reason == FRICP_STOP_TIME_LIMIT) {
            check_ended(&r, &a, &guess);
            ck_assert_int_eq(r.converged, 0);
            ck_assert_int_eq(r.verdict, FRICP_VERDICT_NONE);
            ck_assert_double_le(end - (cancel ? a.work : start + options.time_limit * work_speed()),
                                allowed(options.threads));
            if (r.candidates == 0) {
              early++;
              ck_assert_double_le(verify_max_difference(&r.target_from_source, &guess), 1e-12);
            }
          }
          fricp_solver_destroy(solver);
          ck_assert_int_eq(memory.live, 0);
        }
  }
  ck_assert_int_ge(early, 4);
  work_set_speed(SPEED);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST
int main(void) {
  const TTest *const tests[] = {large_clouds_at_any_moment, candidates_at_any_moment,
                                the_clock_is_looked_at_in_every_phase, the_clock_is_looked_at_without_a_pose};
  return run_suite("watch", tests, COUNT(tests));
}
