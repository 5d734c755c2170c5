/* SPDX-License-Identifier: BSD-3-Clause */
/* Majorise and minimise: at fixed weights and correspondences the energy has a quadratic majoriser, whose minimum is T'. */
#include "align/safeguard.h"
#include "align/scheme.h"

/* The next pose to try: accelerated if there is a history or a preconditioner, else T'. */
static int propose(fr_icp *icp, const fricp_pose *reference, fricp_pose *next) {
  const fricp_pose back = fricp_pose_inverse(reference);
  const fricp_pose from = fricp_pose_multiply(&icp->now.pose, &back);
  const fricp_pose to = fricp_pose_multiply(&icp->now.target, &back);
  const fr_twist x = fr_log(&from);
  const fr_twist g = fr_log(&to); /* G(x) of the paper */
  double p[6][6];
  const int known = fr_curvature_preconditioner(&icp->curvature, p);
  fr_twist twist;
  *next = icp->now.target;
  if (!fr_anderson_step(&icp->anderson, &x, &g, known ? (const double(*)[6])p : NULL, &twist))
    return 0;
  fr_anderson_round((int)icp->pass.rules->kept_bits, &x, &g, &twist);
  fr_open_project(&icp->open, &twist);
  const fricp_pose move = fr_exp(&twist);
  *next = fricp_pose_multiply(&move, reference);
  fr_reorthonormalize(next->rotation);
  fr_lock_project(&icp->lock, next);
  return 1;
}

static void begin(fr_icp *icp) {
  fr_anderson_reset(&icp->anderson, icp->settings.history);
}

static fr_outcome advance(fr_icp *icp, const fricp_pose *reference, fricp_error *error) {
  fricp_pose next;
  const int accelerated = propose(icp, reference, &next);
  return fr_safeguard(icp, &next, accelerated, error);
}

const fr_scheme fr_scheme_mm = {
    .name = "mm",
    .descends = 1,
    .preconditions = 1,
    .begin = begin,
    .advance = advance,
};
