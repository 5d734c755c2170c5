/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Robust kernels. A kernel is one file that defines fr_kernel_<name>, compiled for each instruction set, and a row here.
 *
 * Widths compare: rho'(r) / r = weight / nu^2 for every kernel with a width, and those that are smooth curve alike there,
 * weight = 1 - r^2 / (2 nu^2) + ... (Huber's is 1 up to nu, l_p's is l_p from about nu on).
 */
#ifndef FR_KERNEL_H
#define FR_KERNEL_H

#include "base/isa.h"

#define FR_KERNELS(ROW)                                                                                                \
  ROW(LEAST_SQUARES, least_squares)                                                                                    \
  ROW(WELSCH, welsch)                                                                                                  \
  ROW(HUBER, huber)                                                                                                    \
  ROW(TUKEY, tukey)                                                                                                    \
  ROW(CAUCHY, cauchy)                                                                                                  \
  ROW(GEMAN_MCCLURE, geman_mcclure)                                                                                    \
  ROW(LP, lp)                                                                                                          \
  ROW(TRIMMED, trimmed)

#define FR_KERNEL_ID(id, name) FR_KERNEL_##id,
typedef enum fr_kernel_id { FR_KERNELS(FR_KERNEL_ID) FR_KERNEL_COUNT } fr_kernel_id;
#undef FR_KERNEL_ID

typedef struct fr_kernel {
  const char *name;
  int scheduled; /* 1: has a width nu, which the schedule lowers level by level */
  /* Past this many nu the weight counts as zero (below 1e-13); 0: never. */
  double cutoff;
  double shape; /* where the caller names none: the exponent p, the share; 0: the kernel has no shape */
  /* For n values (a multiple of 8): weight[i] = prior[i] rho'(r) / r up to a constant, 1 at r = 0.
   * @return the sum of prior[i] rho(r). squared[i] = r^2. shape: ignored by kernels that have none. Of a kernel by rank nu
   * is the squared residual of the last point that counts, shape how much of those that have it does. */
  double (*apply)(double nu, double shape, int n, const double *squared, const double *prior, double *weight);
  int ranked; /* 1: shape is the share of the points that count, those of the smallest residuals */
} fr_kernel;

const fr_kernel *fr_kernel_find(fr_kernel_id id, fr_isa isa);

#endif
