/* SPDX-License-Identifier: BSD-3-Clause */
/* exp and log on SE(3) against the matrix power series in long double, and round trips at every angle. */
#include "maths/lapack.h"
#include "maths/se3.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const double angles[] = {1e-12,  1e-9, 1e-6, 1e-4, 0.01, 0.1,       0.4999,
                                0.5001, 1,    2,    3,    3.14, 3.1415926, 3.14159265358};

/* exp of the 4x4 matrix [delta^ u; 0 0] by its power series. |delta| <= pi: 60 terms leave less than 1e-50, and the
 * largest term, pi^3 / 3!, costs a digit of the 19. */
static void series_exp(const fr_twist *x, long double out[4][4]) {
  const double *d = x->v;
  const long double a[4][4] = {{0, -d[2], d[1], d[3]}, {d[2], 0, -d[0], d[4]}, {-d[1], d[0], 0, d[5]}, {0, 0, 0, 0}};
  long double term[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  memcpy(out, term, sizeof term);
  for (int k = 1; k < 60; k++) {
    long double next[4][4];
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        next[i][j] = 0;
        for (int l = 0; l < 4; l++)
          next[i][j] += term[i][l] * a[l][j] / k;
        out[i][j] += next[i][j];
      }
    memcpy(term, next, sizeof term);
  }
}

static fr_twist random_twist(prng *g, double angle, double length) {
  fr_twist x;
  prng_direction(g, x.v);
  prng_direction(g, x.v + 3);
  for (int i = 0; i < 3; i++) {
    x.v[i] *= angle;
    x.v[3 + i] *= length;
  }
  return x;
}

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

START_TEST(exp_is_the_power_series) {
  prng g = prng_seed(1, 0);
  for (size_t k = 0; k < COUNT(angles); k++)
    for (int trial = 0; trial < 200; trial++) {
      const double length = pow(10, prng_range(&g, -6, 6));
      const fr_twist x = random_twist(&g, angles[k], length);
      long double expected[4][4];
      series_exp(&x, expected);
      const fricp_pose pose = fr_exp(&x);
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
          ck_assert_double_le(fabs((double)(pose.rotation[i][j] - expected[i][j])), 1e-15);
        ck_assert_double_le(fabs((double)(pose.translation[i] - expected[i][3])), 2e-15 * length);
      }
      ck_assert_double_le(verify_orthonormality(&pose), 1e-15 * 2);
    }
}
END_TEST

/* Relative to the angle: a turn of 1e-12 comes back with its digits. */
START_TEST(log_undoes_exp) {
  prng g = prng_seed(2, 0);
  for (size_t k = 0; k < COUNT(angles); k++)
    for (int trial = 0; trial < 500; trial++) {
      const double length = pow(10, prng_range(&g, -6, 6));
      const fr_twist x = random_twist(&g, angles[k], length);
      const fricp_pose pose = fr_exp(&x);
      const fr_twist y = fr_log(&pose);
      ck_assert_double_le(distance(x.v, y.v, 3), 4e-15 * angles[k]);
      ck_assert_double_le(distance(x.v + 3, y.v + 3, 3), 1e-14 * length);
    }
}
END_TEST

START_TEST(exp_undoes_log) {
  prng g = prng_seed(3, 0);
  for (int trial = 0; trial < 2000; trial++) {
    double axis[3];
    fricp_pose pose;
    prng_direction(&g, axis);
    verify_rotation(axis, prng_range(&g, -180, 180), pose.rotation);
    for (int i = 0; i < 3; i++)
      pose.translation[i] = prng_range(&g, -10, 10);
    const fr_twist x = fr_log(&pose);
    ck_assert_double_le(distance(x.v, (const double[3]){0, 0, 0}, 3), pi * (1 + 1e-15));
    const fricp_pose again = fr_exp(&x);
    ck_assert_double_le(verify_max_difference(&pose, &again), 2e-14);
  }
}
END_TEST

/* R = 2 a a^T - I: half a turn, where the skew part says nothing. */
START_TEST(half_a_turn) {
  prng g = prng_seed(4, 0);
  for (int trial = 0; trial < 500; trial++) {
    double a[3] = {trial == 0, trial == 1, trial == 2};
    if (trial > 2)
      prng_direction(&g, a);
    fricp_pose pose;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        pose.rotation[i][j] = 2 * a[i] * a[j] - (i == j);
      pose.translation[i] = prng_range(&g, -1, 1);
    }
    const fr_twist x = fr_log(&pose);
    const double sign = x.v[0] * a[0] + x.v[1] * a[1] + x.v[2] * a[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
      ck_assert_double_le(fabs(x.v[i] - sign * pi * a[i]), 2e-15 * pi);
    const fricp_pose again = fr_exp(&x);
    ck_assert_double_le(verify_max_difference(&pose, &again), 4e-15);
  }
}
END_TEST

START_TEST(identity_and_pure_shift) {
  const fr_twist zero = {{0, 0, 0, 0, 0, 0}};
  const fricp_pose identity = fricp_pose_identity();
  const fricp_pose pose = fr_exp(&zero);
  ck_assert(verify_same_bits(&pose, &identity));
  const fr_twist back = fr_log(&identity);
  ck_assert_mem_eq(&back, &zero, sizeof zero);
  const fr_twist shift = {{0, 0, 0, 3, -4, 5}};
  const fricp_pose moved = fr_exp(&shift);
  const fr_twist again = fr_log(&moved);
  for (int i = 0; i < 3; i++)
    ck_assert_double_eq(moved.translation[i], shift.v[3 + i]);
  ck_assert_double_eq(distance(again.v, shift.v, 6), 0);
}
END_TEST

/* SE(2): the closed form t = V u with V = [sin, cos - 1; 1 - cos, sin] / theta; nothing leaves the plane. */
START_TEST(plane_motions_stay_in_the_plane) {
  prng g = prng_seed(5, 0);
  for (size_t k = 0; k < COUNT(angles); k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const long double t = (long double)(sign * angles[k]);
      const fr_twist x = {{0, 0, sign * angles[k], prng_range(&g, -1, 1), prng_range(&g, -1, 1), 0}};
      const fricp_pose pose = fr_exp(&x);
      const long double s = sinl(t) / t;
      const long double c = 2 * sinl(t / 2) * sinl(t / 2) / t;
      const double expected[2] = {(double)(s * x.v[3] - c * x.v[4]), (double)(c * x.v[3] + s * x.v[4])};
      ck_assert_double_le(distance(pose.translation, expected, 2), 1e-15);
      ck_assert_double_eq(pose.translation[2], 0);
      ck_assert_double_eq(pose.rotation[2][2], 1);
      const double off[4] = {pose.rotation[0][2], pose.rotation[1][2], pose.rotation[2][0], pose.rotation[2][1]};
      ck_assert_double_eq(distance(off, (const double[4]){0, 0, 0, 0}, 4), 0);
      const fr_twist y = fr_log(&pose);
      ck_assert(y.v[0] == 0 && y.v[1] == 0 && y.v[5] == 0);
      ck_assert_double_le(fabs(y.v[2] - x.v[2]), 4e-15 * angles[k]);
      ck_assert_double_le(distance(y.v + 3, x.v + 3, 2), 1e-14);
    }
}
END_TEST

/* The nearest rotation R of m is its polar factor: R^T m is symmetric and positive definite, and no other is. */
START_TEST(nearest_rotation_is_the_polar_factor) {
  prng g = prng_seed(6, 0);
  for (int trial = 0; trial < 2000; trial++) {
    double m[3][3];
    double r[3][3];
    double axis[3];
    prng_direction(&g, axis);
    verify_rotation(axis, prng_range(&g, 0, 180), m);
    const double size = pow(10, prng_range(&g, -8, 0)) * 0.3;
    for (int i = 0; i < 9; i++)
      m[i / 3][i % 3] += size * prng_range(&g, -1, 1);
    memcpy(r, m, sizeof r);
    const double moved = fr_nearest_rotation(r);
    double p[9];
    double difference = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        p[i + 3 * j] = r[0][i] * m[0][j] + r[1][i] * m[1][j] + r[2][i] * m[2][j];
        difference += (r[i][j] - m[i][j]) * (r[i][j] - m[i][j]);
      }
    ck_assert_double_le(fabs(p[1] - p[3]) + fabs(p[2] - p[6]) + fabs(p[5] - p[7]), 3e-14);
    double w[3];
    ck_assert_int_eq(fr_symmetric_eigen(3, p, w), 0);
    ck_assert_double_gt(w[0], 0);
    ck_assert_double_le(fabs(moved - sqrt(difference)), 1e-15);
    fricp_pose pose = fricp_pose_identity();
    memcpy(pose.rotation, r, sizeof r);
    ck_assert_double_le(verify_orthonormality(&pose), 4e-15);
  }
}
END_TEST

START_TEST(mirrored_and_broken_matrices_are_refused) {
  double mirrored[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  double zero[3][3] = {{0}};
  double flat[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  double nan[3][3] = {{1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
  double infinite[3][3] = {{INFINITY, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ck_assert_double_lt(fr_nearest_rotation(mirrored), 0);
  ck_assert_double_lt(fr_nearest_rotation(zero), 0);
  ck_assert_double_lt(fr_nearest_rotation(flat), 0);
  ck_assert_double_lt(fr_nearest_rotation(nan), 0);
  ck_assert_double_lt(fr_nearest_rotation(infinite), 0);
  double scaled[3][3] = {{0, -2, 0}, {2, 0, 0}, {0, 0, 2}};
  ck_assert_double_le(fabs(fr_nearest_rotation(scaled) - sqrt(3.0)), 1e-15 * 4); /* |2 R - R| = |R| */
  ck_assert_double_le(fabs(scaled[1][0] - 1) + fabs(scaled[0][1] + 1) + fabs(scaled[2][2] - 1), 1e-15);
}
END_TEST

/* A product of 100,000 random rotations drifts; one step a product keeps it to rounding. */
START_TEST(drift_is_undone) {
  prng g = prng_seed(7, 0);
  fricp_pose pose = fricp_pose_identity();
  for (int i = 0; i < 100000; i++) {
    const fr_twist x = random_twist(&g, prng_range(&g, 0, 3), 0);
    const fricp_pose step = fr_exp(&x);
    pose = fricp_pose_multiply(&step, &pose);
    fr_reorthonormalize(pose.rotation);
  }
  ck_assert_double_le(verify_orthonormality(&pose), 2e-15);
  for (int i = 0; i < 9; i++)
    pose.rotation[i / 3][i % 3] += 1e-8 * prng_range(&g, -1, 1);
  fr_reorthonormalize(pose.rotation); /* Newton: the error 1e-8 is squared */
  ck_assert_double_le(verify_orthonormality(&pose), 3e-15);
}
END_TEST

START_TEST(pose_algebra_agrees_with_the_judge) {
  prng g = prng_seed(8, 0);
  for (int trial = 0; trial < 500; trial++) {
    const fr_twist x = random_twist(&g, prng_range(&g, 0, 3.1), 2);
    const double angle = pow(10, prng_range(&g, -12, 0.49));
    const fr_twist y = random_twist(&g, angle, 3);
    const fricp_pose a = fr_exp(&x);
    const fricp_pose b = fr_exp(&y);
    const fricp_pose ab = fricp_pose_multiply(&a, &b);
    const fricp_pose expected = verify_multiply(&a, &b);
    ck_assert_double_le(verify_max_difference(&ab, &expected), 1e-14);
    const fricp_pose back = fricp_pose_inverse(&ab);
    const fricp_pose unit = verify_multiply(&back, &ab);
    const fricp_pose identity = fricp_pose_identity();
    ck_assert_double_le(verify_max_difference(&unit, &identity), 2e-14);
    const double p[3] = {1, -2, 3};
    double moved[3];
    double judged[3];
    fr_apply(&ab, p, moved);
    verify_apply(&ab, p, judged);
    ck_assert_double_le(distance(moved, judged, 3), 1e-14);
    ck_assert_double_le(fabs(fr_pose_angle(&ab, &a) - angle), 4e-15);
    fricp_pose shifted = a;
    shifted.translation[1] += 0.5;
    ck_assert_double_le(fabs(fr_pose_distance(&shifted, &a) - 0.5), 1e-14);
    /* |R - I| = 2 sqrt 2 sin(angle / 2) */
    fricp_pose turned = b;
    memset(turned.translation, 0, sizeof turned.translation);
    ck_assert_double_le(fabs(fr_pose_distance(&turned, &identity) - 2 * sqrt(2.0) * sin(angle / 2)), 4e-15);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {exp_is_the_power_series,
                                log_undoes_exp,
                                exp_undoes_log,
                                half_a_turn,
                                identity_and_pure_shift,
                                plane_motions_stay_in_the_plane,
                                nearest_rotation_is_the_polar_factor,
                                mirrored_and_broken_matrices_are_refused,
                                drift_is_undone,
                                pose_algebra_agrees_with_the_judge};
  return run_suite("se3", tests, COUNT(tests));
}
