/* SPDX-License-Identifier: BSD-3-Clause */
#include "duplicates.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE 2048 /* finds a pair among them if one place holds more than about 1 in 1000 of the points */

/* Open addressing; a slot holds a number + 1. */
typedef struct table {
  uint32_t *slot;
  size_t mask;
} table;

static uint64_t hash_of(const double p[3]) {
  uint64_t h = 0;
  for (int a = 0; a < 3; a++) {
    const double v = p[a] + 0.0; /* -0 is 0 */
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  return h;
}

static int same_place(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The number of the point at p's place that was put in before, or `number`, which is put in. */
static size_t find_or_put(const table *t, const double (*points)[3], const double p[3], size_t number) {
  size_t at = (size_t)hash_of(p) & t->mask;
  for (; t->slot[at]; at = (at + 1) & t->mask)
    if (same_place(points[t->slot[at] - 1], p))
      return t->slot[at] - 1;
  t->slot[at] = (uint32_t)number + 1;
  return number;
}

static int make_table(table *t, const fr_memory *memory, size_t count) {
  size_t size = 16;
  while (size < 2 * count)
    size *= 2;
  t->mask = size - 1;
  t->slot = fr_allocate(memory, size, sizeof *t->slot);
  if (t->slot)
    memset(t->slot, 0, size * sizeof *t->slot);
  return t->slot != NULL;
}

static size_t duplicates_in_sample(const table *t, const double (*points)[3], size_t count) {
  const size_t step = count / SAMPLE + 1;
  size_t found = 0;
  for (size_t i = 0; i < count; i += step)
    found += find_or_put(t, points, points[i], i) != i;
  memset(t->slot, 0, (t->mask + 1) * sizeof *t->slot);
  return found;
}

static int by_kept(const void *a, const void *b) {
  const struct fr_duplicate *x = a;
  const struct fr_duplicate *y = b;
  if (x->kept != y->kept)
    return x->kept < y->kept ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* First count, then move: the list is as long as it must be. */
static size_t fold(fr_duplicates *duplicates, const fr_memory *memory, const table *t, double (*points)[3],
                   int32_t *index, size_t count) {
  const double(*read)[3] = (const double(*)[3])points;
  for (size_t i = 0; i < count; i++)
    duplicates->count += find_or_put(t, read, points[i], i) != i;
  duplicates->pair = fr_allocate(memory, duplicates->count, sizeof *duplicates->pair);
  if (!duplicates->pair)
    return 0;
  memset(t->slot, 0, (t->mask + 1) * sizeof *t->slot);
  size_t left = 0;
  size_t folded = 0;
  for (size_t i = 0; i < count; i++) {
    memmove(points[left], points[i], sizeof points[i]);
    index[left] = index[i];
    const size_t first = find_or_put(t, read, points[left], left);
    if (first == left) {
      left++;
      continue;
    }
    duplicates->pair[folded].kept = index[first];
    duplicates->pair[folded++].index = index[left];
  }
  return left;
}

size_t fr_duplicates_fold(fr_duplicates *duplicates, const fr_memory *memory, double (*points)[3], int32_t *index,
                          size_t count) {
  table t;
  duplicates->count = 0;
  duplicates->pair = NULL;
  if (!make_table(&t, memory, count < SAMPLE ? count : SAMPLE))
    return 0;
  const size_t found = duplicates_in_sample(&t, (const double(*)[3])points, count);
  fr_release(memory, t.slot);
  if (found == 0)
    return count;
  if (!make_table(&t, memory, count))
    return 0;
  const size_t left = fold(duplicates, memory, &t, points, index, count);
  fr_release(memory, t.slot);
  return left;
}

int fr_duplicates_place(fr_duplicates *duplicates, const fr_memory *memory, const int32_t *index, size_t count,
                        size_t cloud_count) {
  if (duplicates->count == 0)
    return 0;
  int32_t *position = fr_allocate(memory, cloud_count, sizeof *position);
  if (!position)
    return -1;
  for (size_t i = 0; i < count; i++)
    position[index[i]] = (int32_t)i;
  for (size_t i = 0; i < duplicates->count; i++)
    duplicates->pair[i].kept = position[duplicates->pair[i].kept];
  fr_release(memory, position);
  qsort(duplicates->pair, duplicates->count, sizeof *duplicates->pair, by_kept);
  return 0;
}

size_t fr_duplicates_of(const fr_duplicates *duplicates, int32_t position, const struct fr_duplicate **first) {
  size_t low = 0;
  size_t high = duplicates->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (duplicates->pair[middle].kept < position)
      low = middle + 1;
    else
      high = middle;
  }
  *first = duplicates->pair + low;
  size_t count = 0;
  while (low + count < duplicates->count && duplicates->pair[low + count].kept == position)
    count++;
  return count;
}
