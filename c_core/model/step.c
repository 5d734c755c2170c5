/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * N d = -r for a twist d about the weighted centroid, over the motions that are free: those of the dimension, less what
 * the constraint keeps. Rotations are scaled by a radius, so that eigenvalues compare: each is the mean squared residual
 * per unit of motion. Directions below `least` of the weight are not determined by the data and get no step.
 */
#include "maths/lapack.h"
#include "model/metric.h"

#include <string.h>

/* The constraint's rows for twists about step->center whose rotations are multiplied by the radius. A twist (a, v) about
 * the center c moves the origin by v + c x a. */
static void constraint_rows(const fr_constraint *c, const double center[3], double radius, double row[6][6]) {
  for (int e = 0; e < c->count; e++) {
    const double *v = c->v[e];
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3;
      const int d = (a + 2) % 3;
      row[e][a] = (v[a] + v[3 + b] * center[d] - v[3 + d] * center[b]) / radius;
      row[e][3 + a] = v[3 + a];
    }
  }
}

/* An orthonormal basis of the free motions: `basis` n x m, column-major, over the n directions of the dimension.
 * @return m, or -1 if LAPACK failed. */
static int basis_of(const fr_geometry *geometry, const double center[3], double radius, int n, const int direction[6],
                    double basis[36]) {
  const fr_constraint *c = geometry->constraint;
  memset(basis, 0, 36 * sizeof *basis);
  if (!c || c->count == 0) {
    for (int i = 0; i < n; i++)
      basis[i + n * i] = 1;
    return n;
  }
  double row[6][6];
  double eigenvalue[6];
  constraint_rows(c, center, radius, row);
  for (int e = 0; e < c->count; e++) {
    double length2 = 0;
    for (int i = 0; i < n; i++)
      length2 += row[e][direction[i]] * row[e][direction[i]];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        basis[i + n * j] += row[e][direction[i]] * row[e][direction[j]] / length2;
  }
  if (fr_symmetric_eigen(n, basis, eigenvalue) != 0)
    return -1;
  return n - c->count; /* what no row sees has the least eigenvalues */
}

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

int fr_step_solve(const fr_geometry *geometry, double radius, double least, const double right[6], fr_step *step) {
  int direction[6];
  double basis[36];
  double a[36] = {0};
  double eigenvalue[6];
  double unit[6];
  fr_twist twist = {{0}};
  const int n = fr_free_directions(geometry->dimension, direction);
  const int m = basis_of(geometry, step->center, radius, n, direction, basis);
  if (m <= 0)
    return m;
  for (int i = 0; i < 6; i++)
    unit[i] = i < 3 ? radius : 1;
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
      along -= v[direction[i]] * right[direction[i]];
    }
    if (!(eigenvalue[e] > least * step->weight)) {
      memcpy(step->direction[step->undetermined++], v, sizeof v);
      continue;
    }
    for (int i = 0; i < 6; i++)
      twist.v[i] += along / eigenvalue[e] * v[i];
  }
  set_increment(&twist, step);
  return 0;
}
