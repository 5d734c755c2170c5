/* SPDX-License-Identifier: BSD-3-Clause */
#include "api.h"

#include <math.h>
#include <string.h>

const double origin[3] = {0, 0, 0};

scene make_scene(const scene_spec *spec) {
  scene s;
  const char *problem = scene_make(spec, &s);
  if (problem)
    ck_abort_msg("scene: %s", problem);
  return s;
}

scene scan_pair(uint64_t seed) {
  const scene_spec spec = {
      .source_count = UNLESS_SANITIZED(3000, 1000), .overlap = 0.85, .noise = 0.001, .seed = seed, .angle = 6};
  return make_scene(&spec);
}

fricp_cloud source_of(const scene *s) {
  return scene_view(s->source, s->source_count, NULL, s->dimension);
}

fricp_cloud target_of(const scene *s) {
  return scene_view(s->target, s->target_count, s->target_normals, s->dimension);
}

static int uses_source_normals(int32_t method) {
  const fricp_options options = options_for(method);
  return (fricp_options_normals(&options) & FRICP_NORMALS_SOURCE) != 0;
}

fricp_cloud source_for(int32_t method, const scene *s) {
  const double *normals = uses_source_normals(method) ? s->source_normals : NULL;
  return scene_view(s->source, s->source_count, normals, s->dimension);
}

int is_robust(int32_t method) {
  return method == FRICP_METHOD_AUTO || method == FRICP_METHOD_ROBUST_ICP || method == FRICP_METHOD_ROBUST_ICP_PLANE ||
         method == FRICP_METHOD_ROBUST_SYMMETRIC_ICP || is_sparse(method);
}

int descends(int32_t method) {
  return method != FRICP_METHOD_AUTO && method != FRICP_METHOD_AA_ICP && !is_sparse(method);
}

int is_sparse(int32_t method) {
  return method == FRICP_METHOD_SPARSE_ICP || method == FRICP_METHOD_SPARSE_ICP_PLANE;
}

/* The minimum by bisection of the derivative, which rises beyond its own minimum; below the threshold v = 1 it is z = 0. */
double envelope_weight(double r, double nu, double *energy) {
  const double p = 0.4;
  const double s = pow(2 * (1 - p), 1 - p) * pow(2 - p, p - 2);
  const double v = r / (1.5 * nu);
  double low = pow(p * (1 - p) * s, 1 / (2 - p));
  double high = v;
  *energy = 2.25 * v * v / 2;
  if (v <= 1)
    return 1;
  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2;
    if (middle - v + s * p * pow(middle, p - 1) > 0)
      high = middle;
    else
      low = middle;
  }
  *energy = 2.25 * (s * pow(low, p) + (v - low) * (v - low) / 2);
  return 1 - low / v;
}

double residual_along(const scene *s, int32_t method, const fricp_pose *pose, size_t i, const double q[3], size_t at) {
  const double *n = s->target_normals + 3 * at;
  double m[3] = {0, 0, 0};
  double same = 0;
  double along = 0;
  for (int a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++)
      m[a] += pose->rotation[a][b] * s->source_normals[3 * i + b];
  for (int a = 0; a < 3; a++)
    same += m[a] * n[a];
  for (int a = 0; a < 3; a++) {
    const double mean = !uses_source_normals(method) ? n[a] : same < 0 ? (n[a] - m[a]) / 2 : (n[a] + m[a]) / 2;
    along += mean * (q[a] - s->target[3 * at + (size_t)a]);
  }
  return along;
}

fricp_options options_for(int32_t method) {
  fricp_options options = FRICP_OPTIONS_INIT;
  options.method = method;
  options.threads = 1;
  return options;
}

int by_planes(int32_t method, const fricp_cloud *target) {
  return fricp_method_needs_normals(method) || (method == FRICP_METHOD_AUTO && target->normals && target->count >= 100);
}

static void check_pose(const fricp_pose *pose) {
  ck_assert(verify_finite(pose));
  ck_assert_double_le(verify_orthonormality(pose), 1e-12);
}

fricp_result register_or_fail(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                              const fricp_options *options) {
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  const fricp_status status = fricp_register(source, target, guess, options, &result, &error);
  if (status != FRICP_OK)
    ck_abort_msg("status %d: %s", (int)status, error.text);
  ck_assert_str_eq(error.text, "");
  check_pose(&result.target_from_source);
  return result;
}

fricp_result register_scene(const scene *s, const fricp_pose *guess, const fricp_options *options) {
  const fricp_cloud source = source_of(s);
  const fricp_cloud target = target_of(s);
  return register_or_fail(&source, &target, guess, options);
}

void expect_refused(const fricp_options *options, fricp_status status, const char *part) {
  const scene_spec spec = {.source_count = 500};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  ck_assert_int_eq(fricp_register(&source, &target, NULL, options, &result, &error), (int)status);
  ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
  scene_free(&s);
}

fricp_result align_or_fail(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                           const fricp_pose *guess, const fricp_options *options) {
  fricp_result result = FRICP_RESULT_INIT;
  const fricp_status status = fricp_solver_align(solver, target, source, guess, options, &result);
  if (status != FRICP_OK)
    ck_abort_msg("status %d: %s", (int)status, fricp_solver_last_error(solver));
  ck_assert_str_eq(fricp_solver_last_error(solver), "");
  check_pose(&result.target_from_source);
  return result;
}

fricp_target *target_or_fail(const fricp_cloud *cloud, const fricp_target_options *options) {
  fricp_target *target = NULL;
  fricp_error error;
  if (fricp_target_create(&target, cloud, options, &error) != FRICP_OK)
    ck_abort_msg("%s", error.text);
  ck_assert_ptr_nonnull(target);
  return target;
}

fricp_target *target_as_given(const fricp_cloud *cloud) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = 1;
  return target_or_fail(cloud, &options);
}

fricp_solver *solver_or_fail(void) {
  fricp_solver *solver = NULL;
  ck_assert_int_eq(fricp_solver_create(&solver, NULL), FRICP_OK);
  return solver;
}

ready_pair ready_pair_make(scene s) {
  ready_pair p = {.scene = s, .source = source_of(&s), .cloud = target_of(&s), .solver = solver_or_fail()};
  p.target = target_or_fail(&p.cloud, NULL);
  return p;
}

void ready_pair_free(ready_pair *pair) {
  fricp_solver_destroy(pair->solver);
  fricp_target_destroy(pair->target);
  scene_free(&pair->scene);
}

double error_of(const scene *s, const fricp_pose *pose) {
  return verify_rmse(pose, &s->target_from_source, s->source, s->source_count) / s->diameter;
}

double spacing_of(const fricp_cloud *cloud) {
  fricp_target *target = target_or_fail(cloud, NULL);
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(target, &info), FRICP_OK);
  fricp_target_destroy(target);
  return info.spacing;
}

fricp_pose turn(const double axis[3], double degrees, const double center[3], const double shift[3]) {
  fricp_pose pose = verify_pose(axis, degrees, shift);
  for (int a = 0; a < 3; a++) {
    pose.translation[a] += center[a];
    for (int b = 0; b < 3; b++)
      pose.translation[a] -= pose.rotation[a][b] * center[b];
  }
  return pose;
}

void check_same_result(const fricp_result *a, const fricp_result *b) {
  fricp_result x = *a;
  fricp_result y = *b;
  x.seconds_prepare = x.seconds_solve = y.seconds_prepare = y.seconds_solve = 0;
  x.threads = y.threads = 0;
  ck_assert(verify_same_bits(&x.target_from_source, &y.target_from_source));
  ck_assert_mem_eq(&x, &y, sizeof x);
}

size_t nearest_by_looking(const fricp_cloud *target, const double q[3], double *squared) {
  const double *p = target->points; /* packed doubles, xyz: as scenes have them */
  const size_t step = target->stride ? target->stride / sizeof *p : target->dimension == 2 ? 2 : 3;
  size_t best = 0;
  *squared = INFINITY;
  for (size_t i = 0; i < target->count; i++) {
    double d2 = 0;
    for (int a = 0; a < (target->dimension == 2 ? 2 : 3); a++)
      d2 += (p[step * i + (size_t)a] - q[a]) * (p[step * i + (size_t)a] - q[a]);
    if (d2 < *squared) {
      *squared = d2;
      best = i;
    }
  }
  return best;
}

int neighbors_by_looking(const double *points, size_t count, const double q[3], int k, double limit, int32_t *indices,
                         double *squared) {
  int found = 0;
  for (size_t i = 0; i < count; i++) {
    double d2 = 0;
    for (size_t a = 0; a < 3; a++)
      d2 += (points[3 * i + a] - q[a]) * (points[3 * i + a] - q[a]);
    if (!(d2 <= limit) || (found == k && d2 >= squared[k - 1]))
      continue;
    int at = found < k ? found++ : k - 1; /* sorted insertion */
    for (; at > 0 && squared[at - 1] > d2; at--) {
      squared[at] = squared[at - 1];
      indices[at] = indices[at - 1];
    }
    squared[at] = d2;
    indices[at] = (int32_t)i;
  }
  return found;
}

fricp_pose start_off(const scene *s, double degrees, int number) {
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {0.1 * s->diameter * cos(2.4 * number), 0.1 * s->diameter * sin(2.4 * number), 0};
  const fricp_pose off = turn(axis, degrees, origin, shift);
  return fricp_pose_multiply(&off, &s->target_from_source);
}

void check_verdict(const fricp_result *r) {
  ck_assert_int_ge(r->verdict, FRICP_VERDICT_RELIABLE);
  ck_assert_int_le(r->verdict, FRICP_VERDICT_POOR);
  ck_assert(r->overlap_source >= 0 && r->overlap_source <= 1 && r->overlap_target >= 0 && r->overlap_target <= 1);
  ck_assert(r->through_source >= 0 && r->through_source <= 1 && r->through_target >= 0 && r->through_target <= 1);
  ck_assert(r->agreement >= 0 && r->agreement <= 1 && r->rival >= 0);
  ck_assert(r->agreement_least >= 0 && r->agreement_least <= 1);
  if (r->verdict == FRICP_VERDICT_PARTIAL)
    ck_assert_int_gt(r->undetermined, 0);
  if (r->verdict == FRICP_VERDICT_RELIABLE)
    ck_assert_int_eq(r->undetermined, 0);
}
