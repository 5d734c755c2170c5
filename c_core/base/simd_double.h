/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eight doubles, whatever the registers: sums then have the same order, hence the same bits, on every machine. By the
 * registers there are, as the compiler's own code for vectors wider than these goes by way of memory, and takes
 * comparisons apart.
 */
#ifndef FR_SIMD_DOUBLE_H
#define FR_SIMD_DOUBLE_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef double fr_d8 __attribute__((vector_size(64)));
typedef float fr_f8 __attribute__((vector_size(32)));   /* to convert to fr_d8 */
typedef int32_t fr_i8 __attribute__((vector_size(32))); /* to convert to fr_l8 */
typedef int64_t fr_l8 __attribute__((vector_size(64)));

#if defined(__AVX512F__)
#define FR_DV_LANES 8
typedef __m512d fr_dv;
#define FR_DV(operation) _mm512_##operation##_pd
#elif defined(__AVX2__)
#define FR_DV_LANES 4
typedef __m256d fr_dv;
#define FR_DV(operation) _mm256_##operation##_pd
#elif defined(__SSE2__)
#define FR_DV_LANES 2
typedef __m128d fr_dv;
#define FR_DV(operation) _mm_##operation##_pd
#else
#define FR_DV_LANES 1
typedef double fr_dv; /* not used: all operations are the plain ones */
#endif

#define FR_DV_PARTS (8 / FR_DV_LANES)

typedef struct fr_dvs {
  fr_dv part[FR_DV_PARTS];
} fr_dvs;

static inline fr_dvs fr_dvs_of(fr_d8 a) {
  fr_dvs v;
  memcpy(&v, &a, sizeof v);
  return v;
}

static inline fr_d8 fr_d8_of(fr_dvs v) {
  fr_d8 a;
  memcpy(&a, &v, sizeof a);
  return a;
}

static inline fr_d8 fr_d8_set(double x) {
  return (fr_d8){x, x, x, x, x, x, x, x};
}

static inline fr_d8 fr_d8_load(const double *at) {
  fr_d8 v;
  memcpy(&v, at, sizeof v);
  return v;
}

static inline void fr_d8_store(double *at, fr_d8 v) {
  memcpy(at, &v, sizeof v);
}

/* a where mask is all ones, b where it is zero. */
static inline fr_d8 fr_d8_select(fr_l8 mask, fr_d8 a, fr_d8 b) {
  return (fr_d8)(((fr_l8)a & mask) | ((fr_l8)b & ~mask));
}

/* Lane-wise; b where a is NaN. */
static inline fr_d8 fr_d8_min(fr_d8 a, fr_d8 b) {
#if defined(FR_DV)
  fr_dvs x = fr_dvs_of(a);
  const fr_dvs y = fr_dvs_of(b);
  for (int i = 0; i < FR_DV_PARTS; i++)
    x.part[i] = FR_DV(min)(x.part[i], y.part[i]);
  return fr_d8_of(x);
#else
  return fr_d8_select(a < b, a, b);
#endif
}

static inline fr_d8 fr_d8_max(fr_d8 a, fr_d8 b) {
#if defined(FR_DV)
  fr_dvs x = fr_dvs_of(a);
  const fr_dvs y = fr_dvs_of(b);
  for (int i = 0; i < FR_DV_PARTS; i++)
    x.part[i] = FR_DV(max)(x.part[i], y.part[i]);
  return fr_d8_of(x);
#else
  return fr_d8_select(a > b, a, b);
#endif
}

static inline fr_d8 fr_d8_sqrt(fr_d8 a) {
#if defined(FR_DV)
  fr_dvs x = fr_dvs_of(a);
  for (int i = 0; i < FR_DV_PARTS; i++)
    x.part[i] = FR_DV(sqrt)(x.part[i]);
  return fr_d8_of(x);
#else
  for (int i = 0; i < 8; i++)
    a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

static inline fr_d8 fr_d8_abs(fr_d8 a) {
  return (fr_d8)((fr_l8)a & INT64_MAX);
}

/* Bit i is set where a[i] < b[i]. */
static inline unsigned fr_d8_less(fr_d8 a, fr_d8 b) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#elif defined(FR_DV)
  const fr_dvs x = fr_dvs_of(a);
  const fr_dvs y = fr_dvs_of(b);
  unsigned mask = 0;
  for (int i = 0; i < FR_DV_PARTS; i++) {
#if defined(__AVX2__)
    const fr_dv less = _mm256_cmp_pd(x.part[i], y.part[i], _CMP_LT_OQ);
#else
    const fr_dv less = _mm_cmplt_pd(x.part[i], y.part[i]);
#endif
    mask |= (unsigned)FR_DV(movemask)(less) << (i * FR_DV_LANES);
  }
  return mask;
#else
  const fr_l8 less = a < b;
  unsigned mask = 0;
  for (int i = 0; i < 8; i++)
    mask |= (unsigned)(less[i] & 1) << i;
  return mask;
#endif
}

/* The sum of the lanes, in a fixed order. */
static inline double fr_d8_sum(fr_d8 a) {
#if defined(__SSE2__)
  __m128d two[4];
  memcpy(two, &a, sizeof two);
  const __m128d sums = _mm_add_pd(_mm_add_pd(two[0], two[2]), _mm_add_pd(two[1], two[3]));
  return _mm_cvtsd_f64(sums) + _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums));
#else
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
#endif
}

#endif
