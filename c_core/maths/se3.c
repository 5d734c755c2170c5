/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exponential and logarithm on SE(3).
 *
 *   symbol      here            meaning
 *   delta       x.v[0..2]       rotation vector, angle theta = |delta|
 *   u           x.v[3..5]       translation part
 *   K           cross(delta, .) delta^ in the paper
 *   R           I + a K + b K^2,      a = sin(theta) / theta,  b = (1 - cos(theta)) / theta^2
 *   V           I + b K + c K^2,      c = (theta - sin(theta)) / theta^3,     t = V u
 *   V^-1        I - K / 2 + d K^2,    d = (1 - (theta / 2) cot(theta / 2)) / theta^2   (Eq. calc_V, unit generator B)
 *
 * Why not the paper's Schur form: for d <= 3 the closed form is exact to rounding everywhere. The rotation vector comes
 * by way of the unit quaternion, whose largest component is at least 1/2: no cancellation near 0, where the trace says
 * nothing, nor near pi, where the skew part vanishes.
 */
#include "maths/se3.h"

#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define SERIES_BELOW 0.5 /* radians: below, c and d would lose digits to cancellation */

static void cross(const double a[3], const double b[3], double out[3]) {
  const double x = a[1] * b[2] - a[2] * b[1];
  const double y = a[2] * b[0] - a[0] * b[2];
  const double z = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

static double norm3(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* sum of (-1)^k theta^2k / (2k + 3)! */
static double coefficient_c(double theta) {
  if (theta > SERIES_BELOW)
    return (theta - sin(theta)) / (theta * theta * theta);
  const double s = theta * theta;
  return (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0;
}

/* sum of |B_2n| theta^(2n - 2) / (2n)!, B the Bernoulli numbers */
static double coefficient_d(double theta) {
  if (theta > SERIES_BELOW)
    return (1.0 - theta / 2.0 / tan(theta / 2.0)) / (theta * theta);
  static const double term[] = {1.0 / 12,
                                1.0 / 720,
                                1.0 / 30240,
                                1.0 / 1209600,
                                1.0 / 47900160,
                                691.0 / 1307674368000.0,
                                1.0 / 74724249600.0,
                                3617.0 / 10670622842880000.0};
  const double s = theta * theta;
  double sum = 0;
  for (int i = (int)(sizeof term / sizeof term[0]) - 1; i >= 0; i--)
    sum = sum * s + term[i];
  return sum;
}

/* out = v + p (k x v) + q (k x (k x v)) */
static void rotate_like(const double k[3], double p, double q, const double v[3], double out[3]) {
  double kv[3];
  double kkv[3];
  cross(k, v, kv);
  cross(k, kv, kkv);
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + p * kv[i] + q * kkv[i];
}

fricp_pose fr_exp(const fr_twist *x) {
  const double *delta = x->v;
  const double theta = norm3(delta);
  const double half = theta > 0 ? sin(theta / 2) / (theta / 2) : 1.0;
  const double a = theta > 0 ? sin(theta) / theta : 1.0;
  const double b = half * half / 2;
  fricp_pose pose;
  for (int j = 0; j < 3; j++) {
    const double e[3] = {j == 0, j == 1, j == 2};
    double column[3];
    rotate_like(delta, a, b, e, column);
    for (int i = 0; i < 3; i++)
      pose.rotation[i][j] = column[i];
  }
  fr_reorthonormalize(pose.rotation);
  rotate_like(delta, b, coefficient_c(theta), x->v + 3, pose.translation);
  return pose;
}

/* Unit quaternion (w, x, y, z) with w >= 0 of a rotation: divide by its largest component. */
static void quaternion_of(const double r[3][3], double q[4]) {
  const double trace = r[0][0] + r[1][1] + r[2][2];
  const double square[4] = {1 + trace, 1 + 2 * r[0][0] - trace, 1 + 2 * r[1][1] - trace, 1 + 2 * r[2][2] - trace};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (square[i] > square[k])
      k = i;
  /* products[i][j] = 4 q_i q_j for i < j */
  const double wx = r[2][1] - r[1][2];
  const double wy = r[0][2] - r[2][0];
  const double wz = r[1][0] - r[0][1];
  const double xy = r[0][1] + r[1][0];
  const double xz = r[0][2] + r[2][0];
  const double yz = r[1][2] + r[2][1];
  const double row[4][4] = {
      {square[0], wx, wy, wz}, {wx, square[1], xy, xz}, {wy, xy, square[2], yz}, {wz, xz, yz, square[3]}};
  double length = 0;
  for (int i = 0; i < 4; i++)
    length += row[k][i] * row[k][i];
  length = copysign(sqrt(length), row[k][0]);
  for (int i = 0; i < 4; i++)
    q[i] = row[k][i] / length;
}

fr_twist fr_log(const fricp_pose *pose) {
  double q[4];
  quaternion_of(pose->rotation, q);
  const double sine = norm3(q + 1);
  const double theta = 2 * atan2(sine, q[0]);
  const double scale = sine > 0 ? theta / sine : 2.0;
  fr_twist x;
  for (int i = 0; i < 3; i++)
    x.v[i] = scale * q[i + 1];
  rotate_like(x.v, -0.5, coefficient_d(theta), pose->translation, x.v + 3);
  return x;
}

void fr_turn_derivative(const double delta[3], const double v[3], double out[3]) {
  rotate_like(delta, -0.5, coefficient_d(norm3(delta)), v, out);
}

double fr_determinant(const double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double fr_nearest_rotation(double m[3][3]) {
  const double det = fr_determinant((const double(*)[3])m);
  if (!(det > 0) || !isfinite(det))
    return -1;
  double a[9]; /* row-major m is column-major m^T: u and vt change places */
  double s[3];
  double u[9];
  double vt[9];
  memcpy(a, m, sizeof a);
  if (fr_svd(3, a, s, u, vt) != 0)
    return -1;
  double moved = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      /* m^T = u s vt, so R = v u^T: R_ij = sum_k vt[k, i] u[j, k] */
      double r = 0;
      for (int k = 0; k < 3; k++)
        r += vt[k + 3 * i] * u[j + 3 * k];
      moved += (r - m[i][j]) * (r - m[i][j]);
      m[i][j] = r;
    }
  return sqrt(moved);
}

void fr_reorthonormalize(double r[3][3]) {
  /* r <- r (3 I - r^T r) / 2 */
  double gram[3][3];
  double out[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      gram[i][j] = 1.5 * (i == j) - 0.5 * (r[0][i] * r[0][j] + r[1][i] * r[1][j] + r[2][i] * r[2][j]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[i][j] = r[i][0] * gram[0][j] + r[i][1] * gram[1][j] + r[i][2] * gram[2][j];
  memcpy(r, out, sizeof out);
}

double fr_pose_distance(const fricp_pose *a, const fricp_pose *b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double t = a->translation[i] - b->translation[i];
    sum += t * t;
    for (int j = 0; j < 3; j++) {
      const double r = a->rotation[i][j] - b->rotation[i][j];
      sum += r * r;
    }
  }
  return sqrt(sum);
}

double fr_pose_angle(const fricp_pose *a, const fricp_pose *b) {
  fricp_pose relative = fricp_pose_inverse(b);
  relative = fricp_pose_multiply(a, &relative);
  double q[4];
  quaternion_of(relative.rotation, q);
  return 2 * atan2(norm3(q + 1), q[0]);
}

void fr_apply(const fricp_pose *pose, const double p[3], double out[3]) {
  double moved[3];
  for (int i = 0; i < 3; i++)
    moved[i] =
        pose->rotation[i][0] * p[0] + pose->rotation[i][1] * p[1] + pose->rotation[i][2] * p[2] + pose->translation[i];
  memcpy(out, moved, sizeof moved);
}

fricp_pose fricp_pose_identity(void) {
  const fricp_pose pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  return pose;
}

fricp_pose fricp_pose_multiply(const fricp_pose *a, const fricp_pose *b) {
  fricp_pose pose;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      pose.rotation[i][j] = a->rotation[i][0] * b->rotation[0][j] + a->rotation[i][1] * b->rotation[1][j] +
                            a->rotation[i][2] * b->rotation[2][j];
  fr_apply(a, b->translation, pose.translation);
  return pose;
}

fricp_pose fricp_pose_inverse(const fricp_pose *a) {
  fricp_pose pose;
  for (int i = 0; i < 3; i++) {
    pose.translation[i] = 0;
    for (int j = 0; j < 3; j++) {
      pose.rotation[i][j] = a->rotation[j][i];
      pose.translation[i] -= a->rotation[j][i] * a->translation[j];
    }
  }
  return pose;
}
