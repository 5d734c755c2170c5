/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel from the rho and the weight of one residual: for those whose formula is short. Eight lanes are summed apart, so
 * that every instruction set adds in the same order. */
#ifndef FR_KERNEL_EACH_H
#define FR_KERNEL_EACH_H

#include "base/simd.h"
#include "model/kernel.h"

/* u = r^2 / nu^2. @return rho(r); *weight = its weight. */
typedef double fr_kernel_one(double u, double shape, double *weight);

static inline double fr_kernel_each(fr_kernel_one *one, double nu, double shape, int n, const double *squared,
                                    const double *prior, double *weight) {
  double energy[8] = {0};
  const double narrow = 1 / (nu * nu);
  for (int i = 0; i < n; i += 8)
    for (int j = 0; j < 8; j++) {
      double w = 0;
      energy[j] += prior[i + j] * one(squared[i + j] * narrow, shape, &w);
      weight[i + j] = prior[i + j] * w;
    }
  return fr_d8_sum(fr_d8_load(energy));
}

/* Define fr_kernel_<name> from its function `one`. */
#define FR_KERNEL_EACH(name, text, cutoff, shape)                                                                      \
  static double apply(double nu, double s, int n, const double *squared, const double *prior, double *weight) {        \
    return fr_kernel_each(one, nu, s, n, squared, prior, weight);                                                      \
  }                                                                                                                    \
  const fr_kernel FR_FOR_ISA(fr_kernel_##name) = {text, 1, cutoff, shape, apply, 0}

#endif
