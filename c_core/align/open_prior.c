/* SPDX-License-Identifier: BSD-3-Clause */
/* What surfaces leave open and a prior determines. */
#include "align/open.h"
#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define UNSAID 1e-12 /* of a prior's greatest information: none */
#define HARDLY 0.05  /* sine of the angle to an axis of a prior's information */
#define TURNS 20     /* of fr_open_settle() */

static const double origin[3]; /* the target's */

/* The prior's normal matrix over the motions u, m x m, and half its gradient. */
static void pull_of(const fr_spring *prior, const fricp_pose *pose, int m, double (*u)[6], double *matrix,
                    double *slope) {
  double normal[6][6] = {{0}};
  double gradient[6] = {0};
  fr_spring_equate(prior, pose, origin, normal, gradient);
  for (int p = 0; p < m; p++) {
    slope[p] = 0;
    for (int i = 0; i < 6; i++)
      slope[p] += u[p][i] * gradient[i];
    for (int q = 0; q < m; q++) {
      matrix[q + m * p] = 0;
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          matrix[q + m * p] += u[q][i] * normal[i][j] * u[p][j];
    }
  }
}

/* Motions in the chart's coordinates, of unit length. */
static void to_chart(const fr_chart *chart, const fricp_pose *pose, int m, double (*u)[6], double x[6][6]) {
  double row[6][6];
  fr_chart_rows(chart, pose, row);
  for (int e = 0; e < m; e++) {
    double length = 0;
    for (int k = 0; k < 6; k++) {
      x[e][k] = 0;
      for (int i = 0; i < 6; i++)
        x[e][k] += row[k][i] * u[e][i];
      length = hypot(length, x[e][k]);
    }
    for (int k = 0; k < 6; k++)
      x[e][k] /= length;
  }
}

/* What a prior says of the open motions, m x m. An axis of its information that they hardly go along is none of theirs: so
 * exactly is no open motion known. @return 0, or LAPACK's failure. */
static int say(const fr_spring *prior, const fricp_pose *pose, int m, double (*u)[6], double *said) {
  double x[6][6];
  double axis[36];
  double information[6];
  to_chart(&prior->chart, pose, m, u, x);
  memcpy(axis, prior->stiffness, sizeof axis);
  memset(said, 0, 36 * sizeof *said);
  if (fr_symmetric_eigen(6, axis, information) != 0)
    return -1;
  for (int k = 0; k < 6; k++) {
    double goes[6] = {0};
    double all = 0;
    for (int e = 0; e < m; e++) {
      for (int i = 0; i < 6; i++)
        goes[e] += axis[i + 6 * k] * x[e][i];
      all = hypot(all, goes[e]);
    }
    for (int e = 0; e < m && all > HARDLY; e++)
      for (int f = 0; f < m; f++)
        said[e + m * f] += information[k] * goes[e] * goes[f];
  }
  return 0;
}

void fr_open_ask(fr_open *open, const fr_spring *prior, const fricp_pose *pose) {
  fr_open before = *open;
  const int m = open->count;
  double part[36];
  double said[6];
  double most = 0;
  for (int i = 0; i < 6; i++)
    most = fmax(most, prior->stiffness[i][i]);
  if (!prior->used || m == 0 || say(prior, pose, m, before.u, part) != 0 || fr_symmetric_eigen(m, part, said) != 0)
    return;
  open->told = 0;
  memset(open->u, 0, sizeof open->u);
  memset(open->constraint.v, 0, sizeof open->constraint.v);
  for (int e = 0; e < m; e++) {
    open->told += !(said[e] > UNSAID * most);
    for (int d = 0; d < m; d++)
      for (int i = 0; i < 6; i++) {
        open->u[e][i] += part[d + m * e] * before.u[d][i];
        open->constraint.v[e][i] += part[d + m * e] * before.constraint.v[d][i];
      }
  }
}

void fr_open_settle(const fr_open *open, const fr_spring *prior, fricp_pose *pose) {
  const int m = open->count - open->told;
  double u[6][6];
  fr_spring unit = *prior;
  unit.variance = 1;
  memcpy(u, open->u[open->told], (size_t)m * sizeof u[0]);
  for (int turn = 0; m > 0 && turn < TURNS; turn++) {
    double matrix[36];
    double stiffness[6];
    double slope[6];
    fr_twist twist = {{0}};
    pull_of(&unit, pose, m, u, matrix, slope);
    if (fr_symmetric_eigen(m, matrix, stiffness) != 0)
      return;
    for (int e = 0; e < m; e++) {
      double along = 0;
      if (!(stiffness[e] > UNSAID * stiffness[m - 1]))
        continue; /* motions that are nearly the same: of a cloud next to a point */
      for (int d = 0; d < m; d++)
        along -= matrix[d + m * e] * slope[d] / stiffness[e];
      for (int d = 0; d < m; d++)
        for (int i = 0; i < 6; i++)
          twist.v[i] += along * matrix[d + m * e] * u[d][i];
    }
    for (int i = 0; i < 6; i++)
      if (!isfinite(twist.v[i]))
        return;
    const fricp_pose step = fr_exp(&twist);
    *pose = fricp_pose_multiply(&step, pose);
    fr_reorthonormalize(pose->rotation);
  }
}
