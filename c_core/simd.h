/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layer 0: vectors of eight lanes for the *_kernel.c files, each of which is compiled once for every instruction set.
 * Eight lanes whatever the registers: sums then have the same order, hence the same bits, on every machine.
 */
#ifndef FR_SIMD_H
#define FR_SIMD_H

#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef float fr_f8 __attribute__((vector_size(32)));
typedef float fr_f4 __attribute__((vector_size(16)));
typedef double fr_d8 __attribute__((vector_size(64)));
typedef int64_t fr_l8 __attribute__((vector_size(64)));

/* NAME -> NAME_avx2 and so on. */
#define FR_JOIN2(name, isa) name##_##isa
#define FR_JOIN(name, isa) FR_JOIN2(name, isa)
#define FR_FOR_ISA(name) FR_JOIN(name, FR_ISA)

static inline fr_f8 fr_f8_set(float x) {
  return (fr_f8){x, x, x, x, x, x, x, x};
}

static inline fr_d8 fr_d8_set(double x) {
  return (fr_d8){x, x, x, x, x, x, x, x};
}

/* Lane-wise; b where a is NaN. */
static inline fr_f4 fr_f4_min(fr_f4 a, fr_f4 b) {
#if defined(__SSE2__)
  return (fr_f4)_mm_min_ps((__m128)a, (__m128)b);
#else
  for (int i = 0; i < 4; i++)
    b[i] = a[i] < b[i] ? a[i] : b[i];
  return b;
#endif
}

static inline fr_f4 fr_f4_max(fr_f4 a, fr_f4 b) {
#if defined(__SSE2__)
  return (fr_f4)_mm_max_ps((__m128)a, (__m128)b);
#else
  for (int i = 0; i < 4; i++)
    b[i] = a[i] > b[i] ? a[i] : b[i];
  return b;
#endif
}

/* Lane-wise maximum; b where a is NaN. */
static inline fr_f8 fr_f8_max(fr_f8 a, fr_f8 b) {
#if defined(__AVX__)
  return (fr_f8)_mm256_max_ps((__m256)a, (__m256)b);
#else
  fr_f8 r;
  for (int i = 0; i < 8; i++)
    r[i] = a[i] > b[i] ? a[i] : b[i];
  return r;
#endif
}

/* Bit i is set where a[i] <= b[i]. */
static inline unsigned fr_f8_at_most(fr_f8 a, fr_f8 b) {
#if defined(__AVX512VL__)
  return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ);
#elif defined(__AVX__)
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ));
#elif defined(__SSE2__)
  union {
    fr_f8 v;
    __m128 h[2];
  } x = {a}, y = {b};
  return (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.h[0], y.h[0])) |
         (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.h[1], y.h[1])) << 4;
#else
  unsigned mask = 0;
  for (int i = 0; i < 8; i++)
    mask |= (unsigned)(a[i] <= b[i]) << i;
  return mask;
#endif
}

/* Which of eight non-negative numbers is least: an index. Numbers that agree in all but the last three bits count as
 * equal; NaN counts as more than infinity. */
static inline int fr_f8_least(fr_f8 a) {
#if defined(__AVX2__)
  /* As integers, non-negative floats compare alike; the lane rides in the low bits. */
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i key = _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(7), (__m256i)a), lane);
  __m128i m = _mm_min_epi32(_mm256_castsi256_si128(key), _mm256_extracti128_si256(key, 1));
  m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0x4e));
  m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0xb1));
  return _mm_cvtsi128_si32(m) & 7;
#else
  typedef int32_t i8 __attribute__((vector_size(32)));
  const i8 bits = (i8)a;
  int least = 0;
  for (int i = 1; i < 8; i++)
    if ((bits[i] & ~7) < (bits[least] & ~7))
      least = i;
  return least;
#endif
}

/* a with lane i replaced by NaN. */
static inline fr_f8 fr_f8_without(fr_f8 a, int i) {
  typedef int32_t i8 __attribute__((vector_size(32)));
  const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
  return (fr_f8)((i8)a | ((lane == (i8){i, i, i, i, i, i, i, i}) & 0x7fffffff));
}

/* Sixteen lanes, for sixteen queries at a time. Order does not matter there, so that half as many per register do. */
typedef float fr_f16 __attribute__((vector_size(64)));
typedef int32_t fr_i16 __attribute__((vector_size(64)));

static inline fr_f16 fr_f16_set(float x) {
  return (fr_f16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

static inline fr_i16 fr_i16_set(int32_t x) {
  return (fr_i16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

#if defined(__AVX512F__)
typedef __mmask16 fr_m16;

static inline fr_m16 fr_f16_less(fr_f16 a, fr_f16 b) {
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}

static inline int fr_m16_any(fr_m16 mask) {
  return mask != 0;
}

static inline fr_f16 fr_f16_min(fr_f16 a, fr_f16 b) {
  return (fr_f16)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline fr_f16 fr_f16_max(fr_f16 a, fr_f16 b) {
  return (fr_f16)_mm512_max_ps((__m512)a, (__m512)b);
}

/* Lane-wise a where the mask is set, else b. */
static inline fr_i16 fr_i16_select(fr_m16 mask, fr_i16 a, fr_i16 b) {
  return (fr_i16)_mm512_mask_mov_epi32((__m512i)b, mask, (__m512i)a);
}

#else
typedef fr_i16 fr_m16;

static inline fr_m16 fr_f16_less(fr_f16 a, fr_f16 b) {
  return a < b;
}

static inline int fr_m16_any(fr_m16 mask) {
  typedef int64_t l8 __attribute__((vector_size(64)));
  typedef int64_t l4 __attribute__((vector_size(32)));
  union {
    l8 whole;
    l4 half[2];
  } u = {(l8)mask};
  const l4 any = u.half[0] | u.half[1];
  return (any[0] | any[1] | any[2] | any[3]) != 0;
}

/* Lane-wise a where the mask is set, else b. */
static inline fr_i16 fr_i16_select(fr_m16 mask, fr_i16 a, fr_i16 b) {
  return (a & mask) | (b & ~mask);
}

/* b where a is NaN. */
static inline fr_f16 fr_f16_min(fr_f16 a, fr_f16 b) {
  return (fr_f16)fr_i16_select(a < b, (fr_i16)a, (fr_i16)b);
}

static inline fr_f16 fr_f16_max(fr_f16 a, fr_f16 b) {
  return (fr_f16)fr_i16_select(a > b, (fr_i16)a, (fr_i16)b);
}

#endif

static inline float fr_f16_greatest(fr_f16 a) {
  union {
    fr_f16 whole;
    fr_f4 part[4];
  } u = {a};
  const fr_f4 most = fr_f4_max(fr_f4_max(u.part[0], u.part[1]), fr_f4_max(u.part[2], u.part[3]));
  const float m = most[0] > most[1] ? most[0] : most[1];
  const float n = most[2] > most[3] ? most[2] : most[3];
  return m > n ? m : n;
}

/* a where mask is all ones, b where it is zero. */
static inline fr_d8 fr_d8_select(fr_l8 mask, fr_d8 a, fr_d8 b) {
  return (fr_d8)(((fr_l8)a & mask) | ((fr_l8)b & ~mask));
}

static inline fr_d8 fr_d8_abs(fr_d8 a) {
  return (fr_d8)((fr_l8)a & INT64_MAX);
}

/* Bit i is set where a[i] < b[i]. */
static inline unsigned fr_d8_less(fr_d8 a, fr_d8 b) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
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
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
