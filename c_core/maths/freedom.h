/* SPDX-License-Identifier: BSD-3-Clause */
/* Which motions are free: those of the dimension, less what a constraint holds. */
#ifndef FR_FREEDOM_H
#define FR_FREEDOM_H

#include "maths/chart.h"

/* Motions that are not to be made: a twist d about the frame's origin is free if v . d is 0 for every row v. */
typedef struct fr_constraint {
  int count;
  double v[6][6];
} fr_constraint;

/* Degrees of freedom of a twist in so many dimensions: writes their indices. @return how many. */
int fr_free_directions(int dimension, int direction[6]);

/* An orthonormal basis of the free twists about `center`, their rotations multiplied by the radius: `basis` n x m,
 * column-major, over the n free directions of the dimension. constraint NULL: none. @return m, or -1 if LAPACK failed. */
int fr_free_basis(const fr_constraint *constraint, const double center[3], double radius, int n, const int direction[6],
                  double basis[36]);

/* Over so many dimensions and a basis as above: of an n x n matrix, whose upper triangle counts, the m x m matrix
 * B^T A B, both triangles, in place. Nothing is done where all is free (m = n). */
void fr_free_restrict(int n, int m, const double basis[36], double matrix[36]);

/* The twist (about the center, its rotation multiplied by the radius) whose part of each motion of the basis is given. */
void fr_free_twist(int n, int m, const double basis[36], const int direction[6], const double *part, double twist[6]);

/* Coordinates of a chart that stay 0: a turn about each axis of the frame, then a shift along each. */
typedef struct fr_lock {
  int locked; /* a bit each, the turn about x the lowest; 0: none */
  fr_chart chart;
} fr_lock;

/* The locked coordinates that so many dimensions have, as a mask. */
int fr_lock_mask(int locked, int dimension);

/* How many directions are left. */
int fr_lock_free_count(int locked, int dimension);

/* Is it no matter where the origin is? So where each locked shift is along an axis that the free turns keep. */
int fr_lock_ignores_origin(int locked, int dimension);

/* How many axes turns are free about; if it is one, `axis` receives it. */
int fr_lock_free_turns(const fr_lock *lock, int dimension, double axis[3]);

/* Append what the lock holds at a pose to a constraint, which has room for all. */
void fr_lock_constrain(const fr_lock *lock, int dimension, const fricp_pose *pose, fr_constraint *constraint);

/* The pose with its locked coordinates at 0. */
void fr_lock_project(const fr_lock *lock, fricp_pose *pose);

#endif
