/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/options.h"

#include "align/anderson.h"
#include "align/method.h"
#include "api/option_table.h"
#include "base/import.h"
#include "cloud/cloud.h"
#include "search/nn.h"

#include <string.h>

#define HISTORY 5 /* m of Anderson acceleration where a method has none, as in the paper */

fr_method fr_method_of(int32_t method, const fricp_options *options) {
  fr_method combined = *fr_method_find(method);
  if (options->metric > 0)
    combined.metric = (fr_metric_id)(options->metric - 1);
  if (options->kernel > 0)
    combined.kernel = (fr_kernel_id)(options->kernel - 1);
  if (options->acceleration == FRICP_ACCELERATION_ANDERSON)
    combined.history = HISTORY;
  if (options->anderson_history > 0)
    combined.history = options->anderson_history;
  if (options->acceleration == FRICP_ACCELERATION_NONE || options->anderson_history < 0)
    combined.history = 0;
  return combined;
}

const char *fricp_method_name(int32_t method) {
  const fr_method *row = fr_method_find(method);
  return row ? row->name : NULL;
}

const char *fricp_metric_name(int32_t metric) {
  const int known = metric > 0 && metric <= (int32_t)FR_METRIC_COUNT;
  return known ? fr_metric_find((fr_metric_id)(metric - 1), FR_ISA_GENERIC)->name : NULL;
}

const char *fricp_kernel_name(int32_t kernel) {
  const int known = kernel > 0 && kernel <= (int32_t)FR_KERNEL_COUNT;
  return known ? fr_kernel_find((fr_kernel_id)(kernel - 1), FR_ISA_GENERIC)->name : NULL;
}

const char *fricp_acceleration_name(int32_t acceleration) {
  return acceleration == FRICP_ACCELERATION_NONE       ? "none"
         : acceleration == FRICP_ACCELERATION_ANDERSON ? "anderson"
                                                       : NULL;
}

/* The number from `first` on that has this name. */
static fricp_status number_of(const char *name, const char *(*name_of)(int32_t), int32_t first, int32_t *number) {
  if (!name || !number)
    return FRICP_ERROR_INVALID_ARGUMENT;
  const char *known;
  for (int32_t k = first; (known = name_of(k)); k++)
    if (strcmp(name, known) == 0) {
      *number = k;
      return FRICP_OK;
    }
  return FRICP_ERROR_INVALID_ARGUMENT;
}

fricp_status fricp_method_from_name(const char *name, int32_t *method) {
  return number_of(name, fricp_method_name, 0, method);
}

fricp_status fricp_metric_from_name(const char *name, int32_t *metric) {
  return number_of(name, fricp_metric_name, 1, metric);
}

fricp_status fricp_kernel_from_name(const char *name, int32_t *kernel) {
  return number_of(name, fricp_kernel_name, 1, kernel);
}

fricp_status fricp_acceleration_from_name(const char *name, int32_t *acceleration) {
  return number_of(name, fricp_acceleration_name, 1, acceleration);
}

/* Of a method with another metric (0: its own), gated by an angle (0: not). */
static int normals_of(int32_t method, int32_t metric, double angle) {
  const fr_method *row = fr_method_find(method);
  if (!row || metric < 0 || metric > (int32_t)FR_METRIC_COUNT)
    return 0;
  const fr_metric *used = fr_metric_find(metric > 0 ? (fr_metric_id)(metric - 1) : row->metric, FR_ISA_GENERIC);
  int normals = method == FRICP_METHOD_AUTO ? FRICP_NORMALS_TARGET_USED : 0;
  if (used->needs_normals)
    normals |= FRICP_NORMALS_TARGET | FRICP_NORMALS_TARGET_USED;
  if (used->needs_source_normals)
    normals |= FRICP_NORMALS_SOURCE;
  if (angle > 0)
    normals |= FRICP_NORMALS_TARGET | FRICP_NORMALS_TARGET_USED | FRICP_NORMALS_SOURCE;
  return normals;
}

int fricp_options_normals(const fricp_options *options) {
  fricp_options known;
  const fricp_options defaults = FRICP_OPTIONS_INIT;
  if (fr_import(&known, sizeof known, sizeof known.struct_size, options ? options : &defaults, "options", NULL) !=
      FRICP_OK)
    return 0;
  return normals_of(known.method, known.metric, known.max_normal_angle);
}

int fricp_method_needs_normals(int32_t method) {
  return (normals_of(method, 0, 0) & FRICP_NORMALS_TARGET) != 0;
}

int fricp_method_uses_normals(int32_t method) {
  return (normals_of(method, 0, 0) & FRICP_NORMALS_TARGET_USED) != 0;
}

_Static_assert(FR_OPTION_HISTORY == FR_ANDERSON_MAX && FR_OPTION_NEIGHBORS == FR_NN_MAX_K, "the table's ranges");

#define SAME(public, row) _Static_assert((int)(public) == (int)(row) + 1, "each row needs its public value")
SAME(FRICP_METRIC_POINT_TO_POINT, FR_METRIC_POINT_TO_POINT);
SAME(FRICP_METRIC_POINT_TO_PLANE, FR_METRIC_POINT_TO_PLANE);
SAME(FRICP_METRIC_SYMMETRIC, FR_METRIC_SYMMETRIC);
SAME(FRICP_KERNEL_LEAST_SQUARES, FR_KERNEL_LEAST_SQUARES);
SAME(FRICP_KERNEL_WELSCH, FR_KERNEL_WELSCH);
SAME(FRICP_KERNEL_HUBER, FR_KERNEL_HUBER);
SAME(FRICP_KERNEL_TUKEY, FR_KERNEL_TUKEY);
SAME(FRICP_KERNEL_CAUCHY, FR_KERNEL_CAUCHY);
SAME(FRICP_KERNEL_GEMAN_MCCLURE, FR_KERNEL_GEMAN_MCCLURE);
SAME(FRICP_KERNEL_LP, FR_KERNEL_LP);
SAME(FRICP_KERNEL_TRIMMED, FR_KERNEL_TRIMMED);

static double value_of(const void *options, const fr_option *row) {
  const unsigned char *const field = (const unsigned char *)options + row->offset;
  double real = 0;
  int32_t whole = 0;
  if (row->kind == FR_REAL)
    memcpy(&real, field, sizeof real);
  else
    memcpy(&whole, field, sizeof whole);
  return row->kind == FR_REAL ? real : (double)whole;
}

/* No number (NaN) is in no range. */
static int is_allowed(const fr_option *row, double value) {
  const int is_low = row->kind == FR_REAL ? !(value > row->least) : value < row->least;
  return value == 0 || (!is_low && value <= row->most);
}

static fricp_status check_fields(const void *options, const fr_option *rows, size_t count, fricp_error *error) {
  for (size_t i = 0; i < count; i++) {
    const double value = value_of(options, &rows[i]);
    if (is_allowed(&rows[i], value))
      continue;
    if (rows[i].kind == FR_REAL)
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: %s = %g is not a positive number up to %g (0: %s)",
                     rows[i].name, value, rows[i].most, rows[i].default_text);
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: %s = %.0f is not in [%.0f, %.0f] (0: %s)",
                   rows[i].name, value, rows[i].least, rows[i].most, rows[i].default_text);
  }
  return FRICP_OK;
}

static fricp_status check_sensor(const char *name, const double *sensor, fricp_error *error) {
  for (int a = 0; sensor && a < 3; a++)
    if (!(fabs(sensor[a]) < FR_COORDINATE_LIMIT))
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                     "options: coordinate %d of %s is %g: it needs x y z below 1e75", a, name, sensor[a]);
  return FRICP_OK;
}

/* What each option allows, but not together. */
static fricp_status check_together(const fricp_options *o, fricp_error *error) {
  if (o->reserved != 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: reserved = %d, but must be 0", (int)o->reserved);
  const char *replaced = o->metric > 0 ? "metric" : "kernel";
  if (o->method == FRICP_METHOD_AUTO && (o->metric > 0 || o->kernel > 0))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: %s = %s with method auto, which chooses its own; name another method, such as robust-icp",
                   replaced, o->metric > 0 ? fricp_metric_name(o->metric) : fricp_kernel_name(o->kernel));
  const fr_method method = fr_method_of(o->method, o);
  const fr_kernel *kernel = fr_kernel_find(method.kernel, FR_ISA_GENERIC);
  if (method.scheme == FR_SCHEME_ADMM && method.kernel != FR_KERNEL_LP)
    return fr_fail(
        error, FRICP_ERROR_INVALID_ARGUMENT,
        "options: kernel = %s with method %s, which solves lp alone; name another method, such as robust-icp",
        kernel->name, method.name);
  if (o->kernel_shape > 0 && !(kernel->shape > 0))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: kernel_shape = %g, but the kernel %s has no shape; leave it 0 or choose lp or trimmed",
                   o->kernel_shape, kernel->name);
  if ((o->acceleration == FRICP_ACCELERATION_NONE && o->anderson_history > 0) ||
      (o->acceleration == FRICP_ACCELERATION_ANDERSON && o->anderson_history < 0))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: acceleration = %s contradicts anderson_history = %d; set one of the two",
                   fricp_acceleration_name(o->acceleration), (int)o->anderson_history);
  return FRICP_OK;
}

fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error) {
  const fricp_options defaults = FRICP_OPTIONS_INIT;
  fricp_status status =
      fr_import(checked, sizeof *checked, sizeof checked->struct_size, options ? options : &defaults, "options", error);
  if (status == FRICP_OK)
    status = check_fields(checked, fr_option_rows, FR_OPTION_COUNT, error);
  if (status == FRICP_OK)
    status = check_sensor("source_sensor", checked->source_sensor, error);
  if (status == FRICP_OK)
    status = check_sensor("target_sensor", checked->target_sensor, error);
  return status == FRICP_OK ? check_together(checked, error) : status;
}

fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error) {
  const fricp_target_options defaults = FRICP_TARGET_OPTIONS_INIT;
  const fricp_status status = fr_import(checked, sizeof *checked, sizeof checked->struct_size,
                                        options ? options : &defaults, "target options", error);
  return status == FRICP_OK ? check_fields(checked, fr_target_option_rows, FR_TARGET_OPTION_COUNT, error) : status;
}
