/* SPDX-License-Identifier: BSD-3-Clause */
/* Robust kernels. A kernel is one file that defines fr_kernel_<name>, compiled for each instruction set, and a row here. */
#ifndef FR_KERNEL_H
#define FR_KERNEL_H

#include "base/isa.h"

#define FR_KERNELS(ROW)                                                                                                \
  ROW(LEAST_SQUARES, least_squares)                                                                                    \
  ROW(WELSCH, welsch)

#define FR_KERNEL_ID(id, name) FR_KERNEL_##id,
typedef enum fr_kernel_id { FR_KERNELS(FR_KERNEL_ID) FR_KERNEL_COUNT } fr_kernel_id;
#undef FR_KERNEL_ID

typedef struct fr_kernel {
  const char *name;
  int scheduled; /* 1: has a width nu, which the schedule lowers level by level */
  /* Past this many nu the weight counts as zero (below 1e-13); 0: never. */
  double cutoff;
  /* For n values (a multiple of 8): weight[i] = prior[i] rho'(r) / r up to a constant, 1 at r = 0.
   * @return the sum of prior[i] rho(r). squared[i] = r^2. */
  double (*apply)(double nu, int n, const double *squared, const double *prior, double *weight);
} fr_kernel;

const fr_kernel *fr_kernel_find(fr_kernel_id id, fr_isa isa);

#endif
