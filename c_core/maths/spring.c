/* SPDX-License-Identifier: BSD-3-Clause */
#include "maths/spring.h"

#include <math.h>

#define OUTWEIGHS 1e9

static double stiffness_of(const fr_spring *spring, int i, int j) {
  return spring->share[i] * spring->stiffness[i][j] * spring->share[j];
}

/* The coordinates' derivatives by twists about the center: see freedom.c. */
static void rows_about(const fr_spring *spring, const fricp_pose *pose, const double center[3], double row[6][6]) {
  fr_chart_rows(&spring->chart, pose, row);
  for (int k = 3; k < 6; k++)
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3;
      const int c = (a + 2) % 3;
      row[k][a] += row[k][3 + b] * center[c] - row[k][3 + c] * center[b];
    }
}

/* By roots: squares might not be finite. */
void fr_spring_limit(fr_spring *spring, const fricp_pose *pose, const double center[3], double radius, double most) {
  double row[6][6];
  const double limit = sqrt(OUTWEIGHS * most);
  rows_about(spring, pose, center, row);
  for (int k = 0; k < 6; k++) {
    double reach = 0;
    for (int i = 0; i < 6; i++)
      reach = hypot(reach, row[k][i] / (i < 3 ? radius : 1));
    const double force = sqrt(spring->variance) * sqrt(spring->stiffness[k][k]) * reach;
    spring->share[k] = force > limit ? limit / force : 1;
  }
}

double fr_spring_energy(const fr_spring *spring, const fricp_pose *pose) {
  double x[6];
  double sum = 0;
  if (!spring->used)
    return 0;
  fr_chart_coordinates(&spring->chart, pose, x);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum += x[i] * stiffness_of(spring, i, j) * x[j];
  return spring->variance * sum;
}

void fr_spring_equate(const fr_spring *spring, const fricp_pose *pose, const double center[3], double normal[6][6],
                      double gradient[6]) {
  double x[6];
  double row[6][6];
  if (!spring->used)
    return;
  fr_chart_coordinates(&spring->chart, pose, x);
  rows_about(spring, pose, center, row);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const double k = spring->variance * stiffness_of(spring, i, j);
      for (int a = 0; a < 6; a++) {
        gradient[a] += k * row[i][a] * x[j];
        for (int b = 0; b < 6; b++)
          normal[a][b] += k * row[i][a] * row[j][b];
      }
    }
}
