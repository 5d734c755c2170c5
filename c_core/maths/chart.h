/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coordinates of a pose T about a start T0, along the axes A of a frame whose origin is o:
 *
 *   x = (log(A^T R R0^T A), A^T (T T0^-1 o - o)),
 *
 * a rotation vector, and the shift of the point that lay at o. Turn and shift do not mix: a coordinate that is zero says
 * something about the pose by itself, whatever the others are.
 */
#ifndef FR_CHART_H
#define FR_CHART_H

#include "maths/se3.h"

typedef struct fr_chart {
  fricp_pose frame; /* of the target: o is its translation, the columns of its rotation are A */
  fricp_pose start; /* T0 */
} fr_chart;

void fr_chart_coordinates(const fr_chart *chart, const fricp_pose *pose, double x[6]);

/* The pose of these coordinates. */
fricp_pose fr_chart_pose(const fr_chart *chart, const double x[6]);

/* The coordinates' derivatives by a twist about the target's origin on top of the pose, row by row. */
void fr_chart_rows(const fr_chart *chart, const fricp_pose *pose, double row[6][6]);

#endif
