/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass does with every block besides matching, metric and kernel, compiled for each instruction set. */
#ifndef FR_SWEEP_H
#define FR_SWEEP_H

#include "base/isa.h"
#include "cloud/block.h"
#include "cloud/source.h"

typedef struct fr_sweep {
  /* Fill y and prior of the block from source point `first` on, moved by the pose; none of it has a match. */
  void (*move)(const fr_source *source, size_t first, const fricp_pose *pose, fr_block *block);
  /* Fill m from the source's normals, turned by the pose. */
  void (*turn)(const fr_source *source, size_t first, const fricp_pose *pose, fr_block *block);
  /* Fill q, and n if there are normals, from the matches. A match beyond the limit or without a normal is none; what
   * has none sits on itself, so that it adds nothing to any sum. */
  void (*gather)(const double (*points)[3], const float (*normals)[3], double limit, fr_block *block);
  /* Set the squared residual of what has no match: the distance where only the normal is missing, or else poses that
   * land on such points would look better. */
  void (*charge)(double squared, fr_block *block);
  /* Set the weight of what has no match to 0. @return how many have one. */
  double (*clear)(fr_block *block);
} fr_sweep;

const fr_sweep *fr_sweep_find(fr_isa isa);

#endif
