/* SPDX-License-Identifier: BSD-3-Clause */
/* Method auto: where to start, and whether to believe what came of it. */
#ifndef FR_AUTO_H
#define FR_AUTO_H

#include "api/job.h"

/* The method that refines: by planes where the target has normals for most of its points and is not flat, by
 * points else. */
int32_t fr_auto_method(const fricp_target *target);

/* Try the ways and set the run up to refine the best; leave it as it is where there is nothing to choose between. */
fricp_status fr_auto_choose(fr_job *job, fricp_error *error);

/* Fill in the verdict on the final pose and what it goes by. */
void fr_auto_judge(fr_job *job, fricp_result *result);

#endif
