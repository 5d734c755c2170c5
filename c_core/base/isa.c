/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/isa.h"

fr_isa fr_best_isa(void) {
#ifdef FR_ISA_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    return FR_ISA_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return FR_ISA_AVX2;
#endif
  return FR_ISA_GENERIC;
}
