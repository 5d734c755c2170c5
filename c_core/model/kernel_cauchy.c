/* SPDX-License-Identifier: BSD-3-Clause */
/* Cauchy's function, of the width sqrt(2) nu: with v = r^2 / (2 nu^2), rho(r) = ln(1 + v), weight 1 / (1 + v). */
#include "model/kernel_each.h"

#include <math.h>

static inline double one(double u, double shape, double *weight) {
  (void)shape;
  const double v = 0.5 * u;
  *weight = 1 / (1 + v);
  return log1p(v);
}

FR_KERNEL_EACH(cauchy, "cauchy", 0, 0);
