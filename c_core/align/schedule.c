/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/schedule.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

/* Of the points that (nu_min / nu)^2 asks for: stages come in powers of two, this rounds to the nearest. */
#define SHARE 0.5
#define FAIR_FROM 2 /* the first level with a fair sample; half of it in the one before, a quarter, ... */

void fr_schedule_make(fr_schedule *schedule, double nu_max, double nu_min) {
  int count = 0;
  for (; count < FR_LEVELS && ldexp(nu_max, -count) > nu_min; count++)
    schedule->nu[count] = ldexp(nu_max, -count);
  if (count == FR_LEVELS) {
    count--;
    for (int i = 0; i < count; i++)
      schedule->nu[i] = nu_max * pow(nu_min / nu_max, (double)i / count);
  }
  schedule->nu[count++] = nu_min;
  schedule->count = count;
}

int fr_schedule_budget(const fr_schedule *schedule, int level, int remaining, int most) {
  if (remaining == INT_MAX)
    return most;
  const int levels = schedule->count - level;
  const int share = remaining / levels + (remaining % levels > 0);
  return share < most ? share : most;
}

size_t fr_schedule_points(const fr_schedule *schedule, int level, size_t count) {
  if (level == schedule->count - 1)
    return count;
  const double ratio = schedule->nu[schedule->count - 1] / schedule->nu[level];
  return (size_t)ceil(SHARE * ratio * ratio * (double)count);
}

size_t fr_schedule_least(size_t least, int level) {
  return least == SIZE_MAX || level >= FAIR_FROM ? least : least >> (FAIR_FROM - level);
}
