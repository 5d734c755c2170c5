/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gauss-Newton as it is: T' is taken whether or not it lowers the energy. Where noise is as large as the points' spacing,
 * every step changes matches all over, and with them the energy by more than the step itself is worth: what is safeguarded
 * by the energy stands still wherever it begins. T', of all pairs, averages that out.
 */
#include "align/evaluate.h"
#include "align/scheme.h"

#include <math.h>
#include <stdlib.h>

extern const fr_scheme fr_scheme_mm;

static void begin(fr_icp *icp) {
  (void)icp;
}

static fr_outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  const fricp_pose next = icp->now.target;
  const char *e = getenv("FR_STEP");
  const char *m = getenv("FR_MOST");
  const double step = e ? atof(e) : 0.3;
  (void)reference;
  if (icp->now.residual < step * icp->now.nu / sqrt(icp->now.step.weight) || icp->level_iteration >= (m ? atoi(m) : 10))
    return FR_STANDS;
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
