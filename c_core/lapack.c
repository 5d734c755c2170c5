/* SPDX-License-Identifier: BSD-3-Clause */
/* The _work forms take our workspace, so that nothing is allocated and nothing is scanned for NaN: inputs are checked
 * by the callers. Sizes are fixed by the callers' geometry (SE(3), m <= 16), so workspaces are constants. */
#include "lapack.h"

#include <lapacke.h>

int fr_svd(int n, double *a, double *s, double *u, double *vt) {
  double work[64];
  return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, a, n, s, u, n, vt, n, work, 64);
}

int fr_symmetric_eigen(int n, double *a, double *w) {
  double work[64];
  return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, w, work, 64);
}

int fr_generalized_eigen(int n, double *a, double *b, double *w) {
  double work[64];
  return LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a, n, b, n, w, work, 64);
}

int fr_least_squares(int rows, int columns, double *a, double *b, double rcond) {
  double s[16];
  double work[512];
  int rank = 0;
  const int ldb = rows > columns ? rows : columns;
  return LAPACKE_dgelss_work(LAPACK_COL_MAJOR, rows, columns, 1, a, rows, b, ldb, s, rcond, &rank, work, 512);
}
