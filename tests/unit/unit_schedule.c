/* SPDX-License-Identifier: BSD-3-Clause */
/* The nu levels: paper, Algorithms 1 and 2, outer loop. */
#include "align/schedule.h"
#include "align/stop.h"
#include "prng.h"
#include "suite.h"

#include <limits.h>
#include <math.h>

static void check_falling(const fr_schedule *s) {
  for (int i = 1; i < s->count; i++)
    ck_assert(s->nu[i] < s->nu[i - 1] && s->nu[i] > 0);
}

START_TEST(halves_down_to_nu_min) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 5000; trial++) {
    const double nu_min = pow(10, prng_range(&g, -7, 0));
    const double ratio = pow(2, prng_range(&g, 0.01, 40));
    fr_schedule s;
    fr_schedule_make(&s, nu_min * ratio, nu_min);
    ck_assert_double_eq(s.nu[0], nu_min * ratio);
    ck_assert_double_eq(s.nu[s.count - 1], nu_min);
    for (int i = 1; i + 1 < s.count; i++)
      ck_assert_double_eq(s.nu[i], s.nu[i - 1] / 2);
    check_falling(&s);
    ck_assert_double_le(s.nu[s.count - 2], 2 * s.nu[s.count - 1] * (1 + 1e-15)); /* the last step is no longer */
  }
}
END_TEST

START_TEST(the_demo_pair_has_nine_levels) { /* algorithm notes: nu_max 0.167407, nu_min 8.26889e-4 */
  fr_schedule s;
  fr_schedule_make(&s, 0.167407, 8.26889e-4);
  ck_assert_int_eq(s.count, 9);
}
END_TEST

START_TEST(a_small_start_is_nu_min) {
  fr_schedule s;
  fr_schedule_make(&s, 1e-9, 1e-3);
  ck_assert_int_eq(s.count, 1);
  ck_assert_double_eq(s.nu[0], 1e-3);
  fr_schedule_make(&s, 1e-3, 1e-3);
  ck_assert_int_eq(s.count, 1);
  ck_assert_double_eq(s.nu[0], 1e-3);
  fr_schedule_make(&s, 0, 1e-3); /* identical clouds: the first median is 0 */
  ck_assert_int_eq(s.count, 1);
  ck_assert_double_eq(s.nu[0], 1e-3);
}
END_TEST

/* However far apart the two are. */
START_TEST(the_number_of_levels_is_bounded) {
  for (double ratio = 1.01; ratio < 1e300; ratio *= 1e3) {
    fr_schedule s;
    fr_schedule_make(&s, 1e-7 * ratio, 1e-7);
    ck_assert_int_ge(s.count, 1);
    ck_assert_int_le(s.count, FR_LEVELS);
    ck_assert_double_eq(s.nu[s.count - 1], 1e-7);
    check_falling(&s);
    ck_assert_double_eq_tol(s.nu[0] / (1e-7 * ratio), 1, 1e-12);
  }
}
END_TEST

/* A total budget reaches the last level: with at least as many iterations as levels each level has one. */
START_TEST(budgets_share_the_total) {
  for (int levels = 1; levels <= 30; levels++) {
    fr_schedule s;
    fr_schedule_make(&s, pow(2, levels - 1.5), 1);
    for (int total = s.count; total < 150; total++)
      for (int most = 1; most <= 1000; most = most * 7 + 1) {
        int remaining = total;
        for (int level = 0; level < s.count; level++) {
          const int budget = fr_schedule_budget(s.count, level, remaining, most);
          remaining -= budget;
          if (budget < 1 || budget > most || remaining < 0)
            ck_abort_msg("level %d of %d gets %d of %d", level, s.count, budget, total);
        }
      }
    ck_assert_int_eq(fr_schedule_budget(s.count, 0, INT_MAX - 1, 1000), 1000); /* under a sanitizer: no overflow */
    ck_assert_int_eq(fr_schedule_budget(s.count, 0, INT_MAX, 1000), 1000);
    ck_assert_int_eq(fr_schedule_budget(s.count, 0, INT_MAX, 6), 6);
  }
}
END_TEST

/* fricp.h: by default 1000 a level, 10,000 in all. Where residuals are of many scales levels are many, too: a crawl through
 * all of them comes to an end. */
START_TEST(the_default_budget_is_finite) {
  static const fricp_target target; /* zeros */
  const fr_settings settings = fr_settings_of(&target, &fr_default_rules);
  for (int levels = 1; levels <= FR_LEVELS; levels++) {
    int used = 0;
    for (int level = 0; level < levels; level++) {
      const int budget = fr_schedule_budget(levels, level, settings.max_iterations - used, 1000);
      ck_assert(levels > 10 ? budget >= 10000 / FR_LEVELS : budget == 1000);
      used += budget;
    }
    ck_assert_int_le(used, 10000);
  }
}
END_TEST

/* With fewer iterations than levels the widest kernels have one each. */
START_TEST(a_small_budget_goes_to_the_widest) {
  for (int levels = 2; levels <= 30; levels++)
    for (int total = 1; total < levels; total++) {
      int remaining = total;
      for (int level = 0; level < levels; level++) {
        const int budget = fr_schedule_budget(levels, level, remaining, 1000);
        ck_assert_int_eq(budget, level < total ? 1 : 0);
        remaining -= budget;
      }
    }
}
END_TEST

/* What ends without a lower energy is converged if little of the way is left. */
START_TEST(an_end_uphill_is_converged_within_the_spacing) {
  static fr_icp icp; /* zeros */
  icp.stop_reason = FRICP_STOP_NO_DESCENT;
  icp.settings.spacing = 0.01;
  icp.now.residual = 0.009;
  ck_assert_int_eq(fr_icp_is_converged(&icp), 1);
  icp.now.residual = 0.011;
  ck_assert_int_eq(fr_icp_is_converged(&icp), 0);
  icp.stop_reason = FRICP_STOP_CONVERGED;
  ck_assert_int_eq(fr_icp_is_converged(&icp), 1);
  icp.stop_reason = FRICP_STOP_ITERATION_LIMIT;
  ck_assert_int_eq(fr_icp_is_converged(&icp), 0);
}
END_TEST

START_TEST(points_grow_to_all) {
  fr_schedule s;
  fr_schedule_make(&s, 1, 1e-3);
  for (size_t count = 1; count < 1000000; count = count * 3 + 1) {
    size_t before = 1;
    for (int level = 0; level < s.count; level++) {
      const size_t points = fr_schedule_points(&s, level, count, 0.5);
      ck_assert_uint_ge(points, before);
      ck_assert_uint_le(points, count);
      before = points;
    }
    ck_assert_uint_eq(before, count);
  }
  s.count = 1;
  s.nu[0] = 0; /* least squares: no width */
  ck_assert_uint_eq(fr_schedule_points(&s, 0, 1234, 0.5), 1234);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {halves_down_to_nu_min,
                                the_demo_pair_has_nine_levels,
                                a_small_start_is_nu_min,
                                the_number_of_levels_is_bounded,
                                budgets_share_the_total,
                                the_default_budget_is_finite,
                                points_grow_to_all,
                                a_small_budget_goes_to_the_widest,
                                an_end_uphill_is_converged_within_the_spacing};
  return run_suite("schedule", tests, COUNT(tests));
}
