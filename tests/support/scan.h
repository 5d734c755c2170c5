/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file scan.h
 * Ray-cast scans of the hall. Internal to fricp_support.
 */
#ifndef FRICP_SUPPORT_SCAN_H
#define FRICP_SUPPORT_SCAN_H

#include "fricp/fricp.h"
#include "shape.h"

/** Does a kind consist of scans? */
int scan_kind(scene_kind kind);

/** world_from_sensor of a scene's target; with a pose, of the source whose target_from_source that is. */
fricp_pose scan_pose(const fricp_pose *target_from_source);

/** world_from_sensor at t in [0, 1) of the loop, upright, looking ahead. */
fricp_pose scan_pose_on_path(double t);

/**
 * Fill points and normals (may be NULL) with `count` hits, in the sensor's frame.
 * @param sigma standard deviation of the range.
 * @return NULL, or what is wrong.
 */
const char *scan_draw(const shape *hall, const fricp_pose *world_from_sensor, int dimension, int rings, double sigma,
                      prng g, size_t count, double *points, double *normals);

/** From the frame of sensor `from` to the frame that `to_from_world` leads to. */
void scan_move(const fricp_pose *to_from_world, const fricp_pose *from, double point[3], double normal[3]);

/** Share of the points (target's frame, inliers only, some thousand of them) that the target's sensor sees. */
double scan_overlap(const shape *hall, const double *points, const uint8_t *outlier, size_t count, int dimension);

#endif
