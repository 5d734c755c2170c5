/* SPDX-License-Identifier: BSD-3-Clause */
/* |r|^p, 0 < p <= 1, smoothed at the width nu, so that its weight is finite at 0: rho(r) = ((1 + r^2 / nu^2)^(p/2) - 1) / p,
 * weight (1 + r^2 / nu^2)^(p/2 - 1), which is p |r|^(p-2) beyond nu, up to a constant. As nu shrinks it becomes the l_p of
 * Bouaziz et al. (2013, "Sparse Iterative Closest Point"), whose p = 0.4 is the default. */
#include "model/kernel_each.h"

#include <math.h>

static inline double one(double u, double shape, double *weight) {
  const double logarithm = log1p(u);
  const double grown = expm1(0.5 * shape * logarithm);
  *weight = (1 + grown) / (1 + u);
  return grown / shape;
}

FR_KERNEL_EACH(lp, "lp", 0, 0.4);
