/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdio.h>

scene_spec trial_spec(int number) {
  static const scene_kind kinds[4] = {SCENE_BLOB, SCENE_TORUS, SCENE_ROOM, SCENE_LIDAR};
  static const double overlaps[4] = {0.9, 0.7, 0.5, 0.35}, noises[4] = {0.0, 0.001, 0.003, 0.0};
  static const double outliers[2] = {0.0, 0.05}, angles[2] = {5.0, 15.0};
  scene_spec spec = {.kind = kinds[number % 4],
                     .source_count = 6000 + 1000 * (size_t)(number * 37 % 15),
                     .seed = (uint64_t)(number / 4 + 1),
                     .overlap = overlaps[number / 4 % 4],
                     .noise = noises[number / 16 % 4],
                     .outliers = outliers[number / 64 % 2],
                     .angle = angles[number / 128 % 2],
                     .shift = {0.02, -0.03, 0.01}};
  spec.target_count = spec.source_count;
  return spec;
}

void trial_name(int number, char name[64]) {
  const scene_spec spec = trial_spec(number);
  snprintf(name, 64, "%d_%s_%.2f_%g", number, scene_kind_name((int)spec.kind), spec.overlap, spec.noise);
}

double trial_pass_rmse(const scene_spec *spec, const scene *made) {
  return fmax(0.003, spec->noise) * made->diameter;
}
