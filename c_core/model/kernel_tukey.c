/* SPDX-License-Identifier: BSD-3-Clause */
/* Tukey's biweight (Beaton and Tukey 1974), of the width 2 nu: with v = r^2 / (2 nu)^2 below 1, rho(r) = 2/3 (1 - (1 - v)^3)
 * and weight (1 - v)^2; beyond, 2/3 and nothing. */
#include "model/kernel_each.h"

static inline double one(double u, double shape, double *weight) {
  (void)shape;
  const double v = u < 4 ? 0.25 * u : 1;
  const double left = 1 - v;
  *weight = left * left;
  return 2.0 / 3 * v * (3 - 3 * v + v * v); /* 1 - (1 - v)^3 without cancellation */
}

FR_KERNEL_EACH(tukey, "tukey", 2, 0);
