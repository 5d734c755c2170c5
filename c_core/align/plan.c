/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/plan.h"

#include <math.h>

#define LAST_ITERATIONS 1000
#define ITERATIONS 10000  /* of clouds that have a scale: ten levels and fewer */
#define LEAST_RADIUS 1e-6 /* of the extent */
#define LEAST_INCLINE 3e-3
#define MOST_INCLINE 3e-2

fr_settings fr_settings_of(const fricp_target *target, const fr_rules *rules) {
  const double roughness = target->spacing > 0 ? target->plane_spacing / target->spacing : 0;
  const fr_settings settings = {
      .max_iterations = ITERATIONS,
      .spacing = target->spacing,
      .least_radius = fmax(target->spacing / (3 * sqrt(3.0)), LEAST_RADIUS),
      .least_incline = fmin(fmax(rules->incline_share * roughness, LEAST_INCLINE), MOST_INCLINE),
  };
  return settings;
}

/* Points that a level takes at least: a fair sample, so that the few points that hold what most leave open are not left to
 * chance; the first levels, where the kernel is wide and the steps are large, only look for the valley, on a half of it, a
 * quarter, ... */
static size_t fair_sample(int level, const fr_rules *rules) {
  const int halves = (int)rules->half_samples - level;
  return (size_t)rules->fair_sample >> (halves > 0 ? halves : 0);
}

size_t fr_plan_first_points(const fr_settings *settings, const fr_source *source) {
  return settings->all_points ? source->count : fr_source_prefix(source, FR_COARSEST);
}

/* A level on a part of the points says where the optimum is to about nu / sqrt(points). */
static double tolerance_of(const fr_level *level, int is_last, const fr_source *source, const fr_rules *rules) {
  if (is_last)
    return rules->last_tolerance;
  if (level->points == source->count)
    return rules->level_tolerance;
  return fmax(rules->level_tolerance, rules->sample_tolerance * level->nu / sqrt((double)level->points));
}

void fr_plan_make(fr_plan *plan, double nu_max, const fr_settings *settings, const fr_source *source,
                  const fr_rules *rules) {
  fr_schedule schedule = {1, {0}};
  if (settings->nu_end > 0)
    fr_schedule_make(&schedule, nu_max, settings->nu_end);
  plan->count = schedule.count;
  for (int i = 0; i < plan->count; i++) {
    fr_level *level = &plan->level[i];
    const int is_last = i == plan->count - 1;
    const size_t needed = fr_schedule_points(&schedule, i, source->count, rules->sample_share);
    const size_t least = fair_sample(i, rules);
    const int most = settings->limits.first + i;
    level->nu = schedule.nu[i];
    level->points = settings->all_points ? source->count : fr_source_prefix(source, needed > least ? needed : least);
    level->most = is_last ? LAST_ITERATIONS : most < settings->limits.most ? most : settings->limits.most;
    level->tolerance = tolerance_of(level, is_last, source, rules);
  }
}
