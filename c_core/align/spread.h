/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations spread evenly. */
#ifndef FR_SPREAD_H
#define FR_SPREAD_H

#include "maths/se3.h"

/* The start, turned about where it moves `center` to by rotation number i of n: of the super-Fibonacci spiral (Alexa, 2022)
 * over all rotations; with an axis, by equal angles about it. */
fricp_pose fr_spread_rotation(int i, int n, const double axis[3], const fricp_pose *start, const double center[3]);

/* The same by a rotation of 45 degrees about axis number i of the FR_NEARBY that an icosahedron's corners give; with
 * an axis by so many equal parts of a turn about it. */
#define FR_NEARBY 12
fricp_pose fr_nearby_rotation(int i, const double only[3], const fricp_pose *start, const double center[3]);

#endif
