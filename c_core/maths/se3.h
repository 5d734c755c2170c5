/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid motions, SE(3) and its Lie algebra. SE(2) is the subgroup that keeps z: the same functions serve it.
 */
#ifndef FR_SE3_H
#define FR_SE3_H

#include "fricp/fricp.h"

/* A twist x = (delta, u): rotation vector, then translation part (paper, appendix "Calculation of Gradient"). */
typedef struct fr_twist {
  double v[6];
} fr_twist;

/* Paper, Eq. MatrixExp, in closed form. Any finite x. */
fricp_pose fr_exp(const fr_twist *x);

/* Paper, Algorithm "Logarithm for matrices in SE(d)", for d = 2, 3. Rotation angle in [0, pi]; exact to rounding at
 * both ends. */
fr_twist fr_log(const fricp_pose *pose);

/* What a small turn v on top of exp(delta) adds to the rotation vector delta: V^-1 v. */
void fr_turn_derivative(const double delta[3], const double v[3], double out[3]);

double fr_determinant(const double m[3][3]);

/* The nearest rotation to m (Frobenius), in place. @return the distance moved, or a negative number if m is not finite
 * or has a determinant that is not positive. */
double fr_nearest_rotation(double m[3][3]);

/* Undo the drift of a product of rotations: one Newton step towards orthonormality. */
void fr_reorthonormalize(double r[3][3]);

/* ||a - b||, Frobenius, rotations and translations together: the paper's stop test. */
double fr_pose_distance(const fricp_pose *a, const fricp_pose *b);

/* The rotation angle between two poses in radians, exact for small angles. */
double fr_pose_angle(const fricp_pose *a, const fricp_pose *b);

/* out = R p + t; out may be p. */
void fr_apply(const fricp_pose *pose, const double p[3], double out[3]);

#endif
