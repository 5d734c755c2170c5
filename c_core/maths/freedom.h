/* SPDX-License-Identifier: BSD-3-Clause */
/* Which motions are free: those of the dimension, less what a constraint holds. */
#ifndef FR_FREEDOM_H
#define FR_FREEDOM_H

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

#endif
