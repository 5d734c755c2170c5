/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over neighbourhoods, eight points at a time. Compiled once for each instruction set (FR_ISA). */
#include "cloud/plane_fit.h"

#include "base/simd.h"

#define ROOM (FR_NN_MAX_K + 8)

/* About one of the points, which is as good as about their mean: what cancels is no larger than what is left. */
static inline void put_covariance(const double (*points)[3], const int32_t *position, int k, fr_eigen_lanes *lanes,
                                  int lane) {
  static const int first[6] = {0, 0, 1, 0, 1, 2};
  static const int second[6] = {0, 1, 1, 2, 2, 2};
  double x[3][ROOM];
  double mean[3];
  const double *origin = points[position[0]];
  fr_d8 sum[3] = {fr_d8_set(0), fr_d8_set(0), fr_d8_set(0)};
  fr_d8 square[6];
  for (int j = 0; j < k; j++)
    for (int a = 0; a < 3; a++)
      x[a][j] = points[position[j]][a] - origin[a];
  for (int a = 0; a < 3; a++)
    fr_d8_store(x[a] + k, fr_d8_set(0));
  for (int i = 0; i < 6; i++)
    square[i] = fr_d8_set(0);
  for (int j = 0; j < k; j += 8) {
    const fr_d8 p[3] = {fr_d8_load(x[0] + j), fr_d8_load(x[1] + j), fr_d8_load(x[2] + j)};
    for (int a = 0; a < 3; a++)
      sum[a] += p[a];
    for (int i = 0; i < 6; i++)
      square[i] += p[first[i]] * p[second[i]];
  }
  for (int a = 0; a < 3; a++)
    mean[a] = fr_d8_sum(sum[a]) / k;
  for (int i = 0; i < 6; i++)
    lanes->matrix[i][lane] = fr_d8_sum(square[i]) - k * mean[first[i]] * mean[second[i]];
}

void FR_FOR_ISA(fr_plane_fit)(const double (*points)[3], int32_t *const *position, int count, int k,
                              fr_eigen_lanes *lanes) {
  memset(lanes->matrix, 0, sizeof lanes->matrix);
  for (int i = 0; i < count; i++)
    put_covariance(points, position[i], k, lanes, i);
}
