/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

#define TWO_PI 6.28318530717958647693

/* Elevations of the beams, in radians: 30 degrees down to 20 up. */
static const double elevation_low = -0.5236, elevation_high = 0.3491;

int scan_kind(scene_kind kind) {
  return kind == SCENE_LIDAR || kind == SCENE_LASER;
}

fricp_pose scan_pose_on_path(double t) {
  static const double up[3] = {0.0, 0.0, 1.0};
  fricp_pose pose;
  double heading;
  hall_path(t, pose.translation, &heading);
  verify_rotation(up, heading * 360.0 / TWO_PI, pose.rotation);
  return pose;
}

fricp_pose scan_pose(const fricp_pose *target_from_source) {
  fricp_pose target = scan_pose_on_path(0.0);
  return target_from_source ? verify_multiply(&target, target_from_source) : target;
}

/* Beam i of n. 2-D: evenly over the turn. Rings: column by column, as a spinning lidar delivers them. */
static void beam(prng *g, int dimension, int rings, size_t i, size_t n, double d[3]) {
  double turn, elevation = 0.0;
  if (dimension == 2) {
    turn = TWO_PI * (double)i / (double)n;
  } else if (rings > 0) {
    size_t r = (size_t)rings, columns = (n + r - 1) / r;
    turn = TWO_PI * (double)(i / r) / (double)columns;
    elevation = elevation_low + (elevation_high - elevation_low) * ((double)(i % r) + 0.5) / (double)rings;
  } else {
    turn = prng_range(g, 0.0, TWO_PI);
    elevation = asin(prng_range(g, sin(elevation_low), sin(elevation_high)));
  }
  d[0] = cos(turn) * cos(elevation);
  d[1] = sin(turn) * cos(elevation);
  d[2] = sin(elevation);
}

const char *scan_draw(const shape *hall, const fricp_pose *world_from_sensor, int dimension, int rings, double sigma,
                      prng g, size_t count, double *points, double *normals) {
  fricp_pose turn = *world_from_sensor, back = verify_inverse(world_from_sensor);
  memset(turn.translation, 0, sizeof turn.translation);
  memset(back.translation, 0, sizeof back.translation);
  if (!shape_is_free(hall, world_from_sensor->translation))
    return "a sensor stands outside the hall or in a box: smaller shift";
  for (size_t i = 0; i < count; ++i) {
    double local[3], world[3];
    const panel *hit;
    beam(&g, dimension, rings, i, count, local);
    verify_apply(&turn, local, world);
    double range = shape_cast(hall, world_from_sensor->translation, world, &hit);
    if (range < 0.0 || !hit) /* a ray exactly through the seam of two panels; the hall is closed */
      return "a ray left the hall";
    range += sigma > 0.0 ? sigma * prng_normal(&g) : 0.0;
    for (int k = 0; k < 3; ++k)
      points[3 * i + (size_t)k] = range * local[k];
    if (normals)
      verify_apply(&back, hit->normal, normals + 3 * i);
  }
  return NULL;
}

void scan_move(const fricp_pose *to_from_world, const fricp_pose *from, double point[3], double normal[3]) {
  fricp_pose pose = verify_multiply(to_from_world, from), turn = pose;
  memset(turn.translation, 0, sizeof turn.translation);
  verify_apply(&pose, point, point);
  verify_apply(&turn, normal, normal);
}

double scan_overlap(const shape *hall, const double *points, const uint8_t *outlier, size_t count, int dimension) {
  fricp_pose world = scan_pose(NULL), turn = world;
  memset(turn.translation, 0, sizeof turn.translation);
  size_t step = count / 4000 + 1, seen = 0, tried = 0;
  for (size_t i = 0; i < count; i += step) {
    const double *p = points + 3 * i;
    const panel *hit;
    double direction[3], range = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    double elevation = asin(p[2] / range);
    if (outlier[i])
      continue;
    ++tried;
    if (dimension == 3 && (elevation < elevation_low || elevation > elevation_high))
      continue;
    verify_apply(&turn, p, direction);
    /* 1: the point itself; noise and rounding move it by far less than 2 % of its range. */
    seen += shape_cast(hall, world.translation, direction, &hit) > 0.98;
  }
  return tried ? (double)seen / (double)tried : 0.0;
}
