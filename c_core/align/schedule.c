/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/schedule.h"

#include <math.h>

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

int fr_schedule_budget(int levels, int level, int remaining, int most) {
  const int left = levels - level;
  const int share = remaining / left + (remaining % left > 0);
  return share < most ? share : most;
}

size_t fr_schedule_points(const fr_schedule *schedule, int level, size_t count, double share) {
  if (level == schedule->count - 1)
    return count;
  const double ratio = schedule->nu[schedule->count - 1] / schedule->nu[level];
  return (size_t)ceil(share * ratio * ratio * (double)count);
}
