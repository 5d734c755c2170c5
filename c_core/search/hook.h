/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's own search (fricp_search) as a back end. */
#ifndef FR_NN_HOOK_H
#define FR_NN_HOOK_H

#include "search/nn.h"

/* Make *nn (points, index, count, memory already set) answer through the caller's function, which speaks the caller's
 * frame: point = center + extent * ours; cloud_count bounds its indices. */
fricp_status fr_nn_hook_init(fr_nn *nn, const fricp_search *search, const double center[3], double extent,
                             size_t cloud_count, fricp_error *error);

#endif
