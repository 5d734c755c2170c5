/* SPDX-License-Identifier: BSD-3-Clause */
/* Which point goes to which half, for the build of the bucketed tree. */
#ifndef FR_NN_SPLIT_H
#define FR_NN_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/* A point while the tree is built: its coordinates as floats, as far as they tell, and its position in `points`. */
typedef struct fr_record {
  float x[3];
  int32_t id;
} fr_record;

/* Afterwards no record before `rank` comes after any from `rank` on, in the order of (coordinate along the axis, the
 * other two, id), in double. exact: the floats tell too little. O(count log count) for every input, else O(count). */
void fr_split_records(const double (*points)[3], fr_record *v, size_t count, size_t rank, int axis, int exact);

#endif
