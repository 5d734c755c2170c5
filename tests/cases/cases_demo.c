/* SPDX-License-Identifier: BSD-3-Clause */
/* The authors' demo pair, from the start their program takes: centroids aligned. */
#include "cases_suite.h"
#include "fricp/fricp.h"
#include "ply.h"
#include "scene.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stated with the case: the authors' scale, the paper's nu_min in it, and the Robust ICP pose of tight convergence. */
static const double scale = 1.93638;
static const double nu_min = 8.26889e-4;
static const fricp_pose stated = {{{0.80441737305, 0.35946766045, -0.47296478835},
                                   {-0.50982546742, 0.82640785100, -0.23901476225},
                                   {0.30494373694, 0.43339712146, 0.84804260059}},
                                  {-0.15687615608, 0.48020915348, 0.01406445010}};

typedef struct demo {
  ply_cloud source, target;
} demo;

static demo load(void) {
  demo d;
  const char *problem = ply_read(shared_path("cases/demo/source.ply"), &d.source);
  if (problem)
    ck_abort_msg("source: %s", problem);
  problem = ply_read(shared_path("cases/demo/target.ply"), &d.target);
  if (problem)
    ck_abort_msg("target: %s", problem);
  return d;
}

static void unload(demo *d) {
  ply_free(&d->source);
  ply_free(&d->target);
}

static fricp_cloud view_of(const ply_cloud *ply) {
  return scene_view(ply->points, ply->count, ply->normals, 3);
}

static fricp_result run(const demo *d, int32_t method) {
  const fricp_cloud source = view_of(&d->source);
  const fricp_cloud target = view_of(&d->target);
  fricp_options options = FRICP_OPTIONS_INIT;
  options.method = method;
  options.start = FRICP_START_CENTROID;
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  if (fricp_register(&source, &target, NULL, &options, &result, &error) != FRICP_OK)
    ck_abort_msg("%s: %s", fricp_method_name(method), error.text);
  ck_assert_double_le(verify_orthonormality(&result.target_from_source), 1e-12);
  return result;
}

/* Energy at the paper's nu_min: the tight optimum is 12,658.4314. */
START_TEST(robust_icp_reaches_the_optimum) {
  demo d = load();
  ck_assert_uint_eq(d.source.count, 14806);
  ck_assert_uint_eq(d.target.count, 15446);
  const fricp_result r = run(&d, FRICP_METHOD_ROBUST_ICP);
  ck_assert_int_eq(r.converged, 1);
  ck_assert_double_eq_tol(r.nu_end / (nu_min * scale), 1, 1e-4);
  ck_assert_double_le(r.energy, 12658.44);
  ck_assert_double_ge(r.energy, 12658.40); /* less would not be this energy */
  ck_assert_double_le(verify_rmse(&r.target_from_source, &stated, d.source.points, d.source.count), 1e-4 * scale);
  unload(&d);
}
END_TEST

START_TEST(robust_icp_plane_finds_the_pose) {
  demo d = load();
  const fricp_result r = run(&d, FRICP_METHOD_ROBUST_ICP_PLANE);
  ck_assert_int_eq(r.converged, 1);
  ck_assert_double_le(verify_rmse(&r.target_from_source, &stated, d.source.points, d.source.count), 2e-4 * scale);
  unload(&d);
}
END_TEST

/* Least squares ends far from the truth, 6.6 and 1.9 degrees in the authors' program: not an error, and told by its
 * share of inliers, which is far below the robust one's (0.29 and 0.39 against 0.683 in their measure). */
START_TEST(least_squares_runs_to_its_own_end) {
  demo d = load();
  const fricp_result robust = run(&d, FRICP_METHOD_ROBUST_ICP);
  static const int32_t methods[] = {FRICP_METHOD_ICP, FRICP_METHOD_FAST_ICP, FRICP_METHOD_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_result r = run(&d, methods[m]);
    ck_assert_int_eq(r.converged, 1);
    ck_assert_double_gt(verify_angle_degrees(&r.target_from_source, &stated), 1);
    ck_assert_double_lt(r.inlier_share, robust.inlier_share - 0.1);
  }
  unload(&d);
}
END_TEST

static void reframe(const ply_cloud *from, double unit, double offset, ply_cloud *to) {
  for (size_t i = 0; i < 3 * from->count; i++)
    to->points[i] = from->points[i] * unit + offset;
}

/* The file's numbers in millimetres, kilometres and 1e7 away: the same rotation to 1e-9. The pair is in floats, so that
 * adding 1e7 keeps 29 of their binary places below 1: what that rounding changes is no fault of the solver, and both
 * clouds are rounded first. */
START_TEST(units_and_origins_do_not_matter) {
  demo d = load();
  demo moved = load();
  for (size_t i = 0; i < 3 * d.source.count; i++)
    d.source.points[i] = ldexp(nearbyint(ldexp(d.source.points[i], 24)), -24);
  for (size_t i = 0; i < 3 * d.target.count; i++)
    d.target.points[i] = ldexp(nearbyint(ldexp(d.target.points[i], 24)), -24);
  static const struct { double unit, offset; } frames[] = {{1000, 0}, {0.001, 0}, {1, 1e7}};
  static const int32_t methods[] = {FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const fricp_result reference = run(&d, methods[m]);
    for (size_t f = 0; f < COUNT(frames); f++) {
      reframe(&d.source, frames[f].unit, frames[f].offset, &moved.source);
      reframe(&d.target, frames[f].unit, frames[f].offset, &moved.target);
      const fricp_result r = run(&moved, methods[m]);
      double largest = 0;
      for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(r.target_from_source.rotation[i / 3][i % 3] -
                                     reference.target_from_source.rotation[i / 3][i % 3]));
      if (!(largest <= 1e-9))
        ck_abort_msg("%s, unit %g, offset %g: rotations differ by %g", fricp_method_name(methods[m]), frames[f].unit,
                     frames[f].offset, largest);
    }
  }
  unload(&d);
  unload(&moved);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {robust_icp_reaches_the_optimum, robust_icp_plane_finds_the_pose,
                                least_squares_runs_to_its_own_end, units_and_origins_do_not_matter};
  return run_cases("demo", tests, COUNT(tests));
}
