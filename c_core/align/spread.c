/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/spread.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define PHI 1.4142135623730951   /* the spiral's constants: sqrt(2), ... */
#define PSI 1.533751168755204288 /* ... and the positive root of psi^4 = psi + 4 */

static void spiral(int i, int n, double r[3][3]) {
  const double s = i + 0.5;
  const double inner = sqrt(s / n);
  const double outer = sqrt(1 - s / n);
  const double alpha = 2 * PI * s / PHI;
  const double beta = 2 * PI * s / PSI;
  const double x = inner * sin(alpha);
  const double y = inner * cos(alpha);
  const double z = outer * sin(beta);
  const double w = outer * cos(beta);
  const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
  memcpy(r, m, sizeof m);
}

/* By a rotation about where the start moves `center` to. */
static fricp_pose turned(const double r[3][3], const fricp_pose *start, const double center[3]) {
  fricp_pose turn;
  double middle[3];
  fr_apply(start, center, middle);
  memcpy(turn.rotation, r, sizeof turn.rotation);
  for (int a = 0; a < 3; a++) {
    turn.translation[a] = middle[a];
    for (int b = 0; b < 3; b++)
      turn.translation[a] -= r[a][b] * middle[b];
  }
  return fricp_pose_multiply(&turn, start);
}

static fricp_pose turned_about(const double axis[3], double angle, const fricp_pose *start, const double center[3]) {
  const fr_twist twist = {{angle * axis[0], angle * axis[1], angle * axis[2], 0, 0, 0}};
  const fricp_pose turn = fr_exp(&twist);
  return turned(turn.rotation, start, center);
}

fricp_pose fr_spread_rotation(int i, int n, const double axis[3], const fricp_pose *start, const double center[3]) {
  double r[3][3];
  if (axis)
    return turned_about(axis, 2 * PI * (i + 1) / (n + 1), start, center);
  spiral(i, n, r);
  return turned((const double(*)[3])r, start, center);
}

fricp_pose fr_nearby_rotation(int i, const double only[3], const fricp_pose *start, const double center[3]) {
  if (only)
    return turned_about(only, 2 * PI * (i + 1) / (FR_NEARBY + 1), start, center);
  /* (0, +-1, +-phi) and its turns, unit vectors */
  const double phi = (1 + sqrt(5)) / 2;
  const double length = sqrt(1 + phi * phi);
  const double one = (i % 4 < 2 ? 1 : -1) / length;
  const double golden = (i % 2 ? phi : -phi) / length;
  double axis[3];
  axis[i / 4] = 0;
  axis[(i / 4 + 1) % 3] = one;
  axis[(i / 4 + 2) % 3] = golden;
  return turned_about(axis, PI / 4, start, center);
}
