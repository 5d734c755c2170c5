/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/guess.h"

#include "maths/se3.h"

#include <math.h>

#define GUESS_TOLERANCE 1e-3 /* a guess so near to a rotation is projected onto it */

fricp_status fr_guess_check(const fricp_pose *guess, int dimension, const char *name, fricp_pose *mended,
                            fricp_error *error) {
  *mended = guess ? *guess : fricp_pose_identity();
  double(*r)[3] = mended->rotation;
  double *t = mended->translation;
  for (int a = 0; a < 3; a++)
    if (!isfinite(t[a]) || !isfinite(r[a][0]) || !isfinite(r[a][1]) || !isfinite(r[a][2]))
      return fr_fail(error, FRICP_ERROR_BAD_POSE, "%s: row %d holds a number that is not finite", name, a);
  if (dimension == 2) {
    const double tilt = fabs(r[2][0]) + fabs(r[2][1]) + fabs(r[0][2]) + fabs(r[1][2]);
    if (fabs(r[2][2] - 1) > GUESS_TOLERANCE || tilt > GUESS_TOLERANCE)
      return fr_fail(error, FRICP_ERROR_BAD_POSE, "%s: in 2-D only a rotation about z is possible", name);
    r[0][2] = r[1][2] = r[2][0] = r[2][1] = t[2] = 0;
    r[2][2] = 1;
  }
  for (int a = 0; a < 3; a++)
    if (fabs(t[a]) > FR_FARTHEST)
      return fr_fail(error, FRICP_ERROR_BAD_POSE, "%s: translation[%d] = %g is beyond %g", name, a, t[a], FR_FARTHEST);
  const double moved = fr_nearest_rotation(r);
  if (moved < 0)
    return fr_fail(error, FRICP_ERROR_BAD_POSE, "%s: its 3x3 part is singular or mirrors (determinant <= 0)", name);
  if (moved > GUESS_TOLERANCE)
    return fr_fail(error, FRICP_ERROR_BAD_POSE,
                   "%s: its 3x3 part is not a rotation (off by %.3g; up to %g is mended); a scale must go to the cloud",
                   name, moved, GUESS_TOLERANCE);
  return FRICP_OK;
}
