/* SPDX-License-Identifier: BSD-3-Clause */
/* The _work forms take our workspace, so that nothing is allocated. They do not look for NaN, on which some of LAPACK
 * never returns, so all that goes in is looked at here. Sizes are fixed by the callers' geometry (SE(3), m <= 16), so
 * workspaces are constants. */
#include "maths/lapack.h"

#include <lapacke.h>
#include <math.h>

#define NOT_FINITE (-1000) /* no LAPACK routine has so many arguments */

/* Column by column; of a symmetric matrix only the upper triangle is given. */
static int all_finite(const double *a, int rows, int columns, int upper) {
  double sum = 0;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < (upper ? j + 1 : rows); i++)
      sum += 0 * a[i + rows * j]; /* NaN if any is NaN or infinite */
  return sum == 0;
}

int fr_svd(int n, double *a, double *s, double *u, double *vt) {
  double work[64];
  if (!all_finite(a, n, n, 0))
    return NOT_FINITE;
  return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, a, n, s, u, n, vt, n, work, 64);
}

int fr_symmetric_eigen(int n, double *a, double *w) {
  double work[64];
  if (!all_finite(a, n, n, 1))
    return NOT_FINITE;
  return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, w, work, 64);
}

int fr_generalized_eigen(int n, double *a, double *b, double *w) {
  double work[64];
  if (!all_finite(a, n, n, 1) || !all_finite(b, n, n, 1))
    return NOT_FINITE;
  return LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a, n, b, n, w, work, 64);
}

int fr_least_squares(int rows, int columns, double *a, double *b, double rcond) {
  double s[16];
  double work[512];
  int rank = 0;
  const int ldb = rows > columns ? rows : columns;
  if (!all_finite(a, rows, columns, 0) || !all_finite(b, rows, 1, 0))
    return NOT_FINITE;
  return LAPACKE_dgelss_work(LAPACK_COL_MAJOR, rows, columns, 1, a, rows, b, ldb, s, rcond, &rank, work, 512);
}
