/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors for the files that are compiled once for every instruction set: floats, and by simd_double.h doubles. */
#ifndef FR_SIMD_H
#define FR_SIMD_H

#include "base/simd_double.h"

typedef float fr_f4 __attribute__((vector_size(16)));
typedef int32_t fr_i4 __attribute__((vector_size(16)));

/* NAME -> NAME_avx2 and so on. */
#define FR_JOIN2(name, isa) name##_##isa
#define FR_JOIN(name, isa) FR_JOIN2(name, isa)
#define FR_FOR_ISA(name) FR_JOIN(name, FR_ISA)

/* ---- Four floats: a record, a short ascending list ---- */

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

static inline fr_f4 fr_f4_set(float x) {
  return (fr_f4){x, x, x, x};
}

static inline fr_i4 fr_i4_set(int32_t x) {
  return (fr_i4){x, x, x, x};
}

/* a where mask is all ones, b where it is zero. */
static inline fr_i4 fr_i4_select(fr_i4 mask, fr_i4 a, fr_i4 b) {
  return (a & mask) | (b & ~mask);
}

/* Each lane takes the number of the lane before, the first one 0. */
static inline fr_i4 fr_i4_shift(fr_i4 a) {
#if defined(__SSE2__)
  return (fr_i4)_mm_slli_si128((__m128i)a, 4);
#else
  return (fr_i4){0, a[0], a[1], a[2]};
#endif
}

/* ---- As many floats as a register holds. (The compiler's own vectors that are wider than a register are slow.) ----
 */

#if defined(__AVX512F__)
#define FR_LANES 16
#elif defined(__AVX2__)
#define FR_LANES 8
#else
#define FR_LANES 4
#endif

typedef float fr_v __attribute__((vector_size(4 * FR_LANES)));
typedef int32_t fr_vi __attribute__((vector_size(4 * FR_LANES)));

static inline fr_v fr_v_set(float x) {
  return x - (fr_v){0};
}

static inline fr_vi fr_vi_set(int32_t x) {
  return (fr_vi){0} + x;
}

static inline fr_v fr_v_load(const float *x) {
  fr_v v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* Lane-wise; b where a is NaN. */
static inline fr_v fr_v_min(fr_v a, fr_v b) {
#if defined(__AVX512F__)
  return (fr_v)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
  return (fr_v)_mm256_min_ps((__m256)a, (__m256)b);
#else
  return fr_f4_min(a, b);
#endif
}

static inline fr_v fr_v_max(fr_v a, fr_v b) {
#if defined(__AVX512F__)
  return (fr_v)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
  return (fr_v)_mm256_max_ps((__m256)a, (__m256)b);
#else
  return fr_f4_max(a, b);
#endif
}

/* For which lanes something holds. */
#if defined(__AVX512F__)
typedef __mmask16 fr_m;
#else
typedef fr_vi fr_m;
#endif

static inline fr_m fr_v_less(fr_v a, fr_v b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#else
  return a < b;
#endif
}

/* A bit a lane. */
static inline unsigned fr_m_bits(fr_m mask) {
#if defined(__AVX512F__)
  return mask;
#elif defined(__AVX2__)
  return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
  return (unsigned)_mm_movemask_ps((__m128)mask);
#else
  return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/* Lane-wise a where the mask is set, else b. */
static inline fr_vi fr_vi_select(fr_m mask, fr_vi a, fr_vi b) {
#if defined(__AVX512F__)
  return (fr_vi)_mm512_mask_mov_epi32((__m512i)b, mask, (__m512i)a);
#else
  return (a & mask) | (b & ~mask);
#endif
}

static inline fr_vi fr_vi_min(fr_vi a, fr_vi b) {
#if defined(__AVX512F__)
  return (fr_vi)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (fr_vi)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
  return fr_vi_select(a < b, a, b);
#endif
}

/* ---- Sixteen floats: the children of a node, the points of a bucket, the queries of a packet ---- */

#define FR_PARTS (16 / FR_LANES)

typedef struct fr_f16 {
  fr_v part[FR_PARTS];
} fr_f16;

typedef struct fr_i16 {
  fr_vi part[FR_PARTS];
} fr_i16;

static inline fr_f16 fr_f16_set(float x) {
  fr_f16 r;
  for (int i = 0; i < FR_PARTS; i++)
    r.part[i] = fr_v_set(x);
  return r;
}

/* Bit i is set where a[i] < b. */
static inline unsigned fr_f16_less(const fr_f16 *a, float b) {
  unsigned mask = 0;
  for (int i = 0; i < FR_PARTS; i++)
    mask |= fr_m_bits(fr_v_less(a->part[i], fr_v_set(b))) << (i * FR_LANES);
  return mask;
}

static inline fr_vi fr_lanes(int part) {
#if FR_LANES == 16
  const fr_vi lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif FR_LANES == 8
  const fr_vi lanes = {0, 1, 2, 3, 4, 5, 6, 7};
#else
  const fr_vi lanes = {0, 1, 2, 3};
#endif
  return lanes + part * FR_LANES;
}

static inline int32_t fr_vi_least(fr_vi a) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m256i eight = _mm256_min_epi32(_mm512_castsi512_si256((__m512i)a), _mm512_extracti64x4_epi64((__m512i)a, 1));
#else
  const __m256i eight = (__m256i)a;
#endif
  __m128i m = _mm_min_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0x4e));
  m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0xb1));
  return _mm_cvtsi128_si32(m);
#elif defined(__SSE2__)
  a = fr_vi_min(a, (fr_vi)_mm_shuffle_epi32((__m128i)a, 0x4e));
  a = fr_vi_min(a, (fr_vi)_mm_shuffle_epi32((__m128i)a, 0xb1));
  return _mm_cvtsi128_si32((__m128i)a);
#else
  const int32_t low = a[0] < a[1] ? a[0] : a[1];
  const int32_t high = a[2] < a[3] ? a[2] : a[3];
  return low < high ? low : high;
#endif
}

/* The least of sixteen non-negative numbers, as a key: its bits with the last four replaced by its lane. Numbers that
 * agree in all other bits count as equal; NaN counts as more than infinity. */
static inline int32_t fr_f16_least(const fr_f16 *a) {
  fr_vi least = ((fr_vi)a->part[0] & ~15) | fr_lanes(0); /* as integers, non-negative floats compare alike */
  for (int i = 1; i < FR_PARTS; i++)
    least = fr_vi_min(least, ((fr_vi)a->part[i] & ~15) | fr_lanes(i));
  return fr_vi_least(least);
}

static inline int fr_key_lane(int32_t key) {
  return key & 15;
}

/* The number of a key, rounded up by at most 2^-19 of it; NaN for infinity. */
static inline float fr_key_value(int32_t key) {
  const union {
    int32_t bits;
    float value;
  } u = {key | 15};
  return u.value;
}

/* One lane becomes NaN. */
static inline void fr_f16_drop(fr_f16 *a, int lane) {
  for (int i = 0; i < FR_PARTS; i++)
    a->part[i] = (fr_v)((fr_vi)a->part[i] | ((fr_lanes(i) == fr_vi_set(lane)) & 0x7fffffff));
}

static inline float fr_f16_greatest(const fr_f16 *a) {
  fr_f4 x[4];
  memcpy(x, a, sizeof x);
  const fr_f4 most = fr_f4_max(fr_f4_max(x[0], x[1]), fr_f4_max(x[2], x[3]));
  const float m = most[0] > most[1] ? most[0] : most[1];
  const float n = most[2] > most[3] ? most[2] : most[3];
  return m > n ? m : n;
}

#endif
