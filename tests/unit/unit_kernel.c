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
  const double rho = kernel->apply(nu, kernel->shape, 8, r2, prior, w);
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
    if (kernel->ranked)
      continue;
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
    if (kernel->ranked)
      continue;
    const double nu = 0.37;
    /* kernel.h: with a width rho' / r = w / nu^2; rho = r^2 has 2 */
    const double constant = kernel->scheduled ? 1 / (nu * nu) : 2;
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

/* The weight of the Moreau envelope of l_p: of what minimises s z^p + (v - z)^2 / 2, by bisection of the derivative above
 * its minimum; the least v that is shrunk, at which both branches cost the same, is 1.5 nu. */
static long double envelope(long double u, long double p) {
  const long double s = powl(2 * (1 - p), 1 - p) * powl(2 - p, p - 2);
  const long double v = sqrtl(u) / 1.5L;
  long double low = powl(p * (1 - p) * s, 1 / (2 - p));
  long double high = v;
  if (v <= 1)
    return 1;
  for (int i = 0; i < 200; i++) {
    const long double middle = (low + high) / 2;
    if (middle - v + s * p * powl(middle, p - 1) > 0)
      high = middle;
    else
      low = middle;
  }
  return 1 - low / v;
}

/* Each formula again, in long doubles: Huber 1964; Beaton and Tukey 1974; Cauchy; Geman and McClure 1987; l_p. */
static long double formula(fr_kernel_id id, long double u, long double p) {
  switch (id) {
  case FR_KERNEL_HUBER:
    return u <= 1 ? 1 : 1 / sqrtl(u);
  case FR_KERNEL_TUKEY:
    return u < 4 ? powl(1 - u / 4, 2) : 0;
  case FR_KERNEL_CAUCHY:
    return 1 / (1 + u / 2);
  case FR_KERNEL_GEMAN_MCCLURE:
    return 1 / powl(1 + u / 4, 2);
  case FR_KERNEL_LP:
    return envelope(u, p);
  default:
    return expl(-u / 2);
  }
}

START_TEST(weights_are_the_formulas_and_fall) {
  const double nu = 0.25; /* a power of two: r^2 / nu^2 is exact */
  for (int k = FR_KERNEL_WELSCH; k < FR_KERNEL_COUNT; k++) {
    const fr_kernel *kernel = fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC);
    if (kernel->ranked)
      continue;
    double before = 1;
    double cost = 0;
    for (double r = 1e-8; r < 1e6; r *= 1.01) {
      double weight = 0;
      const double rho = rho_of(kernel, nu, r * r, &weight);
      const double expected = (double)formula((fr_kernel_id)k, (long double)(r * r) * 16, (long double)kernel->shape);
      ck_assert_double_le(fabs(weight - expected), 1e-15 + 1e-14 * expected);
      ck_assert_double_le(weight, before * (1 + 1e-14));
      ck_assert_double_ge(rho, cost * (1 - 1e-14));
      before = weight;
      cost = rho;
    }
    if (kernel->cutoff > 0)
      ck_assert_double_le(weight_of(kernel, nu, kernel->cutoff * nu), 1e-13);
  }
}
END_TEST

/* p from little to 1: far beyond nu rho is 1.5^2 s |r / (1.5 nu)|^p, whose logarithm has the slope p, but for what shrinking
 * saves: relatively at most 1.5 nu / r. */
START_TEST(lp_has_the_exponent_asked_for) {
  const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_LP, FR_ISA_GENERIC);
  const double prior[8] = {1};
  double weight[8];
  for (double p = 0.1; p < 1.05; p += 0.1) {
    const double near[8] = {1e24};
    const double far[8] = {1e26};
    const double ratio = kernel->apply(1, p, 8, far, prior, weight) / kernel->apply(1, p, 8, near, prior, weight);
    ck_assert_double_le(fabs(log10(ratio) - p), 1e-11);
  }
}
END_TEST

/* By rank: 1 below the cut, the part at it, nothing beyond; the energy is that of what counts. */
START_TEST(trimmed_counts_up_to_the_cut) {
  const double squared[8] = {0, 1, 4, 4, 5, 9, 3, 4.000001};
  const double prior[8] = {1, 2, 1, 0.5, 1, 1, 0, 1};
  const double expected[8] = {1, 2, 0.25, 0.125, 0, 0, 0, 0};
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
    const fr_kernel *kernel = fr_kernel_find(FR_KERNEL_TRIMMED, (fr_isa)isa);
    double weight[8];
    ck_assert_double_eq(kernel->apply(4, 0.25, 8, squared, prior, weight), 2 + 4 * 0.375);
    for (int i = 0; i < 8; i++)
      ck_assert_double_eq(weight[i], expected[i]);
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
    ck_assert_double_le(fabs(kernel->apply(0.8, kernel->shape, 64, squared, prior, out) - expected), 1e-13 * expected);
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
        const fr_kernel *kernel[2] = {fr_kernel_find((fr_kernel_id)k, FR_ISA_GENERIC),
                                      fr_kernel_find((fr_kernel_id)k, (fr_isa)isa)};
        const double a = kernel[0]->apply(nu, kernel[0]->shape, n, squared, prior, weight[0]);
        const double b = kernel[1]->apply(nu, kernel[1]->shape, n, squared, prior, weight[1]);
        ck_assert_mem_eq(&a, &b, sizeof a);
        ck_assert_mem_eq(weight[0], weight[1], sizeof(double) * (size_t)n);
      }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {weight_is_the_derivative,
                                the_surrogate_lies_above,
                                weights_are_the_formulas_and_fall,
                                lp_has_the_exponent_asked_for,
                                trimmed_counts_up_to_the_cut,
                                exp_is_within_two_ulps,
                                exp_at_the_seams,
                                far_away_weighs_nothing_and_costs_one,
                                priors_multiply_and_energies_add,
                                every_instruction_set_gives_the_same_bits};
  return run_suite("kernel", tests, COUNT(tests));
}
