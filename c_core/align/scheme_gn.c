/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gauss-Newton as it is: a step T' of up to LONGEST kernel widths is taken whether or not the energy falls, as plain ICP does.
 * With noise of some part of the spacing each step changes correspondences all over, and by that the energy at random: by
 * more than being a few standard deviations nearer to the optimum is worth, so that what the energy safeguards stands
 * still wherever it begins. T' is a mean over all pairs, which averages that out. Longer steps, of whose pairs the kernel
 * knows nothing yet, are safeguarded.
 */
#include "align/evaluate.h"
#include "align/safeguard.h"
#include "align/scheme.h"

#define LONGEST 4.0          /* kernel widths: a step that needs no safeguard */
#define SHORTEST (1.0 / 256) /* the same: some thousand pairs' noise moves T' by more */

static void begin(fr_icp *icp) {
  (void)icp;
}

static fr_outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  const fricp_pose next = icp->now.target;
  (void)reference;
  if (icp->now.residual < SHORTEST * icp->now.nu || icp->level_iteration >= icp->settings.limits.most)
    return FR_STANDS;
  if (icp->now.residual > LONGEST * icp->now.nu)
    return fr_safeguard(icp, &next, 0, error);
  if (fr_evaluate(icp, &next, 0, error) != FRICP_OK)
    return FR_FAILED;
  return fr_take(icp, &next, 0, error) == FRICP_OK ? FR_TAKEN : FR_FAILED;
}

const fr_scheme fr_scheme_gn = {
    .name = "gn",
    .begin = begin,
    .advance = advance,
    .finish = &fr_scheme_mm,
};
