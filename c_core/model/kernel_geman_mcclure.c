/* SPDX-License-Identifier: BSD-3-Clause */
/* Geman and McClure's function (1987), of the width 2 nu: with v = r^2 / (2 nu)^2, rho(r) = 2 v / (1 + v), weight
 * 1 / (1 + v)^2. */
#include "model/kernel_each.h"

static inline double one(double u, double shape, double *weight) {
  (void)shape;
  const double part = 1 / (1 + 0.25 * u);
  *weight = part * part;
  return 0.5 * u * part;
}

FR_KERNEL_EACH(geman_mcclure, "geman-mcclure", 0, 0);
