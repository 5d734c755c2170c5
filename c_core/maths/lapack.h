/* SPDX-License-Identifier: BSD-3-Clause */
/* Small dense factorisations by LAPACKE, column-major, on stack workspace. The only user of lapacke.h. A
 * number that is not finite is a failure of each of them. */
#ifndef FR_LAPACK_H
#define FR_LAPACK_H

/* a = u diag(s) vt for an n x n matrix, n <= 3, s descending. a is destroyed. @return 0, or LAPACK's failure. */
int fr_svd(int n, double *a, double *s, double *u, double *vt);

/* Eigenvalues w, ascending, and orthonormal eigenvectors (columns of a) of a symmetric n x n matrix, n <= 6, given by
 * its upper triangle. @return 0, or LAPACK's failure. */
int fr_symmetric_eigen(int n, double *a, double *w);

/* Eigenvalues w, ascending, of a x = w b x for symmetric a and symmetric positive definite b, both n x n, n <= 6, given
 * by their upper triangles; eigenvectors (columns of a) with x^T b x = 1. b is destroyed. @return 0, or LAPACK's
 * failure: b is not definite. */
int fr_generalized_eigen(int n, double *a, double *b, double *w);

/* Minimum-norm x of min |a x - b| for a rows x columns matrix, rows <= 6, columns <= 16: singular values below rcond
 * times the largest count as zero. b has room for max(rows, columns) and returns x. a is destroyed. @return 0, or a
 * failure. */
int fr_least_squares(int rows, int columns, double *a, double *b, double rcond);

#endif
