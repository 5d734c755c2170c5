/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/cells.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1e6 /* cells from the origin: twice as many fit 21 bits */

int fr_cells_reserve(fr_cells *cells, const fr_memory *memory, size_t most) {
  memset(cells, 0, sizeof *cells);
  cells->most = most;
  cells->reach = INFINITY;
  int bits = 4;
  while ((size_t)1 << bits < 2 * most)
    bits++;
  cells->slots = (size_t)1 << bits;
  cells->shift = 64 - bits;
  cells->points = fr_allocate(memory, most, sizeof *cells->points);
  cells->weight = fr_allocate(memory, most, sizeof *cells->weight);
  cells->key = fr_allocate(memory, most, sizeof *cells->key);
  cells->slot = fr_allocate(memory, cells->slots, sizeof *cells->slot);
  return cells->points && cells->weight && cells->key && cells->slot ? 0 : -1;
}

void fr_cells_release(fr_cells *cells, const fr_memory *memory) {
  fr_release(memory, cells->points);
  fr_release(memory, cells->weight);
  fr_release(memory, cells->key);
  fr_release(memory, cells->slot);
  memset(cells, 0, sizeof *cells);
}

/* The number of the cell with a key, a new one if need be; -1: there is no room for it. */
static int32_t cell_of(fr_cells *cells, uint64_t key) {
  size_t at = (size_t)(key * 0x9E3779B97F4A7C15U >> cells->shift); /* the bits that all of the key's tell of */
  for (; cells->slot[at] >= 0; at = (at + 1) & (cells->slots - 1))
    if (cells->key[cells->slot[at]] == key)
      return cells->slot[at];
  if (cells->count == cells->most)
    return -1;
  const size_t number = cells->count++;
  cells->slot[at] = (int32_t)number;
  cells->key[number] = key;
  cells->weight[number] = cells->points[number][0] = cells->points[number][1] = cells->points[number][2] = 0;
  return (int32_t)number;
}

int fr_cells_fill(fr_cells *cells, const double (*points)[3], const double *weight, size_t n, double size) {
  cells->count = 0;
  memset(cells->slot, 0xff, cells->slots * sizeof *cells->slot); /* -1 */
  for (size_t i = 0; i < n; i++) {
    const double w = weight ? weight[i] : 1;
    uint64_t key = 0;
    int near = w > 0;
    for (int a = 0; a < 3 && near; a++) {
      const double at = floor(points[i][a] / size + 0.5);
      near = fabs(at) < FARTHEST && fabs(points[i][a]) <= cells->reach;
      key = near ? key << 21 | (uint64_t)(at + FARTHEST) : key;
    }
    if (!near)
      continue;
    const int32_t number = cell_of(cells, key);
    if (number < 0)
      return -1;
    cells->weight[number] += w;
    for (int a = 0; a < 3; a++)
      cells->points[number][a] += w * points[i][a];
  }
  for (size_t c = 0; c < cells->count; c++)
    for (int a = 0; a < 3; a++)
      cells->points[c][a] /= cells->weight[c];
  return 0;
}
