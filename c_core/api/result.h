/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's result before anything is known. */
#ifndef FR_RESULT_H
#define FR_RESULT_H

#include "base/status.h"

/* Refuse a result that is NULL or whose struct_size does not reach over the pose. */
fricp_status fr_result_check(const fricp_result *result, fricp_error *error);

/* Nothing run, and the pose is the guess (NULL: the identity). */
fricp_result fr_result_blank(const fricp_pose *guess);

#endif
