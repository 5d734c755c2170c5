/* SPDX-License-Identifier: BSD-3-Clause */
/* Open motions beside one that is nearly open: a tapered pipe's turn about its axis beside the shift that its taper tells,
 * and the shift along a straight wall in 2-D, where what is far away shows by few points. By theory one motion is open. */
#include "api.h"
#include "prng.h"

#include <math.h>

enum { PIPE = 4000, BEAMS = 720 };

static fricp_cloud pipe_view(double *points, prng *g, double from, double noise) {
  for (size_t i = 0; i < PIPE; i++) {
    const double angle = prng_range(g, 0, 6.283185307179586);
    const double x = prng_range(g, from, from + 5);
    const double radius = 1 + 0.1 * x + noise * prng_normal(g);
    points[3 * i] = x;
    points[3 * i + 1] = radius * cos(angle);
    points[3 * i + 2] = radius * sin(angle);
  }
  return scene_view(points, PIPE, NULL, 3);
}

/* The start is turned about the axis, which is x, alone: it stays so. */
START_TEST(a_tapered_pipe_may_turn) {
  static double points[2][3 * PIPE];
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP_PLANE};
  const double axis[3] = {1, 0, 0};
  for (int seed = 0; seed < UNLESS_SANITIZED(8, 2); seed++)
    for (size_t m = 0; m < COUNT(methods); m++) {
      prng g = prng_seed((uint64_t)seed, 3);
      const double noise = seed % 2 ? 0.005 : 0;
      const fricp_cloud target = pipe_view(points[0], &g, 0, noise);
      const fricp_cloud source = pipe_view(points[1], &g, 1, noise);
      const fricp_pose guess = turn(axis, 5 * (1 + seed), origin, origin);
      const fricp_options options = options_for(methods[m]);
      const fricp_result r = register_or_fail(&source, &target, &guess, &options);
      ck_assert_msg(r.undetermined == 1, "%d, %s: %d open motions", seed, fricp_method_name(methods[m]),
                    r.undetermined);
      ck_assert_double_ge(fabs(r.undetermined_directions[0][0]), 0.98); /* a unit twist */
      ck_assert_double_le(verify_angle_degrees(&r.target_from_source, &guess), 0.2);
      ck_assert(r.verdict != FRICP_VERDICT_RELIABLE);
    }
}
END_TEST

/* A laser at (0, y), turned by `yaw`, before the wall y = 3. */
static fricp_cloud wall_view(double *points, prng *g, double y, double yaw) {
  size_t count = 0;
  for (int i = 0; i < BEAMS; i++) {
    const double angle = 6.283185307179586 * (i + 0.5) / BEAMS;
    const double range = (3 - y) / sin(angle + yaw);
    if (!(range > 0 && range < 20))
      continue;
    const double measured = range + 0.01 * prng_normal(g);
    points[3 * count] = measured * cos(angle);
    points[3 * count + 1] = measured * sin(angle);
    points[3 * count++ + 2] = 0;
  }
  return scene_view(points, count, NULL, 2);
}

START_TEST(a_straight_wall_is_no_place_in_2d) {
  static double points[2][3 * BEAMS];
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP_PLANE};
  const double axis[3] = {0, 0, 1};
  enum { TRIED = UNLESS_SANITIZED(20, 4) };
  for (size_t m = 0; m < COUNT(methods); m++) {
    int told = 0;
    for (int seed = 0; seed < TRIED; seed++) {
      prng g = prng_seed((uint64_t)seed, 4);
      const fricp_cloud target = wall_view(points[0], &g, 0, 0);
      const fricp_cloud source = wall_view(points[1], &g, 0.2, 0.1);
      const double shift[3] = {0.3 + 0.1 * seed, 0.1, 0};
      const fricp_pose guess = turn(axis, 3 + seed % 5, origin, shift);
      const fricp_options options = options_for(methods[m]);
      const fricp_result r = register_or_fail(&source, &target, &guess, &options);
      /* along the wall, whatever turns with it */
      told +=
          r.undetermined == 1 && fabs(r.undetermined_directions[0][3]) > 0.98 && r.verdict != FRICP_VERDICT_RELIABLE;
    }
    ck_assert_int_ge(10 * told, 9 * TRIED); /* normals' errors are drawn, too: of 300 walls 4 in 100 are not told */
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_tapered_pipe_may_turn, a_straight_wall_is_no_place_in_2d};
  return run_suite("taper", tests, COUNT(tests));
}
