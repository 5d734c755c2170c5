/* SPDX-License-Identifier: BSD-3-Clause */
/* rho(r) = r^2: classical ICP, paper Eq. ICPOptimization. */
#include "base/simd.h"
#include "model/kernel.h"

#include <string.h>

static double apply(double nu, double shape, int n, const double *squared, const double *prior, double *weight) {
  (void)nu;
  (void)shape;
  fr_d8 energy = {0};
  for (int i = 0; i < n; i += 8) {
    fr_d8 r2;
    fr_d8 p;
    memcpy(&r2, squared + i, sizeof r2);
    memcpy(&p, prior + i, sizeof p);
    memcpy(weight + i, &p, sizeof p);
    energy += p * r2;
  }
  return fr_d8_sum(energy);
}

const fr_kernel FR_FOR_ISA(fr_kernel_least_squares) = {"least-squares", 0, 0, 0, apply, 0};
