/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a run: for each level the kernel's width, the points, and when to stop. */
#ifndef FR_PLAN_H
#define FR_PLAN_H

#include "align/rules.h"
#include "align/schedule.h"
#include "cloud/source.h"
#include "cloud/target.h"

/* Of the poses of a level, but for the last. */
typedef struct fr_limits {
  int first; /* of the first level, one more in each later one, ... */
  int most;  /* ... but at most this */
} fr_limits;

/* What a caller's options come to in the target's normalised frame. */
typedef struct fr_settings {
  int history;        /* m; 0: no acceleration */
  int max_iterations; /* over all levels */
  fr_limits limits;
  int all_points;  /* 1: no level on a part of the source */
  double nu_start; /* absolute; 0: so many median first residuals: */
  double nu_start_factor;
  double nu_start_least;      /* absolute, of that; 0: none */
  double nu_end;              /* absolute; 0: a kernel without a width */
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

/* What follows from the target alone; the rest is 0. */
fr_settings fr_settings_of(const fricp_target *target, const fr_rules *rules);

/* From nu_max down (0: a kernel without a width, one level). */
void fr_plan_make(fr_plan *plan, double nu_max, const fr_settings *settings, const fr_source *source,
                  const fr_rules *rules);

/* Points of the source that the first level looks at, when no plan is made yet. */
size_t fr_plan_first_points(const fr_settings *settings, const fr_source *source);

#endif
