/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a run: for each level the kernel's width, the points, and when to stop. */
#ifndef FR_PLAN_H
#define FR_PLAN_H

#include "align/rules.h"
#include "align/schedule.h"
#include "cloud/source.h"

/* What a caller's options come to in the target's normalised frame. */
typedef struct fr_settings {
  int history;          /* m; 0: no acceleration */
  int max_iterations;   /* total; INT_MAX: none */
  int first_iterations; /* limit of the first level, ... */
  int most_iterations;  /* ... one more in each later one, at most this; but for the last level */
  size_t least_points;  /* that a fair sample of the source takes; SIZE_MAX: all, always */
  double nu_start_factor;
  double nu_end;              /* absolute */
  double translation_epsilon; /* 0: off */
  double rotation_epsilon;
  double fitness_epsilon;
  double spacing;      /* of the target */
  double least_radius; /* see fr_geometry */
  double least_incline;
} fr_settings;

typedef struct fr_level {
  double nu;        /* 0 for a kernel without a width */
  size_t points;    /* the first so many of the source */
  int most;         /* iterations */
  double tolerance; /* of ||T' - T|| */
} fr_level;

typedef struct fr_plan {
  int count; /* at least 1 */
  fr_level level[FR_LEVELS];
} fr_plan;

/* From nu_max down (0: a kernel without a width, one level). */
void fr_plan_make(fr_plan *plan, double nu_max, const fr_settings *settings, const fr_source *source,
                  const fr_rules *rules);

/* Points of the source that the first level looks at, when no plan is made yet. */
size_t fr_plan_first_points(const fr_settings *settings, const fr_source *source, const fr_rules *rules);

#endif
