/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels: the weight is the derivative, the surrogate lies above, exp is exact, every instruction set agrees. */
#include "model/kernel.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* rho and weight of one residual, alone in its vector. */
static double rho_of(const fr_kernel *kernel, double nu, double squared, double *weight) {
  double r2[8] = {squared, 0, 0, 0, 0, 0, 0, 0};
  double prior[8] = {1, 0, 0, 0, 0, 0, 0, 0};
  double w[8];
  const double rho = kernel->apply(nu, 8, r2, prior, w);
  *weight = w[0];
  return rho;
}

static double weight_of(const fr_kernel *kernel, double nu, double r) {
  double weight = 0;
  (void)rho_of(kernel, nu, r * r, &weight);
  return weight;
}

static double value_of(const fr_kernel *kernel, double nu, double r) {
  double weight = 0;
  return rho_of(kernel, nu, r * r, &weight);
}

/* rho'(r) / r by central differences. */
static double slope_over_r(const fr_kernel *kernel, double nu, double r) {
  const double h = 1e-4 * (kernel->scheduled ? fmin(r, nu) : r);
  return (value_of(kernel, nu, r + h) - value_of(kernel, nu, r - h)) / (2 * h) / r;
}

/* The constant that makes weight = rho' / r: measured once, then the same at every r. */
static double constant_of(const fr_kernel *kernel, double nu) {
  return slope_over_r(kernel, nu, 0.01 * nu) / weight_of(kernel, nu, 0.01 * nu);
}

START_TEST(weight_is_the_derivative) {
  for (int k = 0; k < FR_KERNEL_COUNT; k++) {
    const fr_kernel *kernel = fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC);
    for (double nu = 1e-3; nu < 1e4; nu *= 7.3) {
      ck_assert_double_eq(weight_of(kernel, nu, 0), 1);
      const double constant = constant_of(kernel, nu);
      for (double r = 0.01 * nu; r < 5 * nu; r *= 1.13) {
        const double expected = constant * weight_of(kernel, nu, r);
        /* relative: the differences' own error is (h / nu)^2 and rounding over h */
        ck_assert_double_le(fabs(slope_over_r(kernel, nu, r) - expected), 1e-6 * constant);
      }
    }
  }
}
END_TEST

/* Paper, Eq. WelschSurrogate: chi(r | y) = rho(y) + c w(y) / 2 (r^2 - y^2) lies nowhere below rho and touches at y:
 * minimising it never raises the energy. */
START_TEST(the_surrogate_lies_above) {
  for (int k = 0; k < FR_KERNEL_COUNT; k++) {
    const fr_kernel *kernel = fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC);
    const double nu = 0.37;
    /* by theory: rho = 1 - exp(-r^2 / 2 nu^2) has rho' / r = w / nu^2; rho = r^2 has 2 */
    const double constant = k == FR_KERNEL_WELSCH ? 1 / (nu * nu) : 2;
    ck_assert_double_le(fabs(constant_of(kernel, nu) / constant - 1), 1e-4);
    for (double y = 0; y < 6 * nu; y += 0.03 * nu)
      for (double r = 0; r < 8 * nu; r += 0.03 * nu) {
        const double chi = value_of(kernel, nu, y) + constant / 2 * weight_of(kernel, nu, y) * (r * r - y * y);
        const double rho = value_of(kernel, nu, r);
        if (!(chi >= rho - 1e-14 * (1 + rho)))
          ck_abort_msg("%s: surrogate at y = %g is below rho at r = %g", kernel->name, y, r);
        if (r == y)
          ck_assert_double_le(fabs(chi - rho), 1e-15);
      }
  }
}
END_TEST

/* Distance in units in the last place of the double nearest to the reference. */
static double ulps(double value, long double reference) {
  const double nearest = (double)reference;
  const double ulp = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
  return (double)(fabsl((long double)value - reference) / (long double)ulp);
}

START_TEST(exp_is_within_two_ulps) {
  const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_WELSCH, FR_ISA_GENERIC);
  const double nu = sqrt(0.5); /* so that the exponent is -squared, up to the rounding of the factor: see below */
  const double factor = 0.5 / (nu * nu);
  prng g = prng_seed(1, 0);
  double worst_weight = 0;
  double worst_rho = 0;
  for (int i = 0; i < 400000; i++) {
    const double squared = i % 2 ? prng_range(&g, 0, 700 / factor) : pow(10, prng_range(&g, -300, 2.8));
    const double x = -(squared * factor);
    if (x < -700)
      continue;
    double weight = 0;
    const double rho = rho_of(kernel, nu, squared, &weight);
    worst_weight = fmax(worst_weight, ulps(weight, expl((long double)x)));
    worst_rho = fmax(worst_rho, ulps(rho, -expm1l((long double)x)));
  }
  ck_assert_double_le(worst_weight, 2);
  ck_assert_double_le(worst_rho, 2);
}
END_TEST

/* Nearest exponents to where the reduction changes its k, both sides. */
START_TEST(exp_at_the_seams) {
  const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_WELSCH, FR_ISA_GENERIC);
  for (int k = 0; k < 2000; k++) {
    double squared = 2 * 0.34657359027997264 * k; /* nu = 1: exponent -k ln2 / 2 */
    for (int step = 0; step < 20; step++, squared = nextafter(squared, step < 10 ? 1e9 : -1)) {
      double weight = 0;
      if (squared < 0 || squared > 1400)
        continue;
      const double rho = rho_of(kernel, 1, squared, &weight);
      ck_assert_double_le(ulps(weight, expl(-0.5L * (long double)squared)), 2);
      ck_assert(squared == 0 || ulps(rho, -expm1l(-0.5L * (long double)squared)) <= 2);
    }
  }
}
END_TEST

START_TEST(far_away_weighs_nothing_and_costs_one) {
  const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_WELSCH, FR_ISA_GENERIC);
  for (double r = 38; r < 1e150; r *= 1e5) {
    double weight = -1;
    ck_assert_double_eq(rho_of(kernel, 1, r * r, &weight), 1);
    ck_assert_double_ge(weight, 0);
    ck_assert_double_le(weight, 1e-300);
  }
  ck_assert_double_gt(kernel->cutoff, 0);
  ck_assert_double_le(weight_of(kernel, 1, kernel->cutoff), 1e-13); /* what `cutoff` promises */
  double weight = -1;
  ck_assert_double_eq(rho_of(kernel, 1, 0, &weight), 0);
  ck_assert_double_eq(weight, 1);
}
END_TEST

START_TEST(priors_multiply_and_energies_add) {
  prng g = prng_seed(2, 0);
  for (int k = 0; k < FR_KERNEL_COUNT; k++) {
    const fr_kernel *kernel = fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC);
    double squared[64];
    double prior[64];
    double weight[64];
    double expected = 0;
    for (int i = 0; i < 64; i++) {
      squared[i] = prng_range(&g, 0, 4);
      prior[i] = i % 5 ? prng_range(&g, 0, 3) : 0;
      double alone = 0;
      expected += prior[i] * rho_of(kernel, 0.8, squared[i], &alone);
      weight[i] = prior[i] * alone;
    }
    double out[64];
    ck_assert_double_le(fabs(kernel->apply(0.8, 64, squared, prior, out) - expected), 1e-13 * expected);
    ck_assert_mem_eq(out, weight, sizeof out);
  }
}
END_TEST

START_TEST(every_instruction_set_gives_the_same_bits) {
  enum { N = 128 };
  prng g = prng_seed(3, 0);
  for (int k = 0; k < FR_KERNEL_COUNT; k++)
    for (int isa = FR_ISA_GENERIC + 1; isa <= (int)fr_best_isa(); isa++)
      for (int trial = 0; trial < 2000; trial++) {
        double squared[N];
        double prior[N];
        double weight[2][N];
        const int n = 8 * (1 + (int)prng_below(&g, N / 8));
        const double nu = pow(10, prng_range(&g, -6, 2));
        for (int i = 0; i < n; i++) {
          squared[i] = nu * nu * pow(10, prng_range(&g, -20, 4));
          prior[i] = prng_range(&g, 0, 2);
        }
        const double a = fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC)->apply(nu, n, squared, prior, weight[0]);
        const double b = fr_kernel_find((fr_kernel_id)k, (fr_isa)isa)->apply(nu, n, squared, prior, weight[1]);
        ck_assert_mem_eq(&a, &b, sizeof a);
        ck_assert_mem_eq(weight[0], weight[1], sizeof(double) * (size_t)n);
      }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {weight_is_the_derivative,
                                the_surrogate_lies_above,
                                exp_is_within_two_ulps,
                                exp_at_the_seams,
                                far_away_weighs_nothing_and_costs_one,
                                priors_multiply_and_energies_add,
                                every_instruction_set_gives_the_same_bits};
  return run_suite("kernel", tests, COUNT(tests));
}
