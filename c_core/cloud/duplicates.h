/* SPDX-License-Identifier: BSD-3-Clause */
/* Target points at the very same place. A scan with thousands of "no return" points at the sensor would make
 * every search near it look at all of them; the index holds one, that of the lowest index, and this is the rest. */
#ifndef FR_DUPLICATES_H
#define FR_DUPLICATES_H

#include "base/memory.h"

typedef struct fr_duplicates {
  size_t count;
  struct fr_duplicate {
    int32_t kept;  /* position of the point that the index holds; before fr_duplicates_place(), its caller's index */
    int32_t index; /* the caller's index of this one */
  } * pair;        /* ordered by (kept, index) */
} fr_duplicates;

/* Move points at the place of the one before them out of points and index, which are ordered so that those at the same
 * place follow each other by their caller's index (order.h), into *duplicates. *count becomes how many are left.
 * @return 0, or -1 if there is no memory. */
int fr_duplicates_fold(fr_duplicates *duplicates, const fr_memory *memory, double (*points)[3], int32_t *index,
                       size_t *count);

/* Once the index has its order: turn `kept` into positions. @return 0, or -1 if there is no memory. */
int fr_duplicates_place(fr_duplicates *duplicates, const fr_memory *memory, const int32_t *index, size_t count,
                        size_t cloud_count);

/* The duplicates of a position: the first, and how many. */
size_t fr_duplicates_of(const fr_duplicates *duplicates, int32_t position, const struct fr_duplicate **first);

#endif
