/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-call form, and what needs no object. */
#include "cloud.h"
#include "import.h"
#include "options.h"
#include "parallel.h"
#include "se3.h"
#include "solver.h"

#include <string.h>

const char *fricp_version(void) {
  return FRICP_VERSION_STRING;
}

const char *fricp_stop_reason_name(int32_t stop_reason) {
  static const char *const names[] = {
      [FRICP_STOP_NONE] = "not_run",
      [FRICP_STOP_CONVERGED] = "converged",
      [FRICP_STOP_ITERATION_LIMIT] = "iteration_limit",
      [FRICP_STOP_POSE_EPSILON] = "pose_epsilon",
      [FRICP_STOP_FITNESS_EPSILON] = "fitness_epsilon",
      [FRICP_STOP_CANCELLED] = "cancelled",
      [FRICP_STOP_TIME_LIMIT] = "time_limit",
      [FRICP_STOP_NO_DESCENT] = "no_descent",
      [FRICP_STOP_NO_OVERLAP] = "no_overlap",
  };
  return stop_reason >= 0 && (size_t)stop_reason < sizeof names / sizeof names[0] ? names[stop_reason] : "unknown";
}

fricp_result fricp_result_init(void) {
  fricp_result result;
  memset(&result, 0, sizeof result);
  result.struct_size = sizeof result;
  result.target_from_source = fricp_pose_identity();
  result.last_step = fricp_pose_identity();
  return result;
}

static fricp_status align_once(const fricp_target *target, const fricp_cloud *source, const fricp_pose *guess,
                               const fricp_options *options, double started, fricp_result *result, fricp_error *error) {
  fricp_solver *solver = NULL;
  fricp_status status = fricp_solver_create(&solver, NULL);
  if (status != FRICP_OK)
    return fr_fail(error, status, "out of memory for the solver");
  status = fr_solver_align(solver, target, source, guess, options, started, result);
  if (status != FRICP_OK)
    (void)fr_fail(error, status, "%s", fricp_solver_last_error(solver));
  fricp_solver_destroy(solver);
  return status;
}

fricp_status fricp_register(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                            const fricp_options *options, fricp_result *result, fricp_error *error) {
  fr_clear(error);
  if (!result || result->struct_size < sizeof result->struct_size)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "result: start from fricp_result_init()");
  fricp_result filled = fricp_result_init();
  if (guess)
    filled.target_from_source = *guess;
  fr_export(result, &filled, sizeof filled);
  fricp_options checked;
  fricp_status status = fr_options_check(options, &checked, error);
  if (status != FRICP_OK)
    return status;
  const double started = fr_seconds();
  fricp_target_options prepare = FRICP_TARGET_OPTIONS_INIT;
  prepare.threads = checked.threads;
  prepare.estimate_normals = fricp_method_needs_normals(checked.method);
  prepare.time_limit = checked.time_limit;
  prepare.progress = checked.progress;
  prepare.progress_context = checked.progress_context;
  fricp_target *prepared = NULL;
  status = fricp_target_create(&prepared, target, &prepare, error);
  if (status == FRICP_ERROR_INTERRUPTED) { /* no error, but there is nothing better than the guess */
    fr_clear(error);
    filled.seconds_prepare = fr_seconds() - started;
    filled.stop_reason = checked.time_limit > 0 && filled.seconds_prepare > checked.time_limit ? FRICP_STOP_TIME_LIMIT
                                                                                               : FRICP_STOP_CANCELLED;
    fr_export(result, &filled, sizeof filled);
    return FRICP_OK;
  }
  if (status != FRICP_OK)
    return status;
  status = align_once(prepared, source, guess, &checked, started, &filled, error);
  fr_export(result, &filled, sizeof filled);
  fricp_target_destroy(prepared);
  return status;
}

static void move_vector(const fricp_cloud *cloud, const fricp_pose *pose, const void *from, void *to, size_t stride,
                        size_t index, int translate) {
  double v[3] = {0, 0, 0};
  float f[3];
  const int d = cloud->dimension;
  const unsigned char *in = (const unsigned char *)from + index * stride;
  unsigned char *out = (unsigned char *)to + index * stride;
  const int is_float = cloud->scalar_type == FRICP_SCALAR_FLOAT;
  memcpy(is_float ? (void *)f : (void *)v, in, (size_t)d * (is_float ? sizeof(float) : sizeof(double)));
  for (int a = 0; a < d && is_float; a++)
    v[a] = (double)f[a];
  double moved[3];
  for (int a = 0; a < 3; a++)
    moved[a] = pose->rotation[a][0] * v[0] + pose->rotation[a][1] * v[1] + pose->rotation[a][2] * v[2] +
               (translate ? pose->translation[a] : 0);
  for (int a = 0; a < d && is_float; a++)
    f[a] = (float)moved[a];
  memcpy(out, is_float ? (void *)f : (void *)moved, (size_t)d * (is_float ? sizeof(float) : sizeof(double)));
}

fricp_status fricp_transform(const fricp_pose *pose, const fricp_cloud *cloud, void *points, void *normals) {
  fricp_cloud view;
  if (!pose || !points)
    return FRICP_ERROR_INVALID_ARGUMENT;
  const fricp_status status = fr_cloud_check(cloud, "cloud", &view, NULL);
  if (status != FRICP_OK)
    return status;
  const size_t selected = fr_cloud_selected(&view);
  for (size_t i = 0; i < selected; i++) {
    const size_t index = fr_cloud_index(&view, i);
    double p[3];
    if (fr_cloud_point(&view, index, p)) {
      move_vector(&view, pose, view.points, points, view.stride, index, 1);
      if (view.normals && normals)
        move_vector(&view, pose, view.normals, normals, view.normal_stride, index, 0);
      continue;
    }
    const size_t scalar = view.scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
    const size_t bytes = scalar * (size_t)view.dimension;
    memmove((unsigned char *)points + index * view.stride, (const unsigned char *)view.points + index * view.stride,
            bytes);
    if (view.normals && normals)
      memmove((unsigned char *)normals + index * view.normal_stride,
              (const unsigned char *)view.normals + index * view.normal_stride, bytes);
  }
  return FRICP_OK;
}
