/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress, cancel, limits, tolerances: what a host sees and steers. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include "api.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct watcher {
  int calls, cancel_at, faults, descends;
  fricp_progress last;
} watcher;

static int watch(void *context, const fricp_progress *p) {
  watcher *w = context;
  if (p->levels == 0)
    return 0; /* asked while the clouds are prepared, on a slow machine */
  w->faults += p->struct_size != sizeof *p || p->level < 0 || (p->level >= p->levels && p->iteration > 0) ||
               p->level_iteration < 0;
  w->faults += !isfinite(p->energy) || !isfinite(p->nu) || p->seconds < 0 || !verify_finite(&p->target_from_source);
  if (w->calls > 0) {
    w->faults += p->iteration < w->last.iteration || p->level < w->last.level || p->seconds < w->last.seconds;
    w->faults += p->level == w->last.level && (p->nu != w->last.nu || (w->descends && p->energy > w->last.energy));
  }
  w->last = *p;
  return ++w->calls == w->cancel_at;
}

START_TEST(progress_is_told) {
  scene s = scan_pair(1);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    watcher w = {.descends = descends(method)};
    fricp_options options = options_for(method);
    const fricp_result quiet = register_scene(&s, NULL, &options);
    options.progress = watch;
    options.progress_context = &w;
    const fricp_result r = register_scene(&s, NULL, &options);
    check_same_result(&r, &quiet); /* watching changes nothing */
    ck_assert_int_eq(w.faults, 0);
    ck_assert_int_ge(w.calls, r.iterations);
    ck_assert_int_eq(w.last.iteration, r.iterations);
    ck_assert_int_eq(w.last.level + 1, r.levels);
    ck_assert(verify_same_bits(&w.last.target_from_source, &r.target_from_source));
    ck_assert_double_eq_tol(w.last.nu, r.nu_end, 1e-15);
  }
  scene_free(&s);
}
END_TEST

/* Cancelled at any call: a normal end with the pose of that moment, which is the one just told. */
START_TEST(cancel_gives_what_there_is) {
  ready_pair p = ready_pair_make(scan_pair(2));
  int known = 0;
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int at = 1; at < 40; at = at * 2 + 1) {
      watcher w = {.cancel_at = at, .descends = descends(method)};
      fricp_options options = options_for(method);
      options.progress = watch;
      options.progress_context = &w;
      const fricp_result r = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
      if (w.calls < at)
        continue; /* it had ended before */
      ck_assert_int_eq(r.stop_reason, FRICP_STOP_CANCELLED);
      ck_assert_int_eq(r.converged, 0);
      ck_assert_int_eq(w.calls, at);
      ck_assert_int_eq(r.iterations, w.last.iteration);
      ck_assert(verify_same_bits(&w.last.target_from_source, &r.target_from_source));
      /* What each point comes to is measured in what little time is left for it: on a busy machine not always. */
      const int measured = r.inlier_distance > 0;
      int32_t match[3000];
      ck_assert_int_eq(fricp_solver_get_points(p.solver, p.scene.source_count, match, NULL, NULL, NULL),
                       measured ? FRICP_OK : FRICP_ERROR_INVALID_ARGUMENT);
      known += measured;
    }
  ck_assert_int_ge(known, 1);
  ready_pair_free(&p);
}
END_TEST

/* The limits of time are looked at on a clock that may be 10 ms late: once this hook was called it knows. */
static int let_time_pass(void *context, const fricp_progress *p) {
  const struct timespec nap = {0, 50000000};
  (void)context, (void)p;
  (void)nanosleep(&nap, NULL);
  return 0;
}

START_TEST(time_limits) {
  scene s = scan_pair(3);
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.time_limit = 1e-9;
  options.progress = let_time_pass;
  const fricp_result r = register_scene(&s, NULL, &options);
  ck_assert_int_eq(r.stop_reason, FRICP_STOP_TIME_LIMIT);
  ck_assert_int_eq(r.converged, 0);
  options.time_limit = 1e6;
  options.progress = NULL;
  ck_assert_int_eq(register_scene(&s, NULL, &options).stop_reason, FRICP_STOP_CONVERGED);
  scene_free(&s);
}
END_TEST

static int nap_and_cancel(void *context, const fricp_progress *p) {
  (void)let_time_pass(context, p);
  return 1;
}

/* Cancelled while a large target is prepared, in which the limit of time passes, too: what came first is told. */
START_TEST(a_cancel_is_no_time_limit) {
  const scene_spec spec = {.source_count = 500, .target_count = 300000, .seed = 3};
  scene s = make_scene(&spec);
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
  options.time_limit = 0.03;
  options.progress = nap_and_cancel;
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = scene_view(s.target, s.target_count, NULL, 3);
  const fricp_result r = register_or_fail(&source, &target, NULL, &options);
  ck_assert_int_eq(r.stop_reason, FRICP_STOP_CANCELLED);
  scene_free(&s);
}
END_TEST

/* Reasons for which a run without limits may end. */
static int is_own_end(int32_t stop_reason) {
  return stop_reason == FRICP_STOP_CONVERGED || stop_reason == FRICP_STOP_NO_DESCENT;
}

/* A total budget: never exceeded, told as the reason when it ends the run, and the smallest nu is measured all the
 * same. */
START_TEST(iteration_limits) {
  scene s = scan_pair(4);
  static const int32_t limits[] = {1, 2, 5, 9, 10, 30, 100, 5000};
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    const fricp_result free_run = register_scene(&s, NULL, &options);
    options.method = method == FRICP_METHOD_AUTO ? FRICP_METHOD_ROBUST_ICP_PLANE : method;
    const double one_way = register_scene(&s, NULL, &options).nu_end; /* auto's below 10 iterations */
    options.method = method;
    for (size_t k = 0; k < COUNT(limits); k++) {
      options.max_iterations = limits[k];
      const fricp_result r = register_scene(&s, NULL, &options);
      ck_assert_int_le(r.iterations, limits[k]);
      ck_assert_double_eq_tol(r.nu_end, limits[k] < 10 ? one_way : free_run.nu_end, 1e-12);
      ck_assert(!r.converged || r.stop_reason != FRICP_STOP_ITERATION_LIMIT);
      ck_assert(is_own_end(r.stop_reason) || r.stop_reason == FRICP_STOP_ITERATION_LIMIT);
      if (limits[k] == 1)
        ck_assert_int_eq(r.stop_reason, FRICP_STOP_ITERATION_LIMIT);
      if (limits[k] == 5000) /* more than it takes */
        ck_assert_int_eq(r.converged, free_run.converged);
    }
  }
  scene_free(&s);
}
END_TEST

/* The root mean square distance to the true pose, and the energy at the smallest width: lower than the guess's from the
 * first iteration on, as ICP's is. Both clouds are the same, turned by 22.5 degrees about z and shifted along it, as in
 * PCL's interactive tutorial. */
START_TEST(every_budget_makes_its_steps) {
  const scene_spec spec = {.source_count = 1500, .same_sample = 1, .seed = 9};
  scene s = make_scene(&spec);
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {0, 0, 0.4};
  const fricp_pose truth = turn(axis, 22.5, origin, shift);
  for (size_t i = 0; i < 1500; i++)
    verify_apply(&truth, s.source + 3 * i, s.target + 3 * i);
  const fricp_pose guess = fricp_pose_identity();
  const double before = verify_rmse(&guess, &truth, s.source, 1500);
  const fricp_cloud source = scene_view(s.source, 1500, NULL, 3);
  const fricp_cloud target = scene_view(s.target, 1500, NULL, 3);
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int budget = 1; budget <= 12; budget++) {
      fricp_options options = options_for(method);
      options.max_iterations = budget;
      const fricp_result r = register_or_fail(&source, &target, &guess, &options);
      const double after = verify_rmse(&r.target_from_source, &truth, s.source, 1500);
      if (!(after < before))
        ck_abort_msg("%s, %d iterations: %g after %g", fricp_method_name(method), budget, after, before);
      if (r.iterations < 1) /* from 10 on auto's ways come first, and may leave nothing to do */
        ck_assert(method == FRICP_METHOD_AUTO && budget >= 10 && after < 1e-6 * s.diameter);
    }
  scene_free(&s);
}
END_TEST

/* A guess that is the truth, and so little overlap that a wide kernel moves away from it: what a budget gives is never
 * worse than the guess at the smallest width, by the paper's energy, computed here. */
START_TEST(a_good_guess_is_not_lost) {
  const scene_spec spec = {.source_count = 1200, .overlap = 0.25, .seed = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = scene_view(s.target, s.target_count, NULL, 3);
  for (int budget = 1; budget <= 15; budget++) {
    fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
    options.max_iterations = budget;
    const fricp_result r = register_or_fail(&source, &target, &s.target_from_source, &options);
    double energy[2] = {0, 0};
    for (size_t i = 0; i < s.source_count; i++)
      for (int k = 0; k < 2; k++) {
        double q[3];
        double squared;
        verify_apply(k ? &s.target_from_source : &r.target_from_source, s.source + 3 * i, q);
        (void)nearest_by_looking(&target, q, &squared);
        energy[k] += -expm1(-squared / (2 * r.nu_end * r.nu_end));
      }
    ck_assert_double_le(energy[0], energy[1] * (1 + 1e-9));
    ck_assert_double_eq_tol(energy[0], r.energy, 1e-6 * r.energy);
  }
  scene_free(&s);
}
END_TEST

/* PCL's three tolerances end the last level, each under its own name, and say converged. */
START_TEST(tolerances_of_the_caller) {
  scene s = scan_pair(5);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud cloud = target_of(&s);
  double centroid[3] = {0, 0, 0};
  for (size_t i = 0; i < source.count; i++)
    for (size_t a = 0; a < 3; a++)
      centroid[a] += s.source[3 * i + a] / (double)source.count;
  fricp_target *target = target_or_fail(&cloud, NULL);
  fricp_solver *solver = solver_or_fail();
  int acted[4] = {0};
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options plain = options_for(method);
    const fricp_result reference = align_or_fail(solver, target, &source, NULL, &plain);
    for (int which = 0; which < 4; which++) {
      fricp_options options = plain;
      options.translation_epsilon = which == 0 || which == 2 ? 1e-4 * s.diameter : 0;
      options.rotation_epsilon = which == 1 || which == 2 ? 1e-4 : 0;
      options.fitness_epsilon = which == 3 ? 1e-4 : 0;
      const fricp_result r = align_or_fail(solver, target, &source, NULL, &options);
      const int32_t expected = which == 3 ? FRICP_STOP_FITNESS_EPSILON : FRICP_STOP_POSE_EPSILON;
      ck_assert_int_eq(r.converged, 1);
      ck_assert_int_le(r.iterations, reference.iterations);
      ck_assert_double_eq_tol(r.nu_end, reference.nu_end, 1e-12); /* only the last level is cut short */
      ck_assert(r.stop_reason == expected || is_own_end(r.stop_reason));
      acted[which] += r.stop_reason == expected && r.iterations < reference.iterations;
      if (r.stop_reason != FRICP_STOP_POSE_EPSILON)
        continue;
      /* pose = last_step * pose before: the step that met them is the last one, where the source is */
      const fricp_pose back = verify_inverse(&r.last_step);
      const fricp_pose before = verify_multiply(&back, &r.target_from_source);
      const fricp_pose still = fricp_pose_identity();
      if (options.translation_epsilon > 0) /* the core's centre is the median: nearly there */
        ck_assert_double_le(verify_error_at(&before, &r.target_from_source, centroid),
                            options.translation_epsilon * 1.5);
      if (options.rotation_epsilon > 0)
        ck_assert_double_le(verify_angle_degrees(&r.last_step, &still) / 57.29577951308232,
                            options.rotation_epsilon * (1 + 1e-9));
    }
  }
  for (int which = 0; which < 4; which++)
    ck_assert_int_ge(acted[which], 2); /* of all methods; some converge before steps are that small */
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

/* A hook that is asked at every opportunity from some call on, since it takes longer than the solver waits between two
 * questions. */
typedef struct sleeper {
  int calls, nap_from, cancel_at;
  int held_at; /* the call before the last level began anew */
  fricp_progress last;
} sleeper;

static int nap_and_watch(void *context, const fricp_progress *p) {
  sleeper *w = context;
  const struct timespec nap = {0, 25000000};
  if (w->calls > 0 && p->level == w->last.level && p->level_iteration < w->last.level_iteration)
    w->held_at = w->calls;
  w->last = *p;
  w->calls++;
  if (w->nap_from > 0 && w->calls >= w->nap_from)
    (void)nanosleep(&nap, NULL);
  return w->calls == w->cancel_at;
}

/* A corridor, whose open motion is put back to the start and the rest aligned again: stopped anywhere in between, what was
 * found before is returned. */
START_TEST(stopped_while_what_is_open_is_held) {
  const scene_spec spec = {.kind = SCENE_CORRIDOR, .source_count = 500, .noise = 0.0005, .seed = 3, .angle = 2};
  const fricp_pose guess = verify_pose((const double[3]){0, 0, 1}, 0, (const double[3]){0.3, 0, 0});
  ready_pair p = ready_pair_make(make_scene(&spec));
  sleeper w = {0};
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
  options.progress = nap_and_watch;
  options.progress_context = &w;
  const fricp_result whole = align_or_fail(p.solver, p.target, &p.source, &guess, &options);
  ck_assert_int_eq(whole.undetermined, 1);
  ck_assert_int_gt(w.held_at, 0);
  const int from = w.held_at;
  for (int later = 1; later < 30; later++) {
    w = (sleeper){.nap_from = from, .cancel_at = from + later};
    const fricp_result r = align_or_fail(p.solver, p.target, &p.source, &guess, &options);
    if (w.calls < w.cancel_at)
      break; /* it had ended before */
    ck_assert_int_eq(r.stop_reason, FRICP_STOP_CANCELLED);
    ck_assert_int_eq(r.converged, 0);
    ck_assert_int_ge(r.levels, 1);
    ck_assert_int_ge(r.iterations, w.last.iteration);
    ck_assert(verify_same_bits(&w.last.target_from_source, &r.target_from_source));
  }
  ready_pair_free(&p);
}
END_TEST

typedef struct choice {
  int chosen;
} choice;

static void nap_at_the_choice(void *context, const char *line) {
  choice *c = context;
  const struct timespec nap = {0, 25000000};
  if (!strstr(line, " chosen"))
    return;
  c->chosen = 1;
  (void)nanosleep(&nap, NULL);
}

static int stop_after_the_choice(void *context, const fricp_progress *p) {
  const choice *c = context;
  return c->chosen && p->levels == 0;
}

/* Of auto between its choice and the first level: the best pose so far is the one that was chosen. */
START_TEST(stopped_after_the_choice) {
  const scene_spec spec = {.source_count = 3000, .overlap = 0.8, .noise = 0.001, .seed = 4, .angle = 12};
  ready_pair p = ready_pair_make(make_scene(&spec));
  choice c = {0};
  fricp_options options = options_for(FRICP_METHOD_AUTO);
  options.log = nap_at_the_choice;
  options.log_context = options.progress_context = &c;
  options.progress = stop_after_the_choice;
  const fricp_result r = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
  const fricp_candidate *rows = NULL;
  const size_t count = fricp_solver_get_candidates(p.solver, &rows);
  ck_assert_int_eq(r.stop_reason, FRICP_STOP_CANCELLED);
  ck_assert_int_eq(r.levels, 0);
  ck_assert_int_eq(r.candidates, (int)count);
  ck_assert_uint_gt(count, 0);
  for (size_t i = 0; i < count; i++)
    if (rows[i].chosen)
      ck_assert_double_le(verify_max_difference(&rows[i].target_from_source, &r.target_from_source), 1e-12);
  ck_assert_double_le(error_of(&p.scene, &r.target_from_source), 0.01);
  ready_pair_free(&p);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {progress_is_told,         cancel_gives_what_there_is,         time_limits,
                                iteration_limits,         every_budget_makes_its_steps,       a_good_guess_is_not_lost,
                                tolerances_of_the_caller, stopped_while_what_is_open_is_held, stopped_after_the_choice,
                                a_cancel_is_no_time_limit};
  return run_suite("control", tests, COUNT(tests));
}
