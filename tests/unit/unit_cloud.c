/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the caller's views: scalar types, strides, dimensions, index lists, and what is refused. */
#include "cloud/cloud.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Laid out as a point type of a point cloud library: padding, normals and intensity between coordinates. */
typedef struct fat_point {
  float xyz[3], pad;
  float normal[3], intensity;
  uint32_t color;
  float weight;
} fat_point;

static fricp_cloud fat_view(const fat_point *points, size_t count) {
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = points->xyz;
  cloud.count = count;
  cloud.stride = sizeof *points;
  cloud.scalar_type = FRICP_SCALAR_FLOAT;
  cloud.normals = points->normal;
  cloud.normal_stride = sizeof *points;
  cloud.weights = &points->weight;
  cloud.weight_stride = sizeof *points;
  return cloud;
}

START_TEST(floats_with_strides) {
  fat_point points[5];
  for (int i = 0; i < 5; i++)
    points[i] = (fat_point){{(float)i + 0.25F, -(float)i, 2}, -1, {0, 0, 3}, 9, 7, (float)i};
  points[2].normal[2] = 0;   /* none */
  points[3].normal[0] = NAN; /* none */
  const fricp_cloud given = fat_view(points, 5);
  fricp_cloud cloud;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  ck_assert_uint_eq(fr_cloud_selected(&cloud), 5);
  ck_assert_int_eq(cloud.dimension, 3);
  for (size_t i = 0; i < 5; i++) {
    double p[3];
    double n[3];
    ck_assert_int_eq(fr_cloud_point(&cloud, i, p), 1);
    ck_assert(p[0] == (double)i + 0.25 && p[1] == -(double)i && p[2] == 2);
    ck_assert_int_eq(fr_cloud_normal(&cloud, i, n), i != 2 && i != 3);
    ck_assert_double_eq(n[2], i != 2 && i != 3);
    ck_assert_double_eq(fr_cloud_weight(&cloud, i), (double)i);
  }
}
END_TEST

START_TEST(doubles_packed) {
  const double points[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1e7 + 1e-9, 0, 0}};
  fricp_cloud given = FRICP_CLOUD_INIT;
  given.points = points;
  given.count = 4;
  fricp_cloud cloud;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  double p[3];
  for (size_t i = 0; i < 4; i++) {
    ck_assert_int_eq(fr_cloud_point(&cloud, i, p), 1);
    ck_assert_mem_eq(p, points[i], sizeof p);
    ck_assert_double_eq(fr_cloud_weight(&cloud, i), 1);
    ck_assert_int_eq(fr_cloud_normal(&cloud, i, p), 0);
  }
}
END_TEST

START_TEST(two_dimensions) {
  const float points[6] = {1, 2, 3, 4, 5, 6};
  const double wide[6] = {1, 2, 99, 3, 4, 99}; /* z present but skipped */
  fricp_cloud given = FRICP_CLOUD_INIT;
  given.points = points;
  given.count = 3;
  given.dimension = 2;
  given.scalar_type = FRICP_SCALAR_FLOAT;
  given.normals = points;
  fricp_cloud cloud;
  double p[3];
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  ck_assert_int_eq(fr_cloud_point(&cloud, 1, p), 1);
  ck_assert(p[0] == 3 && p[1] == 4 && p[2] == 0);
  ck_assert_int_eq(fr_cloud_normal(&cloud, 1, p), 1);
  ck_assert_double_eq_tol(p[0], 0.6, 1e-15);
  ck_assert_double_eq(p[2], 0);
  given.points = wide;
  given.count = 2;
  given.stride = 3 * sizeof(double);
  given.scalar_type = FRICP_SCALAR_DOUBLE;
  given.normals = NULL;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  ck_assert_int_eq(fr_cloud_point(&cloud, 1, p), 1);
  ck_assert(p[0] == 3 && p[1] == 4 && p[2] == 0);
}
END_TEST

START_TEST(points_that_are_not_finite_are_skipped) {
  const double points[7][3] = {{NAN, 0, 0},   {0, INFINITY, 0}, {0, 0, -INFINITY}, {1e76, 0, 0},
                               {0, -2e75, 0}, {1e74, 0, 0},     {1, 2, 3}};
  fricp_cloud given = FRICP_CLOUD_INIT;
  given.points = points;
  given.count = 7;
  fricp_cloud cloud;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  for (size_t i = 0; i < 7; i++) {
    double p[3];
    ck_assert_int_eq(fr_cloud_point(&cloud, i, p), i >= 5);
  }
}
END_TEST

START_TEST(normals_of_any_length) {
  const double normals[4][3] = {{3e200, 0, 4e200}, {3e-200, 0, 4e-200}, {0, -5, 0}, {INFINITY, 0, 0}};
  const double points[4][3] = {{0}};
  fricp_cloud given = FRICP_CLOUD_INIT;
  given.points = points;
  given.count = 4;
  given.normals = normals;
  fricp_cloud cloud;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  double n[3];
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(fr_cloud_normal(&cloud, i, n), 1);
    ck_assert_double_eq_tol(n[0], 0.6, 1e-15);
    ck_assert_double_eq_tol(n[2], 0.8, 1e-15);
  }
  ck_assert_int_eq(fr_cloud_normal(&cloud, 2, n), 1);
  ck_assert_double_eq(n[1], -1);
  ck_assert_int_eq(fr_cloud_normal(&cloud, 3, n), 0);
}
END_TEST

START_TEST(an_index_list_selects) {
  const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
  const int32_t indices[3] = {4, 0, 2};
  fricp_cloud given = FRICP_CLOUD_INIT;
  given.points = points;
  given.count = 5;
  given.indices = indices;
  given.index_count = 3;
  fricp_cloud cloud;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  ck_assert_uint_eq(fr_cloud_selected(&cloud), 3);
  for (size_t i = 0; i < 3; i++)
    ck_assert_uint_eq(fr_cloud_index(&cloud, i), (size_t)indices[i]);
}
END_TEST

/* What is refused: a field, its value, the status, and a word that the text must hold. */
static void expect(fricp_cloud cloud, fricp_status status, const char *word) {
  fricp_cloud checked;
  fricp_error error = {0, ""};
  ck_assert_int_eq(fr_cloud_check(&cloud, "target", &checked, &error), status);
  ck_assert_int_eq(error.status, status);
  if (!strstr(error.text, "target") || !strstr(error.text, word))
    ck_abort_msg("\"%s\" does not name the cloud and \"%s\"", error.text, word);
}

START_TEST(bad_views_are_refused) {
  double points[4][3] = {{0}};
  const int32_t negative[2] = {0, -1};
  const int32_t beyond[2] = {3, 4};
  double weights[4] = {1, 1, 1, 1};
  fricp_cloud good = FRICP_CLOUD_INIT;
  good.points = points;
  good.count = 4;
  fricp_cloud c = good;
  c.points = NULL;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "points");
  c = good;
  c.count = 0;
  expect(c, FRICP_ERROR_EMPTY_CLOUD, "empty");
  c = good;
  c.count = (size_t)1 << 31;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "2^31");
  c = good;
  c.stride = 16; /* less than three doubles */
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "stride");
  c = good;
  c.stride = 28; /* not whole doubles */
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "stride");
  c = good;
  c.points = (const char *)points + 4;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "align");
  c = good;
  c.normals = (const char *)points + 1;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "normals");
  c = good;
  c.normals = points;
  c.normal_stride = 8;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "normals");
  c = good;
  c.scalar_type = 2;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "scalar_type");
  c = good;
  c.dimension = 4;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "dimension");
  c = good;
  c.dimension = 1;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "dimension");
  c = good;
  c.indices = negative;
  c.index_count = 2;
  expect(c, FRICP_ERROR_BAD_INDEX, "indices[1]");
  c.indices = beyond;
  expect(c, FRICP_ERROR_BAD_INDEX, "indices[1] = 4");
  c.index_count = 0;
  expect(c, FRICP_ERROR_EMPTY_CLOUD, "index list");
  const double bad_weights[] = {-1, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < COUNT(bad_weights); i++) {
    weights[2] = bad_weights[i];
    c = good;
    c.weights = weights;
    expect(c, FRICP_ERROR_INVALID_ARGUMENT, "point 2");
  }
  c = good;
  c.struct_size = 0;
  expect(c, FRICP_ERROR_INVALID_ARGUMENT, "struct_size");
  fricp_error error;
  ck_assert_int_eq(fr_cloud_check(NULL, "target", &c, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "target"));
}
END_TEST

/* The frame of points that need not be finite, and how it ends. */
static fricp_status try_frame(const double (*points)[3], size_t count, fr_frame *frame, fricp_error *error) {
  fricp_cloud given = FRICP_CLOUD_INIT;
  fricp_cloud cloud;
  given.points = points;
  given.count = count;
  ck_assert_int_eq(fr_cloud_check(&given, "cloud", &cloud, NULL), FRICP_OK);
  double *scratch = malloc(3 * count * sizeof *scratch);
  int32_t *index = malloc(count * sizeof *index);
  ck_assert(scratch && index);
  const size_t finite = fr_cloud_finite(&cloud, index, NULL);
  ck_assert_uint_eq(finite, fr_cloud_finite(&cloud, NULL, NULL));
  const fricp_status status = fr_cloud_frame(&cloud, index, finite, 3, scratch, "cloud", frame, NULL, error);
  free(scratch);
  free(index);
  return status;
}

static fr_frame frame_of(const double (*points)[3], size_t count) {
  fr_frame frame;
  ck_assert_int_eq(try_frame(points, count, &frame, NULL), FRICP_OK);
  return frame;
}

/* A ball of radius 1: its median is its centre, the median distance to it 0.5^(1/3) = 0.79. 20,000 points give both to
 * about 3 / sqrt(20000). One percent of wild points moves neither beyond that. */
START_TEST(the_frame_is_robust) {
  enum { N = 20000 };
  double(*points)[3] = malloc(N * sizeof *points);
  ck_assert_ptr_nonnull(points);
  prng g = prng_seed(1, 0);
  for (size_t i = 0; i < N; i++) {
    prng_direction(&g, points[i]);
    const double radius = cbrt(prng_uniform(&g));
    for (int a = 0; a < 3; a++)
      points[i][a] = points[i][a] * radius + 5 * a;
  }
  for (int wild = 0; wild < 2; wild++) {
    const fr_frame frame = frame_of((const double(*)[3])points, N);
    for (int a = 0; a < 3; a++)
      ck_assert_double_le(fabs(frame.center[a] - 5 * a), 0.03);
    ck_assert_double_eq_tol(frame.extent, 4 * 0.7937, 0.09);
    for (size_t i = 0; i < N; i += 100)
      for (int a = 0; a < 3; a++)
        points[i][a] = 1e9 * prng_range(&g, -1, 1);
  }
  free(points);
}
END_TEST

/* The same for any order: the medians are those of all points. */
START_TEST(the_frame_knows_no_order) {
  enum { N = 30001 };
  double(*points)[3] = malloc(N * sizeof *points);
  ck_assert_ptr_nonnull(points);
  prng g = prng_seed(2, 0);
  for (size_t i = 0; i < N; i++)
    for (int a = 0; a < 3; a++)
      points[i][a] = prng_range(&g, -1, 1);
  const fr_frame first = frame_of((const double(*)[3])points, N);
  for (size_t i = N - 1; i > 0; i--) {
    const size_t other = (size_t)prng_below(&g, i + 1);
    double p[3];
    memcpy(p, points[i], sizeof p);
    memcpy(points[i], points[other], sizeof p);
    memcpy(points[other], p, sizeof p);
  }
  const fr_frame second = frame_of((const double(*)[3])points, N);
  ck_assert_double_eq(first.extent, second.extent);
  for (int a = 0; a < 3; a++)
    ck_assert_double_eq(first.center[a], second.center[a]);
  free(points);
}
END_TEST

START_TEST(frames_of_heaps) {
  double same[50][3];
  fr_frame frame;
  fricp_error error;
  for (int i = 0; i < 50; i++)
    same[i][0] = same[i][1] = same[i][2] = 3;
  ck_assert_int_eq(try_frame((const double(*)[3])same, 50, &frame, &error), FRICP_ERROR_TOO_FEW_POINTS);
  ck_assert_ptr_nonnull(strstr(error.text, "same place"));
  same[7][0] = 5; /* most coincide: the largest distance counts */
  ck_assert_double_gt(frame_of((const double(*)[3])same, 50).extent, 0);
}
END_TEST

/* What cannot be squared after scaling is refused, by name; what can be, is worked with, at any scale. */
START_TEST(scales_that_cannot_be_worked_with) {
  static const double scales[] = {5e-324, 1e-308, 1e-200, 1e-100, 1e-61};
  static const double good[] = {1e-58, 1e-30, 1, 1e30, 1e74};
  double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double scaled[4][3];
  fr_frame frame;
  fricp_error error;
  for (size_t k = 0; k < COUNT(scales); k++) {
    for (int i = 0; i < 12; i++)
      scaled[i / 3][i % 3] = points[i / 3][i % 3] * scales[k];
    ck_assert_int_eq(try_frame((const double(*)[3])scaled, 4, &frame, &error), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "cloud"));
    ck_assert_ptr_nonnull(strstr(error.text, "small"));
  }
  for (size_t k = 0; k < COUNT(good); k++) {
    for (int i = 0; i < 12; i++)
      scaled[i / 3][i % 3] = points[i / 3][i % 3] * good[k];
    frame = frame_of((const double(*)[3])scaled, 4);
    double p[3] = {1e75, -1e75, 0}; /* as far as a point may be */
    fr_frame_normalize(&frame, p, p);
    ck_assert(isfinite(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {floats_with_strides,
                                doubles_packed,
                                two_dimensions,
                                points_that_are_not_finite_are_skipped,
                                normals_of_any_length,
                                an_index_list_selects,
                                bad_views_are_refused,
                                the_frame_is_robust,
                                the_frame_knows_no_order,
                                frames_of_heaps,
                                scales_that_cannot_be_worked_with};
  return run_suite("cloud", tests, COUNT(tests));
}
