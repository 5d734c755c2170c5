/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/safeguard.h"

#include "align/evaluate.h"

#include <math.h>

#define STANDS_STILL 1e-15 /* relative change of energy that rounding explains */

static int stands_still(const fr_icp *icp) {
  return fabs(icp->energy - icp->now.energy) <= STANDS_STILL * icp->now.energy;
}

static fr_outcome take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error) {
  return fr_take(icp, pose, accelerated, error) == FRICP_OK ? FR_TAKEN : FR_FAILED;
}

/* Algorithm 2, tau and l: towards T' by 1 (unless that was tried), 1/2, 1/4, ... until the energy falls. On a coarse level
 * T' itself is enough: where it fails, the level has done its part. */
static fr_outcome shorten(fr_icp *icp, int first, fricp_error *error) {
  const fr_twist whole = fr_log(&icp->now.step.increment);
  const int trials = fr_icp_is_last_level(icp) ? (int)icp->pass.rules->shortenings : 1;
  for (int i = first; i < trials; i++) {
    fr_twist part;
    for (int k = 0; k < 6; k++)
      part.v[k] = ldexp(whole.v[k], -i);
    const fricp_pose move = fr_exp(&part);
    const fricp_pose next = fr_moved(icp, &move);
    if (fr_evaluate(icp, &next, 0, error) != FRICP_OK)
      return FR_FAILED;
    if (icp->energy < icp->now.energy)
      return take(icp, &next, 0, error);
    if (stands_still(icp))
      return FR_STANDS;
  }
  return FR_UPHILL;
}

/* A proposal that failed though it goes but a part of the kernel's width: a coarse level's sample tells no more. */
static int is_resolved(const fr_icp *icp, const fricp_pose *proposal) {
  const fricp_pose back = fricp_pose_inverse(&icp->now.pose);
  const fricp_pose move = fricp_pose_multiply(proposal, &back);
  const fr_twist twist = fr_log(&move);
  const double limit = icp->pass.rules->resolved * icp->now.nu;
  double length2 = 0;
  for (int i = 0; i < 6; i++)
    length2 += twist.v[i] * twist.v[i];
  return !fr_icp_is_last_level(icp) && icp->curvature.count > 0 && length2 < limit * limit;
}

/* Damp, and on the last level do without history for a while: so close to the optimum, differences of poses show little
 * but the jumps of correspondences. */
static void note_outcome(fr_icp *icp, int accelerated, int improved) {
  const int calm = (int)icp->pass.rules->calm;
  icp->calm = improved ? icp->calm + accelerated : 0;
  if (!accelerated || icp->curvature.count == 0)
    return;
  fr_curvature_adapt(&icp->curvature, improved, icp->pass.rules);
  if (!improved && fr_icp_is_last_level(icp) && calm > 0)
    fr_anderson_reset(&icp->anderson, 0);
  else if (icp->calm >= calm && icp->anderson.history == 0)
    fr_anderson_reset(&icp->anderson, icp->settings.history);
}

fr_outcome fr_safeguard(fr_icp *icp, const fricp_pose *proposal, int accelerated, fricp_error *error) {
  if (fr_evaluate(icp, proposal, 0, error) != FRICP_OK)
    return FR_FAILED;
  if (stands_still(icp))
    return FR_STANDS;
  const int improved = icp->energy < icp->now.energy;
  note_outcome(icp, accelerated, improved);
  if (improved)
    return take(icp, proposal, accelerated, error);
  if (accelerated) {
    icp->rejected++;
    fr_note(icp, proposal, icp->energy, NAN, 0, 1);
    if (is_resolved(icp, proposal))
      return FR_STANDS;
  }
  return shorten(icp, !accelerated, error);
}
