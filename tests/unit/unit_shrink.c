/* SPDX-License-Identifier: BSD-3-Clause */
/* The shrinkage operator of l_p is the minimum that looking at all finds. */
#include "model/shrink.h"
#include "prng.h"
#include "suite.h"

#include <math.h>

#define GRID 4000

static const double exponents[] = {0.05, 0.2, 0.4, 0.7, 0.95, 1};
static const double penalties[] = {0.1, 0.5, 0.875, 1, 7};

/* s |z|^p + k/2 (z - h)^2, as the head of shrink.h has it. */
static double cost(double p, double k, double z, double h) {
  const double s = pow(2 * (1 - p), 1 - p) * pow(2 - p, p - 2);
  return s * pow(z, p) + k / 2 * (z - h) * (z - h);
}

START_TEST(shrinking_is_the_minimum) {
  for (size_t e = 0; e < COUNT(exponents); e++)
    for (size_t c = 0; c < COUNT(penalties); c++) {
      const double p = exponents[e];
      const double k = penalties[c];
      const fr_shrink shrink = fr_shrink_make(p, k);
      for (double h = 0.01; h < 1e4; h *= 1.07) {
        double power = -1;
        const double z = fr_shrink_length(&shrink, h, &power);
        double least = INFINITY;
        for (int i = 0; i <= GRID; i++)
          least = fmin(least, cost(p, k, h * i / GRID, h));
        ck_assert(z >= 0 && z <= h);
        ck_assert_double_le(fabs(power - (z > 0 ? pow(z, p) : 0)), 1e-14 * (1 + power));
        if (!(cost(p, k, z, h) <= least * (1 + 1e-12)))
          ck_abort_msg("p %g, k %g, h %g: %g at z = %g, but there is %g", p, k, h, cost(p, k, z, h), z, least);
      }
    }
}
END_TEST

/* The minimum is stationary to rounding: k (z - h) + s p z^(p - 1) = 0. */
START_TEST(what_is_left_is_stationary) {
  for (size_t e = 0; e < COUNT(exponents); e++)
    for (size_t c = 0; c < COUNT(penalties); c++) {
      const double p = exponents[e];
      const double k = penalties[c];
      const fr_shrink shrink = fr_shrink_make(p, k);
      for (double h = shrink.threshold * (1 + 1e-9); h < 1e6; h *= 1.3) {
        double power;
        const double z = fr_shrink_length(&shrink, h, &power);
        ck_assert_double_gt(p < 1 ? z : 1, 0);
        if (z > 1e-3 * h) /* at p = 1 it begins at 0 */
          ck_assert_double_le(fabs(k * (z - h) + shrink.s * p * pow(z, p - 1)), 1e-12 * k * h);
      }
    }
}
END_TEST

/* At the threshold nothing and the shortened length cost the same; it is 1 for k = 1; p = 1 is the soft threshold. */
START_TEST(the_threshold_is_where_both_cost_the_same) {
  for (size_t e = 0; e < COUNT(exponents); e++)
    for (size_t c = 0; c < COUNT(penalties); c++) {
      const double p = exponents[e];
      const double k = penalties[c];
      const fr_shrink shrink = fr_shrink_make(p, k);
      const double h = shrink.threshold;
      double power;
      ck_assert_double_le(fabs(shrink.threshold - pow(k, -1 / (2 - p))), 1e-15 * shrink.threshold);
      ck_assert_double_eq(fr_shrink_length(&shrink, h, &power), 0);
      const double z = fr_shrink_length(&shrink, h * (1 + 1e-12), &power);
      ck_assert_double_le(fabs(cost(p, k, z, h) / cost(p, k, 0, h) - 1), 1e-10);
    }
  const fr_shrink soft = fr_shrink_make(1, 2);
  double power;
  ck_assert_double_le(fabs(fr_shrink_length(&soft, 3, &power) - 2.5), 1e-15);
}
END_TEST

/* Of vectors: none in any direction is better than h shortened. */
START_TEST(a_vector_is_shortened_along_itself) {
  prng g = prng_seed(5, 0);
  for (int i = 0; i < 200; i++) {
    const double p = prng_range(&g, 0.1, 1);
    const double k = prng_range(&g, 0.2, 5);
    const fr_shrink shrink = fr_shrink_make(p, k);
    double h[3];
    double power;
    prng_direction(&g, h);
    const double length = prng_range(&g, 0, 4);
    const double z = fr_shrink_length(&shrink, length, &power);
    for (int j = 0; j < 500; j++) {
      double other[3];
      prng_direction(&g, other);
      const double size = prng_range(&g, 0, 4);
      double off2 = 0;
      for (int a = 0; a < 3; a++)
        off2 += pow(size * other[a] - length * h[a], 2);
      ck_assert_double_ge(shrink.s * pow(size, p) + k / 2 * off2, cost(p, k, z, length) * (1 - 1e-12));
    }
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {shrinking_is_the_minimum, what_is_left_is_stationary,
                                the_threshold_is_where_both_cost_the_same, a_vector_is_shortened_along_itself};
  return run_suite("shrink", tests, COUNT(tests));
}
