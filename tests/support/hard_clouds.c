/* SPDX-License-Identifier: BSD-3-Clause */
#include "hard_clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sheet(prng *g, double p[3]) {
  p[0] = prng_range(g, 0, 1);
  p[1] = prng_range(g, 0, 1);
  p[2] = 0.2 * sin(7 * p[0]) * cos(5 * p[1]);
}

static void hard_point(hard_kind kind, size_t i, prng *g, double p[3]) {
  sheet(g, p);
  switch (kind) {
  case HARD_CLUSTERS:
    p[0] += i % 2 ? 1e6 : 0;
    break;
  case HARD_UNEQUAL:
    p[0] += i % 5 < 2 ? 1e6 : 0;
    break;
  case HARD_MANY_CLUSTERS:
    for (int a = 0; a < 3; a++)
      p[a] = 1e-12 * p[a] + (double)((i % 97) * (size_t)(31 + 17 * a) % 97) / 97;
    break;
  case HARD_EXPONENTIAL:
    for (int a = 0; a < 3; a++)
      p[a] = (prng_below(g, 2) ? 1 : -1) * ldexp(1 + 1e-3 * prng_range(g, 0, 1), -(int)prng_below(g, 300));
    break;
  case HARD_OUTLIERS:
    for (int a = 0; a < 3 && i % 10 == 0; a++)
      p[a] = 1e9 * prng_range(g, -1, 1);
    break;
  case HARD_FARTHEST:
    p[0] = i == 7 ? 1e149 : p[0];
    break;
  case HARD_TINY:
    for (int a = 0; a < 3; a++)
      p[a] *= 1e-30;
    break;
  case HARD_LINE:
    p[0] = 1 + 1e-9 * p[0];
    p[1] = p[2] = 0;
    break;
  case HARD_SPHERE: {
    const double angle = prng_range(g, 0, 6.283185307179586);
    const double z = prng_range(g, -1, 1);
    const double r = sqrt(1 - z * z);
    p[0] = r * cos(angle);
    p[1] = r * sin(angle);
    p[2] = z;
    break;
  }
  default:
    break;
  }
}

void hard_query(hard_kind kind, const double (*points)[3], size_t count, prng *g, double q[3]) {
  memcpy(q, points[prng_below(g, count)], 3 * sizeof *q);
  for (int a = 0; a < 3; a++) {
    if (kind == HARD_SPHERE)
      q[a] = 1e-7 * prng_range(g, 0, 1);
    else if (kind == HARD_PLAIN)
      q[a] += (double)(a + 1) * (prng_below(g, 2) ? 1e6 : 1e12);
    else
      q[a] *= 1 + 1e-7 * prng_range(g, -1, 1);
  }
}

double (*hard_points(hard_kind kind, size_t count))[3] {
  prng g = prng_seed(77, (uint64_t)kind);
  double(*points)[3] = malloc(count * sizeof *points);
  if (!points)
    abort();
  for (size_t i = 0; i < count; i++)
    hard_point(kind, i, &g, points[i]);
  return points;
}
