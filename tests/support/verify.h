/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file verify.h
 * An independent judge of poses, used by every test: nothing here calls the library under test.
 */
#ifndef FRICP_SUPPORT_VERIFY_H
#define FRICP_SUPPORT_VERIFY_H

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The rotation by `degrees` about `axis` (any length but 0), by Rodrigues' formula. */
void verify_rotation(const double axis[3], double degrees, double rotation[3][3]);

/** That rotation, then a shift (NULL: none). */
fricp_pose verify_pose(const double axis[3], double degrees, const double shift[3]);

/** y = pose * x. x and y may be the same array. */
void verify_apply(const fricp_pose *pose, const double x[3], double y[3]);

/** a * b: first b, then a. */
fricp_pose verify_multiply(const fricp_pose *a, const fricp_pose *b);

/** The inverse, the rotation taken to be orthonormal. */
fricp_pose verify_inverse(const fricp_pose *pose);

/**
 * @return the angle of estimate * truth^T in degrees, 0 to 180. Its absolute error is that of the arithmetic, about
 * 1e-14 degrees, for every angle: an angle from the trace's arc cosine alone would read 0 below 1e-6 degrees.
 */
double verify_angle_degrees(const fricp_pose *estimate, const fricp_pose *truth);

/** @return the length of the difference of the two translations: the error at the origin of the source's frame. */
double verify_translation(const fricp_pose *estimate, const fricp_pose *truth);

/** @return | estimate * point - truth * point |: the error where it matters when the origin is far away. */
double verify_error_at(const fricp_pose *estimate, const fricp_pose *truth, const double point[3]);

/**
 * x = (a, v) of `to` relative to `from` about a centre c: to = (q -> q + a x (q - c) + v) * from, for small ones.
 */
void verify_twist(const fricp_pose *from, const fricp_pose *to, const double c[3], double x[6]);

/**
 * @return the root mean square of | estimate * p - truth * p | over the finite points p (xyz, 3 doubles each); 0 for
 * none. Computed about the points' centroid: no cancellation far from the origin.
 */
double verify_rmse(const fricp_pose *estimate, const fricp_pose *truth, const double *points, size_t count);

/** @return the largest element of | R^T R - I | or | det R - 1 |, whichever is larger; NaN if any number is not finite
 *  (compare with "<=": NaN then fails). */
double verify_orthonormality(const fricp_pose *pose);

/** @return 1 if all twelve numbers are finite. */
int verify_finite(const fricp_pose *pose);

/** @return the largest absolute difference of any of the twelve numbers. */
double verify_max_difference(const fricp_pose *a, const fricp_pose *b);

/** @return 1 if the two poses have the same bits. */
int verify_same_bits(const fricp_pose *a, const fricp_pose *b);

#ifdef __cplusplus
}
#endif

#endif
