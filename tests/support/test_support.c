/* SPDX-License-Identifier: BSD-3-Clause */
/* The helpers that judge everything else, judged: poses, random numbers, files. Scenes: test_scenes. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "cases.h"
#include "ply.h"
#include "prng.h"
#include "suite.h"
#include "text.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fricp_pose turn_about(double x, double y, double z, double degrees) {
  const double axis[3] = {x, y, z};
  return verify_pose(axis, degrees, NULL);
}

/* The angle put in comes out, from far below where an arc cosine sees anything up to a half turn. */
START_TEST(angle_is_measured_at_every_size) {
  static const double angles[] = {0.0, 1e-12, 1e-9, 1e-5, 0.01, 0.08, 1.0, 45.0, 90.0, 179.0, 179.99999, 180.0};
  for (size_t i = 0; i < sizeof angles / sizeof angles[0]; ++i) {
    fricp_pose a = turn_about(0.3, -0.5, 0.7, 33.0), step = turn_about(-1.0, 2.0, 0.4, angles[i]);
    fricp_pose b = verify_multiply(&step, &a);
    ck_assert_double_eq_tol(verify_angle_degrees(&b, &a), angles[i], 5e-14 + 1e-15 * angles[i]);
    ck_assert_double_le(verify_orthonormality(&b), 1e-14);
  }
}
END_TEST

START_TEST(pose_algebra) {
  fricp_pose a = turn_about(1, 2, 3, 50.0), b = turn_about(-2, 1, 0.5, 170.0);
  for (int k = 0; k < 3; ++k) {
    a.translation[k] = k - 1.5;
    b.translation[k] = 0.3 * k;
  }
  fricp_pose ab = verify_multiply(&a, &b), inverse = verify_inverse(&ab), unit = verify_multiply(&inverse, &ab);
  fricp_pose identity = turn_about(0, 0, 1, 0.0);
  ck_assert_double_le(verify_max_difference(&unit, &identity), 1e-15 * 10);
  const double p[3] = {0.7, -0.2, 4.0};
  double step[3], at_once[3];
  verify_apply(&b, p, step);
  verify_apply(&a, step, step);
  verify_apply(&ab, p, at_once);
  for (int k = 0; k < 3; ++k)
    ck_assert_double_eq_tol(step[k], at_once[k], 1e-14);
}
END_TEST

/* A pure shift d gives |d|; a turn by t about the centroid of two points at distance r gives 2 r sin(t / 2). */
START_TEST(rmse_of_known_errors) {
  const double points[9] = {1e7 - 3.0, 5.0, 0.0, 1e7 + 3.0, 5.0, 0.0, NAN, 0.0, 0.0};
  fricp_pose identity = turn_about(0, 0, 1, 0.0), shifted = identity, turned = turn_about(0, 0, 1, 2.0);
  shifted.translation[0] = 0.3;
  shifted.translation[1] = -0.4;
  ck_assert_double_eq_tol(verify_rmse(&shifted, &identity, points, 3), 0.5, 1e-15);
  const double centre[3] = {1e7, 5.0, 0.0};
  double moved[3];
  verify_apply(&turned, centre, moved);
  for (int k = 0; k < 3; ++k)
    turned.translation[k] = centre[k] - moved[k];
  /* The translation itself rounds at 1e7 x 1e-16. */
  ck_assert_double_eq_tol(verify_rmse(&turned, &identity, points, 3), 6.0 * sin(acos(-1.0) / 180.0), 1e-8);
  ck_assert_double_eq_tol(verify_error_at(&turned, &identity, centre), 0.0, 1e-8);
}
END_TEST

/* A turn by t about the axis u through c, then a shift v: by Rodrigues' formula a is sin(t) u. */
START_TEST(twist_of_a_known_motion) {
  const double c[3] = {3.0, -2.0, 0.5}, u[3] = {0.6, 0.0, 0.8}, v[3] = {0.01, -0.02, 0.03};
  const fricp_pose from = turn_about(1, 2, 3, 40.0);
  fricp_pose motion = turn_about(u[0], u[1], u[2], 2.0);
  double turned[3], x[6];
  verify_apply(&motion, c, turned);
  for (int k = 0; k < 3; ++k)
    motion.translation[k] = c[k] - turned[k] + v[k];
  const fricp_pose to = verify_multiply(&motion, &from);
  verify_twist(&from, &to, c, x);
  for (int k = 0; k < 3; ++k) {
    ck_assert_double_eq_tol(x[k], sin(acos(-1.0) / 90.0) * u[k], 1e-14);
    ck_assert_double_eq_tol(x[3 + k], v[k], 1e-14);
  }
}
END_TEST

START_TEST(orthonormality_sees_faults) {
  fricp_pose good = turn_about(1, 1, 1, 77.0), mirrored = good, scaled = good, broken = good;
  for (int i = 0; i < 3; ++i) {
    mirrored.rotation[i][0] = -mirrored.rotation[i][0];
    scaled.rotation[i][1] *= 1.001;
  }
  broken.rotation[1][2] = NAN;
  ck_assert_double_le(verify_orthonormality(&good), 1e-15 * 5);
  ck_assert_double_eq_tol(verify_orthonormality(&mirrored), 2.0, 1e-14);
  ck_assert_double_ge(verify_orthonormality(&scaled), 1e-3);
  ck_assert(!(verify_orthonormality(&broken) <= 1.0));
  ck_assert(!verify_finite(&broken) && !(verify_max_difference(&good, &broken) <= 1e9));
}
END_TEST

/* Mean 0, variance 1, fourth moment 3; bounds are five standard errors of each for 200 thousand draws. */
START_TEST(random_numbers) {
  enum { N = 200000 };
  prng g = prng_seed(7, 1), same = prng_seed(7, 1), other = prng_seed(7, 2);
  double uniform = 0.0, sum = 0.0, square = 0.0, fourth = 0.0, resultant[3] = {0, 0, 0};
  ck_assert_uint_eq(prng_bits(&g), prng_bits(&same));
  ck_assert_uint_ne(prng_bits(&g), prng_bits(&other));
  for (int i = 0; i < N; ++i) {
    double x = prng_normal(&g), u = prng_uniform(&g), d[3];
    ck_assert(u >= 0.0 && u < 1.0);
    ck_assert_uint_lt(prng_below(&g, 3), 3);
    prng_direction(&g, d);
    ck_assert_double_eq_tol(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1.0, 1e-14);
    uniform += u;
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
    for (int k = 0; k < 3; ++k)
      resultant[k] += d[k];
  }
  ck_assert_double_eq_tol(uniform / N, 0.5, 5.0 * sqrt(1.0 / 12.0 / N));
  ck_assert_double_eq_tol(sum / N, 0.0, 5.0 / sqrt(N));
  ck_assert_double_eq_tol(square / N, 1.0, 5.0 * sqrt(2.0 / N));
  ck_assert_double_eq_tol(fourth / N, 3.0, 5.0 * sqrt(96.0 / N));
  for (int k = 0; k < 3; ++k)
    ck_assert_double_eq_tol(resultant[k] / N, 0.0, 5.0 * sqrt(1.0 / 3.0 / N));
}
END_TEST

static char folder[64];

static int make_folder(void) {
  strcpy(folder, "test_support-XXXXXX");
  return mkdtemp(folder) != NULL;
}

static void remove_folder(void) {
  static const char *const names[] = {"a.ply", "pose.txt", "index.tsv"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
}

static const char *in_folder(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static double stored(double x, int scalar) {
  return scalar == FRICP_SCALAR_FLOAT ? (double)(float)x : x;
}

START_TEST(ply_round_trip) {
  const double points[6] = {1.0 / 3.0, -2e-300, 1e7 + 0.1, 0.1, 0.2, 0.3}, normals[6] = {0, 0.6, 0.8, 1, 0, 0};
  for (int format = 0; format < 2; ++format)
    for (int scalar = 0; scalar < 2; ++scalar)
      for (int with_normals = 0; with_normals < 2; ++with_normals) {
        ply_cloud read;
        ck_assert_ptr_null(ply_write(in_folder("a.ply"), points, with_normals ? normals : NULL, 2, (ply_format)format,
                                     (fricp_scalar)scalar));
        ck_assert_ptr_null(ply_read(in_folder("a.ply"), &read));
        ck_assert_uint_eq(read.count, 2);
        ck_assert_int_eq(read.normals != NULL, with_normals);
        for (size_t k = 0; k < 6; ++k) {
          ck_assert_double_eq(read.points[k], stored(points[k], scalar));
          if (with_normals)
            ck_assert_double_eq(read.normals[k], stored(normals[k], scalar));
        }
        ply_free(&read);
      }
}
END_TEST

START_TEST(bad_ply_is_refused) {
  static const char *const bad[] = {
      "",
      "plx\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 "
      "3\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 b "
      "3\n",
      "ply\nformat ascii 1.0\nelement vertex 9999999999\nproperty float x\nproperty float y\nproperty float z\n"
      "end_header\n1 2 3\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    ply_cloud read;
    write_text("a.ply", bad[i]);
    ck_assert_msg(ply_read(in_folder("a.ply"), &read) != NULL, "file %zu was taken", i);
    ck_assert_ptr_null(read.points);
  }
}
END_TEST

START_TEST(pose_files) {
  fricp_pose a = turn_about(1, 2, 3, 12.3456789), b;
  a.translation[0] = 1.0 / 3.0;
  ck_assert_ptr_null(text_write_pose(in_folder("pose.txt"), &a));
  ck_assert_ptr_null(text_read_pose(in_folder("pose.txt"), &b));
  ck_assert(verify_same_bits(&a, &b));
  write_text("pose.txt", "1 0 0 0\n0 1 0 0\n0 0 1 0\n");
  ck_assert_ptr_nonnull(text_read_pose(in_folder("pose.txt"), &b));
  write_text("pose.txt", "1 0 0 0\n0 1 0 0\n0 0 nan 0\n0 0 0 1\n");
  ck_assert_ptr_nonnull(text_read_pose(in_folder("pose.txt"), &b));
  write_text("pose.txt", "1, 0, 0, 5\n0, 1, 0, 6\n0, 0, 1, 7\n0, 0, 0, 1\n");
  ck_assert_ptr_null(text_read_pose(in_folder("pose.txt"), &b));
  ck_assert_double_eq(b.translation[1], 6.0);
}
END_TEST

START_TEST(index_is_read_by_column_names) {
  case_row *rows;
  size_t n;
  write_text("index.tsv", "graded\tcase\tkind\tx\tdim\tdiameter\tpass_rmse\tsource\ttarget\n"
                          "1\tone\tobject\t\t3\t2.5\t0.01\ts.ply\tt.ply\n0\ttwo\t2d\tq\t2\t7\t0.5\ta.ply\tb.ply\n");
  ck_assert_ptr_null(cases_read_index(folder, &rows, &n));
  ck_assert_uint_eq(n, 2);
  ck_assert_str_eq(rows[0].name, "one");
  ck_assert_int_eq(rows[1].dimension, 2);
  ck_assert_int_eq(rows[1].graded, 0);
  ck_assert_double_eq(rows[0].pass_rmse, 0.01);
  free(rows);
  write_text("index.tsv", "case\tkind\n");
  ck_assert_ptr_nonnull(cases_read_index(folder, &rows, &n));
}
END_TEST

int main(void) {
  if (!make_folder()) {
    perror("test_support: no folder");
    return 1;
  }
  const TTest *const tests[] = {angle_is_measured_at_every_size,
                                pose_algebra,
                                rmse_of_known_errors,
                                twist_of_a_known_motion,
                                orthonormality_sees_faults,
                                random_numbers,
                                ply_round_trip,
                                bad_ply_is_refused,
                                pose_files,
                                index_is_read_by_column_names};
  const int failed = run_suite("support", tests, COUNT(tests));
  remove_folder();
  return failed;
}
