/* SPDX-License-Identifier: BSD-3-Clause */
#include "maths/chart.h"

#include <string.h>

/* The source's point that the start moves to o. */
static void point_of(const fr_chart *chart, double point[3]) {
  const fricp_pose back = fricp_pose_inverse(&chart->start);
  fr_apply(&back, chart->frame.translation, point);
}

/* Along the frame's axes, and back. */
static void to_axes(const fr_chart *chart, const double v[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    out[a] = 0;
    for (int b = 0; b < 3; b++)
      out[a] += chart->frame.rotation[b][a] * v[b];
  }
}

static void from_axes(const fr_chart *chart, const double v[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    out[a] = 0;
    for (int b = 0; b < 3; b++)
      out[a] += chart->frame.rotation[a][b] * v[b];
  }
}

/* log(R R0^T), in the target's axes. */
static void turn_of(const fr_chart *chart, const fricp_pose *pose, double turn[3]) {
  const fricp_pose back = fricp_pose_inverse(&chart->start);
  fricp_pose since = fricp_pose_multiply(pose, &back);
  memset(since.translation, 0, sizeof since.translation);
  const fr_twist twist = fr_log(&since);
  memcpy(turn, twist.v, 3 * sizeof *turn);
}

void fr_chart_coordinates(const fr_chart *chart, const fricp_pose *pose, double x[6]) {
  double turn[3];
  double point[3];
  turn_of(chart, pose, turn);
  to_axes(chart, turn, x);
  point_of(chart, point);
  fr_apply(pose, point, point);
  for (int a = 0; a < 3; a++)
    point[a] -= chart->frame.translation[a];
  to_axes(chart, point, x + 3);
}

fricp_pose fr_chart_pose(const fr_chart *chart, const double x[6]) {
  fr_twist turn = {{0}};
  double shift[3];
  double point[3];
  double turned[3];
  from_axes(chart, x, turn.v);
  from_axes(chart, x + 3, shift);
  fricp_pose pose = fr_exp(&turn);
  pose = fricp_pose_multiply(&pose, &chart->start);
  fr_reorthonormalize(pose.rotation);
  memset(pose.translation, 0, sizeof pose.translation);
  point_of(chart, point);
  fr_apply(&pose, point, turned);
  for (int a = 0; a < 3; a++)
    pose.translation[a] = chart->frame.translation[a] + shift[a] - turned[a];
  return pose;
}

void fr_chart_rows(const fr_chart *chart, const fricp_pose *pose, double row[6][6]) {
  double turn[3];
  double point[3];
  turn_of(chart, pose, turn);
  point_of(chart, point);
  fr_apply(pose, point, point);
  memset(row, 0, 36 * sizeof row[0][0]);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {chart->frame.rotation[0][k], chart->frame.rotation[1][k], chart->frame.rotation[2][k]};
    const double back[3] = {-turn[0], -turn[1], -turn[2]};
    fr_turn_derivative(back, axis, row[k]); /* the transpose is that of the opposite turn */
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3;
      const int c = (a + 2) % 3;
      row[3 + k][a] = point[b] * axis[c] - point[c] * axis[b];
      row[3 + k][3 + a] = axis[a];
    }
  }
}
