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

fricp_pose fr_spread_rotation(int i, int n, int dimension, const fricp_pose *start, const double center[3]) {
  fricp_pose turn = fricp_pose_identity();
  double middle[3];
  fr_apply(start, center, middle);
  if (dimension == 2) {
    const double angle = 2 * PI * (i + 1) / (n + 1);
    turn.rotation[0][0] = turn.rotation[1][1] = cos(angle);
    turn.rotation[1][0] = sin(angle);
    turn.rotation[0][1] = -sin(angle);
  } else {
    spiral(i, n, turn.rotation);
  }
  for (int a = 0; a < 3; a++) {
    turn.translation[a] = middle[a];
    for (int b = 0; b < 3; b++)
      turn.translation[a] -= turn.rotation[a][b] * middle[b];
  }
  return fricp_pose_multiply(&turn, start);
}
