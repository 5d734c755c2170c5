/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/frames.h"

#include "maths/se3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEAST_INFORMATION 1e-60 /* a deviation of 1e30 radians or extents says nothing, and its inverse is finite */

fr_frames fr_frames_of(const fr_source *source, const fricp_target *target) {
  fr_frames frames = {{0}, {0}, target->extent, source->largest_weight};
  memcpy(frames.source_center, source->center, sizeof frames.source_center);
  memcpy(frames.target_center, target->center, sizeof frames.target_center);
  return frames;
}

/* A pose that takes points about `from` to such about the target's centre. */
static fricp_pose scaled(const fr_frames *frames, const fricp_pose *normalised, const double from[3]) {
  fricp_pose pose = *normalised;
  for (int a = 0; a < 3; a++) {
    pose.translation[a] = frames->target_center[a] + frames->extent * normalised->translation[a];
    for (int b = 0; b < 3; b++)
      pose.translation[a] -= pose.rotation[a][b] * from[b];
  }
  return pose;
}

fricp_pose fr_pose_to_caller(const fr_frames *frames, const fricp_pose *normalised) {
  return scaled(frames, normalised, frames->source_center);
}

fricp_pose fr_pose_from_caller(const fr_frames *frames, const fricp_pose *pose) {
  fricp_pose normalised = *pose;
  double moved[3];
  fr_apply(pose, frames->source_center, moved);
  for (int a = 0; a < 3; a++)
    normalised.translation[a] = (moved[a] - frames->target_center[a]) / frames->extent;
  return normalised;
}

fr_chart fr_chart_from_caller(const fr_frames *frames, const fr_chart *chart) {
  fr_chart normalised = {chart->frame, fr_pose_from_caller(frames, &chart->start)};
  for (int a = 0; a < 3; a++)
    normalised.frame.translation[a] = (chart->frame.translation[a] - frames->target_center[a]) / frames->extent;
  return normalised;
}

fr_spring fr_spring_from_caller(const fr_frames *frames, const fr_spring *spring) {
  fr_spring normalised = *spring;
  if (!spring->used)
    return normalised;
  normalised.chart = fr_chart_from_caller(frames, &spring->chart);
  normalised.used = 0;
  for (int i = 0; i < 6; i++) {
    normalised.share[i] = 1;
    for (int j = 0; j < 6; j++)
      normalised.stiffness[i][j] *= (i < 3 ? 1 : frames->extent) * (j < 3 ? 1 : frames->extent);
  }
  for (int i = 0; i < 6; i++)
    if (normalised.stiffness[i][i] > LEAST_INFORMATION)
      normalised.used = 1;
    else
      fr_drop_coordinate(normalised.stiffness, i);
  return normalised;
}

fricp_pose fr_motion_to_caller(const fr_frames *frames, const fricp_pose *motion) {
  return scaled(frames, motion, frames->target_center);
}

void fr_point_to_caller(const fr_frames *frames, const double p[3], double out[3]) {
  for (int a = 0; a < 3; a++)
    out[a] = frames->target_center[a] + frames->extent * p[a];
}

double fr_energy_to_caller(const fr_frames *frames, double energy) {
  return fmin(energy * frames->largest_weight, DBL_MAX);
}
