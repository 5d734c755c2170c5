/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Welsch's function, paper Eq. welsch: rho(r) = 1 - exp(-r^2 / (2 nu^2)), weight omega = exp(-r^2 / (2 nu^2))
 * (Eq. WelschAlignment). rho comes from expm1, or the energy of a nearly perfect fit would be rounding noise.
 *
 * exp by vectors: x = k ln2 + r, |r| <= ln2 / 2; expm1(r) by its Taylor polynomial of degree 13 (remainder below 2^-57
 * of r); expm1(x) = 2^k expm1(r) + (2^k - 1). Error of rho and of omega at most 2 units in the last place (tested
 * against the C library). Arguments below -700 are taken as -700: the weight is 1e-304, not a denormal.
 */
#include "base/simd.h"
#include "model/kernel.h"

#include <string.h>

#define LOWEST (-700.0)

/* x <= 0. *exponential = exp(x). @return expm1(x). */
static inline fr_d8 expm1_of(fr_d8 x, fr_d8 *exponential) {
  const fr_d8 magic = fr_d8_set(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer in the low bits */
  const fr_d8 shifted = x * 1.4426950408889634074 + magic;
  const fr_d8 k = shifted - magic;
  const fr_d8 r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  fr_d8 p = fr_d8_set(1.0 / 6227020800.0);
  static const double factorial[] = {479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1};
  for (int i = 0; i < 12; i++)
    p = p * r + 1.0 / factorial[i];
  p = p * r;
  const fr_d8 scale = (fr_d8)(((fr_l8)shifted << 52) + (fr_l8)fr_d8_set(1.0)); /* 2^k */
  *exponential = scale * p + scale;
  return scale * p + (scale - 1.0);
}

static double apply(double nu, double shape, int n, const double *squared, const double *prior, double *weight) {
  (void)shape;
  const fr_d8 factor = fr_d8_set(-0.5 / (nu * nu));
  const fr_d8 lowest = fr_d8_set(LOWEST);
  fr_d8 energy = {0};
  for (int i = 0; i < n; i += 8) {
    fr_d8 x;
    fr_d8 p;
    fr_d8 w;
    memcpy(&x, squared + i, sizeof x);
    memcpy(&p, prior + i, sizeof p);
    x = x * factor;
    x = fr_d8_select(x > lowest, x, lowest);
    energy -= p * expm1_of(x, &w);
    w = p * w;
    memcpy(weight + i, &w, sizeof w);
  }
  return fr_d8_sum(energy);
}

const fr_kernel FR_FOR_ISA(fr_kernel_welsch) = {"welsch", 1, 8, 0, apply, 0};
