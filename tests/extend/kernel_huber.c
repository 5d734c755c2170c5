/* SPDX-License-Identifier: BSD-3-Clause */
/* Huber's function: rho(r) = r^2 / (2 nu^2) up to r = nu, r / nu - 1/2 beyond; weight 1, then nu / r. */
#include "base/simd.h"
#include "model/kernel.h"

#include <math.h>

static double apply(double nu, int n, const double *squared, const double *prior, double *weight) {
  double energy = 0;
  for (int i = 0; i < n; i++) {
    const double r = sqrt(squared[i]);
    const int inside = r <= nu;
    energy += prior[i] * (inside ? squared[i] / (2 * nu * nu) : r / nu - 0.5);
    weight[i] = prior[i] * (inside ? 1 : nu / r);
  }
  return energy;
}

const fr_kernel FR_FOR_ISA(fr_kernel_huber) = {"huber", 1, 0, apply};
