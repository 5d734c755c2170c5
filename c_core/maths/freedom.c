/* SPDX-License-Identifier: BSD-3-Clause */
#include "maths/freedom.h"

#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.5      /* of a cloud, in extents */
#define TURNS 8         /* of Newton's method, which takes three */
#define ROUNDING 1e-15  /* of coordinates, against a cloud's motion */
#define CLOSE 1e-9      /* the same: it has converged */
#define EXACT 1e-6      /* extents that a cloud is moved to make a coordinate 0; rounding of a far origin's is more */
#define DEPENDENT 1e-12 /* of rows: one says nothing that the others do not */

int fr_free_directions(int dimension, int direction[6]) {
  if (dimension == 2) { /* rotation about z, shifts along x and y */
    direction[0] = 2;
    direction[1] = 3;
    direction[2] = 4;
    return 3;
  }
  for (int i = 0; i < 6; i++)
    direction[i] = i;
  return 6;
}

/* The constraint's rows for twists about `center` whose rotations are multiplied by the radius. A twist (a, v) about
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

int fr_free_basis(const fr_constraint *c, const double center[3], double radius, int n, const int direction[6],
                  double basis[36]) {
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

void fr_free_restrict(int n, int m, const double basis[36], double matrix[36]) {
  double whole[36];
  if (m == n)
    return;
  memcpy(whole, matrix, sizeof whole);
  memset(matrix, 0, 36 * sizeof *matrix);
  for (int p = 0; p < m; p++)
    for (int q = 0; q < m; q++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          matrix[p + m * q] += basis[i + n * p] * basis[j + n * q] * whole[i <= j ? i + n * j : j + n * i];
}

void fr_free_twist(int n, int m, const double basis[36], const int direction[6], const double *part, double twist[6]) {
  memset(twist, 0, 6 * sizeof *twist);
  for (int i = 0; i < n; i++)
    for (int p = 0; p < m; p++)
      twist[direction[i]] += basis[i + n * p] * part[p];
}

int fr_lock_mask(int locked, int dimension) {
  return dimension == 2 ? locked & 0x1c : locked & 0x3f; /* in 2-D the turn about z, the shifts along x and y */
}

int fr_lock_free_count(int locked, int dimension) {
  int count = 0;
  for (int k = 0; k < 6; k++)
    count += fr_lock_mask(~locked, dimension) >> k & 1;
  return count;
}

int fr_lock_ignores_origin(int locked, int dimension) {
  const int turns = dimension == 2 ? 4 & ~locked : 7 & ~locked;
  for (int k = 0; k < (dimension == 2 ? 2 : 3); k++)
    if ((locked >> (3 + k) & 1) && (turns & ~(1 << k)))
      return 0;
  return 1;
}

int fr_lock_free_turns(const fr_lock *lock, int dimension, double axis[3]) {
  int count = 0;
  memset(axis, 0, 3 * sizeof *axis);
  if (dimension == 2) {
    axis[2] = 1;
    return !(lock->locked >> 2 & 1);
  }
  for (int k = 0; k < 3; k++) {
    if (lock->locked >> k & 1)
      continue;
    count++;
    for (int a = 0; a < 3; a++)
      axis[a] = lock->chart.frame.rotation[a][k];
  }
  return count;
}

/* Take from v's first half what it has along unit vectors of three. */
static void make_normal(double v[3], double unit[3][3], int count) {
  for (int e = 0; e < count; e++) {
    const double along = v[0] * unit[e][0] + v[1] * unit[e][1] + v[2] * unit[e][2];
    for (int a = 0; a < 3; a++)
      v[a] -= along * unit[e][a];
  }
}

/* What shifts hold of turns that are locked anyway is taken out: the lever of an origin far away would hide the shift. */
void fr_lock_constrain(const fr_lock *lock, int dimension, const fricp_pose *pose, fr_constraint *constraint) {
  const int mask = fr_lock_mask(lock->locked, dimension);
  double row[6][6];
  double turn[3][3];
  int turns = 0;
  if (mask == 0)
    return;
  fr_chart_rows(&lock->chart, pose, row);
  for (int k = 0; k < 6; k++) {
    if (!(mask >> k & 1))
      continue;
    make_normal(row[k], turn, turns);
    if (k < 3) {
      const double length = sqrt(row[k][0] * row[k][0] + row[k][1] * row[k][1] + row[k][2] * row[k][2]);
      for (int a = 0; a < 3; a++)
        row[k][a] = turn[turns][a] = row[k][a] / length;
      turns++;
    }
    memcpy(constraint->v[constraint->count++], row[k], sizeof row[k]);
  }
}

/* How far the locked coordinates are from 0, in motions of a cloud of radius 1/2 about the source's middle, and the twist
 * about it that brings them there by least motion (to first order; its turns are multiplied by the radius). */
static double way_back(const fr_lock *lock, const fricp_pose *pose, double twist[6]) {
  double x[6];
  double row[6][6];
  double a[36];
  double used[6] = {0}; /* in 2-D only motions in the plane, without rounding */
  int held = 0;
  int rows = 0;
  double farthest = 0;
  fr_chart_coordinates(&lock->chart, pose, x);
  fr_chart_rows(&lock->chart, pose, row);
  for (int k = 0; k < 6; k++)
    held += lock->locked >> k & 1;
  memset(twist, 0, 6 * sizeof *twist);
  for (int k = 0; k < 6; k++) {
    if (!(lock->locked >> k & 1))
      continue;
    const fr_constraint one = {1, {{row[k][0], row[k][1], row[k][2], row[k][3], row[k][4], row[k][5]}}};
    double about[6][6];
    double length = 0;
    constraint_rows(&one, pose->translation, RADIUS, about);
    for (int i = 0; i < 6; i++)
      length = hypot(length, about[0][i]);
    for (int i = 0; i < 6; i++) {
      a[rows + held * i] = about[0][i] / length;
      used[i] += fabs(a[rows + held * i]);
    }
    twist[rows] = -x[k] / length;
    farthest = fmax(farthest, fabs(twist[rows++]));
  }
  if (fr_least_squares(held, 6, a, twist, DEPENDENT) != 0)
    return INFINITY;
  for (int i = 0; i < 6; i++)
    twist[i] = used[i] > 0 ? twist[i] : 0;
  return farthest;
}

/* By Newton's method, to the set of the poses whose locked coordinates are 0. @return 1 if it came there. */
static int come_back(const fr_lock *lock, fricp_pose *pose) {
  double twist[6];
  double left = way_back(lock, pose, twist);
  for (int turn = 0; turn < TURNS && left > ROUNDING && left < INFINITY; turn++) {
    fr_twist back;
    for (int i = 0; i < 6; i++)
      back.v[i] = i < 3 ? twist[i] / RADIUS : twist[i];
    const fricp_pose move = fr_exp(&back);
    const double shift[3] = {pose->translation[0], pose->translation[1], pose->translation[2]};
    memset(pose->translation, 0, sizeof pose->translation); /* turn about the source's middle */
    *pose = fricp_pose_multiply(&move, pose);
    fr_reorthonormalize(pose->rotation);
    for (int a = 0; a < 3; a++)
      pose->translation[a] += shift[a];
    left = way_back(lock, pose, twist);
  }
  return left < CLOSE;
}

/* A step's bend is taken out by the least motion of the cloud: where the origin is far, by a slight turn, not by a shift as
 * long as the lever makes it. Then exactly, unless all that is left is the lever's rounding. From too far away for that by
 * the shift. */
void fr_lock_project(const fr_lock *lock, fricp_pose *pose) {
  fricp_pose near = *pose;
  double x[6];
  double most = 0;
  if (lock->locked == 0)
    return;
  const int is_near = come_back(lock, &near);
  if (is_near)
    *pose = near;
  fr_chart_coordinates(&lock->chart, pose, x);
  for (int k = 0; k < 6; k++)
    if (lock->locked >> k & 1) {
      most = fmax(most, fabs(x[k]));
      x[k] = 0;
    }
  if (!is_near || most < EXACT)
    *pose = fr_chart_pose(&lock->chart, x);
}
