/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fr_seconds(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

double fr_coarse_seconds(void) {
#ifdef CLOCK_MONOTONIC_COARSE
  return seconds_of(CLOCK_MONOTONIC_COARSE);
#else
  return seconds_of(CLOCK_MONOTONIC);
#endif
}
