/* SPDX-License-Identifier: BSD-3-Clause */
/* A cloud thinned to the cells of a grid: one point a cell, at the mean of its points. What is judged by cells counts
 * surface, not samples: dense rings of a spinning lidar weigh no more than what it saw once. */
#ifndef FR_CELLS_H
#define FR_CELLS_H

#include "base/memory.h"

#include <stdint.h>

typedef struct fr_cells {
  size_t most;         /* cells that there is room for */
  double reach;        /* points with a coordinate beyond it are left out; INFINITY, unless it is set */
  size_t count;        /* cells */
  double (*points)[3]; /* their means, in the order in which the points come to them */
  double *weight;      /* of each, the sum of its points' */
  int32_t *slot;       /* a hash table of cells */
  uint64_t *key;       /* of each cell */
  size_t slots;        /* a power of two, ... */
  int shift;           /* ... 2^(64 - shift) */
} fr_cells;

/* Room for so many cells. @return 0, or -1 if there is no memory. */
int fr_cells_reserve(fr_cells *cells, const fr_memory *memory, size_t most);
void fr_cells_release(fr_cells *cells, const fr_memory *memory);

/* Fill the cells of a size with n points, each of a weight (NULL: 1); points of no weight, and points more than a million
 * cells from the origin, are left out. @return 0, or -1 if there are more than `most`. */
int fr_cells_fill(fr_cells *cells, const double (*points)[3], const double *weight, size_t n, double size);

#endif
