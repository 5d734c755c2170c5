/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused, with which status and which words; that nothing is left half changed. Searches of the caller's that
 * fail: api_hook. Structs of other versions: api_versions. */
#include "refusal.h"

#include "api/option_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_source(prepared_pair *b, const fricp_cloud *source, fricp_status status, const char *word) {
  expect_refusal(b, b->prepared, source, &b->target, NULL, NULL, status, word);
  check_text(fricp_status_text(status), "");
}

static void expect_target(prepared_pair *b, const fricp_cloud *target, fricp_status status, const char *word) {
  fricp_target *prepared = b->prepared; /* must be overwritten */
  fricp_error error;
  ck_assert_int_eq(fricp_target_create(&prepared, target, NULL, &error), status);
  ck_assert_ptr_null(prepared);
  check_text(error.text, "target");
  check_text(error.text, word);
  fricp_result r = b->good;
  ck_assert_int_eq(fricp_register(&b->source, target, NULL, NULL, &r, &error), status);
  check_text(error.text, word);
  check_failed_result(&r, NULL);
}

static void expect_guess(prepared_pair *b, const fricp_pose *guess) {
  expect_refusal(b, b->prepared, &b->source, &b->target, guess, NULL, FRICP_ERROR_BAD_POSE, "guess");
}

static void expect_options(prepared_pair *b, const fricp_options *options, const char *word) {
  expect_refusal(b, b->prepared, &b->source, &b->target, NULL, options, FRICP_ERROR_INVALID_ARGUMENT, word);
}

START_TEST(clouds) {
  prepared_pair b = set_up();
  double one[3] = {1, 2, 3};
  double same[30] = {0};
  double nans[30];
  for (int i = 0; i < 30; i++)
    nans[i] = NAN;
  const int32_t outside[2] = {0, 500};
  const double weights[3] = {1, -1, 1};
  for (int which = 0; which < 2; which++) {
    void (*refuse)(prepared_pair *, const fricp_cloud *, fricp_status, const char *) =
        which ? expect_target : expect_source;
    const fricp_cloud good = which ? b.target : b.source;
    fricp_cloud c = good;
    c.count = 0;
    refuse(&b, &c, FRICP_ERROR_EMPTY_CLOUD, which ? "target" : "source");
    c = scene_view(nans, 10, NULL, 3);
    refuse(&b, &c, FRICP_ERROR_EMPTY_CLOUD, "finite");
    c = scene_view(one, 1, NULL, 3);
    refuse(&b, &c, FRICP_ERROR_TOO_FEW_POINTS, which ? "target" : "source");
    c = scene_view(same, 2, NULL, 3);
    refuse(&b, &c, FRICP_ERROR_TOO_FEW_POINTS, which ? "target" : "source");
    c = scene_view(same, 10, NULL, 3);
    refuse(&b, &c, FRICP_ERROR_TOO_FEW_POINTS, "same place");
    c = good;
    c.points = NULL;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "points");
    c = good;
    c.scalar_type = 7;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "scalar_type");
    c = good;
    c.stride = 9;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "stride");
    c = good;
    c.dimension = 5;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "dimension");
    c = good;
    c.indices = outside;
    c.index_count = 2;
    refuse(&b, &c, FRICP_ERROR_BAD_INDEX, "500");
    c.index_count = 0;
    refuse(&b, &c, FRICP_ERROR_EMPTY_CLOUD, "index list");
    c = scene_view(b.s.source, 3, NULL, 3);
    c.weights = weights;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "weight");
    c = good;
    c.struct_size = 0;
    refuse(&b, &c, FRICP_ERROR_INVALID_ARGUMENT, "struct_size");
    refuse(&b, NULL, FRICP_ERROR_INVALID_ARGUMENT, which ? "target" : "source");
  }
  fricp_cloud flat = b.source;
  flat.dimension = 2;
  flat.stride = 3 * sizeof(double);
  expect_refusal(&b, b.prepared, &flat, NULL, NULL, NULL, FRICP_ERROR_INVALID_ARGUMENT, "2-D");
  tear_down(&b);
}
END_TEST

/* Weights that leave nothing to align, and correspondences that do not exist. */
START_TEST(nothing_to_align) {
  prepared_pair b = set_up();
  double *zero = calloc(b.s.source_count, sizeof *zero);
  ck_assert_ptr_nonnull(zero);
  fricp_cloud c = b.source;
  c.weights = zero;
  fricp_result r = FRICP_RESULT_INIT;
  ck_assert_int_ne(fricp_solver_align(b.solver, b.prepared, &c, NULL, NULL, &r), FRICP_OK);
  ck_assert_str_ne(fricp_solver_last_error(b.solver), "");
  check_failed_result(&r, NULL);
  const double far[3] = {50, 0, 0};
  const double axis[3] = {0, 0, 1};
  const fricp_pose guess = turn(axis, 0, origin, far);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.max_distance = 1;
    expect_refusal(&b, b.prepared, &b.source, &b.target, &guess, &options, FRICP_ERROR_NO_CORRESPONDENCES,
                   "correspondence");
  }
  free(zero);
  tear_down(&b);
}
END_TEST

START_TEST(guesses) {
  prepared_pair b = set_up();
  fricp_pose g = fricp_pose_identity();
  g.translation[1] = NAN;
  fricp_result r = FRICP_RESULT_INIT;
  ck_assert_int_eq(fricp_solver_align(b.solver, b.prepared, &b.source, &g, NULL, &r), FRICP_ERROR_BAD_POSE);
  check_text(fricp_solver_last_error(b.solver), "guess");
  ck_assert_int_eq(r.converged, 0);
  g = fricp_pose_identity();
  g.rotation[2][1] = INFINITY;
  expect_guess(&b, &g);
  g = fricp_pose_identity();
  g.rotation[2][2] = -1; /* mirrored */
  expect_guess(&b, &g);
  for (int i = 0; i < 3; i++)
    g.rotation[i][i] = 1.1; /* scaled */
  expect_guess(&b, &g);
  memset(&g, 0, sizeof g);
  expect_guess(&b, &g);
  tear_down(&b);
  /* in the plane, only turns about z */
  const scene_spec spec = {.kind = SCENE_OUTLINE, .source_count = 300, .same_sample = 1, .seed = 1, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  const double axis[3] = {1, 0, 0};
  g = turn(axis, 20, origin, origin);
  fricp_error error;
  ck_assert_int_eq(fricp_register(&source, &target, &g, NULL, &r, &error), FRICP_ERROR_BAD_POSE);
  check_text(error.text, "2-D");
  scene_free(&s);
}
END_TEST

/* A field by its row of the option table; 0 is allowed whatever the range. */
static void set_field(void *options, const fr_option *row, double value) {
  unsigned char *const field = (unsigned char *)options + row->offset;
  const int32_t whole = row->kind == FR_WHOLE ? (int32_t)value : 0;
  if (row->kind == FR_WHOLE)
    memcpy(field, &whole, sizeof whole);
  else
    memcpy(field, &value, sizeof value);
}

/* What lies outside a range, just and far. @return how many. */
static size_t values_outside(const fr_option *row, double bad[7]) {
  const double reals[] = {-1, -1e-300, NAN, INFINITY, -INFINITY};
  size_t count = 0;
  if (row->kind == FR_REAL) {
    memcpy(bad, reals, sizeof reals);
    count = COUNT(reals);
    if (row->most < DBL_MAX)
      bad[count++] = row->most * (1 + DBL_EPSILON);
    return count;
  }
  const double wholes[] = {row->least - 1, row->most + 1, -2, INT32_MIN};
  for (size_t k = 0; k < COUNT(wholes); k++)
    if (wholes[k] != 0 && wholes[k] <= INT32_MAX && (wholes[k] < row->least || wholes[k] > row->most))
      bad[count++] = wholes[k];
  return count;
}

/* Every option by its row of the table: what is outside its range is refused by name, the range's ends are not. */
START_TEST(option_ranges) {
  prepared_pair b = set_up();
  double bad[7];
  for (size_t i = 0; i < FR_OPTION_COUNT; i++) {
    const fr_option *row = &fr_option_rows[i];
    for (size_t k = values_outside(row, bad); k-- > 0;) {
      fricp_options o = FRICP_OPTIONS_INIT;
      set_field(&o, row, bad[k]);
      expect_options(&b, &o, row->name);
    }
    const double ends[] = {row->kind == FR_WHOLE ? row->least : 1e-300, 0, row->most};
    for (size_t k = 0; k < COUNT(ends); k++) {
      fricp_options o = FRICP_OPTIONS_INIT;
      fricp_error error = {0};
      fricp_result r = FRICP_RESULT_INIT;
      o.max_iterations = 3; /* it is taken or refused before the first */
      if (strcmp(row->name, "metric") == 0 || strncmp(row->name, "kernel", 6) == 0)
        o.method = FRICP_METHOD_ROBUST_ICP; /* auto chooses its own */
      if (strcmp(row->name, "kernel_shape") == 0)
        o.kernel = FRICP_KERNEL_LP;
      set_field(&o, row, ends[k]);
      ck_assert_msg(fricp_register(&b.source, &b.target, NULL, &o, &r, &error) != FRICP_ERROR_INVALID_ARGUMENT,
                    "%s = %g: %s", row->name, ends[k], error.text);
    }
  }
  tear_down(&b);
}
END_TEST

START_TEST(sensors) {
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e75, -1e75};
  prepared_pair b = set_up();
  for (int axis = 0; axis < 3; axis++)
    for (size_t k = 0; k < COUNT(bad); k++) {
      double sensor[3] = {0, 0, 0};
      sensor[axis] = bad[k];
      fricp_options o = FRICP_OPTIONS_INIT;
      o.source_sensor = sensor;
      expect_options(&b, &o, "source_sensor");
      o.source_sensor = NULL;
      o.target_sensor = sensor;
      expect_options(&b, &o, "target_sensor");
    }
  tear_down(&b);
}
END_TEST

START_TEST(target_option_ranges) {
  prepared_pair b = set_up();
  double bad[7];
  for (size_t i = 0; i < FR_TARGET_OPTION_COUNT; i++) {
    const fr_option *row = &fr_target_option_rows[i];
    for (size_t k = values_outside(row, bad); k-- > 0;) {
      fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
      set_field(&o, row, bad[k]);
      fricp_target *t = NULL;
      fricp_error error;
      ck_assert_int_eq(fricp_target_create(&t, &b.target, &o, &error), FRICP_ERROR_INVALID_ARGUMENT);
      check_text(error.text, row->name);
    }
    const double ends[] = {row->kind == FR_WHOLE ? row->least : 1e-300, 0, row->most};
    for (size_t k = 0; k < COUNT(ends); k++) {
      fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
      set_field(&o, row, ends[k]);
      fricp_target *t = NULL;
      ck_assert_int_ne(fricp_target_create(&t, &b.target, &o, NULL), FRICP_ERROR_INVALID_ARGUMENT);
      fricp_target_destroy(t);
    }
  }
  const fricp_search search = FRICP_SEARCH_INIT; /* without a function */
  const fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  fricp_target *t = NULL;
  fricp_error error;
  o.search = &search;
  ck_assert_int_eq(fricp_target_create(&t, &b.target, &o, &error), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(error.text, "search");
  o.search = NULL;
  o.allocator = &allocator;
  ck_assert_int_eq(fricp_target_create(&t, &b.target, &o, &error), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(error.text, "allocator");
  tear_down(&b);
}
END_TEST

START_TEST(normals_that_are_missing) {
  prepared_pair b = set_up();
  static const int32_t methods[] = {FRICP_METHOD_ICP_PLANE, FRICP_METHOD_ROBUST_ICP_PLANE};
  double *none = calloc(3 * b.s.target_count, sizeof *none);
  ck_assert_ptr_nonnull(none);
  fricp_cloud zero = b.target;
  zero.normals = none;
  fricp_target *unusable = target_as_given(&zero);
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_options o = options_for(methods[m]);
    expect_refusal(&b, b.bare, &b.source, NULL, NULL, &o, FRICP_ERROR_NO_NORMALS, fricp_method_name(methods[m]));
    expect_refusal(&b, b.bare, &b.source, NULL, NULL, &o, FRICP_ERROR_NO_NORMALS, "given_normals_only");
    expect_refusal(&b, unusable, &b.source, NULL, NULL, &o, FRICP_ERROR_NO_NORMALS, "none that is usable");
  }
  fricp_target_destroy(unusable);
  free(none);
  /* points on a line determine none */
  double line[300];
  for (int i = 0; i < 100; i++) {
    line[3 * i] = i;
    line[3 * i + 1] = 2 * i;
    line[3 * i + 2] = -i;
  }
  const fricp_cloud straight = scene_view(line, 100, NULL, 3);
  const fricp_options o = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
  fricp_result r = FRICP_RESULT_INIT;
  fricp_error error;
  ck_assert_int_eq(fricp_register(&b.source, &straight, NULL, &o, &r, &error), FRICP_ERROR_NO_NORMALS);
  tear_down(&b);
}
END_TEST

START_TEST(null_arguments) {
  prepared_pair b = set_up();
  fricp_result r = FRICP_RESULT_INIT;
  fricp_error error;
  ck_assert_int_eq(fricp_register(&b.source, &b.target, NULL, NULL, NULL, &error), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(error.text, "result");
  r.struct_size = 0;
  ck_assert_int_eq(fricp_register(&b.source, &b.target, NULL, NULL, &r, &error), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(error.text, "result");
  ck_assert_int_eq(fricp_solver_align(b.solver, b.prepared, &b.source, NULL, NULL, &r), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(fricp_solver_last_error(b.solver), "result");
  ck_assert_int_eq(fricp_solver_align(b.solver, b.prepared, &b.source, NULL, NULL, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  r = (fricp_result)FRICP_RESULT_INIT;
  ck_assert_int_eq(fricp_solver_align(NULL, b.prepared, &b.source, NULL, NULL, &r), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(fricp_solver_align(b.solver, NULL, &b.source, NULL, NULL, &r), FRICP_ERROR_INVALID_ARGUMENT);
  check_text(fricp_solver_last_error(b.solver), "target");
  ck_assert_int_eq(fricp_target_create(NULL, &b.target, NULL, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(fricp_solver_create(NULL, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  fricp_target_destroy(NULL);
  fricp_solver_destroy(NULL);
  ck_assert_str_eq(fricp_solver_last_error(NULL), "");
  ck_assert_uint_eq(fricp_solver_get_levels(NULL, NULL), 0);
  ck_assert_uint_eq(fricp_solver_get_trace(b.solver, NULL), 0);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(NULL, &info), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(fricp_target_get_info(b.prepared, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  int32_t index;
  double squared;
  ck_assert_int_lt(fricp_target_nearest(NULL, origin, 1, INFINITY, &index, &squared), 0);
  ck_assert_int_lt(fricp_target_nearest(b.prepared, NULL, 1, INFINITY, &index, &squared), 0);
  ck_assert_int_lt(fricp_target_nearest(b.prepared, origin, -1, INFINITY, &index, &squared), 0);
  ck_assert_int_lt(fricp_target_nearest(b.prepared, origin, 1, INFINITY, NULL, &squared), 0);
  ck_assert_int_lt(fricp_target_within(b.prepared, origin, 1, NULL, NULL, 3), 0);
  ck_assert_int_eq(fricp_transform(NULL, &b.source, b.s.source, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_ne(fricp_estimate_normals(&b.source, NULL, NULL, NULL, &error), FRICP_OK);
  fricp_target_options two = FRICP_TARGET_OPTIONS_INIT;
  two.normal_neighbors = 2;
  ck_assert_int_ne(fricp_estimate_normals(&b.source, &two, NULL, b.s.source_normals, &error), FRICP_OK);
  check_text(error.text, "neighbors");
  int32_t method = 42;
  ck_assert_int_ne(fricp_method_from_name(NULL, &method), FRICP_OK);
  ck_assert_int_ne(fricp_method_from_name("icp2", &method), FRICP_OK);
  ck_assert_int_eq(method, 42);
  tear_down(&b);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      clouds,        nothing_to_align, guesses, option_ranges, sensors, target_option_ranges, normals_that_are_missing,
      null_arguments};
  return run_suite("errors", tests, COUNT(tests));
}
