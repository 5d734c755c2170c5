/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/settings.h"

#include <math.h>

/* nu_min: paper, appendix "Choices of nu_min". Two floors: the target's noise, below which a kernel no longer tells
 * inliers but picks among them at random; and a trifle, for a target without spacing or roughness. */
static double last_nu(const fricp_options *options, const fr_metric *metric, const fricp_target *target,
                      const fr_rules *rules) {
  const double measure = metric->needs_normals ? target->plane_spacing : target->spacing;
  const double trifle = fmax(metric->nu_trifle * target->spacing, FR_LEAST_NU);
  if (options->nu_end_factor > 0)
    return fmax(options->nu_end_factor * measure, trifle);
  const double floor = metric->nu_roughness * target->noise.roughness + metric->nu_noise * target->noise.deviation;
  return fmax(fmax(measure / metric->spacing_over_nu, rules->noise_floor * floor), trifle);
}

/* Coarse levels save searches, which a caller's own search or the reciprocal test asks for at every point. */
static int uses_all_points(const fricp_options *options, const fricp_target *target) {
  return options->full_resolution || options->reciprocal || !target->nn.ops->euclidean;
}

fr_settings fr_settings_make(const fricp_options *o, const fr_method *method, const fricp_target *target,
                             const fr_rules *rules) {
  const double extent = target->extent;
  const fr_metric *metric = fr_metric_find(method->metric, FR_ISA_GENERIC);
  const fr_kernel *kernel = fr_kernel_find(method->kernel, FR_ISA_GENERIC);
  fr_settings s = fr_settings_of(target, rules);
  s.history = method->history;
  if (o->max_iterations > 0)
    s.max_iterations = o->max_iterations;
  s.limits = fr_method_limits(method);
  s.all_points = uses_all_points(o, target);
  s.nu_start_factor = o->nu_start_factor > 0 ? o->nu_start_factor : 3;
  s.nu_end = kernel->scheduled ? last_nu(o, metric, target, rules) : 0;
  s.nu_start = o->fixed_width ? s.nu_end : 0;
  s.translation_epsilon = o->translation_epsilon / extent;
  s.rotation_epsilon = o->rotation_epsilon;
  s.fitness_epsilon = o->fitness_epsilon;
  return s;
}

double fr_most_distance(const fricp_options *options, const fricp_target *target) {
  const double most = options->max_distance / target->extent;
  return most > 0 && most <= FR_ENDLESS ? most : INFINITY;
}

double fr_inlier_limit(const fricp_options *options, const fricp_target *target) {
  const double given = options->inlier_distance;
  return given > 0 ? fmin(given / target->extent, FR_ENDLESS) : fmax(target->spacing, FR_LEAST_NU);
}
