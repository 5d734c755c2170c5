/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/options.h"

#include "align/anderson.h"
#include "base/import.h"
#include "search/nn.h"

#include <float.h>
#include <string.h>

#define LONGEST 1e9 /* seconds */

static const fr_method methods[] = {
    [FRICP_METHOD_ROBUST_ICP] = {"robust-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, 5, 1000, 1000, 5000},
    [FRICP_METHOD_ROBUST_ICP_PLANE] = {"robust-icp-plane", FR_METRIC_POINT_TO_PLANE, FR_KERNEL_WELSCH, 5, 6, 10, 3000},
    [FRICP_METHOD_FAST_ICP] = {"fast-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, 5, 1000, 1000, 0},
    [FRICP_METHOD_ICP] = {"icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, 0, 1000, 1000, 0},
    [FRICP_METHOD_ICP_PLANE] = {"icp-plane", FR_METRIC_POINT_TO_PLANE, FR_KERNEL_LEAST_SQUARES, 0, 1000, 1000, 0},
};

const fr_method *fr_method_find(int32_t method) {
  return method >= 0 && (size_t)method < sizeof methods / sizeof methods[0] ? &methods[method] : NULL;
}

const char *fricp_method_name(int32_t method) {
  const fr_method *row = fr_method_find(method);
  return row ? row->name : NULL;
}

fricp_status fricp_method_from_name(const char *name, int32_t *method) {
  if (!name || !method)
    return FRICP_ERROR_INVALID_ARGUMENT;
  for (int32_t m = 0; fr_method_find(m); m++)
    if (strcmp(name, methods[m].name) == 0) {
      *method = m;
      return FRICP_OK;
    }
  return FRICP_ERROR_INVALID_ARGUMENT;
}

int fricp_method_needs_normals(int32_t method) {
  const fr_method *row = fr_method_find(method);
  return row && row->metric == FR_METRIC_POINT_TO_PLANE;
}

/* One row a field that is a number with a range. */
typedef struct number_rule {
  const char *name;
  size_t offset;
  double most;
} number_rule;

typedef struct integer_rule {
  const char *name;
  size_t offset;
  int32_t least;
  int32_t most;
} integer_rule;

/* A length may be any number: what is too long to be squared is no limit (solver.c). */
static const number_rule number_rules[] = {
    {"max_distance", offsetof(fricp_options, max_distance), DBL_MAX},
    {"nu_start_factor", offsetof(fricp_options, nu_start_factor), 1e9},
    {"nu_end_factor", offsetof(fricp_options, nu_end_factor), 1e9},
    {"translation_epsilon", offsetof(fricp_options, translation_epsilon), DBL_MAX},
    {"rotation_epsilon", offsetof(fricp_options, rotation_epsilon), 7},
    {"fitness_epsilon", offsetof(fricp_options, fitness_epsilon), 1e9},
    {"inlier_distance", offsetof(fricp_options, inlier_distance), DBL_MAX},
    {"time_limit", offsetof(fricp_options, time_limit), LONGEST},
};

static const integer_rule integer_rules[] = {
    {"start", offsetof(fricp_options, start), 0, FRICP_START_CENTROID},
    {"max_iterations", offsetof(fricp_options, max_iterations), 0, INT32_MAX - 1},
    {"anderson_history", offsetof(fricp_options, anderson_history), -1, FR_ANDERSON_MAX},
    {"full_resolution", offsetof(fricp_options, full_resolution), 0, 1},
    {"reciprocal", offsetof(fricp_options, reciprocal), 0, 1},
    {"threads", offsetof(fricp_options, threads), 0, INT32_MAX},
    {"reserved", offsetof(fricp_options, reserved), 0, 0},
};

static const integer_rule target_rules[] = {
    {"estimate_normals", offsetof(fricp_target_options, estimate_normals), 0, 1},
    {"search_type", offsetof(fricp_target_options, search_type), 0, FRICP_SEARCH_BRUTE},
    {"threads", offsetof(fricp_target_options, threads), 0, INT32_MAX},
};

static fricp_status check_integers(const void *options, const integer_rule *rules, size_t count, fricp_error *error) {
  for (size_t i = 0; i < count; i++) {
    int32_t value = 0;
    memcpy(&value, (const unsigned char *)options + rules[i].offset, sizeof value);
    if (value < rules[i].least || value > rules[i].most)
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: %s = %d is not in [%d, %d]", rules[i].name,
                     (int)value, (int)rules[i].least, (int)rules[i].most);
  }
  return FRICP_OK;
}

static fricp_status check_numbers(const fricp_options *options, fricp_error *error) {
  for (size_t i = 0; i < sizeof number_rules / sizeof number_rules[0]; i++) {
    double value = 0;
    memcpy(&value, (const unsigned char *)options + number_rules[i].offset, sizeof value);
    if (!(value >= 0) || value > number_rules[i].most)
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                     "options: %s = %g is not a positive number up to %g (0: the default)", number_rules[i].name, value,
                     number_rules[i].most);
  }
  return FRICP_OK;
}

fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error) {
  const fricp_options defaults = FRICP_OPTIONS_INIT;
  fricp_status status =
      fr_import(checked, sizeof *checked, sizeof checked->struct_size, options ? options : &defaults, "options", error);
  if (status != FRICP_OK)
    return status;
  if (!fr_method_find(checked->method))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: method %d does not exist", (int)checked->method);
  status = check_integers(checked, integer_rules, sizeof integer_rules / sizeof integer_rules[0], error);
  return status == FRICP_OK ? check_numbers(checked, error) : status;
}

fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error) {
  const fricp_target_options defaults = FRICP_TARGET_OPTIONS_INIT;
  fricp_status status = fr_import(checked, sizeof *checked, sizeof checked->struct_size, options ? options : &defaults,
                                  "target options", error);
  if (status != FRICP_OK)
    return status;
  if (checked->normal_neighbors != 0 && (checked->normal_neighbors < 3 || checked->normal_neighbors > FR_NN_MAX_K))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: normal_neighbors = %d is not in [3, %d]",
                   (int)checked->normal_neighbors, FR_NN_MAX_K);
  if (!(checked->time_limit >= 0) || checked->time_limit > LONGEST)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: time_limit = %g is not a positive number up to %g (0: none)", checked->time_limit,
                   LONGEST);
  return check_integers(checked, target_rules, sizeof target_rules / sizeof target_rules[0], error);
}
