/* SPDX-License-Identifier: BSD-3-Clause */
/* The helpers that judge everything else, judged: against theory and against what a scene's own spec says. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "ply.h"
#include "prng.h"
#include "scene.h"
#include "text.h"
#include "trial.h"
#include "verify.h"

static fricp_pose turn_about(double x, double y, double z, double degrees) {
  const double axis[3] = {x, y, z};
  fricp_pose pose;
  memset(&pose, 0, sizeof pose);
  verify_rotation(axis, degrees, pose.rotation);
  return pose;
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

static scene make(const scene_spec *spec) {
  scene s;
  const char *problem = scene_make(spec, &s);
  ck_assert_msg(problem == NULL, "%s: %s", scene_kind_name((int)spec->kind), problem ? problem : "");
  return s;
}

static int is_scan(int kind) {
  return kind == SCENE_LIDAR || kind == SCENE_LASER;
}

/* One sample for both clouds: the truth carries every source point, and its normal, onto its target point. */
START_TEST(truth_maps_source_to_target) {
  for (int kind = 0; scene_kind_name(kind); ++kind) {
    const scene_spec spec = {.kind = (scene_kind)kind,
                             .source_count = 500,
                             .seed = 3,
                             .same_sample = 1,
                             .angle = 25.0,
                             .shift = {0.01, -0.02, 0.015},
                             .scale = 1000.0,
                             .offset = {1e5, -2e5, 3e3}};
    scene s;
    if (is_scan(kind))
      continue;
    s = make(&spec);
    ck_assert_double_le(verify_orthonormality(&s.target_from_source), 1e-15 * 5);
    for (size_t i = 0; i < s.source_count; ++i) {
      double p[3], n[3];
      fricp_pose turn = s.target_from_source;
      memset(turn.translation, 0, sizeof turn.translation);
      verify_apply(&s.target_from_source, s.source + 3 * i, p);
      verify_apply(&turn, s.source_normals + 3 * i, n);
      for (size_t k = 0; k < 3; ++k) {
        ck_assert_double_eq_tol(p[k], s.target[3 * i + k], 1e-9); /* ten roundings at 2e5 */
        ck_assert_double_eq_tol(n[k], s.target_normals[3 * i + k], 1e-14);
      }
    }
    scene_free(&s);
  }
}
END_TEST

/* On a dense sample, the vector to a near point is almost across the normal: a wrong normal is seen at once. Near
 * creases of rooms and of what a ray sees it is not, so the median over the points is judged. */
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_slope(const scene *s) {
  double slope[400];
  for (size_t i = 0; i < 400; ++i) {
    double best = INFINITY;
    for (size_t j = 0; j < s->target_count; ++j) {
      double d[3], n = 0.0, r = 0.0;
      for (size_t k = 0; k < 3; ++k) {
        d[k] = s->target[3 * j + k] - s->target[3 * i + k];
        r += d[k] * d[k];
        n += d[k] * s->target_normals[3 * i + k];
      }
      if (j != i && r < best) {
        best = r;
        slope[i] = r > 0.0 ? fabs(n) / sqrt(r) : 0.0;
      }
    }
  }
  qsort(slope, 400, sizeof slope[0], by_value);
  return slope[200];
}

START_TEST(normals_are_across_the_surface) {
  for (int kind = 0; scene_kind_name(kind); ++kind) {
    const scene_spec spec = {.kind = (scene_kind)kind, .source_count = 20000, .seed = 11, .angle = 5.0};
    scene s = make(&spec);
    double diameter = 0.0;
    for (size_t i = 0; i < 3 * s.target_count; i += 3)
      diameter = fmax(diameter, hypot(hypot(s.target[i] - s.target[0], s.target[i + 1] - s.target[1]),
                                      s.target[i + 2] - s.target[2]));
    ck_assert_double_le(diameter, s.diameter * 1.01);
    ck_assert_double_ge(diameter, s.diameter * 0.4);
    ck_assert_double_le(median_slope(&s), 0.02);
    ck_assert_int_eq(s.dimension, kind == SCENE_OUTLINE || kind == SCENE_LASER ? 2 : 3);
    for (size_t i = 0; s.dimension == 2 && i < s.source_count; ++i)
      ck_assert(s.source[3 * i + 2] == 0.0 && s.source_normals[3 * i + 2] == 0.0);
    scene_free(&s);
  }
}
END_TEST

/* With one stream of surface points, the shared share is that of source points met again in the target. */
START_TEST(overlap_is_as_asked) {
  for (int kind = 0; scene_kind_name(kind); ++kind) {
    const scene_spec spec = {
        .kind = (scene_kind)kind, .source_count = 3000, .target_count = 3000, .overlap = 0.6, .same_sample = 1};
    size_t met = 0;
    scene s;
    if (is_scan(kind))
      continue;
    s = make(&spec);
    ck_assert_double_eq_tol(s.overlap_source, 0.6, 0.02); /* 20 thousand pilot points: three standard errors */
    for (size_t i = 0; i < s.source_count; ++i)
      for (size_t j = 0; j < s.target_count; ++j)
        if (memcmp(s.source + 3 * i, s.target + 3 * j, 3 * sizeof(double)) == 0) {
          ++met;
          break;
        }
    ck_assert_double_eq_tol((double)met / 3000.0, 0.6, 0.08); /* the two prefixes end at different places */
    scene_free(&s);
  }
}
END_TEST

/* The room mean square of the noise is sigma sqrt(3), and exactly the share asked for is an outlier. */
START_TEST(noise_and_outliers_are_as_asked) {
  scene_spec spec = {.kind = SCENE_BLOB, .source_count = 20000, .seed = 5, .outliers = 0.1};
  scene clean = make(&spec);
  spec.noise = 0.01;
  scene noisy = make(&spec);
  double sum = 0.0;
  size_t outliers = 0;
  for (size_t i = 0; i < 20000; ++i) {
    ck_assert_int_eq(clean.source_outlier[i], noisy.source_outlier[i]);
    outliers += noisy.source_outlier[i];
    for (size_t k = 3 * i; k < 3 * i + 3; ++k)
      sum += (noisy.source[k] - clean.source[k]) * (noisy.source[k] - clean.source[k]);
  }
  ck_assert_uint_eq(outliers, 2000);
  double sigma = 0.01 * clean.diameter;
  ck_assert_double_eq_tol(sqrt(sum / 18000.0), sigma * sqrt(3.0), 0.02 * sigma * sqrt(3.0));
  scene_free(&clean);
  scene_free(&noisy);
}
END_TEST

/* Scans are moved into the world: they lie on the same planes of the hall, |x| <= 10, |y| <= 7, and many on a wall. */
START_TEST(sequence_poses_agree) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    const sequence_spec spec = {.scans = 8, .points = 600, .seed = 2, .dimension = dimension};
    sequence s;
    ck_assert_ptr_null(sequence_make(&spec, &s));
    for (size_t k = 0; k < s.scans; ++k) {
      size_t walls = 0;
      for (size_t i = 0; i < s.points; ++i) {
        double p[3];
        verify_apply(&s.world_from_scan[k], s.scan[k] + 3 * i, p);
        ck_assert(fabs(p[0]) < 10.0 + 1e-9 && fabs(p[1]) < 7.0 + 1e-9);
        walls += fabs(fabs(p[0]) - 10.0) < 1e-9 || fabs(fabs(p[1]) - 7.0) < 1e-9;
      }
      ck_assert_uint_ge(walls, 30);
    }
    sequence_free(&s);
  }
}
END_TEST

START_TEST(scenes_repeat_and_differ_by_seed) {
  scene_spec spec = {.kind = SCENE_ROOM, .source_count = 100, .overlap = 0.5, .noise = 0.01, .outliers = 0.1};
  scene a = make(&spec), b = make(&spec);
  ck_assert_mem_eq(a.source, b.source, 300 * sizeof(double));
  scene_free(&b);
  spec.seed = 1;
  b = make(&spec);
  ck_assert_mem_ne(a.source, b.source, 300 * sizeof(double));
  scene_free(&a);
  scene_free(&b);
}
END_TEST

/* Expected: the list as trial.h states it, by hand for the first and last trial, and each combination as often. */
START_TEST(trials_are_as_stated) {
  int seen[4][4] = {{0}}, noisy = 0, spoilt = 0, turned = 0;
  char name[64];
  const scene_spec first = trial_spec(0), last = trial_spec(TRIAL_COUNT - 1);
  ck_assert(first.kind == SCENE_BLOB && last.kind == SCENE_LIDAR);
  ck_assert(first.overlap == 0.9 && last.overlap == 0.35);
  ck_assert(first.angle == 5.0 && last.angle == 5.0);
  ck_assert(first.outliers == 0.0 && last.outliers == 0.05);
  ck_assert(first.source_count == 6000 && last.source_count == 9000 && last.target_count == 9000);
  ck_assert(first.seed == 1 && last.seed == 160);
  for (int i = 0; i < TRIAL_COUNT; ++i) {
    const scene_spec spec = trial_spec(i);
    ++seen[i % 4][spec.overlap == 0.9 ? 0 : spec.overlap == 0.7 ? 1 : spec.overlap == 0.5 ? 2 : 3];
    noisy += spec.noise > 0.0;
    spoilt += spec.outliers > 0.0;
    turned += spec.angle == 15.0;
    ck_assert(spec.source_count >= 6000 && spec.source_count <= 20000 && spec.source_count == spec.target_count);
  }
  for (int k = 0; k < 16; ++k)
    ck_assert_int_eq(seen[k / 4][k % 4], TRIAL_COUNT / 16);
  ck_assert_int_eq(noisy, TRIAL_COUNT / 2);
  ck_assert_int_eq(spoilt, TRIAL_COUNT / 2);
  ck_assert_int_eq(turned, 256); /* two of the five blocks of 128 */
  trial_name(21, name);
  ck_assert_str_eq(name, "21_torus_0.70_0.001");
}
END_TEST

START_TEST(bad_specs_are_refused) {
  const scene_spec bad[] = {
      {.kind = (scene_kind)99}, {.overlap = 1.5}, {.overlap = -0.1}, {.outliers = 1.0},
      {.noise = -1.0},          {.scale = -1.0},  {.angle = NAN},    {.kind = SCENE_LIDAR, .shift = {0.9, 0.0, 0.0}}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    scene s;
    ck_assert_ptr_nonnull(scene_make(&bad[i], &s));
    ck_assert_ptr_null(s.source);
  }
}
END_TEST

static char folder[64];

static void make_folder(void) {
  strcpy(folder, "test_support-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
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
  Suite *suite = suite_create("support");
  TCase *poses = tcase_create("poses"), *scenes = tcase_create("scenes"), *files = tcase_create("files");
  tcase_add_test(poses, angle_is_measured_at_every_size);
  tcase_add_test(poses, pose_algebra);
  tcase_add_test(poses, rmse_of_known_errors);
  tcase_add_test(poses, orthonormality_sees_faults);
  tcase_add_test(scenes, random_numbers);
  tcase_add_test(scenes, truth_maps_source_to_target);
  tcase_add_test(scenes, normals_are_across_the_surface);
  tcase_add_test(scenes, overlap_is_as_asked);
  tcase_add_test(scenes, noise_and_outliers_are_as_asked);
  tcase_add_test(scenes, sequence_poses_agree);
  tcase_add_test(scenes, scenes_repeat_and_differ_by_seed);
  tcase_add_test(scenes, trials_are_as_stated);
  tcase_add_test(scenes, bad_specs_are_refused);
  tcase_add_checked_fixture(files, make_folder, remove_folder);
  tcase_add_test(files, ply_round_trip);
  tcase_add_test(files, bad_ply_is_refused);
  tcase_add_test(files, pose_files);
  tcase_add_test(files, index_is_read_by_column_names);
  tcase_set_timeout(scenes, 120);
  suite_add_tcase(suite, poses);
  suite_add_tcase(suite, scenes);
  suite_add_tcase(suite, files);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
