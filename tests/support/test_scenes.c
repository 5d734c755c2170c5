/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated scenes and sequences, judged: against theory and against what their own spec says. */
#include "prng.h"
#include "scene.h"
#include "suite.h"
#include "trial.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
  const TTest *const tests[] = {truth_maps_source_to_target, normals_are_across_the_surface,
                                overlap_is_as_asked,         noise_and_outliers_are_as_asked,
                                sequence_poses_agree,        scenes_repeat_and_differ_by_seed,
                                trials_are_as_stated,        bad_specs_are_refused};
  return run_suite("scenes", tests, COUNT(tests));
}
