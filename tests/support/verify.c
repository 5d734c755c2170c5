/* SPDX-License-Identifier: BSD-3-Clause */
#include "verify.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void verify_rotation(const double axis[3], double degrees, double rotation[3][3]) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
  double angle = degrees * pi / 180.0;
  double s = sin(angle), half = sin(0.5 * angle);
  double v = 2.0 * half * half; /* 1 - cos, exact for small angles */
  const double r[3][3] = {{1.0 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y},
                          {v * x * y + s * z, 1.0 - v * (x * x + z * z), v * y * z - s * x},
                          {v * x * z - s * y, v * y * z + s * x, 1.0 - v * (x * x + y * y)}};
  memcpy(rotation, r, sizeof r);
}

fricp_pose verify_pose(const double axis[3], double degrees, const double shift[3]) {
  fricp_pose pose;
  verify_rotation(axis, degrees, pose.rotation);
  for (int a = 0; a < 3; a++)
    pose.translation[a] = shift ? shift[a] : 0;
  return pose;
}

void verify_apply(const fricp_pose *pose, const double x[3], double y[3]) {
  const double in[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; ++i)
    y[i] = pose->rotation[i][0] * in[0] + pose->rotation[i][1] * in[1] + pose->rotation[i][2] * in[2] +
           pose->translation[i];
}

fricp_pose verify_multiply(const fricp_pose *a, const fricp_pose *b) {
  fricp_pose c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.rotation[i][j] = a->rotation[i][0] * b->rotation[0][j] + a->rotation[i][1] * b->rotation[1][j] +
                         a->rotation[i][2] * b->rotation[2][j];
  verify_apply(a, b->translation, c.translation);
  return c;
}

fricp_pose verify_inverse(const fricp_pose *pose) {
  fricp_pose inverse;
  const double *t = pose->translation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      inverse.rotation[i][j] = pose->rotation[j][i];
    inverse.translation[i] =
        -(inverse.rotation[i][0] * t[0] + inverse.rotation[i][1] * t[1] + inverse.rotation[i][2] * t[2]);
  }
  return inverse;
}

double verify_angle_degrees(const fricp_pose *estimate, const fricp_pose *truth) {
  double d[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      d[i][j] = estimate->rotation[i][0] * truth->rotation[j][0] + estimate->rotation[i][1] * truth->rotation[j][1] +
                estimate->rotation[i][2] * truth->rotation[j][2];
  double x = d[2][1] - d[1][2], y = d[0][2] - d[2][0], z = d[1][0] - d[0][1];
  double two_sin = sqrt(x * x + y * y + z * z); /* exact to rounding at both 0 and pi, where cos is flat */
  double two_cos = d[0][0] + d[1][1] + d[2][2] - 1.0;
  return atan2(two_sin, two_cos) * 180.0 / pi;
}

double verify_translation(const fricp_pose *estimate, const fricp_pose *truth) {
  static const double origin[3] = {0.0, 0.0, 0.0};
  return verify_error_at(estimate, truth, origin);
}

static void difference_at(const fricp_pose *a, const fricp_pose *b, const double p[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a->translation[i] - b->translation[i];
    for (int j = 0; j < 3; ++j)
      out[i] += (a->rotation[i][j] - b->rotation[i][j]) * p[j];
  }
}

double verify_error_at(const fricp_pose *estimate, const fricp_pose *truth, const double point[3]) {
  double d[3];
  difference_at(estimate, truth, point, d);
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

void verify_twist(const fricp_pose *from, const fricp_pose *to, const double c[3], double x[6]) {
  const fricp_pose back = verify_inverse(from);
  const fricp_pose moved = verify_multiply(to, &back);
  double at[3];
  verify_apply(&moved, c, at);
  for (int a = 0; a < 3; ++a) {
    x[a] = (moved.rotation[(a + 2) % 3][(a + 1) % 3] - moved.rotation[(a + 1) % 3][(a + 2) % 3]) / 2;
    x[3 + a] = at[a] - c[a];
  }
}

static int finite_point(const double p[3]) {
  return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static size_t centroid(const double *points, size_t count, double mean[3]) {
  size_t n = 0;
  mean[0] = mean[1] = mean[2] = 0.0;
  for (size_t i = 0; i < count; ++i) {
    const double *p = points + 3 * i;
    if (!finite_point(p))
      continue;
    ++n;
    for (int k = 0; k < 3; ++k)
      mean[k] += (p[k] - mean[k]) / (double)n; /* a running mean: no overflow, no loss far from the origin */
  }
  return n;
}

double verify_rmse(const fricp_pose *estimate, const fricp_pose *truth, const double *points, size_t count) {
  double mean[3], shift[3], sum = 0.0;
  size_t n = centroid(points, count, mean);
  if (n == 0)
    return 0.0;
  difference_at(estimate, truth, mean, shift);
  for (size_t i = 0; i < count; ++i) {
    const double *p = points + 3 * i;
    if (!finite_point(p))
      continue;
    for (int k = 0; k < 3; ++k) {
      double e = shift[k];
      for (int j = 0; j < 3; ++j)
        e += (estimate->rotation[k][j] - truth->rotation[k][j]) * (p[j] - mean[j]);
      sum += e * e;
    }
  }
  return sqrt(sum / (double)n);
}

double verify_orthonormality(const fricp_pose *pose) {
  double r[3][3];
  if (!verify_finite(pose))
    return NAN;
  memcpy(r, pose->rotation, sizeof r);
  double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
               r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
  double worst = fabs(det - 1.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot = r[0][i] * r[0][j] + r[1][i] * r[1][j] + r[2][i] * r[2][j];
      worst = fmax(worst, fabs(dot - (i == j ? 1.0 : 0.0)));
    }
  return worst;
}

int verify_finite(const fricp_pose *pose) {
  int finite = finite_point(pose->translation);
  for (int i = 0; i < 3; ++i)
    finite = finite && finite_point(pose->rotation[i]);
  return finite;
}

double verify_max_difference(const fricp_pose *a, const fricp_pose *b) {
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    worst = fmax(worst, fabs(a->translation[i] - b->translation[i]));
    for (int j = 0; j < 3; ++j)
      worst = fmax(worst, fabs(a->rotation[i][j] - b->rotation[i][j]));
  }
  return verify_finite(a) && verify_finite(b) ? worst : (double)NAN;
}

int verify_same_bits(const fricp_pose *a, const fricp_pose *b) {
  return memcmp(a, b, sizeof *a) == 0;
}
