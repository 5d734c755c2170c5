/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/sweep.h"

extern const fr_sweep fr_sweep_generic;
extern const fr_sweep fr_sweep_avx2;
extern const fr_sweep fr_sweep_avx512;

const fr_sweep *fr_sweep_find(fr_isa isa) {
  return FR_PICK(isa, fr_sweep);
}
