/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, poses and options of any kind, to call the library with. */
#include "attack.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int below(attack *a, int n) {
  return (int)prng_below(&a->random, (uint64_t)n);
}

int chance(attack *a, int percent) {
  return below(a, 100) < percent;
}

double any_scale(attack *a) {
  static const double scales[] = {5e-324, 1e-310, 1e-200, 1e-100, 1e-38, 1e-20,  1e-6,   1e-3,  1,
                                  1e3,    1e7,    1e20,   1e38,   1e76,  1e100,  1e149,  9e149, 1e150,
                                  1e151,  1e200,  1e300,  1e308,  1e-45, 1e-150, 1e-160, 1e-75, 3e38};
  return chance(a, a->wild) ? scales[below(a, COUNT(scales))] : 1;
}

double any_number(attack *a) {
  static const double numbers[] = {0,     -0.0,  5e-324, 1e-300, 1e-160, 1e-38,    1e-12,     1e-3,    0.5, 1,
                                   3,     10,    1e7,    1e30,   1e150,  1e155,    1e200,     DBL_MAX, -1,  -1e-300,
                                   1e308, 1e-20, 1e-6,   100,    1e4,    INFINITY, -INFINITY, NAN};
  return numbers[below(a, COUNT(numbers) - (chance(a, 90) ? 5 : 0))];
}

int32_t any_integer(attack *a) {
  static const int32_t integers[] = {0, 1, 2, 3, 4, 5, 6, 8, 16, 17, 30, 40, 100, 1000, -1, -2, INT32_MAX, INT32_MIN};
  return integers[below(a, COUNT(integers))];
}

/* A coordinate that is no ordinary one. */
double odd_coordinate(attack *a) {
  static const double odd[] = {NAN,      INFINITY, -INFINITY, -0.0,    5e-324, -5e-324, DBL_MAX,
                               -DBL_MAX, 1e150,    9.99e149,  DBL_MIN, 1e-200, 1e38,    1e7};
  return odd[below(a, COUNT(odd))];
}

/* A turn about an axis with a shift; now and then only almost, mirrored, not finite. */
fricp_pose any_pose(attack *a, double scale) {
  fricp_pose pose = fricp_pose_identity();
  double axis[3];
  prng_direction(&a->random, axis);
  const double angle = prng_normal(&a->random) * (chance(a, 30) ? 3 : 0.05);
  const double c = cos(angle);
  const double s = sin(angle);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      pose.rotation[i][j] = (1 - c) * axis[i] * axis[j] + (i == j ? c : 0);
    pose.rotation[i][(i + 1) % 3] -= s * axis[(i + 2) % 3];
    pose.rotation[i][(i + 2) % 3] += s * axis[(i + 1) % 3];
    pose.translation[i] = scale * prng_normal(&a->random);
  }
  if (!chance(a, a->wild))
    return pose;
  switch (below(a, 5)) {
  case 0:
    pose.rotation[below(a, 3)][below(a, 3)] += 1e-4 * prng_normal(&a->random);
    break;
  case 1:
    pose.rotation[0][0] = odd_coordinate(a);
    break;
  case 2:
    pose.translation[below(a, 3)] = odd_coordinate(a);
    break;
  case 3:
    for (int j = 0; j < 3; j++)
      pose.rotation[2][j] = -pose.rotation[2][j];
    break;
  default:
    pose.translation[below(a, 3)] = any_scale(a);
    break;
  }
  return pose;
}

static double any_length(attack *a, double scale) {
  return chance(a, 50) ? scale * any_number(a) : any_number(a);
}

static void couple(attack *a, double information[6][6]) {
  double root[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      root[i][j] = sqrt(information[i][i]) * prng_normal(&a->random);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      information[i][j] = 0;
      for (int k = 0; k < 6; k++)
        information[i][j] += root[i][k] * root[j][k];
    }
}

/* Valid until the next one. */
static const fricp_prior *any_prior(attack *a, double scale) {
  static fricp_prior prior;
  static fricp_pose pose;
  const fricp_prior none = FRICP_PRIOR_INIT;
  prior = none;
  for (int k = 0; k < 6; k++) {
    const double sigma = any_length(a, k < 3 ? 1 : scale);
    prior.information[k][k] = chance(a, 70) ? 1 / (sigma * sigma) : 0;
    if (chance(a, 1))
      prior.information[k][below(a, 6)] = any_number(a);
  }
  if (chance(a, 30))
    couple(a, prior.information);
  for (int k = 0; k < 3 && chance(a, 50); k++)
    prior.center[k] = any_length(a, scale);
  pose = any_pose(a, scale);
  prior.pose = chance(a, 40) ? &pose : NULL;
  if (a->shown)
    for (int k = 0; k < 6; k++)
      printf("prior: information[%d][%d] %g\n", k, k, prior.information[k][k]);
  if (a->shown)
    printf("prior: center %g %g %g%s\n", prior.center[0], prior.center[1], prior.center[2],
           prior.pose ? ", a pose of its own" : "");
  return &prior;
}

/* A method of its parts; many do not go together, which is to be said. */
static void combine(attack *a, fricp_options *o) {
  if (chance(a, 15))
    o->metric = 1 + below(a, 3);
  if (chance(a, 20))
    o->kernel = 1 + below(a, 8);
  if (chance(a, 10))
    o->acceleration = 1 + below(a, 2);
  if (o->kernel >= FRICP_KERNEL_LP ? chance(a, 50) : chance(a, 2))
    o->kernel_shape = chance(a, 70) ? prng_uniform(&a->random) : any_number(a);
  o->fixed_width = chance(a, 10);
  if (chance(a, 12))
    o->max_normal_angle = chance(a, 80) ? prng_range(&a->random, 0, 1.57) : any_number(a);
  if (chance(a, 1)) {
    int32_t *field[] = {&o->metric, &o->kernel, &o->acceleration, &o->fixed_width, &o->reserved};
    *field[below(a, COUNT(field))] = any_integer(a);
  }
}

/* The same. */
static const double *any_sensor(attack *a, double scale, double sensor[3]) {
  for (int k = 0; k < 3; k++)
    sensor[k] = chance(a, 2) ? any_number(a) : (chance(a, 50) ? -1 : 1) * any_length(a, scale);
  if (a->shown)
    printf("a sensor at %g %g %g\n", sensor[0], sensor[1], sensor[2]);
  return sensor;
}

static const fricp_pose *any_frame(attack *a, double scale) {
  static fricp_pose frame;
  frame = any_pose(a, scale);
  return chance(a, 50) ? &frame : NULL;
}

fricp_options any_options(attack *a, double scale) {
  static double sensors[2][3];
  fricp_options o = FRICP_OPTIONS_INIT;
  const int some = a->wild / 3 + 3; /* percent of the fields that are set */
  o.method = below(a, 11);
  combine(a, &o);
  o.threads = chance(a, 95) ? 1 : any_integer(a);
  o.start = chance(a, 15);
  o.full_resolution = chance(a, 10);
  o.reciprocal = chance(a, 8);
  o.starts = chance(a, 15) ? below(a, 8) : 0;
  if (chance(a, some / 3))
    o.starts = any_integer(a);
  o.locked = chance(a, 15) ? below(a, 63) : 0;
  if (chance(a, some / 3))
    o.locked = any_integer(a);
  o.motion_frame = any_frame(a, scale);
  if (chance(a, 10))
    o.prior = any_prior(a, scale);
  o.max_iterations = chance(a, 40) ? 1 + below(a, 20) : 0;
  if (chance(a, some))
    o.max_distance = any_length(a, scale);
  if (chance(a, some))
    o.nu_start_factor = any_number(a);
  if (chance(a, some))
    o.nu_end_factor = any_number(a);
  if (chance(a, some))
    o.translation_epsilon = any_length(a, scale);
  if (chance(a, some))
    o.rotation_epsilon = any_number(a);
  if (chance(a, some))
    o.fitness_epsilon = any_number(a);
  if (chance(a, some))
    o.inlier_distance = any_length(a, scale);
  if (chance(a, some / 3))
    o.time_limit = any_number(a);
  if (chance(a, some / 3))
    o.anderson_history = any_integer(a);
  if (chance(a, 1))
    *(chance(a, 50) ? &o.method : &o.start) = any_integer(a);
  if (chance(a, 20))
    o.source_sensor = any_sensor(a, scale, sensors[0]);
  if (chance(a, 20))
    o.target_sensor = any_sensor(a, scale, sensors[1]);
  if (a->shown)
    printf("options: method %d start %d max_iterations %d history %d threads %d full %d reciprocal %d starts %d locked "
           "%d\n"
           "  metric %d kernel %d acceleration %d shape %g angle %g fixed %d%s\n"
           "  max_distance %g nu %g %g epsilons %g %g %g inlier_distance %g time_limit %g\n",
           o.method, o.start, o.max_iterations, o.anderson_history, o.threads, o.full_resolution, o.reciprocal,
           o.starts, o.locked, o.metric, o.kernel, o.acceleration, o.kernel_shape, o.max_normal_angle, o.fixed_width,
           o.motion_frame ? " frame" : "", o.max_distance, o.nu_start_factor, o.nu_end_factor, o.translation_epsilon,
           o.rotation_epsilon, o.fitness_epsilon, o.inlier_distance, o.time_limit);
  return o;
}

fricp_target_options any_target_options(attack *a) {
  static hooks h;
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.threads = 1;
  o.given_normals_only = chance(a, 50);
  o.normal_neighbors = chance(a, 80) ? 0 : 3 + below(a, 20);
  o.search_type = below(a, 4);
  if (chance(a, 2))
    o.normal_neighbors = any_integer(a);
  if (chance(a, 1))
    o.search_type = any_integer(a);
  if (chance(a, 2))
    o.threads = any_integer(a);
  if (chance(a, 2))
    o.time_limit = any_number(a);
  if (chance(a, 10)) {
    memset(&h, 0, sizeof h);
    h.left = chance(a, 40) ? 1 + below(a, 3) : 0;
    o.progress = watch;
    o.progress_context = &h;
  }
  return o;
}
