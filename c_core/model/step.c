/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The alignment step: in closed form where the metric has one and all motions are free; else N d = -g for a twist d about
 * the weighted centroid, over the motions that are free. Rotations are scaled by a radius, so that eigenvalues compare:
 * each is the mean squared residual per unit of motion. Directions below `least` of the weight are not determined by the
 * data and get no step.
 */
#include "maths/lapack.h"
#include "model/metric.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-12 /* of a direction's own stiffness: rounding */
#define UNSAID 1e-24  /* of a spring's greatest stiffness: rounding, squared */
#define REPEATS 32    /* for turns by nearly pi; a turn by 1 takes five */
#define PROMISING 8   /* ... of which so many may be made that bring it no nearer */
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

int fr_step_reduce(const fr_geometry *geometry, const fr_step *step, fr_reduced *r) {
  int direction[6];
  double basis[36];
  double a[36] = {0};
  double unit[6];
  const int n = fr_free_directions(geometry->dimension, direction);
  r->m = fr_free_basis(geometry->constraint, step->center, step->radius, n, direction, basis);
  const int m = r->m;
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
  if (fr_symmetric_eigen(m, a, r->eigenvalue) != 0)
    return -1;
  memset(r->v, 0, sizeof r->v);
  for (int e = 0; e < m; e++)
    for (int i = 0; i < n; i++)
      for (int p = 0; p < m; p++)
        r->v[e][direction[i]] += basis[i + n * p] * a[p + m * e] / unit[direction[i]];
  return 0;
}

static double along(const double v[6], const double gradient[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    sum += v[i] * gradient[i];
  return sum;
}

static void leave(const double v[6], fr_step *step) {
  memcpy(step->direction[step->unseen++], v, sizeof step->direction[0]);
}

/* By the data alone. */
static void solve_data(const fr_reduced *r, fr_step *step, fr_twist *twist) {
  for (int e = 0; e < r->m; e++) {
    if (!(r->eigenvalue[e] > step->least * step->weight)) {
      leave(r->v[e], step);
      continue;
    }
    const double part = -along(r->v[e], step->gradient);
    for (int i = 0; i < 6; i++)
      twist->v[i] += part / r->eigenvalue[e] * r->v[e][i];
  }
  step->undetermined = step->unseen;
}

/* By the data, as far as they determine anything, and a spring; each direction in its own unit, since one may be known by
 * many orders of magnitude better than the other. */
static int solve_with_spring(const fr_geometry *geometry, const fr_reduced *r, fr_step *step, fr_twist *twist) {
  const int m = r->m;
  double normal[6][6] = {{0}};
  double gradient[6] = {0};
  double a[36] = {0};
  double unit[6];
  double slope[6];
  double eigenvalue[6];
  double most = 0; /* of the spring's stiffness */
  fr_spring_equate(geometry->spring, geometry->pose, step->center, normal, gradient);
  for (int e = 0; e < m; e++) {
    const int seen = r->eigenvalue[e] > step->least * step->weight;
    for (int f = 0; f < m; f++)
      for (int i = 0; i < 6; i++)
        a[f + m * e] += r->v[f][i] * along(r->v[e], normal[i]);
    most = fmax(most, a[e + m * e]);
    a[e + m * e] += seen ? r->eigenvalue[e] : 0;
    slope[e] = along(r->v[e], gradient) + (seen ? along(r->v[e], step->gradient) : 0);
  }
  for (int e = 0; e < m; e++)
    unit[e] = a[e + m * e] > UNSAID * most ? 1 / sqrt(a[e + m * e]) : 0;
  for (int e = 0; e < m; e++)
    for (int f = 0; f < m; f++)
      a[f + m * e] = a[f + m * e] * unit[e] * unit[f]; /* one by one: their product need not be finite */
  if (fr_symmetric_eigen(m, a, eigenvalue) != 0)
    return -1;
  for (int e = 0; e < m; e++) {
    double v[6] = {0};
    double part = 0;
    const int known = eigenvalue[e] > NOTHING;
    for (int f = 0; f < m; f++) {
      const double size = a[f + m * e] * (known || unit[f] > 0 ? unit[f] : 1);
      part -= size * slope[f];
      for (int i = 0; i < 6; i++)
        v[i] += size * r->v[f][i];
    }
    if (!known)
      leave(v, step);
    for (int i = 0; known && i < 6; i++)
      twist->v[i] += part / eigenvalue[e] * v[i];
  }
  step->undetermined = step->unseen;
  for (int e = 0; e < m; e++)
    if (!(r->eigenvalue[e] > step->least * step->weight))
      leave(r->v[e], step);
  return 0;
}

/* By the normal equations. */
static int solve(const fr_geometry *geometry, fr_step *step) {
  fr_reduced r;
  fr_twist twist = {{0}};
  if (fr_step_reduce(geometry, step, &r) != 0)
    return -1;
  if (r.m == 0)
    return 0;
  if (geometry->spring) {
    if (solve_with_spring(geometry, &r, step, &twist) != 0)
      return -1;
  } else {
    solve_data(&r, step, &twist);
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
  fricp_pose pose;
  fr_geometry there = *geometry;
  double before = INFINITY;
  memcpy(moved, sums, sizeof moved);
  for (int turn = 0; turn < REPEATS; turn++) {
    if (turn > 0) {
      memset(&next, 0, sizeof next);
      next.increment = still;
      metric->equate(moved, geometry, &next);
    }
    if (geometry->spring) {
      pose = fricp_pose_multiply(&step->increment, geometry->pose);
      there.pose = &pose;
    }
    if (solve(&there, &next) != 0)
      return -1;
    if (turn == 0) {
      step->undetermined = next.undetermined;
      step->unseen = next.unseen;
      memcpy(step->direction, next.direction, sizeof step->direction);
    }
    step->increment = fricp_pose_multiply(&next.increment, &step->increment);
    fr_reorthonormalize(step->increment.rotation);
    const double distance = fr_pose_distance(&next.increment, &still);
    if (distance < ALIGNED || (turn >= PROMISING && distance > before / 2))
      break;
    before = distance;
    const fricp_pose motion = about(&next.increment, geometry->center);
    metric->move(&motion, moved);
  }
  return 0;
}

double fr_step_variance(const fr_step *step, int unknowns, double equations, double mean_weight) {
  const double all = equations * step->weight / mean_weight;
  const double freedom = all > unknowns ? all - unknowns : all;
  return mean_weight * fmax(step->squared / mean_weight / freedom, FR_LEAST_DEVIATION * FR_LEAST_DEVIATION);
}

int fr_step_make(const fr_metric *metric, const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step) {
  memset(step, 0, sizeof *step);
  step->increment = fricp_pose_identity();
  metric->equate(sums, geometry, step);
  if (!(step->weight > 0)) /* nothing to align */
    return 0;
  const int all_free = (!geometry->constraint || geometry->constraint->count == 0) && !geometry->spring;
  if (metric->closed_form && all_free)
    return metric->closed_form(sums, geometry, step);
  return metric->move && geometry->repeat ? solve_repeatedly(metric, sums, geometry, step) : solve(geometry, step);
}
