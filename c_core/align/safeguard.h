/* SPDX-License-Identifier: BSD-3-Clause */
/* A pose is taken only if it lowers the energy (paper, Algorithms 1 and 2). */
#ifndef FR_SAFEGUARD_H
#define FR_SAFEGUARD_H

#include "align/scheme.h"

/* Take a proposal, accelerated or T' itself; else T', on the last level then ever shorter steps towards it. */
fr_outcome fr_safeguard(fr_icp *icp, const fricp_pose *proposal, int accelerated, fricp_error *error);

#endif
