/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of eight numbers those wanted, packed, without a branch to mispredict: bit i of `some` wants lane i. Room is needed for
 * eight each time, as what is behind the wanted ones is written over by the next.
 */
#ifndef FR_SIMD_PACK_H
#define FR_SIMD_PACK_H

#include "base/simd_double.h"

#if defined(__AVX2__) && !defined(__AVX512F__)

/* The lanes wanted of four, a byte each. */
static inline __m128i fr_pack_lanes(unsigned some) {
  static const uint32_t lanes[16] = {0x00000000, 0x00000000, 0x00000001, 0x00000100, 0x00000002, 0x00000200,
                                     0x00000201, 0x00020100, 0x00000003, 0x00000300, 0x00000301, 0x00030100,
                                     0x00000302, 0x00030200, 0x00030201, 0x03020100};
  return _mm_cvtepu8_epi32(_mm_cvtsi32_si128((int)lanes[some]));
}

static inline void fr_pack_four(double *values, __m256d four, unsigned some) {
  static const uint64_t halves[16] = {0x0100010001000100, 0x0100010001000100, 0x0100010001000302, 0x0100010003020100,
                                      0x0100010001000504, 0x0100010005040100, 0x0100010005040302, 0x0100050403020100,
                                      0x0100010001000706, 0x0100010007060100, 0x0100010007060302, 0x0100070603020100,
                                      0x0100010007060504, 0x0100070605040100, 0x0100070605040302, 0x0706050403020100};
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)halves[some]));
  _mm256_storeu_pd(values, _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(four), lanes)));
}

static inline void fr_pack_four_of(int32_t *numbers, __m128i four, unsigned some) {
  const __m128 packed = _mm_permutevar_ps(_mm_castsi128_ps(four), fr_pack_lanes(some));
  _mm_storeu_si128((__m128i *)numbers, _mm_castps_si128(packed));
}

#endif

/* Values and their numbers first, first + 1, ... @return how many are wanted. */
static inline int fr_pack_values(double *values, int32_t *numbers, fr_d8 from, int32_t first, unsigned some) {
#if defined(__AVX512F__)
  const __m256i lanes = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  _mm512_storeu_pd(values, _mm512_maskz_compress_pd((__mmask8)some, (__m512d)from));
  _mm256_storeu_si256((__m256i *)numbers, _mm256_maskz_compress_epi32((__mmask8)some, lanes));
  return __builtin_popcount(some);
#elif defined(__AVX2__)
  const fr_dvs x = fr_dvs_of(from);
  const __m128i lanes = _mm_add_epi32(_mm_set1_epi32(first), _mm_setr_epi32(0, 1, 2, 3));
  const int low = __builtin_popcount(some & 15);
  fr_pack_four(values, x.part[0], some & 15);
  fr_pack_four_of(numbers, lanes, some & 15);
  fr_pack_four(values + low, x.part[1], some >> 4);
  fr_pack_four_of(numbers + low, _mm_add_epi32(lanes, _mm_set1_epi32(4)), some >> 4);
  return low + __builtin_popcount(some >> 4);
#else
  int count = 0;
  double value[8];
  fr_d8_store(value, from);
  for (int l = 0; l < 8; l++) {
    values[count] = value[l];
    numbers[count] = first + l;
    count += (int)(some >> l & 1);
  }
  return count;
#endif
}

/* Of eight numbers. @return how many are wanted. */
static inline int fr_pack_numbers(int32_t *numbers, const int32_t *from, unsigned some) {
#if defined(__AVX512F__)
  const __m256i eight = _mm256_loadu_si256((const __m256i *)from);
  _mm256_storeu_si256((__m256i *)numbers, _mm256_maskz_compress_epi32((__mmask8)some, eight));
  return __builtin_popcount(some);
#elif defined(__AVX2__)
  const int low = __builtin_popcount(some & 15);
  fr_pack_four_of(numbers, _mm_loadu_si128((const __m128i *)from), some & 15);
  fr_pack_four_of(numbers + low, _mm_loadu_si128((const __m128i *)(from + 4)), some >> 4);
  return low + __builtin_popcount(some >> 4);
#else
  int count = 0;
  for (int l = 0; l < 8; l++) {
    numbers[count] = from[l];
    count += (int)(some >> l & 1);
  }
  return count;
#endif
}

#endif
