/* SPDX-License-Identifier: BSD-3-Clause */
/* What fricp_register() needs of the solver. */
#ifndef FR_SOLVER_H
#define FR_SOLVER_H

#include "align/rules.h"
#include "fricp/fricp.h"

/* As fricp_solver_align() for a call that began at `started` (fr_seconds()), when it prepared the target. */
fricp_status fr_solver_align(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                             const fricp_pose *guess, const fricp_options *options, double started,
                             fricp_result *result);

/* For the measurement of what each rule is worth: other values from now on. */
void fr_solver_set_rules(fricp_solver *solver, const fr_rules *rules);

#endif
