/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The residuals split from the pose (ADMM): the energy is sum rho(w_i), with w_i = d_i(T) as constraints; d is the vector
 * to the correspondence, or the residual along the normal. With multipliers mu u_i of a penalty mu = c / nu^2 a pass at T
 *
 *   u <- u + d - w                          what the constraints were missed by
 *   w <- argmin rho(w) + mu/2 |w - d - u|^2
 *
 * leaves the sums of the alignment of d with w - u, unweighted, whose solution is the next pose. rho is the kernel lp,
 * l_p of z plus a square of what w exceeds z by: the minimum is z = shrink(h), w = z + c / (1 + c) (h - z), h = d + u.
 */
#ifndef FR_SPLIT_H
#define FR_SPLIT_H

#include "base/memory.h"
#include "model/metric.h"
#include "model/shrink.h"

typedef struct fr_split {
  double *toward[3];  /* w - u, by source point; of residuals along normals the first only; NaN: nothing is known */
  double *block_sums; /* [block][FR_SUMS] */
  double penalty;     /* c */
  double carried;     /* what becomes of u: c of the last pass over c; 0: it begins anew */
  double sums[FR_SUMS];
} fr_split;

/* Room for so many points. @return 0, or -1 if there is no memory. */
int fr_split_reserve(fr_split *split, const fr_memory *memory, fr_buffer *buffer, size_t points);

/* The block's share, after its correspondences and residuals are known: turns what the block says of them into that of the
 * alignment with w - u. first: its first point. */
void fr_split_block(const fr_split *split, const fr_metric *metric, double nu, double shape, size_t first,
                    fr_block *block);

/* Add up the blocks' shares, in their order. */
void fr_split_sum(fr_split *split, size_t blocks);

#endif
