/* SPDX-License-Identifier: BSD-3-Clause */
/* The nu levels: paper, Algorithms 1 and 2, outer loop. */
#ifndef FR_SCHEDULE_H
#define FR_SCHEDULE_H

#include <stddef.h>

#define FR_LEVELS 64

typedef struct fr_schedule {
  int count;            /* at least 1 */
  double nu[FR_LEVELS]; /* falling; 0 for a kernel without a width */
} fr_schedule;

/* From nu_max by halves to nu_min (both > 0; a nu_max below nu_min starts at nu_min); where that takes more than
 * FR_LEVELS, in equal ratios. */
void fr_schedule_make(fr_schedule *schedule, double nu_max, double nu_min);

/* Accepted poses that level `level` of so many may take of `remaining` iterations: its share, so that each later level
 * still has one if there are enough, but at most `most`. */
int fr_schedule_budget(int levels, int level, int remaining, int most);

/* Source points that level `level` needs of `count`: the kernel averages over nu^2 of surface, so the same precision
 * relative to nu takes (nu_min / nu)^2 of them, or a share of that. The last level needs all. */
size_t fr_schedule_points(const fr_schedule *schedule, int level, size_t count, double share);

#endif
