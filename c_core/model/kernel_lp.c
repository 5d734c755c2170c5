/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * |r|^p, 0 < p <= 1, of what exceeds the noise: with v = r / (1.5 nu),
 *
 *   rho(r) = 1.5^2 min over z of [s |z|^p + (v - z)^2 / 2],      weight 1 - z / v,
 *
 * the Moreau envelope of l_p (shrink.h). Up to 1.5 nu z is 0, rho is r^2 / (2 nu^2) and the weight 1; beyond, the weight
 * falls like r^(p - 2). l_p itself has a cusp at 0, so that any pose that lays one point on another is a minimum. As nu
 * shrinks this becomes the l_p of Bouaziz et al. (2013), whose p = 0.4 is the default; p = 1 is Huber's function.
 */
#include "base/simd.h"
#include "model/kernel.h"
#include "model/shrink.h"

#include <math.h>

static double apply(double nu, double shape, int n, const double *squared, const double *prior, double *weight) {
  const fr_shrink shrink = fr_shrink_make(shape, 1);
  const double narrow = 1 / (FR_LP_WIDTH * nu);
  double energy[8] = {0};
  for (int i = 0; i < n; i += 8)
    for (int j = 0; j < 8; j++) {
      const double v = sqrt(squared[i + j]) * narrow;
      double power = 0;
      const double z = fr_shrink_length(&shrink, v, &power);
      const double off = z > 0 ? shrink.slope * power / z : v; /* v - z, without cancellation */
      energy[j] += prior[i + j] * (shrink.s * power + 0.5 * off * off);
      weight[i + j] = prior[i + j] * (z > 0 ? off / v : 1);
    }
  return FR_LP_WIDTH * FR_LP_WIDTH * fr_d8_sum(fr_d8_load(energy));
}

const fr_kernel FR_FOR_ISA(fr_kernel_lp) = {"lp", 1, 0, 0.4, apply, 0};
