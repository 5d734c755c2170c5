/* SPDX-License-Identifier: BSD-3-Clause */
/* Huber's function: rho(r) = r^2 / (2 nu^2) up to r = nu, r / nu - 1/2 beyond; weight 1, then nu / r (Huber 1964). */
#include "model/kernel_each.h"

#include <math.h>

static inline double one(double u, double shape, double *weight) {
  (void)shape;
  const double r = sqrt(u);
  *weight = u <= 1 ? 1 : 1 / r;
  return u <= 1 ? 0.5 * u : r - 0.5;
}

FR_KERNEL_EACH(huber, "huber", 0, 0);
