/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/shrink.h"

#include <math.h>

#define STEPS 30       /* five are enough, but close to the threshold for p close to 1 */
#define ROUNDING 1e-15 /* relative */

fr_shrink fr_shrink_make(double p, double k) {
  const double s = pow(2 * (1 - p), 1 - p) * pow(2 - p, p - 2);
  const fr_shrink shrink = {p, s, p * s / k, pow(k, -1 / (2 - p))};
  return shrink;
}

/* Beyond the threshold the derivative z - h + slope z^(p - 1) is convex between the minimum and h, and positive where
 * Newton's method begins: it comes down to the root without overshooting. */
double fr_shrink_length(const fr_shrink *shrink, double length, double *power) {
  *power = 0;
  if (length <= shrink->threshold)
    return 0;
  const double p = shrink->p;
  double z = length - shrink->slope * pow(length, p - 1);
  double rise = pow(z, p - 1);
  for (int i = 0; i < STEPS; i++) {
    const double step = (z - length + shrink->slope * rise) / (1 - (1 - p) * shrink->slope * rise / z);
    if (!(step > ROUNDING * length))
      break;
    z -= step;
    rise = pow(z, p - 1);
  }
  *power = z * rise;
  return z;
}
