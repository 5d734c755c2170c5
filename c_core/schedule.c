/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule.h"

#include <limits.h>
#include <math.h>

/* Levels before the last that need as much of the source per (nu_min / nu)^2. */
#define FULL_WITHIN 1.0

void fr_schedule_make(fr_schedule *schedule, double nu_max, double nu_min, int levels) {
  const int most = levels < FR_LEVELS ? levels : FR_LEVELS;
  int count = 0;
  double nu = nu_max;
  for (; nu > nu_min && count < most; nu /= 2)
    schedule->nu[count++] = nu;
  if (count < most || most == 1) {
    if (most == 1)
      count = 0;
    schedule->nu[count++] = nu_min;
  } else {
    for (int i = 0; i < count; i++)
      schedule->nu[i] = nu_max * pow(nu_min / nu_max, (double)i / (count - 1));
    schedule->nu[count - 1] = nu_min;
  }
  schedule->count = count;
}

int fr_schedule_budget(const fr_schedule *schedule, int level, int remaining, int most) {
  if (remaining == INT_MAX)
    return most;
  const int levels = schedule->count - level;
  const int share = (remaining + levels - 1) / levels;
  return share < most ? share : most;
}

size_t fr_schedule_points(const fr_schedule *schedule, int level, size_t count) {
  const double last = schedule->nu[schedule->count - 1];
  const double ratio = schedule->nu[level] > 0 ? FULL_WITHIN * last / schedule->nu[level] : 1;
  const double points = ratio < 1 ? ratio * ratio * (double)count : (double)count;
  return (size_t)ceil(points);
}
