/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds for the samples, with exact truth: hilly ground seen in two patches that overlap in part. Not part of the
   library: in your program the points come from a sensor or a file. */
#ifndef SAMPLES_CLOUDS_H
#define SAMPLES_CLOUDS_H

#include <fricp/fricp.h>

#include <math.h>
#include <stdint.h>

/* Uniform in [0, 1): a linear congruential generator, so that every machine makes the same clouds. */
static inline double clouds_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static inline double clouds_height(double x, double y) {
  return 0.12 * sin(4.1 * x + 0.7) * cos(3.3 * y) + 0.07 * sin(7.3 * y + 2.9 * x) + 0.04 * cos(11.0 * x - 5.0 * y);
}

/* A pose from an angle about an axis through the origin, in degrees, and a translation. */
static inline fricp_pose clouds_pose(double degrees, double ax, double ay, double az, double tx, double ty, double tz) {
  const double a = degrees * 3.14159265358979323846 / 180.0, c = cos(a), s = sin(a), d = 1.0 - c;
  const double n = sqrt(ax * ax + ay * ay + az * az), x = ax / n, y = ay / n, z = az / n;
  const fricp_pose pose = {{{c + d * x * x, d * x * y - s * z, d * x * z + s * y},
                            {d * x * y + s * z, c + d * y * y, d * y * z - s * x},
                            {d * x * z - s * y, d * y * z + s * x, c + d * z * z}},
                           {tx, ty, tz}};
  return pose;
}

/*
 * n points of the ground over [x0, x0 + 1] x [0, 1], as a sensor sees them whose pose in the ground's frame is
 * ground_from_sensor. A share of outliers floats in the air. noise: half the width of a uniform error on the height.
 */
static inline void clouds_scan(float *xyz, size_t n, double x0, const fricp_pose *ground_from_sensor, double noise,
                               double outliers, uint64_t seed) {
  const fricp_pose sensor_from_ground = fricp_pose_inverse(ground_from_sensor);
  uint64_t state = seed;
  for (size_t i = 0; i < n; ++i) {
    const double x = x0 + clouds_random(&state), y = clouds_random(&state);
    const double error = noise * (2.0 * clouds_random(&state) - 1.0);
    const double air = clouds_random(&state) < outliers ? clouds_random(&state) : 0.0;
    const double p[3] = {x, y, clouds_height(x, y) + error + air};
    for (int r = 0; r < 3; ++r) {
      double q = sensor_from_ground.translation[r];
      for (int c = 0; c < 3; ++c)
        q += sensor_from_ground.rotation[r][c] * p[c];
      xyz[3 * i + (size_t)r] = (float)q;
    }
  }
}

/* How far apart two poses are: the angle between them in degrees, and the distance that they put point p apart. */
static inline void clouds_compare(const fricp_pose *a, const fricp_pose *b, const double p[3], double *degrees,
                                  double *distance) {
  double chord = 0.0, shift = 0.0;
  for (int r = 0; r < 3; ++r) {
    double d = a->translation[r] - b->translation[r];
    for (int c = 0; c < 3; ++c) {
      const double e = a->rotation[r][c] - b->rotation[r][c];
      chord += e * e;
      d += e * p[c];
    }
    shift += d * d;
  }
  *degrees = 2.0 * asin(fmin(1.0, sqrt(chord / 8.0))) * 180.0 / 3.14159265358979323846;
  *distance = sqrt(shift);
}

/* A view of densely packed floats. */
static inline fricp_cloud clouds_view(const float *xyz, size_t n) {
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = xyz;
  cloud.count = n;
  cloud.scalar_type = FRICP_SCALAR_FLOAT;
  return cloud;
}

#endif /* SAMPLES_CLOUDS_H */
