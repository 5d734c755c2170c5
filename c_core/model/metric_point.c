/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to point: residual |y - q|; the step is the weighted alignment of the paper's Eq. WelschAlignment in closed
 * form.
 *
 *   H = sum w (q - q_mean) (y - y_mean)^T = U S V^T,   R = U diag(1, .., det(U V^T)) V^T,   t = q_mean - R y_mean.
 *
 * y is the source as moved so far, so R is the increment and what H does not determine can be left alone: rotation
 * about axis k turns points at an RMS radius sqrt((s_i + s_j) / sum w), i, j the other axes. If that is below
 * least_radius, the plain SVD answers with any angle at all (points on a line come back rolled by 180 degrees); here
 * they get the smallest rotation that lays the line on the line.
 */
#include "base/simd.h"
#include "maths/lapack.h"
#include "model/metric.h"

#include <math.h>
#include <string.h>

/* Sums: [0] w, [1..3] w y, [4..6] w q, [7..15] w q y^T by rows, [16..21] w y y^T (xx xy xz yy yz zz), [22] w r^2. */
enum { SUM_W = 0, SUM_Y = 1, SUM_Q = 4, SUM_QY = 7, SUM_YY = 16, SUM_R2 = 22, SUM_COUNT = 23 };

#define TRIFLE 1e-6

static void residuals(fr_block *block) {
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 x = fr_d8_load(block->y[0] + i) - fr_d8_load(block->q[0] + i);
    const fr_d8 y = fr_d8_load(block->y[1] + i) - fr_d8_load(block->q[1] + i);
    const fr_d8 z = fr_d8_load(block->y[2] + i) - fr_d8_load(block->q[2] + i);
    const fr_d8 squared = x * x + y * y + z * z;
    fr_d8_store(block->squared + i, squared);
  }
}

static void accumulate(const fr_block *block, double sums[FR_SUMS]) {
  fr_d8 s[SUM_COUNT] = {{0}};
  for (int i = 0; i < block->padded; i += 8) {
    const fr_d8 w = fr_d8_load(block->weight + i);
    fr_d8 wy[3];
    s[SUM_W] += w;
    s[SUM_R2] += w * fr_d8_load(block->squared + i);
    for (int a = 0; a < 3; a++) {
      wy[a] = w * fr_d8_load(block->y[a] + i);
      s[SUM_Y + a] += wy[a];
    }
    for (int a = 0; a < 3; a++) {
      const fr_d8 q = fr_d8_load(block->q[a] + i);
      s[SUM_Q + a] += w * q;
      for (int b = 0; b < 3; b++)
        s[SUM_QY + 3 * a + b] += q * wy[b];
    }
    int k = SUM_YY;
    for (int a = 0; a < 3; a++)
      for (int b = a; b < 3; b++)
        s[k++] += fr_d8_load(block->y[a] + i) * wy[b];
  }
  for (int k = 0; k < SUM_COUNT; k++)
    sums[k] += fr_d8_sum(s[k]);
}

static double determinant_of(int d, const double *m) {
  if (d == 2)
    return m[0] * m[3] - m[1] * m[2];
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* The smallest rotation that takes unit vector `from` to `to`: about from x to, 180 degrees about any normal axis. */
static void shortest_rotation(const double from[3], const double to[3], double r[3][3]) {
  const double c = from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
  const double v[3] = {from[1] * to[2] - from[2] * to[1], from[2] * to[0] - from[0] * to[2],
                       from[0] * to[1] - from[1] * to[0]};
  if (c < -1 + 1e-12) { /* 2 a a^T - I about an axis a normal to both */
    int least = 0;
    for (int a = 1; a < 3; a++)
      if (fabs(from[a]) < fabs(from[least]))
        least = a;
    double axis[3];
    double length = 0;
    for (int a = 0; a < 3; a++)
      axis[a] = (a == least) - from[least] * from[a];
    for (int a = 0; a < 3; a++)
      length += axis[a] * axis[a];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        r[a][b] = 2 * axis[a] * axis[b] / length - (a == b);
    return;
  }
  const double k[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
  /* 1 / (1 + c) = (1 - c) / |v|^2: the form that does not cancel. */
  const double factor = c > 0 ? 1 / (1 + c) : (1 - c) / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double square = 0;
      for (int j = 0; j < 3; j++)
        square += k[a][j] * k[j][b];
      r[a][b] = (a == b) + k[a][b] + square * factor;
    }
}

static void mark_undetermined(fr_step *step, const double axis[3]) {
  for (int a = 0; a < 3; a++)
    step->direction[step->undetermined][a] = axis[a];
  step->unseen = ++step->undetermined;
}

/* Rotation of the increment from H (d x d, column-major), and what it leaves open. */
static int rotation_of(int d, double *h, double least, double r[3][3], fr_step *step) {
  double s[3] = {0};
  double u[9] = {0};
  double vt[9] = {0};
  if (fr_svd(d, h, s, u, vt) != 0)
    return -1;
  const double sign = determinant_of(d, u) * determinant_of(d, vt) < 0 ? -1 : 1;
  const double z[3] = {0, 0, 1};
  s[d - 1] *= sign;
  if (d == 2) {
    if (s[0] + s[1] <= least) {
      mark_undetermined(step, z);
      return 0;
    }
  } else if (s[0] <= least) {
    for (int k = 0; k < 3; k++) {
      const double axis[3] = {k == 0, k == 1, k == 2};
      mark_undetermined(step, axis);
    }
    return 0;
  } else if (s[1] + s[2] <= least) {
    const double from[3] = {vt[0], vt[3], vt[6]};
    shortest_rotation(from, u, r);
    mark_undetermined(step, u);
    return 0;
  }
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++) {
      r[a][b] = 0;
      for (int k = 0; k < d; k++)
        r[a][b] += u[a + d * k] * (k == d - 1 ? sign : 1) * vt[k + d * b];
    }
  return 0;
}

/* Normal matrix of 1/2 sum w |a x (y - c) + v|^2 about the weighted centroid c: no coupling of a and v. */
static void fill_normal_matrix(const double *yy, fr_step *step) {
  const double full[3][3] = {{yy[0], yy[1], yy[2]}, {yy[1], yy[3], yy[4]}, {yy[2], yy[4], yy[5]}};
  const double trace = yy[0] + yy[3] + yy[5];
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++)
      step->normal[a][b] = trace * (a == b) - full[a][b];
    step->normal[3 + a][3 + a] = step->weight;
  }
}

/* The sums about the weighted centroids of the moved source and of the correspondences. */
typedef struct moments {
  double y[3]; /* the centroids */
  double q[3];
  double qy[3][3]; /* sum w q y^T, over the sum of the weights */
  double yy[6];    /* sum w y y^T, upper triangle by rows */
} moments;

static moments moments_of(const double sums[FR_SUMS]) {
  const double w = sums[SUM_W];
  moments m;
  for (int a = 0; a < 3; a++) {
    m.y[a] = sums[SUM_Y + a] / w;
    m.q[a] = sums[SUM_Q + a] / w;
  }
  int k = 0;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      m.qy[a][b] = (sums[SUM_QY + 3 * a + b] - w * m.q[a] * m.y[b]) / w;
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++)
      m.yy[k] = sums[SUM_YY + k] - w * m.y[a] * m.y[b];
  return m;
}

static void equate(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  step->weight = sums[SUM_W];
  step->squared = sums[SUM_R2];
  if (!(step->weight > 0))
    return;
  const moments m = moments_of(sums);
  for (int a = 0; a < 3; a++)
    step->center[a] = m.y[a] + geometry->center[a];
  fill_normal_matrix(m.yy, step);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    step->gradient[a] = m.qy[b][c] * step->weight - m.qy[c][b] * step->weight; /* of sum w (y - y_mean) x (y - q) */
    step->gradient[3 + a] = step->weight * (m.y[a] - m.q[a]);
  }
  const double least = geometry->least_radius;
  step->radius = sqrt(fmax((m.yy[0] + m.yy[3] + m.yy[5]) / step->weight, least * least));
  step->least = least * least / (step->radius * step->radius);
}

/* The least mean squared radius: as asked for, not what rounding leaves of moments taken far from their mean, and such
 * that a turn lowers the energy by more than a trifle of it. */
static double least_of(const fr_geometry *geometry, const double y[3], const double q[3], const fr_step *step) {
  double far2 = 0;
  for (int a = 0; a < 3; a++)
    far2 += y[a] * y[a] + q[a] * q[a];
  const double trifle = TRIFLE * step->squared / step->weight;
  return fmax(fmax(geometry->least_radius * geometry->least_radius, trifle), FR_MOMENT_ROUNDING * far2);
}

static int closed_form(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  const int d = geometry->dimension == 2 ? 2 : 3;
  const moments m = moments_of(sums);
  double h[9];
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++)
      h[a + d * b] = m.qy[a][b];
  fricp_pose *t = &step->increment;
  if (rotation_of(d, h, least_of(geometry, m.y, m.q, step), t->rotation, step) != 0)
    return -1;
  for (int a = 0; a < 3; a++) {
    t->translation[a] = m.q[a] + geometry->center[a];
    for (int b = 0; b < 3; b++)
      t->translation[a] -= t->rotation[a][b] * step->center[b];
  }
  return 0;
}

/* w y, w q y^T and w y y^T of y <- R y + t. */
static void move(const fricp_pose *motion, double sums[FR_SUMS]) {
  double from[7][4]; /* rows that are linear in (y, 1): of w y, w q y, w y y */
  double to[7][3];
  int k = SUM_YY;
  for (int a = 0; a < 3; a++) {
    from[0][a] = sums[SUM_Y + a];
    from[1 + a][3] = sums[SUM_Q + a];
    for (int b = 0; b < 3; b++)
      from[1 + a][b] = sums[SUM_QY + 3 * a + b];
    for (int b = a; b < 3; b++)
      from[4 + a][b] = from[4 + b][a] = sums[k++];
  }
  from[0][3] = sums[SUM_W];
  for (int e = 0; e < 3; e++)
    from[4 + e][3] = sums[SUM_Y + e];
  for (int e = 0; e < 7; e++)
    for (int a = 0; a < 3; a++) {
      to[e][a] = motion->translation[a] * from[e][3];
      for (int b = 0; b < 3; b++)
        to[e][a] += motion->rotation[a][b] * from[e][b];
    }
  k = SUM_YY;
  for (int a = 0; a < 3; a++) {
    sums[SUM_Y + a] = to[0][a];
    for (int b = 0; b < 3; b++)
      sums[SUM_QY + 3 * a + b] = to[1 + a][b];
  }
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++) {
      sums[k] = motion->translation[a] * to[0][b];
      for (int c = 0; c < 3; c++)
        sums[k] += motion->rotation[a][c] * to[4 + c][b];
    }
}

const fr_metric FR_FOR_ISA(fr_metric_point) = {
    .name = "point-to-point",
    .residual_is_distance = 1,
    .equations = 3,
    .spacing_over_nu = 5.196152422706632, /* 3 sqrt(3) */
    .nu_noise = 1.5,
    .residuals = residuals,
    .accumulate = accumulate,
    .equate = equate,
    .closed_form = closed_form,
    .move = move,
};
