/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse ICP (Bouaziz, Tagliasacchi and Pauly 2013): the alternating direction method of multipliers, by turns the
 * correspondences, the split residuals (split.h) and the pose. The penalty mu = c / nu^2 grows by four from width to width
 * and by a little from pass to pass.
 *
 * With a fixed penalty this has no fixed point as long as a residual lies between the two branches of the shrinkage, and
 * with a growing one it comes to rest anywhere, since the steps shrink with 1 / c; so did the authors' program. Here ADMM
 * leads to the valley of the same energy that majorise-minimise then finishes on the last level, to its minimum.
 */
#include "align/evaluate.h"
#include "align/scheme.h"

#include <math.h>

#define GROWTH 1.02 /* of c, by pass */
#define MOST 100    /* poses a level: then c is 7 */

static void begin(fr_icp *icp) {
  icp->split.penalty = 1;
  icp->split.carried = 0;
}

/* Pass at a pose; from there on it is known where each residual is drawn. */
static fricp_status split_at(fr_icp *icp, const fricp_pose *pose, fricp_error *error) {
  icp->pass.split = &icp->split;
  const fricp_status status = fr_evaluate(icp, pose, 0, error);
  icp->pass.split = NULL;
  return status;
}

/* What the energy leaves open, the alignment of all pairs with what they are split into would make up: T' does not.
 * The prior's energy stands beside mu/2 |d - ...|^2: to sums without c it is softer by c. */
static fricp_status align_with_split(fr_icp *icp, fricp_pose *next, fricp_error *error) {
  fr_step step;
  *next = icp->now.target;
  if (icp->now.step.undetermined > 0)
    return FRICP_OK;
  fr_spring prior = icp->prior;
  prior.variance /= icp->split.penalty;
  const fricp_status status = fr_step_at(icp, &icp->now.pose, icp->split.sums, &prior, &step, error);
  *next = fr_moved(icp, &step.increment);
  return status;
}

static fr_outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  fr_split *split = &icp->split;
  fricp_pose next;
  (void)reference;
  if (split->carried == 0 && split_at(icp, &icp->now.pose, error) != FRICP_OK)
    return FR_FAILED;
  if (align_with_split(icp, &next, error) != FRICP_OK)
    return FR_FAILED;
  split->penalty *= GROWTH;
  split->carried = 1 / GROWTH;
  const double moved = fr_pose_distance(&next, &icp->now.pose);
  if (split_at(icp, &next, error) != FRICP_OK || fr_take(icp, &next, 0, error) != FRICP_OK)
    return FR_FAILED;
  const double tolerance = fmax(icp->plan.level[icp->level].tolerance, icp->pass.rules->level_tolerance);
  return moved < tolerance || icp->level_iteration >= MOST ? FR_STANDS : FR_TAKEN;
}

const fr_scheme fr_scheme_admm = {
    .name = "admm",
    .begin = begin,
    .advance = advance,
    .finish = &fr_scheme_mm,
};
