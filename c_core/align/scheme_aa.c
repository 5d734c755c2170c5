/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AA-ICP (Pavlov, Ovchinnikov, Derbyshev, Tsetserukou and Oseledets 2018, "AA-ICP: Iterative Closest Point with Anderson
 * Acceleration"): Anderson acceleration of Euler angles and translation. In place of a safeguard by the energy its
 * heuristics: alphas are bounded (mixing.h), and where the root of the energy grows by more than 5 % the last plain step is
 * made instead and the history forgotten. Angles are those of the pose in the target's frame, with their gimbal lock.
 */
#include "align/evaluate.h"
#include "align/scheme.h"

#include <math.h>

#define MOST_GROWTH 1.05

static void begin(fr_icp *icp) {
  icp->mixing.count = 0;
}

/* Back to the motions that are free. */
static fricp_pose restrain(const fr_icp *icp, const fricp_pose *reference, const fricp_pose *pose) {
  fricp_pose next = *pose;
  if (icp->open.count > 0) {
    const fricp_pose back = fricp_pose_inverse(reference);
    const fricp_pose move = fricp_pose_multiply(pose, &back);
    fr_twist twist = fr_log(&move);
    fr_open_project(&icp->open, &twist);
    const fricp_pose projected = fr_exp(&twist);
    next = fricp_pose_multiply(&projected, reference);
    fr_reorthonormalize(next.rotation);
  }
  fr_lock_project(&icp->lock, &next);
  return next;
}

static int propose(fr_icp *icp, const fricp_pose *reference, fricp_pose *next) {
  fr_twist x; /* angles and translation */
  fr_twist g;
  fr_twist mixed;
  fr_euler_of(&icp->now.pose, x.v);
  fr_euler_of(&icp->now.target, g.v);
  *next = icp->now.target;
  if (fr_mixing_step(&icp->mixing, icp->settings.history, x.v, g.v, mixed.v) == 1)
    return 0;
  fr_anderson_round((int)icp->pass.rules->kept_bits, &x, &g, &mixed);
  const fricp_pose pose = fr_euler_pose(mixed.v);
  *next = restrain(icp, reference, &pose);
  return 1;
}

/* Is the energy of the pose that was evaluated too high? */
static int grows(const fr_icp *icp) {
  return icp->energy > MOST_GROWTH * MOST_GROWTH * icp->now.energy;
}

static fr_outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  fricp_pose next;
  int accelerated = propose(icp, reference, &next);
  if (fr_evaluate(icp, &next, 0, error) != FRICP_OK)
    return FR_FAILED;
  if (accelerated && grows(icp)) {
    fr_note(icp, &next, icp->energy, NAN, 0, 1);
    icp->rejected++;
    icp->mixing.count = accelerated = 0;
    next = icp->now.target;
    if (fr_evaluate(icp, &next, 0, error) != FRICP_OK)
      return FR_FAILED;
  }
  if (!accelerated && grows(icp)) /* the plain step lowers the energy, up to rounding: of an origin too far away */
    return FR_UPHILL;
  return fr_take(icp, &next, accelerated, error) == FRICP_OK ? FR_TAKEN : FR_FAILED;
}

const fr_scheme fr_scheme_aa = {
    .name = "aa",
    .begin = begin,
    .advance = advance,
};
