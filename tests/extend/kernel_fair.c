/* SPDX-License-Identifier: BSD-3-Clause */
/* The "fair" function: with v = r / nu, rho(r) = v - ln(1 + v), weight 1 / (1 + v). */
#include "base/simd.h"
#include "model/kernel.h"

#include <math.h>

static double apply(double nu, double shape, int n, const double *squared, const double *prior, double *weight) {
  double energy = 0;
  (void)shape;
  for (int i = 0; i < n; i++) {
    const double v = sqrt(squared[i]) / nu;
    energy += prior[i] * (v - log1p(v));
    weight[i] = prior[i] / (1 + v);
  }
  return energy;
}

const fr_kernel FR_FOR_ISA(fr_kernel_fair) = {"fair", 1, 0, 0, apply, 0};
