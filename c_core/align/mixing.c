/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/mixing.h"

#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define RCOND 1e-10
#define LARGEST 10 /* alpha: beyond, it is differences of nearly equal residuals that speak */

static void forget_oldest(fr_mixing *m) {
  m->count--;
  memmove(m->g, m->g + 1, (size_t)m->count * sizeof m->g[0]);
  memmove(m->f, m->f + 1, (size_t)m->count * sizeof m->f[0]);
}

static void remember(fr_mixing *m, int history, const double x[6], const double g[6]) {
  while (m->count > 0 && m->count > history)
    forget_oldest(m);
  for (int i = 0; i < 6; i++) {
    m->g[m->count][i] = g[i];
    m->f[m->count][i] = g[i] - x[i];
  }
  m->count++;
}

/* The alpha of those that are held. @return 0 if one is too large, or LAPACK failed. */
static int weigh(const fr_mixing *m, double alpha[FR_MIXING_MOST]) {
  const int last = m->count - 1;
  double matrix[6 * FR_MIXING_MOST];
  double right[FR_MIXING_MOST] = {0};
  for (int i = 0; i < 6; i++)
    right[i] = -m->f[last][i];
  for (int j = 0; j < last; j++)
    for (int i = 0; i < 6; i++)
      matrix[6 * j + i] = m->f[j][i] - m->f[last][i];
  if (last > 0 && fr_least_squares(6, last, matrix, right, RCOND) != 0)
    return 0;
  int within = 1;
  alpha[last] = 1;
  for (int j = 0; j < last; j++) {
    alpha[j] = right[j];
    alpha[last] -= right[j];
    within = within && fabs(alpha[j]) <= LARGEST;
  }
  return within && fabs(alpha[last]) <= LARGEST;
}

int fr_mixing_step(fr_mixing *m, int history, const double x[6], const double g[6], double next[6]) {
  double alpha[FR_MIXING_MOST] = {0};
  remember(m, history, x, g);
  while (!weigh(m, alpha) && m->count > 1)
    forget_oldest(m);
  memset(next, 0, 6 * sizeof *next);
  for (int j = 0; j < m->count; j++)
    for (int i = 0; i < 6; i++)
      next[i] += alpha[j] * m->g[j][i];
  return m->count;
}

void fr_euler_of(const fricp_pose *pose, double x[6]) {
  const double(*r)[3] = pose->rotation;
  x[0] = atan2(r[2][1], r[2][2]);
  x[1] = atan2(-r[2][0], hypot(r[2][1], r[2][2]));
  x[2] = atan2(r[1][0], r[0][0]);
  memcpy(x + 3, pose->translation, sizeof pose->translation);
}

fricp_pose fr_euler_pose(const double x[6]) {
  const double cr = cos(x[0]);
  const double sr = sin(x[0]);
  const double cp = cos(x[1]);
  const double sp = sin(x[1]);
  const double cy = cos(x[2]);
  const double sy = sin(x[2]);
  const fricp_pose pose = {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                            {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                            {-sp, cp * sr, cp * cr}},
                           {x[3], x[4], x[5]}};
  return pose;
}
