/* SPDX-License-Identifier: BSD-3-Clause */
/* How point-to-point curves on surfaces where theory says it, and that its preconditioner goes where it should. */
#include "align/curvature.h"
#include "prng.h"
#include "scenario.h"
#include "scene.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The pose that lays the source as it was given on the target: both are held centred and scaled. */
static fricp_pose as_given(const scenario *s) {
  fricp_pose pose = fricp_pose_identity();
  for (int a = 0; a < 3; a++)
    pose.translation[a] = (s->source.center[a] - s->target->center[a]) / s->target->extent;
  return pose;
}

static void measure(scenario *s, const fricp_pose *pose, double nu, fr_curvature *curvature) {
  ck_assert_int_eq(fr_pass_run(&s->pass, pose, nu, s->source.count, 0, 1), 0);
  ck_assert_int_eq(fr_curvature_measure(curvature, &s->pass, pose, nu, NULL, NULL), 0);
}

static void measure_cloud(const double (*points)[3], size_t count, int dimension, fr_curvature *curvature) {
  scenario s;
  const fricp_cloud cloud = scene_view(&points[0][0], count, NULL, dimension);
  scenario_of(&s, &cloud, &cloud, 0, FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, fr_best_isa());
  const fricp_pose pose = as_given(&s);
  measure(&s, &pose, 0, curvature);
  scenario_free(&s);
}

static double length_of(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

/* A floor: sliding along it (two ways) and turning on it cost nothing, lifting and tilting everything. */
START_TEST(a_floor_slides_three_ways) {
  enum { SIDE = 60 };
  double(*grid)[3] = malloc(sizeof(double[SIDE * SIDE][3]));
  ck_assert_ptr_nonnull(grid);
  for (int i = 0; i < SIDE * SIDE; i++) {
    grid[i][0] = i % SIDE;
    grid[i][1] = i / SIDE; // NOLINT(bugprone-integer-division): whole rows
    grid[i][2] = 0;
  }
  fr_curvature c;
  measure_cloud((const double(*)[3])grid, SIDE * SIDE, 3, &c);
  ck_assert_int_eq(c.count, 6);
  for (int e = 0; e < 6; e++)
    ck_assert_double_eq_tol(c.share[e], e < 3 ? 0 : 1, 1e-6);
  /* So P stretches a shift along x by (1 + d) / d, and leaves one along z. */
  double p[6][6];
  ck_assert_int_eq(fr_curvature_preconditioner(&c, p), 1);
  ck_assert_double_eq_tol(p[3][3], (1 + c.damping) / c.damping, 1e-3);
  ck_assert_double_eq_tol(p[5][5], 1, 1e-6);
  free(grid);
}
END_TEST

/* A sphere: turning costs nothing; of a shift, the mean of (n . u)^2 over all directions n, a third. A sample of 256
 * directions knows that mean to sqrt(4 / 45 / 256) = 0.019: five of those. */
START_TEST(a_sphere_turns_freely) {
  enum { COUNT_OF_POINTS = 8000 };
  double(*points)[3] = malloc(sizeof(double[COUNT_OF_POINTS][3]));
  ck_assert_ptr_nonnull(points);
  prng g = prng_seed(3, 0);
  for (int i = 0; i < COUNT_OF_POINTS; i++)
    prng_direction(&g, points[i]);
  fr_curvature c;
  measure_cloud((const double(*)[3])points, COUNT_OF_POINTS, 3, &c);
  ck_assert_int_eq(c.count, 6);
  for (int e = 0; e < 6; e++)
    ck_assert_double_eq_tol(c.share[e], e < 3 ? 0 : 1.0 / 3, e < 3 ? 0.01 : 0.1);
  free(points);
}
END_TEST

/* A circle in the plane: turning is free, of a shift a half costs; what leaves the plane does not occur. */
START_TEST(a_circle_in_the_plane) {
  enum { COUNT_OF_POINTS = 3000 };
  double(*points)[3] = malloc(sizeof(double[COUNT_OF_POINTS][3]));
  ck_assert_ptr_nonnull(points);
  const double pi = acos(-1);
  for (int i = 0; i < COUNT_OF_POINTS; i++) {
    points[i][0] = cos(2 * pi * i / COUNT_OF_POINTS);
    points[i][1] = sin(2 * pi * i / COUNT_OF_POINTS);
    points[i][2] = 0;
  }
  fr_curvature c;
  measure_cloud((const double(*)[3])points, COUNT_OF_POINTS, 2, &c);
  ck_assert_int_eq(c.count, 3);
  ck_assert_double_eq_tol(c.share[0], 0, 1e-4);
  for (int e = 1; e < 3; e++)
    ck_assert_double_eq_tol(c.share[e], 0.5, 0.02); /* the sample is even */
  double p[6][6];
  ck_assert_int_eq(fr_curvature_preconditioner(&c, p), 1);
  static const int fixed[] = {0, 1, 5}; /* turning out of the plane, z */
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 6; i++)
      ck_assert(p[fixed[k]][i] == 0 && p[i][fixed[k]] == 0);
  free(points);
}
END_TEST

/* A point-like line determines neither its roll nor, to its neighbours' covariance, a normal: nothing is known, or what
 * is known amplifies nothing that is not there. */
START_TEST(a_line_does_no_harm) {
  double points[500][3];
  for (int i = 0; i < 500; i++) {
    points[i][0] = i;
    points[i][1] = 2.0 * i;
    points[i][2] = -i;
  }
  fr_curvature c;
  measure_cloud((const double(*)[3])points, 500, 3, &c);
  double p[6][6];
  (void)fr_curvature_preconditioner(&c, p);
  for (int i = 0; i < 6; i++)
    ck_assert(isfinite(length_of(p[i], 6)));
}
END_TEST

/* Damping leads from P to T' itself and back. */
START_TEST(damping) {
  fr_curvature c;
  memset(&c, 0, sizeof c);
  fr_curvature_forget(&c, &fr_default_rules);
  double p[6][6];
  ck_assert_int_eq(fr_curvature_preconditioner(&c, p), 0);
  c.count = 6;
  for (int e = 0; e < 6; e++) {
    c.share[e] = e / 5.0;
    c.u[e][e] = c.v[e][e] = 1;
  }
  const double first = c.damping;
  for (int k = 0; k < 50; k++)
    fr_curvature_adapt(&c, 0, &fr_default_rules);
  ck_assert_int_eq(fr_curvature_preconditioner(&c, p), 1);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      ck_assert_double_eq_tol(p[i][j], i == j, 2e-3);
  for (int k = 0; k < 50; k++)
    fr_curvature_adapt(&c, 1, &fr_default_rules);
  ck_assert_double_eq(c.damping, first);
  (void)fr_curvature_preconditioner(&c, p);
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(p[i][i], (1 + first) / (c.share[i] + first), 1e-12);
}
END_TEST

/* T' from a pose that is off the truth by h u_e, for each direction u_e of a mode: -log(T') along it, over h. */
static double share_by_differences(scenario *s, const fr_curvature *c, int e, double nu, const fricp_pose *truth) {
  const double h = s->target->spacing / length_of(c->u[e], 6);
  double gone[2];
  for (int side = 0; side < 2; side++) {
    fr_twist off;
    for (int i = 0; i < 6; i++)
      off.v[i] = (side ? -h : h) * c->u[e][i];
    const fricp_pose away = fr_exp(&off);
    const fricp_pose pose = fricp_pose_multiply(&away, truth);
    fr_geometry geometry = {3, {0}, 0, 0, NULL, 0, NULL, NULL};
    fr_step step;
    memcpy(geometry.center, pose.translation, sizeof geometry.center);
    ck_assert_int_eq(fr_pass_run(&s->pass, &pose, nu, s->source.count, 0, 0), 0);
    ck_assert_int_eq(fr_step_make(s->pass.metric, s->pass.sums, &geometry, &step), 0);
    const fr_twist way = fr_log(&step.increment);
    gone[side] = 0;
    for (int i = 0; i < 6; i++)
      gone[side] += c->v[e][i] * way.v[i];
  }
  return (gone[1] - gone[0]) / (2 * h);
}

/* What lambda says, that T' goes so much of the way, holds for the step itself, by differences over two spacings. Those
 * know it to 1 / sqrt(20,000) = 0.007, the sample of 256 to 6 %: two to three of each. */
START_TEST(shares_are_those_of_the_step) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_TORUS};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      const scene_spec spec = {.kind = kinds[k], .source_count = 20000, .target_count = 80000, .seed = seed};
      scene made;
      ck_assert_ptr_null(scene_make(&spec, &made)); /* the truth is the identity */
      const fricp_cloud from = scene_view(made.source, made.source_count, NULL, 3);
      const fricp_cloud to = scene_view(made.target, made.target_count, NULL, 3);
      scenario s;
      fr_curvature c;
      scenario_of(&s, &from, &to, 0, FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, fr_best_isa());
      const fricp_pose truth = as_given(&s);
      const double nu = 6 * s.target->spacing;
      measure(&s, &truth, nu, &c);
      ck_assert_int_eq(c.count, 6);
      for (int e = 0; e < 6; e++)
        ck_assert_double_eq_tol(share_by_differences(&s, &c, e, nu, &truth), c.share[e], 0.02 + 0.12 * c.share[e]);
      scenario_free(&s);
      scene_free(&made);
    }
}
END_TEST

/* Planes have the curvature in their own step; and where no point has a correspondence there is none. */
START_TEST(where_nothing_is_known) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 1000};
  scene made;
  ck_assert_ptr_null(scene_make(&spec, &made));
  const fricp_cloud cloud = scene_view(made.source, made.source_count, NULL, 3);
  scenario s;
  fr_curvature c;
  scenario_of(&s, &cloud, &cloud, 1, FR_METRIC_POINT_TO_PLANE, FR_KERNEL_WELSCH, fr_best_isa());
  fricp_pose pose = as_given(&s);
  measure(&s, &pose, 0.1, &c);
  ck_assert_int_eq(c.count, 0);
  scenario_free(&s);
  scenario_of(&s, &cloud, &cloud, 0, FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, fr_best_isa());
  pose.translation[0] += 100;
  measure(&s, &pose, 0.1, &c);
  ck_assert_int_eq(c.count, 0);
  scenario_free(&s);
  scene_free(&made);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      a_floor_slides_three_ways,    a_sphere_turns_freely,  a_circle_in_the_plane, a_line_does_no_harm, damping,
      shares_are_those_of_the_step, where_nothing_is_known,
  };
  return run_suite("curvature", tests, COUNT(tests));
}
