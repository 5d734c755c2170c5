/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernel.h"

#include <stddef.h>

#define DECLARE(id, name)                                                                                              \
  extern const fr_kernel fr_kernel_##name##_generic;                                                                   \
  extern const fr_kernel fr_kernel_##name##_avx2;                                                                      \
  extern const fr_kernel fr_kernel_##name##_avx512;
FR_KERNELS(DECLARE)

#define CASE(id, name)                                                                                                 \
  case FR_KERNEL_##id:                                                                                                 \
    return FR_PICK(isa, fr_kernel_##name);

const fr_kernel *fr_kernel_find(fr_kernel_id id, fr_isa isa) {
  switch (id) {
    FR_KERNELS(CASE)
  case FR_KERNEL_COUNT:
    break;
  }
  return NULL;
}
