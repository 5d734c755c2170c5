/* SPDX-License-Identifier: BSD-3-Clause */
/* The LAPACKE wrappers: what a factorisation promises, recomputed. */
#include "maths/lapack.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static void fill(prng *g, double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = prng_range(g, -1, 1);
}

/* Column-major product of op(a) (m x k) and b (k x n). */
static void multiply(int m, int k, int n, const double *a, const double *b, double *out) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      out[i + m * j] = 0;
      for (int l = 0; l < k; l++)
        out[i + m * j] += a[i + m * l] * b[l + k * j];
    }
}

static void transpose(int m, int n, const double *a, double *out) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      out[j + n * i] = a[i + m * j];
}

static double largest_difference(const double *a, const double *b, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

static void check_orthonormal(int n, const double *u) {
  double t[36] = {0};
  double product[36];
  transpose(n, n, u, t);
  multiply(n, n, n, t, u, product);
  for (int i = 0; i < n * n; i++)
    ck_assert_double_le(fabs(product[i] - (i % n == i / n)), 1e-14);
}

START_TEST(svd_multiplies_back) {
  prng g = prng_seed(1, 0);
  for (int n = 1; n <= 3; n++)
    for (int trial = 0; trial < 1000; trial++) {
      double a[9];
      fill(&g, a, n * n);
      if (trial % 3 == 1) /* rank deficient */
        for (int i = 0; i < n; i++)
          a[i + n * (n - 1)] = a[i];
      if (trial == 2)
        memset(a, 0, sizeof a);
      double work[9];
      double s[3];
      double u[9];
      double vt[9];
      memcpy(work, a, sizeof work);
      ck_assert_int_eq(fr_svd(n, work, s, u, vt), 0);
      for (int i = 0; i < n; i++)
        ck_assert(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
      check_orthonormal(n, u);
      check_orthonormal(n, vt);
      double us[9];
      double back[9];
      for (int i = 0; i < n * n; i++)
        us[i] = u[i] * s[i / n];
      multiply(n, n, n, us, vt, back);
      ck_assert_double_le(largest_difference(a, back, n * n), 1e-14);
    }
}
END_TEST

START_TEST(eigenvectors_are_eigenvectors) {
  prng g = prng_seed(2, 0);
  for (int n = 1; n <= 6; n++)
    for (int trial = 0; trial < 500; trial++) {
      double b[36];
      double bt[36];
      double a[36];
      fill(&g, b, n * n);
      if (trial % 2)
        memset(b, 0, sizeof b[0] * (size_t)n); /* a zero eigenvalue */
      transpose(n, n, b, bt);
      multiply(n, n, n, b, bt, a);
      double v[36];
      double w[6];
      memcpy(v, a, sizeof v);
      for (int i = 0; i < n; i++) /* only the upper triangle may be read */
        for (int j = 0; j < i; j++)
          v[i + n * j] = 1e30;
      ck_assert_int_eq(fr_symmetric_eigen(n, v, w), 0);
      check_orthonormal(n, v);
      double av[36];
      multiply(n, n, n, a, v, av);
      for (int k = 0; k < n; k++) {
        ck_assert(k == 0 || w[k] >= w[k - 1]);
        for (int i = 0; i < n; i++)
          ck_assert_double_le(fabs(av[i + n * k] - w[k] * v[i + n * k]), 1e-14 * (1 + w[n - 1]));
      }
    }
}
END_TEST

START_TEST(generalized_eigenvectors) {
  prng g = prng_seed(4, 0);
  for (int n = 1; n <= 6; n++)
    for (int trial = 0; trial < 500; trial++) {
      double r[36];
      double rt[36];
      double a[36];
      double b[36];
      double v[36];
      double factor[36];
      double w[6];
      fill(&g, r, n * n);
      transpose(n, n, r, rt);
      for (int i = 0; i < n * n; i++)
        a[i] = r[i] + rt[i];
      multiply(n, n, n, rt, r, b); /* b = r^T r + 1, so its condition is bounded */
      for (int i = 0; i < n; i++)
        b[i + n * i] += 1;
      memcpy(v, a, sizeof v);
      memcpy(factor, b, sizeof factor);
      for (int i = 0; i < n; i++) /* only the upper triangles may be read */
        for (int j = 0; j < i; j++)
          v[i + n * j] = factor[i + n * j] = 1e30;
      ck_assert_int_eq(fr_generalized_eigen(n, v, factor, w), 0);
      double av[36];
      double bv[36];
      double vt[36];
      double gram[36];
      multiply(n, n, n, a, v, av);
      multiply(n, n, n, b, v, bv);
      transpose(n, n, v, vt);
      multiply(n, n, n, vt, bv, gram);
      for (int k = 0; k < n; k++) {
        ck_assert(k == 0 || w[k] >= w[k - 1]);
        for (int i = 0; i < n; i++) {
          ck_assert_double_le(fabs(av[i + n * k] - w[k] * bv[i + n * k]), 1e-13);
          ck_assert_double_le(fabs(gram[i + n * k] - (i == k)), 1e-13);
        }
      }
    }
  double a[4] = {1, 0, 0, 1};
  double indefinite[4] = {1, 0, 0, -1};
  double w[2];
  ck_assert_int_ne(fr_generalized_eigen(2, a, indefinite, w), 0);
}
END_TEST

/* x minimises |a x - b| exactly if a^T (a x - b) = 0, and has minimum norm exactly if it is a^T z for some z, that is
 * if it is orthogonal to the null space: x = a^T (a a^T)^+ a x. Both are checked by the projections that a full SVD of
 * the small Gram matrix a a^T gives. */
static void check_least_squares(int rows, int columns, const double *a, const double *b, const double *x) {
  double at[96];
  double ax[6];
  double gram[36];
  double w[6];
  transpose(rows, columns, a, at);
  multiply(rows, columns, 1, a, x, ax);
  double residual[6];
  for (int i = 0; i < rows; i++)
    residual[i] = ax[i] - b[i];
  double gradient[16];
  multiply(columns, rows, 1, at, residual, gradient);
  for (int i = 0; i < columns; i++)
    ck_assert_double_le(fabs(gradient[i]), 1e-11);
  multiply(rows, columns, rows, a, at, gram);
  ck_assert_int_eq(fr_symmetric_eigen(rows, gram, w), 0);
  double projected[16] = {0};
  for (int k = 0; k < rows; k++) {
    if (w[k] < 1e-9)
      continue;
    double along = 0;
    for (int i = 0; i < rows; i++)
      along += gram[i + rows * k] * ax[i];
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        projected[j] += at[j + columns * i] * gram[i + rows * k] * along / w[k];
  }
  ck_assert_double_le(largest_difference(projected, x, columns), 1e-9);
}

START_TEST(least_squares_of_minimum_norm) {
  prng g = prng_seed(3, 0);
  for (int rows = 1; rows <= 6; rows++)
    for (int columns = 1; columns <= 16; columns++)
      for (int trial = 0; trial < 40; trial++) {
        double a[96];
        double b[16];
        fill(&g, a, rows * columns);
        if (trial % 2 && columns > 1) /* two equal columns: the rank falls, the two share evenly */
          memcpy(a + rows, a, sizeof a[0] * (size_t)rows);
        fill(&g, b, rows);
        double work[96];
        double x[16];
        memcpy(work, a, sizeof work);
        memcpy(x, b, sizeof x);
        ck_assert_int_eq(fr_least_squares(rows, columns, work, x, 1e-10), 0);
        double gram[36];
        double at[96];
        double w[6];
        transpose(rows, columns, a, at);
        multiply(rows, columns, rows, a, at, gram);
        ck_assert_int_eq(fr_symmetric_eigen(rows, gram, w), 0);
        const int distinct = trial % 2 && columns > 1 ? columns - 1 : columns;
        const double least = w[rows - (rows < distinct ? rows : distinct)];
        if (least < 1e-3)
          continue; /* too near to singular for a bound on x */
        check_least_squares(rows, columns, a, b, x);
        if (trial % 2 && columns > 1)
          ck_assert_double_le(fabs(x[0] - x[1]), 1e-9);
      }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {svd_multiplies_back, eigenvectors_are_eigenvectors, generalized_eigenvectors,
                                least_squares_of_minimum_norm};
  return run_suite("lapack", tests, COUNT(tests));
}
