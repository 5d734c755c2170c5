/* SPDX-License-Identifier: BSD-3-Clause */
/* When a level ends, and what that says. */
#ifndef FR_STOP_H
#define FR_STOP_H

#include "align/icp.h"

/* Iterations that the total still allows. */
int fr_stop_iterations_left(const fr_icp *icp);

/* To be called when a level is entered: its budget, and nothing to go by yet. */
void fr_stop_begin(fr_icp *icp);

/* To be called once a pose. @return FRICP_STOP_NONE to go on; else why not. */
int32_t fr_stop_test(fr_icp *icp);

/* Was the run cancelled, or out of time? */
int fr_stop_is_interrupted(const fr_icp *icp);

/* May the pose be called converged? */
int fr_icp_is_converged(const fr_icp *icp);

#endif
