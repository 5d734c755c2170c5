/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/result.h"

#include "base/import.h"

fricp_status fr_result_check(const fricp_result *result, fricp_error *error) {
  if (!result)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "result: it is NULL; start from FRICP_RESULT_INIT");
  return fr_struct_check(result, FR_THROUGH(fricp_result, target_from_source), "result", error);
}

fricp_result fr_result_blank(const fricp_pose *guess) {
  fricp_result result = FRICP_RESULT_INIT;
  result.last_step = fricp_pose_identity();
  result.target_from_source = guess ? *guess : result.last_step;
  return result;
}
