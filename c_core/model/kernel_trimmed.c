/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares over the share of the points with the smallest residuals (Chetverikov et al. 2002, "The Trimmed Iterative
 * Closest Point Algorithm"): rho(r) = r^2 up to a cut, beyond it nothing; the weight is 1 or 0. Of the points at the cut a
 * part counts, so that it is the share exactly, and the energy, the least sum of squares that such a share can have, never
 * jumps where two points change ranks: a step that lowers it for the points taken, new correspondences and new ranks each
 * lower it. */
#include "base/simd.h"
#include "model/kernel.h"

static double apply(double cut, double part, int n, const double *squared, const double *prior, double *weight) {
  double energy[8] = {0};
  for (int i = 0; i < n; i += 8)
    for (int j = 0; j < 8; j++) {
      const double r2 = squared[i + j];
      const double taken = r2 < cut ? 1 : r2 == cut ? part : 0;
      const double w = prior[i + j] * taken;
      energy[j] += w * r2;
      weight[i + j] = w;
    }
  return fr_d8_sum(fr_d8_load(energy));
}

const fr_kernel FR_FOR_ISA(fr_kernel_trimmed) = {.name = "trimmed", .shape = 0.7, .ranked = 1, .apply = apply};
