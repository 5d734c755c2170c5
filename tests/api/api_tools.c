/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, texts, poses, moving clouds, normals. */
#include "api.h"

#include <math.h>
#include <string.h>

START_TEST(names) {
  static const struct {
    int32_t method;
    const char *name;
    int needs_normals, uses_normals;
  } methods[] = {{FRICP_METHOD_AUTO, "auto", 0, 1},
                 {FRICP_METHOD_ROBUST_ICP, "robust-icp", 0, 0},
                 {FRICP_METHOD_ROBUST_ICP_PLANE, "robust-icp-plane", 1, 1},
                 {FRICP_METHOD_FAST_ICP, "fast-icp", 0, 0},
                 {FRICP_METHOD_ICP, "icp", 0, 0},
                 {FRICP_METHOD_ICP_PLANE, "icp-plane", 1, 1},
                 {FRICP_METHOD_SYMMETRIC_ICP, "symmetric-icp", 1, 1},
                 {FRICP_METHOD_ROBUST_SYMMETRIC_ICP, "robust-symmetric-icp", 1, 1},
                 {FRICP_METHOD_AA_ICP, "aa-icp", 0, 0},
                 {FRICP_METHOD_SPARSE_ICP, "sparse-icp", 0, 0},
                 {FRICP_METHOD_SPARSE_ICP_PLANE, "sparse-icp-plane", 1, 1}};
  for (size_t i = 0; i < COUNT(methods); i++) {
    int32_t found = -1;
    ck_assert_str_eq(fricp_method_name(methods[i].method), methods[i].name);
    ck_assert_int_eq(fricp_method_from_name(methods[i].name, &found), FRICP_OK);
    ck_assert_int_eq(found, methods[i].method);
    ck_assert_int_eq(fricp_method_needs_normals(methods[i].method), methods[i].needs_normals);
    ck_assert_int_eq(fricp_method_uses_normals(methods[i].method), methods[i].uses_normals);
  }
  ck_assert_ptr_null(fricp_method_name(COUNT(methods)));
  ck_assert_ptr_null(fricp_method_name(-1));
  ck_assert_int_eq(fricp_method_needs_normals(99), 0);
  ck_assert_int_eq(fricp_method_uses_normals(99), 0);
  static const char *const reasons[] = {"not_run",   "converged",  "iteration_limit", "pose_epsilon", "fitness_epsilon",
                                        "cancelled", "time_limit", "no_descent",      "no_overlap"};
  for (int32_t i = 0; i < (int32_t)COUNT(reasons); i++)
    ck_assert_str_eq(fricp_stop_reason_name(i), reasons[i]);
  ck_assert_str_eq(fricp_stop_reason_name(99), "unknown");
  static const char *const verdicts[] = {"none", "reliable", "ambiguous", "partial", "poor", "none"};
  for (int32_t i = 0; i < (int32_t)COUNT(verdicts); i++)
    ck_assert_str_eq(fricp_verdict_name(i), verdicts[i]);
  for (int i = 0; i <= FRICP_ERROR_UNSUPPORTED; i++)
    for (int j = 0; j < i; j++)
      ck_assert_str_ne(fricp_status_text((fricp_status)i), fricp_status_text((fricp_status)j));
  ck_assert_str_eq(fricp_status_text((fricp_status)99), "unknown status");
  ck_assert_str_eq(fricp_version(), FRICP_VERSION_STRING);
}
END_TEST

START_TEST(poses) {
  prng g = prng_seed(1, 0);
  for (int k = 0; k < 200; k++) {
    double axis[3];
    const double shift[3] = {prng_range(&g, -9, 9), prng_range(&g, -9, 9), 1};
    prng_direction(&g, axis);
    const fricp_pose a = turn(axis, prng_range(&g, -180, 180), origin, shift);
    prng_direction(&g, axis);
    const fricp_pose b = turn(axis, prng_range(&g, -180, 180), shift, shift);
    const fricp_pose ab = fricp_pose_multiply(&a, &b);
    const fricp_pose expected = verify_multiply(&a, &b);
    ck_assert_double_le(verify_max_difference(&ab, &expected), 1e-13);
    const fricp_pose inverse = fricp_pose_inverse(&ab);
    const fricp_pose judged = verify_inverse(&ab);
    ck_assert_double_le(verify_max_difference(&inverse, &judged), 1e-13);
  }
}
END_TEST

typedef struct fat_point {
  float xyz[3], gap;
  float normal[3], rest[2];
} fat_point;

/* Floats with gaps: coordinates move, normals turn, what lies between stays, points that are not finite stay. */
START_TEST(clouds_are_moved) {
  enum { N = 50 };
  fat_point in[N];
  fat_point out[N];
  prng g = prng_seed(2, 0);
  for (int i = 0; i < N; i++) {
    for (int a = 0; a < 3; a++) {
      in[i].xyz[a] = (float)prng_range(&g, -5, 5);
      in[i].normal[a] = (float)prng_range(&g, -1, 1);
    }
    in[i].gap = in[i].rest[0] = in[i].rest[1] = (float)i;
  }
  in[7].xyz[1] = NAN;
  const double axis[3] = {1, 2, 3};
  const double shift[3] = {1, -2, 0.5};
  const fricp_pose pose = turn(axis, 77, origin, shift);
  const fricp_pose spin = turn(axis, 77, origin, origin);
  const int32_t picked[3] = {3, 7, 11};
  for (int in_place = 0; in_place < 2; in_place++)
    for (int some = 0; some < 2; some++) {
      fat_point work[N];
      memcpy(work, in, sizeof in);
      memset(out, 0x5a, sizeof out);
      fat_point *to = in_place ? work : out;
      fricp_cloud cloud = FRICP_CLOUD_INIT;
      cloud.points = work[0].xyz;
      cloud.count = N;
      cloud.stride = cloud.normal_stride = sizeof *work;
      cloud.scalar_type = FRICP_SCALAR_FLOAT;
      cloud.normals = work[0].normal;
      if (some) {
        cloud.indices = picked;
        cloud.index_count = 3;
      }
      fat_point before[N];
      memcpy(before, to, sizeof before);
      ck_assert_int_eq(fricp_transform(&pose, &cloud, to[0].xyz, to[0].normal), FRICP_OK);
      for (int i = 0; i < N; i++) {
        const int moved = !some || i == 3 || i == 7 || i == 11;
        ck_assert_mem_eq(&to[i].gap, &before[i].gap, sizeof(float));
        ck_assert_mem_eq(to[i].rest, before[i].rest, sizeof to[i].rest);
        if (!moved) {
          ck_assert_mem_eq(&to[i], &before[i], sizeof to[i]);
          continue;
        }
        if (i == 7) {
          ck_assert_mem_eq(to[i].xyz, in[i].xyz, sizeof in[i].xyz);
          continue;
        }
        double p[3];
        double n[3];
        for (int a = 0; a < 3; a++) {
          p[a] = (double)in[i].xyz[a];
          n[a] = (double)in[i].normal[a];
        }
        verify_apply(&pose, p, p);
        verify_apply(&spin, n, n);
        for (int a = 0; a < 3; a++) {
          ck_assert_double_le(fabs((double)to[i].xyz[a] - p[a]), 1e-6);
          ck_assert_double_le(fabs((double)to[i].normal[a] - n[a]), 2e-7);
        }
      }
    }
}
END_TEST

/* In place a point is read where it was written: an index that stands twice, next to itself or anywhere, must move its
 * point once, as it does into another array. */
START_TEST(a_repeated_index_moves_its_point_once) {
  enum { COUNT_OF_POINTS = 1000, MOST = 4 * COUNT_OF_POINTS };
  static const int32_t few[][6] = {{4, 4, 4, 4, 4, 4}, {1, 1, 2, 3, 3, 9}, {9, 3, 9, 1, 3, 0}, {0, 1, 2, 3, 4, 0}};
  static int32_t lists[COUNT(few) + 1][MOST];
  size_t lengths[COUNT(few) + 1];
  for (size_t k = 0; k < COUNT(few); k++) {
    memcpy(lists[k], few[k], sizeof few[k]);
    lengths[k] = COUNT(few[k]);
  }
  prng g = prng_seed(11, 0);
  lengths[COUNT(few)] = MOST;
  for (int i = 0; i < MOST; i++)
    lists[COUNT(few)][i] = (int32_t)prng_range(&g, 0, COUNT_OF_POINTS);
  const double axis[3] = {1, 2, 3};
  const double shift[3] = {1, -2, 0.5};
  const fricp_pose pose = turn(axis, 77, origin, shift);
  for (size_t k = 0; k < COUNT(lists); k++) {
    static double in[6 * COUNT_OF_POINTS], place[6 * COUNT_OF_POINTS], apart[6 * COUNT_OF_POINTS];
    for (int i = 0; i < 6 * COUNT_OF_POINTS; i++)
      in[i] = prng_range(&g, -5, 5);
    in[6 * 3 + 1] = NAN;
    memcpy(place, in, sizeof in);
    memcpy(apart, in, sizeof in);
    fricp_cloud cloud = FRICP_CLOUD_INIT;
    cloud.points = in;
    cloud.normals = in + 3;
    cloud.count = COUNT_OF_POINTS;
    cloud.stride = cloud.normal_stride = 6 * sizeof *in;
    cloud.indices = lists[k];
    cloud.index_count = lengths[k];
    ck_assert_int_eq(fricp_transform(&pose, &cloud, apart, apart + 3), FRICP_OK);
    cloud.points = place;
    cloud.normals = place + 3;
    ck_assert_int_eq(fricp_transform(&pose, &cloud, place, place + 3), FRICP_OK);
    ck_assert_mem_eq(place, apart, sizeof place);
  }
}
END_TEST

START_TEST(doubles_and_planes_are_moved) {
  double points[4] = {1, 2, 1e7, -1e7};
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = points;
  cloud.count = 2;
  cloud.dimension = 2;
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {10, 20, 0};
  const fricp_pose pose = turn(axis, 90, origin, shift);
  ck_assert_int_eq(fricp_transform(&pose, &cloud, points, NULL), FRICP_OK);
  ck_assert_double_eq_tol(points[0], 8, 1e-12);
  ck_assert_double_eq_tol(points[1], 21, 1e-12);
  ck_assert_double_eq_tol(points[2], 1e7 + 10, 1e-8);
  ck_assert_double_eq_tol(points[3], 1e7 + 20, 1e-8);
}
END_TEST

/* Second order on a smooth shape: a patch of 30 of n points has the radius sqrt(4 * 30 / n) of the whole; turned
 * towards the viewpoint; NaN where a point is none. */
START_TEST(normals_are_estimated) {
  const scene_spec spec = {.source_count = 5000, .seed = 3};
  scene s = make_scene(&spec);
  for (size_t i = 0; i < 5000; i += 500)
    s.target[3 * i + 1] = NAN;
  fricp_cloud cloud = target_of(&s);
  cloud.normals = NULL;
  static double normals[15000];
  const double eye[3] = {50, 10, 20};
  for (int turned = 0; turned < 2; turned++) {
    fricp_error error;
    ck_assert_int_eq(fricp_estimate_normals(&cloud, NULL, turned ? eye : NULL, normals, &error), FRICP_OK);
    double squared = 0;
    for (size_t i = 0; i < 5000; i++) {
      const double *n = normals + 3 * i;
      if (i % 500 == 0) {
        ck_assert(isnan(n[0]) && isnan(n[1]) && isnan(n[2]));
        continue;
      }
      double cosine = 0;
      double length = 0;
      double towards = 0;
      for (size_t a = 0; a < 3; a++) {
        cosine += n[a] * s.target_normals[3 * i + a];
        length += n[a] * n[a];
        towards += n[a] * (eye[a] - s.target[3 * i + a]);
      }
      ck_assert_double_le(fabs(length - 1), 1e-5);
      ck_assert(!turned || towards >= 0);
      squared += fmax(0, 1 - cosine * cosine);
    }
    ck_assert_double_le(sqrt(squared / 5000), sqrt(4.0 * 30 / 5000));
  }
  scene_free(&s);
}
END_TEST

/* Points at one place have one normal, each under its own index. */
START_TEST(normals_of_duplicates) {
  const scene_spec spec = {.source_count = 300, .seed = 4};
  scene s = make_scene(&spec);
  double points[3 * 900];
  double normals[3 * 900];
  for (size_t i = 0; i < 900; i++)
    memcpy(points + 3 * i, s.target + 3 * (i % 300), 3 * sizeof *points);
  const fricp_cloud cloud = scene_view(points, 900, NULL, 3);
  fricp_target_options twenty = FRICP_TARGET_OPTIONS_INIT;
  twenty.normal_neighbors = 20;
  ck_assert_int_eq(fricp_estimate_normals(&cloud, &twenty, NULL, normals, NULL), FRICP_OK);
  for (size_t i = 0; i < 900; i++) {
    double length = 0;
    for (size_t a = 0; a < 3; a++)
      length += normals[3 * i + a] * normals[3 * i + a];
    ck_assert_double_eq_tol(length, 1, 1e-5);
    ck_assert_mem_eq(normals + 3 * i, normals + 3 * (i % 300), 3 * sizeof *normals);
  }
  scene_free(&s);
}
END_TEST

/* Of points at one place some may be given a normal, and not the first. */
START_TEST(any_duplicate_may_have_the_normal) {
  enum { PLACES = 300, ALL = 3 * PLACES };
  const scene_spec spec = {.source_count = PLACES, .seed = 4};
  scene s = make_scene(&spec);
  double points[3 * ALL];
  double given[3 * ALL] = {0};
  double normals[3 * ALL];
  for (size_t i = 0; i < ALL; i++)
    memcpy(points + 3 * i, s.target + 3 * (i % PLACES), 3 * sizeof *points);
  for (size_t i = 0; i < PLACES; i++) /* in turn the first, the second, the third */
    memcpy(given + 3 * (i + i % 3 * PLACES), s.target_normals + 3 * i, 3 * sizeof *given);
  const fricp_cloud cloud = scene_view(points, ALL, given, 3);
  fricp_target *target = target_or_fail(&cloud, NULL);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(target, &info), FRICP_OK);
  ck_assert_uint_eq(info.normals, PLACES);
  ck_assert_int_eq(fricp_target_get_normals(target, normals, ALL), FRICP_OK);
  for (size_t i = 0; i < ALL; i++)
    for (size_t a = 0; a < 3; a++)
      ck_assert_double_eq_tol(normals[3 * i + a], s.target_normals[3 * (i % PLACES) + a], 1e-6);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

/* In 2-D the normal of a straight wall is across it. */
START_TEST(normals_in_the_plane) {
  double points[400];
  double normals[600];
  for (size_t i = 0; i < 200; i++) {
    points[2 * i] = 0.6 * (double)i;
    points[2 * i + 1] = 0.8 * (double)i;
  }
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = points;
  cloud.count = 200;
  cloud.dimension = 2;
  ck_assert_int_eq(fricp_estimate_normals(&cloud, NULL, NULL, normals, NULL), FRICP_OK);
  for (size_t i = 0; i < 200; i++) {
    ck_assert_double_eq_tol(fabs(normals[3 * i]), 0.8, 1e-6);
    ck_assert_double_eq_tol(fabs(normals[3 * i + 1]), 0.6, 1e-6);
    ck_assert_double_eq(normals[3 * i + 2], 0);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {names,
                                poses,
                                clouds_are_moved,
                                doubles_and_planes_are_moved,
                                a_repeated_index_moves_its_point_once,
                                normals_are_estimated,
                                normals_of_duplicates,
                                any_duplicate_may_have_the_normal,
                                normals_in_the_plane};
  return run_suite("tools", tests, COUNT(tests));
}
