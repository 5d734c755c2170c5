/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

fricp_status fr_fail(fricp_error *error, fricp_status status, const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    error->status = (int32_t)status;
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
  }
  return status;
}

void fr_clear(fricp_error *error) {
  if (error) {
    error->status = FRICP_OK;
    error->text[0] = '\0';
  }
}

const char *fricp_status_text(fricp_status status) {
  switch (status) {
  case FRICP_OK:
    return "success";
  case FRICP_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case FRICP_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case FRICP_ERROR_EMPTY_CLOUD:
    return "a cloud has no finite point";
  case FRICP_ERROR_TOO_FEW_POINTS:
    return "too few distinct points to determine a pose";
  case FRICP_ERROR_BAD_INDEX:
    return "an index is outside its cloud";
  case FRICP_ERROR_BAD_POSE:
    return "the guess is not a rigid motion";
  case FRICP_ERROR_NO_NORMALS:
    return "the target has no usable normals";
  case FRICP_ERROR_NO_CORRESPONDENCES:
    return "no correspondences within the distance limit";
  case FRICP_ERROR_DEGENERATE:
    return "the data determine no direction of motion";
  case FRICP_ERROR_SEARCH:
    return "the nearest-neighbour search failed";
  case FRICP_ERROR_NUMERICAL:
    return "a LAPACK routine failed";
  case FRICP_ERROR_INTERRUPTED:
    return "cancelled or out of time before there was a result";
  case FRICP_ERROR_UNSUPPORTED:
    return "a struct uses a field this version does not know";
  }
  return "unknown status";
}
