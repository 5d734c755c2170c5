/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says of itself: levels, their widths, the trace, the log. */
#include "api.h"

#include <math.h>
#include <string.h>

START_TEST(levels_are_told) {
  ready_pair p = ready_pair_make(scan_pair(6));
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int full = 0; full < 2; full++) {
      fricp_options options = options_for(method);
      options.full_resolution = full;
      const fricp_result r = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
      const fricp_level *levels = NULL;
      const size_t count = fricp_solver_get_levels(p.solver, &levels);
      ck_assert_uint_eq(count, (size_t)r.levels);
      ck_assert_uint_ge(count, 1);
      int iterations = 0;
      for (size_t i = 0; i < count; i++) {
        iterations += levels[i].iterations;
        ck_assert(i == 0 || levels[i].nu < levels[i - 1].nu);
        ck_assert(i == 0 || levels[i].nu >= levels[i - 1].nu / 2 * (1 - 1e-12));
        ck_assert(i == 0 || levels[i].points >= levels[i - 1].points);
        ck_assert(!full || levels[i].points == (int32_t)r.points_source);
        ck_assert_double_ge(levels[i].energy, 0);
      }
      ck_assert_int_eq(iterations, r.iterations);
      ck_assert_double_eq(levels[0].nu, r.nu_start);
      ck_assert_double_eq(levels[count - 1].nu, r.nu_end);
      ck_assert_double_eq(levels[count - 1].energy, r.energy);
      ck_assert_int_eq(levels[count - 1].points, (int32_t)r.points_source); /* the last uses every point */
      if (method == FRICP_METHOD_AUTO)                                      /* begins with a narrow kernel */
        ck_assert_double_gt(r.nu_end, 0);
      else if (is_robust(method))
        ck_assert_uint_gt(count, 3);
      else
        ck_assert(count == 1 && r.nu_end == 0);
    }
  ready_pair_free(&p);
}
END_TEST

/* nu: the first is 3 times the median initial residual, by default and as asked; the last is as asked. */
START_TEST(widths_are_as_asked) {
  const scene_spec spec = {.source_count = 1001, .overlap = 0.9, .seed = 7, .angle = 6};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  double residual[1001];
  for (size_t i = 0; i < 1001; i++)
    (void)nearest_by_looking(&target, s.source + 3 * i, &residual[i]);
  for (size_t i = 1; i < 1001; i++) /* insertion sort */
    for (size_t j = i; j > 0 && residual[j] < residual[j - 1]; j--) {
      const double t = residual[j];
      residual[j] = residual[j - 1];
      residual[j - 1] = t;
    }
  const double median = sqrt(residual[500]);
  const double spacing = spacing_of(&target);
  for (int k = 0; k < 2; k++) {
    fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
    options.full_resolution = 1; /* the median over all */
    options.nu_start_factor = k ? 1.25 : 0;
    options.nu_end_factor = k ? 0.25 : 0;
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_eq_tol(r.nu_start, (k ? 1.25 : 3) * median, 1e-9);
    ck_assert_double_eq_tol(r.nu_end, (k ? 0.25 : 1 / (3 * sqrt(3.0))) * spacing, 1e-9); /* clean: no noise floor */
  }
  scene_free(&s);
}
END_TEST

/* Without noise, which would end auto's refining, begun at the optimum, before there is a history to accelerate from. */
START_TEST(trace_and_counts_agree) {
  const scene_spec spec = {.source_count = 3000, .overlap = 0.85, .seed = 8, .angle = 6};
  ready_pair p = ready_pair_make(make_scene(&spec));
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int32_t history = -1; history <= 16; history += history < 1 ? 1 : 5) {
      fricp_options options = options_for(method);
      options.anderson_history = history;
      const fricp_result r = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
      const fricp_trace_row *rows = NULL;
      const size_t count = fricp_solver_get_trace(p.solver, &rows);
      ck_assert_uint_lt(count, 1024); /* all are held */
      int rejected = 0;
      int accelerated = 0;
      for (size_t i = 0; i < count; i++) {
        rejected += !rows[i].accepted;
        accelerated += rows[i].accepted && rows[i].accelerated;
        ck_assert(i == 0 || rows[i].seconds >= rows[i - 1].seconds);
        ck_assert(verify_orthonormality(&rows[i].target_from_source) <= 1e-12);
        if (rows[i].accepted)
          ck_assert_double_ge(rows[i].step, 0);
      }
      ck_assert_int_eq(rejected, r.rejected);
      ck_assert_int_eq(accelerated, r.accelerated);
      ck_assert_int_ge(r.correspondence_passes, r.iterations + r.rejected);
      const int unaccelerated = history == -1 || (history == 0 && !is_robust(method) &&
                                                  method != FRICP_METHOD_FAST_ICP && method != FRICP_METHOD_AA_ICP);
      if (unaccelerated)
        ck_assert_int_eq(r.accelerated + r.rejected, 0);
      else if (method != FRICP_METHOD_ICP_PLANE && !is_sparse(method)) /* ADMM is not, and may leave nothing to do */
        ck_assert_int_gt(r.accelerated, 0);
    }
  ready_pair_free(&p);
}
END_TEST

/* The ring holds the last 1024 rows, in order. A densely sampled outline, unaccelerated: many short steps. */
START_TEST(a_long_trace_is_cut_at_its_start) {
  const scene_spec spec = {
      .kind = SCENE_OUTLINE, .source_count = 8000, .overlap = 0.6, .seed = 9, .angle = 25, .noise = 0.005};
  ready_pair p = ready_pair_make(make_scene(&spec));
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.anderson_history = -1;
  options.nu_end_factor = 0.02;
  options.full_resolution = 1;
  const fricp_result r = align_or_fail(p.solver, p.target, &p.source, NULL, &options);
  const fricp_trace_row *rows = NULL;
  const size_t count = fricp_solver_get_trace(p.solver, &rows);
  ck_assert_int_gt(r.iterations, 1024);
  ck_assert_uint_eq(count, 1024);
  for (size_t i = 1; i < count; i++)
    ck_assert(rows[i].seconds >= rows[i - 1].seconds && rows[i].level >= rows[i - 1].level &&
              (rows[i].level > rows[i - 1].level || rows[i].energy <= rows[i - 1].energy));
  ck_assert(verify_same_bits(&rows[count - 1].target_from_source, &r.target_from_source));
  ready_pair_free(&p);
}
END_TEST

typedef struct log_sink {
  int lines, faults;
} log_sink;

static void take_line(void *context, const char *line) {
  log_sink *sink = context;
  sink->lines++;
  sink->faults += !line || !*line || strchr(line, '\n') != NULL;
}

START_TEST(log_lines) {
  scene s = scan_pair(10);
  log_sink sink = {0, 0};
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.log = take_line;
  options.log_context = &sink;
  const fricp_result r = register_scene(&s, NULL, &options);
  ck_assert_int_ge(sink.lines, r.iterations);
  ck_assert_int_eq(sink.faults, 0);
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {levels_are_told, widths_are_as_asked, trace_and_counts_agree,
                                a_long_trace_is_cut_at_its_start, log_lines};
  return run_suite("trace", tests, COUNT(tests));
}
