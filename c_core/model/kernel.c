/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernel.h"

#include <stddef.h>

#define ROW(name)                                                                                                      \
  extern const fr_kernel name##_generic;                                                                               \
  extern const fr_kernel name##_avx2;                                                                                  \
  extern const fr_kernel name##_avx512;

ROW(fr_kernel_least_squares)
ROW(fr_kernel_welsch)

const fr_kernel *fr_kernel_find(fr_kernel_id id, fr_isa isa) {
  switch (id) {
  case FR_KERNEL_LEAST_SQUARES:
    return FR_PICK(isa, fr_kernel_least_squares);
  case FR_KERNEL_WELSCH:
    return FR_PICK(isa, fr_kernel_welsch);
  }
  return NULL;
}
