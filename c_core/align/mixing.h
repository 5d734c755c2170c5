/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson acceleration as AA-ICP has it (Pavlov et al. 2018): the next iterate is sum alpha_j G(x_j) over the last few, with
 * the alpha of sum 1 that make sum alpha_j (G(x_j) - x_j) shortest; without those that are old where an alpha is large. */
#ifndef FR_MIXING_H
#define FR_MIXING_H

#include "maths/se3.h"

#define FR_MIXING_MOST 17 /* iterates: FR_ANDERSON_MAX before the newest */

typedef struct fr_mixing {
  int count;
  double g[FR_MIXING_MOST][6]; /* G(x), the oldest first */
  double f[FR_MIXING_MOST][6]; /* G(x) - x */
} fr_mixing;

/* Take in x and g = G(x), keeping `history` older ones at most; write the next iterate.
 * @return how many iterates it mixes; 1: it is g. */
int fr_mixing_step(fr_mixing *mixing, int history, const double x[6], const double g[6], double next[6]);

/* Roll, pitch and yaw (R = Rz(yaw) Ry(pitch) Rx(roll)), then the translation; and back. */
void fr_euler_of(const fricp_pose *pose, double x[6]);
fricp_pose fr_euler_pose(const double x[6]);

#endif
