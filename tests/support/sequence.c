/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"
#include "scene.h"

static const char *allocate(const sequence_spec *spec, sequence *out) {
  out->scans = spec->scans ? spec->scans : 12;
  out->points = spec->points ? spec->points : 4000;
  out->dimension = spec->dimension ? spec->dimension : 3;
  out->scan = calloc(out->scans, sizeof *out->scan);
  out->world_from_scan = malloc(out->scans * sizeof *out->world_from_scan);
  if (!out->scan || !out->world_from_scan)
    return "out of memory";
  for (size_t k = 0; k < out->scans; ++k)
    if (!(out->scan[k] = malloc(out->points * 3 * sizeof(double))))
      return "out of memory";
  return NULL;
}

static const char *draw(const sequence_spec *spec, sequence *out) {
  shape *hall = malloc(sizeof *hall);
  if (!hall)
    return "out of memory";
  shape_make(hall, out->dimension == 2 ? SCENE_LASER : SCENE_LIDAR, spec->seed);
  out->diameter = sqrt((hall->high[0] - hall->low[0]) * (hall->high[0] - hall->low[0]) +
                       (hall->high[1] - hall->low[1]) * (hall->high[1] - hall->low[1]));
  double part = spec->loop_part > 0.0 ? spec->loop_part : 1.0;
  const char *problem = NULL;
  for (size_t k = 0; k < out->scans && !problem; ++k) {
    out->world_from_scan[k] = scan_pose_on_path(part * (double)k / (double)out->scans);
    problem = scan_draw(hall, &out->world_from_scan[k], out->dimension, spec->rings, spec->noise,
                        prng_seed(spec->seed, 1000 + k), out->points, out->scan[k], NULL);
    if (out->dimension == 2)
      out->world_from_scan[k].translation[2] = 0.0;
  }
  free(hall);
  return problem;
}

const char *sequence_make(const sequence_spec *spec, sequence *out) {
  memset(out, 0, sizeof *out);
  if (!(spec->loop_part >= 0.0 && spec->loop_part <= 1.0) || !(spec->noise >= 0.0) || spec->rings < 0 ||
      (spec->dimension != 0 && spec->dimension != 2 && spec->dimension != 3))
    return "loop_part must be in (0, 1], noise and rings 0 or more, dimension 2 or 3";
  const char *problem = allocate(spec, out);
  if (!problem)
    problem = draw(spec, out);
  if (problem)
    sequence_free(out);
  return problem;
}

void sequence_free(sequence *s) {
  for (size_t k = 0; s->scan && k < s->scans; ++k)
    free(s->scan[k]);
  free(s->scan);
  free(s->world_from_scan);
  memset(s, 0, sizeof *s);
}
