/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/options.h"

#include "align/anderson.h"
#include "align/method.h"
#include "api/option_table.h"
#include "base/import.h"
#include "search/nn.h"

#include <string.h>

const char *fricp_method_name(int32_t method) {
  const fr_method *row = fr_method_find(method);
  return row ? row->name : NULL;
}

fricp_status fricp_method_from_name(const char *name, int32_t *method) {
  if (!name || !method)
    return FRICP_ERROR_INVALID_ARGUMENT;
  for (int32_t m = 0; fr_method_find(m); m++)
    if (strcmp(name, fr_method_find(m)->name) == 0) {
      *method = m;
      return FRICP_OK;
    }
  return FRICP_ERROR_INVALID_ARGUMENT;
}

int fricp_method_needs_normals(int32_t method) {
  const fr_method *row = fr_method_find(method);
  return row && row->metric == FR_METRIC_POINT_TO_PLANE;
}

int fricp_method_uses_normals(int32_t method) {
  return method == FRICP_METHOD_AUTO || fricp_method_needs_normals(method);
}

_Static_assert(FR_OPTION_HISTORY == FR_ANDERSON_MAX && FR_OPTION_NEIGHBORS == FR_NN_MAX_K, "the table's ranges");

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

fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error) {
  const fricp_options defaults = FRICP_OPTIONS_INIT;
  const fricp_status status =
      fr_import(checked, sizeof *checked, sizeof checked->struct_size, options ? options : &defaults, "options", error);
  return status == FRICP_OK ? check_fields(checked, fr_option_rows, FR_OPTION_COUNT, error) : status;
}

fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error) {
  const fricp_target_options defaults = FRICP_TARGET_OPTIONS_INIT;
  const fricp_status status = fr_import(checked, sizeof *checked, sizeof checked->struct_size,
                                        options ? options : &defaults, "target options", error);
  return status == FRICP_OK ? check_fields(checked, fr_target_option_rows, FR_TARGET_OPTION_COUNT, error) : status;
}
