/* SPDX-License-Identifier: BSD-3-Clause */
/* Eight eigenproblems at once, against matrices made from known eigenvalues and vectors. */
#include "base/isa.h"
#include "maths/eigen_lanes.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

typedef unsigned lanes_function(fr_eigen_lanes *);

/* Three orthonormal vectors: two random directions made orthogonal, and their product. */
static void random_frame(prng *g, double v[3][3]) {
  prng_direction(g, v[0]);
  double along = 2;
  while (fabs(along) > 0.9) {
    prng_direction(g, v[1]);
    along = v[0][0] * v[1][0] + v[0][1] * v[1][1] + v[0][2] * v[1][2];
  }
  for (int a = 0; a < 3; a++)
    v[1][a] -= along * v[0][a];
  const double length = sqrt(v[1][0] * v[1][0] + v[1][1] * v[1][1] + v[1][2] * v[1][2]);
  for (int a = 0; a < 3; a++)
    v[1][a] /= length;
  for (int a = 0; a < 3; a++)
    v[2][a] = v[0][(a + 1) % 3] * v[1][(a + 2) % 3] - v[0][(a + 2) % 3] * v[1][(a + 1) % 3];
}

static void put_matrix(fr_eigen_lanes *lanes, int lane, double v[3][3], const double value[3], double scale) {
  static const int row[6] = {0, 0, 1, 0, 1, 2};
  static const int column[6] = {0, 1, 1, 2, 2, 2};
  for (int e = 0; e < 6; e++) {
    lanes->matrix[e][lane] = 0;
    for (int i = 0; i < 3; i++)
      lanes->matrix[e][lane] += scale * value[i] * v[i][row[e]] * v[i][column[e]];
  }
}

/* Gaps from wide to none. The bounds are those that eigen_lanes.c proves, 1e-14 of the trace and that over the gap, and
 * some 1e-15 for the making of the matrix. */
START_TEST(known_eigenvalues) {
  static const double values[][3] = {{0.01, 0.4, 0.59}, {0, 0.5, 0.5},           {0.2, 0.2, 0.6},   {1, 1, 1},
                                     {0, 1e-9, 1},      {0.3, 0.3 + 1e-9, 0.39}, {1e-18, 1e-16, 1}, {0, 0, 1}};
  static const double scales[] = {1, 1e-30, 1e30, 1e-200, 1e200};
  prng g = prng_seed(13, 1);
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++)
    for (int round = 0; round < 500; round++) {
      fr_eigen_lanes lanes;
      double v[8][3][3];
      for (int i = 0; i < 8; i++) {
        random_frame(&g, v[i]);
        put_matrix(&lanes, i, v[i], values[(i + round) % 8], scales[round % 5]);
      }
      ck_assert_uint_eq(FR_PICK(isa, fr_eigen_lanes)(&lanes), 0xff);
      for (int i = 0; i < 8; i++) {
        const double *e = values[(i + round) % 8];
        const double trace = e[0] + e[1] + e[2];
        for (int j = 0; j < 3; j++)
          ck_assert_double_le(fabs(lanes.value[j][i] - e[j] / trace), 2e-14);
        double n[3];
        double length = 0;
        for (int a = 0; a < 3; a++) {
          n[a] = lanes.vector[a][i];
          length += n[a] * n[a];
        }
        ck_assert_double_le(fabs(length - 1), 1e-14);
        for (int j = 1; j < 3; j++) /* what of it lies along the other two */
          ck_assert_double_le(fabs(n[0] * v[i][j][0] + n[1] * v[i][j][1] + n[2] * v[i][j][2]) * (e[j] - e[0]) / trace,
                              2e-14);
      }
    }
}
END_TEST

/* Diagonal ones, whose answer needs no rotation; nothing, NaN and infinity, which are not right, next to one that is. */
START_TEST(special_matrices) {
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
    fr_eigen_lanes lanes;
    memset(&lanes, 0, sizeof lanes);
    const double diagonal[8][3] = {{3, 2, 1},   {1, 2, 3},        {2, 1, 3}, {0, 0, 0},
                                   {NAN, 1, 1}, {INFINITY, 1, 1}, {1, 1, 1}, {1, 0, 0}};
    for (int i = 0; i < 8; i++) {
      lanes.matrix[0][i] = diagonal[i][0];
      lanes.matrix[2][i] = diagonal[i][1];
      lanes.matrix[5][i] = diagonal[i][2];
    }
    ck_assert_uint_eq(FR_PICK(isa, fr_eigen_lanes)(&lanes), 0xc7);
    ck_assert_double_eq(lanes.vector[2][0], 1);
    ck_assert_double_eq(lanes.vector[0][1], 1);
    ck_assert_double_eq(lanes.vector[1][2], 1);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {known_eigenvalues, special_matrices};
  return run_suite("eigen_lanes", tests, COUNT(tests));
}
