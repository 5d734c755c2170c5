/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The alignment step: in closed form where the metric has one and all motions are free; else N d = -g for a twist d about
 * the weighted centroid, over the motions that are free. Rotations are scaled by a radius, so that eigenvalues compare:
 * each is the mean squared residual per unit of motion. Directions below `least` of the weight are not determined by the
 * data and get no step.
 */
#include "maths/lapack.h"
#include "model/metric.h"

#include <string.h>

#define REPEATS 32    /* for turns by nearly pi; a turn by 1 takes five */
#define ALIGNED 1e-13 /* a motion that is none */

/* exp(twist), its rotation about step->center. */
static void set_increment(const fr_twist *twist, fr_step *step) {
  fricp_pose *t = &step->increment;
  *t = fr_exp(twist);
  for (int a = 0; a < 3; a++) {
    t->translation[a] += step->center[a];
    for (int b = 0; b < 3; b++)
      t->translation[a] -= t->rotation[a][b] * step->center[b];
  }
}

/* A motion of the target's frame in the frame of the same axes about `center`. */
static fricp_pose about(const fricp_pose *motion, const double center[3]) {
  fricp_pose moved = *motion;
  double at[3];
  fr_apply(motion, center, at);
  for (int a = 0; a < 3; a++)
    moved.translation[a] = at[a] - center[a];
  return moved;
}

/* By the normal equations. */
static int solve(const fr_geometry *geometry, fr_step *step) {
  int direction[6];
  double basis[36];
  double a[36] = {0};
  double eigenvalue[6];
  double unit[6];
  fr_twist twist = {{0}};
  const int n = fr_free_directions(geometry->dimension, direction);
  const int m = fr_free_basis(geometry->constraint, step->center, step->radius, n, direction, basis);
  if (m <= 0)
    return m;
  for (int i = 0; i < 6; i++)
    unit[i] = i < 3 ? step->radius : 1;
  for (int p = 0; p < m; p++)
    for (int q = 0; q < m; q++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          a[p + m * q] += basis[i + n * p] * basis[j + n * q] * step->normal[direction[i]][direction[j]] /
                          (unit[direction[i]] * unit[direction[j]]);
  if (fr_symmetric_eigen(m, a, eigenvalue) != 0)
    return -1;
  for (int e = 0; e < m; e++) {
    double v[6] = {0}; /* the eigenvector as a twist */
    double along = 0;
    for (int i = 0; i < n; i++) {
      for (int p = 0; p < m; p++)
        v[direction[i]] += basis[i + n * p] * a[p + m * e] / unit[direction[i]];
      along -= v[direction[i]] * step->gradient[direction[i]];
    }
    if (!(eigenvalue[e] > step->least * step->weight)) {
      memcpy(step->direction[step->undetermined++], v, sizeof v);
      continue;
    }
    for (int i = 0; i < 6; i++)
      twist.v[i] += along / eigenvalue[e] * v[i];
  }
  set_increment(&twist, step);
  return 0;
}

/* The least of the weighted squared distances over the motions that are free, by steps of ever less length: nothing but
 * moments is moved. The equations stay those at the pose itself. */
static int solve_repeatedly(const fr_metric *metric, const double sums[FR_SUMS], const fr_geometry *geometry,
                            fr_step *step) {
  const fricp_pose still = fricp_pose_identity();
  double moved[FR_SUMS];
  fr_step next = *step;
  memcpy(moved, sums, sizeof moved);
  for (int turn = 0; turn < REPEATS; turn++) {
    if (turn > 0) {
      memset(&next, 0, sizeof next);
      next.increment = still;
      metric->equate(moved, geometry, &next);
    }
    if (solve(geometry, &next) != 0)
      return -1;
    if (turn == 0) {
      step->undetermined = next.undetermined;
      memcpy(step->direction, next.direction, sizeof step->direction);
    }
    step->increment = fricp_pose_multiply(&next.increment, &step->increment);
    fr_reorthonormalize(step->increment.rotation);
    if (fr_pose_distance(&next.increment, &still) < ALIGNED)
      break;
    const fricp_pose motion = about(&next.increment, geometry->center);
    metric->move(&motion, moved);
  }
  return 0;
}

int fr_step_make(const fr_metric *metric, const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  memset(step, 0, sizeof *step);
  step->increment = fricp_pose_identity();
  metric->equate(sums, geometry, step);
  if (!(step->weight > 0)) /* nothing to align */
    return 0;
  const int all_free = !geometry->constraint || geometry->constraint->count == 0;
  if (metric->closed_form && all_free)
    return metric->closed_form(sums, geometry, step);
  return metric->move && geometry->repeat ? solve_repeatedly(metric, sums, geometry, step) : solve(geometry, step);
}
