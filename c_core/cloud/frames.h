/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the caller's frames and the normalised ones: the source centred, the target centred, both over the target's
 * extent. */
#ifndef FR_FRAMES_H
#define FR_FRAMES_H

#include "cloud/source.h"
#include "cloud/target.h"
#include "maths/spring.h"

typedef struct fr_frames {
  double source_center[3];
  double target_center[3];
  double extent;
  double largest_weight; /* of the source's */
} fr_frames;

fr_frames fr_frames_of(const fr_source *source, const fricp_target *target);

/* A pose between the normalised frames in the caller's, and back. */
fricp_pose fr_pose_to_caller(const fr_frames *frames, const fricp_pose *normalised);
fricp_pose fr_pose_from_caller(const fr_frames *frames, const fricp_pose *pose);

/* A chart of the target's. */
fr_chart fr_chart_from_caller(const fr_frames *frames, const fr_chart *chart);

/* A spring. */
fr_spring fr_spring_from_caller(const fr_frames *frames, const fr_spring *spring);

/* A motion within the target's normalised frame in the caller's. */
fricp_pose fr_motion_to_caller(const fr_frames *frames, const fricp_pose *motion);

/* A point of the target's. */
void fr_point_to_caller(const fr_frames *frames, const double p[3], double out[3]);

/* An energy in terms of the weights as given; finite, whatever they are. */
double fr_energy_to_caller(const fr_frames *frames, double energy);

#endif
