/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/safeguard.h"

#include "align/evaluate.h"

#include <math.h>

#define STANDS_STILL 1e-15 /* relative change of energy that rounding explains */

static int stands_still(const fr_icp *icp) {
  return fabs(icp->energy - icp->now.energy) <= STANDS_STILL * icp->now.energy;
}

static fr_outcome take(fr_icp *icp, const fricp_pose *pose, int accelerated, fricp_error *error) {
  const fricp_pose back = fricp_pose_inverse(&icp->now.pose);
  icp->last_step = fricp_pose_multiply(pose, &back);
  icp->was_accelerated = accelerated;
  icp->accelerated += accelerated;
  icp->iterations++;
  icp->level_iteration++;
  return fr_accept(icp, pose, error) == FRICP_OK ? FR_IMPROVED : FR_FAILED;
}

/* T' itself, where what acceleration made of it raised the energy. Algorithm 2 goes on to ever shorter steps towards it:
 * they cost passes and find no more poses (the table of ../README.md). */
static fr_outcome fall_back(fr_icp *icp, fricp_error *error) {
  const fricp_pose next = icp->now.target;
  if (fr_evaluate(icp, &next, 0, error) != FRICP_OK)
    return FR_FAILED;
  if (icp->energy < icp->now.energy)
    return take(icp, &next, 0, error);
  return stands_still(icp) ? FR_STANDS : FR_UPHILL;
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
  if (!accelerated)
    return FR_UPHILL;
  icp->rejected++;
  fr_note(icp, proposal, icp->energy, NAN, 0, 1);
  return is_resolved(icp, proposal) ? FR_STANDS : fall_back(icp, error);
}
