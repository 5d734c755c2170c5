/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over neighbourhoods, in eight lanes: the j-th neighbour goes to lane j modulo eight. Compiled once for each
 * instruction set (FR_ISA), and done a register of lanes after the other, so that all nine sums stay in registers.
 */
#include "cloud/plane_fit.h"

#include "base/simd.h"
#include "base/simd_double.h"

#define SUMS 9 /* of x, y, z, and as the matrix has them of xx, xy, yy, xz, yz, zz */

/* ---- The coordinates of as many points as a register has lanes. No load goes beyond its point. ---- */

#if defined(__SSE2__) && !defined(__AVX2__)
static inline void load_two(const double (*points)[3], const int32_t *position, __m128d x[3]) {
  const double *a = points[position[0]];
  const double *b = points[position[1]];
  x[0] = _mm_unpacklo_pd(_mm_loadu_pd(a), _mm_loadu_pd(b));
  x[1] = _mm_unpackhi_pd(_mm_loadu_pd(a), _mm_loadu_pd(b));
  x[2] = _mm_unpackhi_pd(_mm_loadu_pd(a + 1), _mm_loadu_pd(b + 1));
}
#endif

#if defined(__AVX2__)
static inline __m256d load_pair(const double *a, const double *b) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}

static inline void load_four(const double (*points)[3], const int32_t *position, __m256d x[3]) {
  const double *a = points[position[0]];
  const double *b = points[position[1]];
  const double *c = points[position[2]];
  const double *d = points[position[3]];
  const __m256d ac = load_pair(a, c);
  const __m256d bd = load_pair(b, d);
  x[0] = _mm256_unpacklo_pd(ac, bd);
  x[1] = _mm256_unpackhi_pd(ac, bd);
  x[2] = _mm256_unpackhi_pd(load_pair(a + 1, c + 1), load_pair(b + 1, d + 1));
}
#endif

static inline void load_lanes(const double (*points)[3], const int32_t *position, fr_dv x[3]) {
#if defined(__AVX512F__)
  __m256d low[3];
  __m256d high[3];
  load_four(points, position, low);
  load_four(points, position + 4, high);
  for (int a = 0; a < 3; a++)
    x[a] = _mm512_insertf64x4(_mm512_castpd256_pd512(low[a]), high[a], 1);
#elif defined(__AVX2__)
  load_four(points, position, x);
#elif defined(__SSE2__)
  load_two(points, position, x);
#else
  for (int a = 0; a < 3; a++)
    x[a] = points[position[0]][a];
#endif
}

/* ---- The sums ---- */

/* About one of the points, which is as good as about their mean: what cancels is no larger than what is left. */
static inline void add_lanes(const double (*points)[3], const int32_t *position, const fr_dv origin[3],
                             fr_dv sum[SUMS]) {
  fr_dv p[3];
  load_lanes(points, position, p);
  for (int a = 0; a < 3; a++) {
    p[a] -= origin[a];
    sum[a] += p[a];
  }
  sum[3] += p[0] * p[0];
  sum[4] += p[0] * p[1];
  sum[5] += p[1] * p[1];
  sum[6] += p[0] * p[2];
  sum[7] += p[1] * p[2];
  sum[8] += p[2] * p[2];
}

static inline void put_sums(const double (*points)[3], const int32_t *position, int k, double total[SUMS][8],
                            int lane) {
  fr_dvs sum[SUMS];
  fr_dv origin[3];
  int32_t last[8]; /* of the k, and the first again where there are no more: it adds zero */
  const int whole = k / 8 * 8;
  for (int j = 0; j < 8; j++)
    last[j] = whole + j < k ? position[whole + j] : position[0];
  for (int a = 0; a < 3; a++)
    origin[a] = points[position[0]][a] - (fr_dv){0};
  for (int part = 0; part < FR_DV_PARTS; part++) {
    fr_dv s[SUMS];
    for (int i = 0; i < SUMS; i++)
      s[i] = (fr_dv){0};
    const int lane_of_part = part * FR_DV_LANES;
    for (int j = lane_of_part; j < whole; j += 8)
      add_lanes(points, position + j, origin, s);
    if (whole < k)
      add_lanes(points, last + lane_of_part, origin, s);
    for (int i = 0; i < SUMS; i++)
      sum[i].part[part] = s[i];
  }
  for (int i = 0; i < SUMS; i++)
    total[i][lane] = fr_d8_sum(fr_d8_of(sum[i]));
}

void FR_FOR_ISA(fr_plane_fit)(const double (*points)[3], int32_t *const *position, int count, int k,
                              fr_eigen_lanes *lanes) {
  static const int first[6] = {0, 0, 1, 0, 1, 2};
  static const int second[6] = {0, 1, 1, 2, 2, 2};
  double total[SUMS][8] = {{0}};
  fr_d8 mean[3];
  for (int i = 0; i < count; i++)
    put_sums(points, position[i], k, total, i);
  for (int a = 0; a < 3; a++)
    mean[a] = fr_d8_load(total[a]) / fr_d8_set(k);
  for (int i = 0; i < 6; i++)
    fr_d8_store(lanes->matrix[i], fr_d8_load(total[3 + i]) - fr_d8_set(k) * mean[first[i]] * mean[second[i]]);
}
