/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/plan.h"

#include <math.h>
#include <stdint.h>

#define LAST_ITERATIONS 1000

static size_t fair_sample(const fr_settings *settings, int level, const fr_rules *rules) {
  const size_t least = settings->least_points;
  const size_t fair = least == SIZE_MAX ? least : (size_t)(rules->fair_sample * (double)least);
  return fr_schedule_least(fair, level, (int)rules->half_samples);
}

size_t fr_plan_first_points(const fr_settings *settings, const fr_source *source, const fr_rules *rules) {
  return fr_source_prefix(source, fair_sample(settings, 0, rules));
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
    const size_t least = fair_sample(settings, i, rules);
    const int most = settings->first_iterations + i;
    level->nu = schedule.nu[i];
    level->points = fr_source_prefix(source, needed > least ? needed : least);
    level->most = is_last ? LAST_ITERATIONS : most < settings->most_iterations ? most : settings->most_iterations;
    level->tolerance = tolerance_of(level, is_last, source, rules);
  }
}
