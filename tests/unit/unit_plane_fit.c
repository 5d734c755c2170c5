/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over neighbourhoods, eight at a time, against plain loops in long double; the same bits on every instruction set. */
#include "base/isa.h"
#include "cloud/plane_fit.h"
#include "prng.h"
#include "suite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 300

typedef void fit_function(const double (*)[3], int32_t *const *, int, int, fr_eigen_lanes *);

/* Element e of k times the covariance, about the mean. */
static long double scatter(const double (*points)[3], const int32_t *position, int k, int e) {
  static const int row[6] = {0, 0, 1, 0, 1, 2};
  static const int column[6] = {0, 1, 1, 2, 2, 2};
  long double mean[3] = {0, 0, 0};
  long double sum = 0;
  for (int j = 0; j < k; j++)
    for (int a = 0; a < 3; a++)
      mean[a] += (long double)points[position[j]][a] / k;
  for (int j = 0; j < k; j++)
    sum += (points[position[j]][row[e]] - mean[row[e]]) * (points[position[j]][column[e]] - mean[column[e]]);
  return sum;
}

/* Of both parts that are subtracted, a sum of k squares and k times the mean's, each is at most k times the longest way
 * from the first point squared, and has at most some k roundings. */
static double bound(const double (*points)[3], const int32_t *position, int k) {
  double longest2 = 0;
  for (int j = 0; j < k; j++)
    longest2 = fmax(longest2, fr_distance2(points[position[j]], points[position[0]]));
  return 4 * k * (k + 4) * DBL_EPSILON * longest2;
}

static void check_fit(const double (*points)[3], int32_t *const *position, int count, int k) {
  fr_eigen_lanes first;
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++) {
    fr_eigen_lanes lanes;
    memset(&lanes, 0xff, sizeof lanes); /* NaN: every lane is to be written */
    FR_PICK(isa, fr_plane_fit)(points, position, count, k, &lanes);
    if (isa == FR_ISA_GENERIC)
      first = lanes;
    ck_assert_mem_eq(lanes.matrix, first.matrix, sizeof first.matrix);
    for (int i = 0; i < FR_EIGEN_LANES; i++)
      for (int e = 0; e < 6; e++)
        if (i < count)
          ck_assert_double_le(fabs(lanes.matrix[e][i] - (double)scatter(points, position[i], k, e)),
                              bound(points, position[i], k));
        else
          ck_assert_double_eq(lanes.matrix[e][i], 0);
  }
}

/* Every number of neighbours up to a few vectors, of one to eight points; the array's last point is among them, so that a
 * sanitizer sees a load beyond it. */
START_TEST(sums_are_those_of_plain_loops) {
  double(*points)[3] = malloc(POINTS * sizeof *points);
  int32_t *position[FR_EIGEN_LANES];
  ck_assert(points);
  prng g = prng_seed(21, 1);
  for (int i = 0; i < POINTS; i++)
    for (int a = 0; a < 3; a++)
      points[i][a] = 5 + 0.1 * prng_normal(&g);
  for (int i = 0; i < FR_EIGEN_LANES; i++) {
    position[i] = malloc(FR_NN_MAX_K * sizeof **position);
    ck_assert(position[i]);
    for (int j = 0; j < FR_NN_MAX_K; j++)
      position[i][j] = (POINTS - 1) * (j == (i + 1) % 3) + (j != (i + 1) % 3) * ((37 * j + 11 * i) % POINTS);
  }
  for (int k = 1; k <= FR_NN_MAX_K; k = k < 40 ? k + 1 : k + 27)
    check_fit((const double(*)[3])points, position, 1 + k % FR_EIGEN_LANES, k);
  for (int i = 0; i < FR_EIGEN_LANES; i++)
    free(position[i]);
  free(points);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {sums_are_those_of_plain_loops};
  return run_suite("plane_fit", tests, COUNT(tests));
}
