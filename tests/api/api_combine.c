/* SPDX-License-Identifier: BSD-3-Clause */
/* Metric, kernel and acceleration combine freely; what makes no sense is refused. Expected: the pose the scene was made by;
 * that a method equals its own parts; the header's words. */
#include "api.h"

#include <string.h>

static const fricp_options plain = FRICP_OPTIONS_INIT;

/* The presets, written out. */
START_TEST(a_method_is_the_sum_of_its_parts) {
  static const int32_t parts[][4] = {
      {FRICP_METHOD_ROBUST_ICP, FRICP_METRIC_POINT_TO_POINT, FRICP_KERNEL_WELSCH, FRICP_ACCELERATION_ANDERSON},
      {FRICP_METHOD_ROBUST_ICP_PLANE, FRICP_METRIC_POINT_TO_PLANE, FRICP_KERNEL_WELSCH, FRICP_ACCELERATION_ANDERSON},
      {FRICP_METHOD_FAST_ICP, FRICP_METRIC_POINT_TO_POINT, FRICP_KERNEL_LEAST_SQUARES, FRICP_ACCELERATION_ANDERSON},
      {FRICP_METHOD_ICP, FRICP_METRIC_POINT_TO_POINT, FRICP_KERNEL_LEAST_SQUARES, FRICP_ACCELERATION_NONE},
      {FRICP_METHOD_ICP_PLANE, FRICP_METRIC_POINT_TO_PLANE, FRICP_KERNEL_LEAST_SQUARES, FRICP_ACCELERATION_NONE}};
  scene s = scan_pair(11);
  for (size_t k = 0; k < COUNT(parts); k++) {
    const fricp_options own = options_for(parts[k][0]);
    const fricp_result expected = register_scene(&s, NULL, &own);
    for (size_t from = 0; from < COUNT(parts); from++) {
      fricp_options options = options_for(parts[from][0]);
      options.metric = parts[k][1];
      options.kernel = parts[k][2];
      options.acceleration = parts[k][3];
      const fricp_result r = register_scene(&s, NULL, &options);
      check_same_result(&r, &expected);
    }
  }
  scene_free(&s);
}
END_TEST

/* Two overlapping samples, 85 %: every robust kernel comes to the pose, by every metric, with and without a schedule
 * (a width that is fixed from the start needs a start nearby, which 6 degrees are not: from the truth). */
START_TEST(every_combination_registers) {
  scene s = scan_pair(12);
  for (int32_t metric = 1; fricp_metric_name(metric); metric++)
    for (int32_t kernel = FRICP_KERNEL_WELSCH; fricp_kernel_name(kernel); kernel++)
      for (int fixed = 0; fixed < 2; fixed++) {
        fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
        options.metric = metric;
        options.kernel = kernel;
        options.fixed_width = fixed;
        const fricp_result r = register_scene(&s, fixed ? &s.target_from_source : NULL, &options);
        /* kernels whose weight never comes to nothing keep some of the pull of what does not overlap */
        const int descends =
            kernel == FRICP_KERNEL_WELSCH || kernel == FRICP_KERNEL_TUKEY || kernel == FRICP_KERNEL_GEMAN_MCCLURE;
        if (error_of(&s, &r.target_from_source) > (descends ? 0.01 : 0.05))
          ck_abort_msg("%s, %s, fixed %d: %g", fricp_metric_name(metric), fricp_kernel_name(kernel), fixed,
                       error_of(&s, &r.target_from_source));
        ck_assert_int_eq(fixed || kernel == FRICP_KERNEL_TRIMMED, r.levels == 1);
      }
  scene_free(&s);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused) {
  fricp_options options = plain;
  options.metric = FRICP_METRIC_POINT_TO_PLANE;
  expect_refused(&options, FRICP_ERROR_INVALID_ARGUMENT, "metric = point-to-plane with method auto");
  options = plain;
  options.kernel = FRICP_KERNEL_TUKEY;
  expect_refused(&options, FRICP_ERROR_INVALID_ARGUMENT, "kernel = tukey with method auto");
  options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.kernel_shape = 0.5;
  expect_refused(&options, FRICP_ERROR_INVALID_ARGUMENT, "the kernel welsch has no shape");
  options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.acceleration = FRICP_ACCELERATION_NONE;
  options.anderson_history = 3;
  expect_refused(&options, FRICP_ERROR_INVALID_ARGUMENT, "acceleration = none contradicts anderson_history = 3");
  options.acceleration = FRICP_ACCELERATION_ANDERSON;
  options.anderson_history = -1;
  expect_refused(&options, FRICP_ERROR_INVALID_ARGUMENT, "acceleration = anderson contradicts anderson_history = -1");
}
END_TEST

START_TEST(names_go_both_ways) {
  int32_t number = -7;
  for (int32_t k = 1; fricp_metric_name(k); k++, number = -7)
    ck_assert(fricp_metric_from_name(fricp_metric_name(k), &number) == FRICP_OK && number == k);
  for (int32_t k = 1; fricp_kernel_name(k); k++, number = -7)
    ck_assert(fricp_kernel_from_name(fricp_kernel_name(k), &number) == FRICP_OK && number == k);
  for (int32_t k = 1; fricp_acceleration_name(k); k++, number = -7)
    ck_assert(fricp_acceleration_from_name(fricp_acceleration_name(k), &number) == FRICP_OK && number == k);
  ck_assert_int_eq(fricp_kernel_from_name("magic", &number), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(number, -7);
  ck_assert_ptr_null(fricp_kernel_name(0));
  ck_assert_ptr_null(fricp_metric_name(-1));
  fricp_options options = options_for(FRICP_METHOD_ICP);
  ck_assert_int_eq(fricp_options_normals(NULL), FRICP_NORMALS_TARGET_USED);
  ck_assert_int_eq(fricp_options_normals(&options), 0);
  options.metric = FRICP_METRIC_POINT_TO_PLANE;
  ck_assert_int_eq(fricp_options_normals(&options), FRICP_NORMALS_TARGET | FRICP_NORMALS_TARGET_USED);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_method_is_the_sum_of_its_parts, every_combination_registers,
                                what_makes_no_sense_is_refused, names_go_both_ways};
  return run_suite("combine", tests, COUNT(tests));
}
