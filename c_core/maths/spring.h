/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Gaussian prior on the pose, as a spring from a rest pose T0: with x the coordinates of the pose about T0 (chart.h),
 * turns and shifts of the point at the frame's origin, it adds s^2 x^T K x to a weighted sum of squared residuals, s^2
 * being their variance: both are twice s^2 times the negative logarithm of a likelihood.
 */
#ifndef FR_SPRING_H
#define FR_SPRING_H

#include "maths/chart.h"

typedef struct fr_spring {
  int used; /* 0: there is none */
  fr_chart chart;
  double stiffness[6][6]; /* K, the information: symmetric, positive semidefinite, finite */
  double variance;        /* s^2 */
  double share[6];        /* of each coordinate's standard deviations of force: 1, but see fr_spring_limit() */
} fr_spring;

/* Let no coordinate outweigh `most` more than 1e9 times, for twists about `center` with turns as long as `radius`: of what is
 * weaker by more, rounding in a step would leave nothing. Where none does, nothing changes. */
void fr_spring_limit(fr_spring *spring, const fricp_pose *pose, const double center[3], double radius, double most);

/* s^2 x^T K x; 0 without a spring. */
double fr_spring_energy(const fr_spring *spring, const fricp_pose *pose);

/* Add its normal matrix and half its gradient for twists about `center` on top of the pose (Gauss-Newton). */
void fr_spring_equate(const fr_spring *spring, const fricp_pose *pose, const double center[3], double normal[6][6],
                      double gradient[6]);

/* Of one coordinate nothing is known: its row and column are 0. */
static inline void fr_drop_coordinate(double information[6][6], int k) {
  for (int i = 0; i < 6; i++)
    information[k][i] = information[i][k] = 0;
}

#endif
