/* SPDX-License-Identifier: BSD-3-Clause */
/* Layer 2: correspondences that need no search. */
#ifndef FR_REUSE_H
#define FR_REUSE_H

#include "block.h"
#include "isa.h"
#include "nn.h"
#include "source.h"

/*
 * For the block's points (source points first .. first + count - 1, moved to y + center): where the nearest target
 * point within `limit`, or that there is none, follows from what the last search kept, write match and distance2; list
 * the others in pending. @return how many are pending.
 */
typedef int fr_reuse_function(const fr_nn *nn, const fr_source *source, size_t first, double limit, fr_block *block,
                              int32_t *pending);

fr_reuse_function fr_reuse_generic;
fr_reuse_function fr_reuse_avx2;
fr_reuse_function fr_reuse_avx512;

fr_reuse_function *fr_reuse_find(fr_isa isa);

/* Note what a search from `at` found: `found` neighbours, nearest first, and nothing else within `reach`. */
void fr_reuse_store(fr_source *source, size_t point, const double at[3], int found, const int32_t *position,
                    const double *d2, double reach);

#endif
