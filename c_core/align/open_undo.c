/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking out of a motion what it has of the open ones. */
#include "align/open.h"

#define TURNS 20 /* of fr_open_undo() */

static void project(const fr_open *open, int count, fr_twist *twist) {
  const fr_twist whole = *twist;
  for (int e = 0; e < count; e++) {
    double has = 0;
    for (int i = 0; i < 6; i++)
      has += open->constraint.v[e][i] * whole.v[i];
    for (int i = 0; i < 6; i++)
      twist->v[i] -= has * open->u[e][i];
  }
}

void fr_open_project(const fr_open *open, fr_twist *twist) {
  project(open, open->count, twist);
}

/* What the motion since the start has of the open ones is small after each turn by the square of what it was. */
fricp_pose fr_open_undo(const fr_open *open, const fricp_pose *pose, const fricp_pose *start) {
  const fricp_pose back = fricp_pose_inverse(start);
  fricp_pose undone = *pose;
  for (int turn = 0; open->told > 0 && turn < TURNS; turn++) {
    const fricp_pose moved = fricp_pose_multiply(&undone, &back);
    const fr_twist since = fr_log(&moved);
    fr_twist kept = since;
    project(open, open->told, &kept);
    for (int i = 0; i < 6; i++)
      kept.v[i] -= since.v[i];
    const fricp_pose step = fr_exp(&kept);
    undone = fricp_pose_multiply(&step, &undone);
    fr_reorthonormalize(undone.rotation);
  }
  return undone;
}
