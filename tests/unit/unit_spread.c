/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations to start from: proper, distinct, and so many that none is far from all of them. */
#include "align/spread.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>

#define DEGREES (180 / 3.14159265358979323846)

static const double center[3] = {0.3, -0.2, 0.5};

static fricp_pose some_start(int dimension) {
  const double axis[3] = {dimension == 2 ? 0 : 1, dimension == 2 ? 0 : -2, 0.5};
  const double shift[3] = {4, -5, dimension == 2 ? 0 : 6};
  return verify_pose(axis, 33, shift);
}

/* A rigid motion that leaves the centre where the start takes it. */
static void check_motion(const fricp_pose *pose, const fricp_pose *start) {
  ck_assert_double_le(verify_orthonormality(pose), 1e-13);
  ck_assert_double_le(verify_error_at(pose, start, center), 1e-13);
}

enum { STARTS = 48, PROBES = 5000, DRAWS = 20 };

/* A uniform rotation is a unit quaternion with four normal components. */
static fricp_pose any_rotation(prng *g) {
  const double q[4] = {prng_normal(g), prng_normal(g), prng_normal(g), prng_normal(g)};
  return verify_pose(q + 1, 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q[0]) * DEGREES, center);
}

/* How far the farthest of many rotations lies from the nearest of these, in degrees. */
static double cover_of(const fricp_pose *all) {
  prng g = prng_seed(1, 0);
  double farthest = 0;
  for (int t = 0; t < PROBES; t++) {
    const fricp_pose probe = any_rotation(&g);
    double nearest = 180;
    for (int i = 0; i < STARTS; i++)
      nearest = fmin(nearest, verify_angle_degrees(&all[i], &probe));
    farthest = fmax(farthest, nearest);
  }
  return farthest;
}

/* 47 rotations and the start itself leave none farther than the twelve turns of a tetrahedron do, whose covering radius is 90
 * degrees (that of the 24-cell, 45, doubled), and cover better than the best of some random draws of 48. */
START_TEST(all_rotations_are_covered) {
  const fricp_pose start = some_start(3);
  fricp_pose all[STARTS] = {start};
  for (int i = 1; i < STARTS; i++) {
    all[i] = fr_spread_rotation(i - 1, STARTS - 1, NULL, &start, center);
    check_motion(&all[i], &start);
  }
  const double cover = cover_of(all);
  double random = 180;
  prng g = prng_seed(2, 0);
  for (int k = 0; k < DRAWS; k++) {
    for (int i = 0; i < STARTS; i++)
      all[i] = any_rotation(&g);
    random = fmin(random, cover_of(all));
  }
  if (!(cover <= 90 && cover < 0.95 * random))
    ck_abort_msg("a rotation lies %g degrees from all, by chance %g", cover, random);
}
END_TEST

/* However many: each as far from the others as they are many. A ball of angle a is (a - sin a) / pi of all rotations, about
 * a^3 / 19; distinct ones are at least a quarter of the radius apart that gives each its n-th part. */
START_TEST(any_number_is_spread) {
  static const int counts[] = {1, 2, 5, 11, 199, 999};
  const fricp_pose start = some_start(3);
  static fricp_pose all[999];
  for (size_t c = 0; c < COUNT(counts); c++) {
    const int n = counts[c];
    const double apart = 0.25 * cbrt(19.0 / n) * DEGREES;
    for (int i = 0; i < n; i++) {
      all[i] = fr_spread_rotation(i, n, NULL, &start, center);
      check_motion(&all[i], &start);
      for (int k = 0; k < i; k++)
        if (!(verify_angle_degrees(&all[i], &all[k]) >= apart))
          ck_abort_msg("%d of them: %d and %d are %g degrees apart, not %g", n, i, k,
                       verify_angle_degrees(&all[i], &all[k]), apart);
    }
  }
}
END_TEST

/* 45 degrees about the corners of an icosahedron, which lie 63.43 degrees (atan 2) apart: two turns t about axes u, v are
 * 2 acos(cos^2(t/2) + sin^2(t/2) u.v) apart. */
START_TEST(nearby_ones) {
  const fricp_pose start = some_start(3);
  fricp_pose all[FR_NEARBY];
  const double half = 22.5 / DEGREES;
  const double least = 2 * acos(cos(half) * cos(half) + sin(half) * sin(half) / sqrt(5)) * DEGREES;
  for (int i = 0; i < FR_NEARBY; i++) {
    double nearest = 180;
    all[i] = fr_nearby_rotation(i, NULL, &start, center);
    check_motion(&all[i], &start);
    ck_assert_double_eq_tol(verify_angle_degrees(&all[i], &start), 45, 1e-9);
    for (int k = 0; k < i; k++)
      nearest = fmin(nearest, verify_angle_degrees(&all[i], &all[k]));
    ck_assert_double_ge(nearest, least - 1e-9);
  }
}
END_TEST

/* In the plane: equal parts of a turn, z untouched, the start itself being one of them. */
static const double z_axis[3] = {0, 0, 1};

START_TEST(in_the_plane) {
  static const int counts[] = {1, 3, 47};
  const fricp_pose start = some_start(2);
  for (size_t c = 0; c <= COUNT(counts); c++) {
    const int nearby = c == COUNT(counts);
    const int n = nearby ? FR_NEARBY : counts[c];
    for (int i = 0; i < n; i++) {
      const fricp_pose pose =
          nearby ? fr_nearby_rotation(i, z_axis, &start, center) : fr_spread_rotation(i, n, z_axis, &start, center);
      const fricp_pose back = verify_inverse(&start);
      const fricp_pose turn = verify_multiply(&pose, &back);
      const double expected = 360.0 * (i + 1) / (n + 1);
      check_motion(&pose, &start);
      ck_assert_double_eq_tol(verify_angle_degrees(&turn, &(fricp_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0}}),
                              fmin(expected, 360 - expected), 1e-9);
      ck_assert(pose.rotation[2][2] == 1 && pose.rotation[2][0] == 0 && pose.rotation[0][2] == 0);
      ck_assert_double_eq(pose.translation[2], 0);
    }
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {all_rotations_are_covered, any_number_is_spread, nearby_ones, in_the_plane};
  return run_suite("spread", tests, COUNT(tests));
}
