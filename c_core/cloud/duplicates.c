/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/duplicates.h"

#include <stdlib.h>
#include <string.h>

static int same_place(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int by_kept(const void *a, const void *b) {
  const struct fr_duplicate *x = a;
  const struct fr_duplicate *y = b;
  if (x->kept != y->kept)
    return x->kept < y->kept ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

int fr_duplicates_fold(fr_duplicates *duplicates, const fr_memory *memory, double (*points)[3], int32_t *index,
                       size_t *count) {
  size_t folded = 0;
  duplicates->count = 0;
  duplicates->pair = NULL;
  for (size_t i = 1; i < *count; i++)
    folded += (size_t)same_place(points[i], points[i - 1]);
  if (folded == 0)
    return 0;
  duplicates->pair = fr_allocate(memory, folded, sizeof *duplicates->pair);
  if (!duplicates->pair)
    return -1;
  size_t left = 1;
  for (size_t i = 1; i < *count; i++) {
    if (same_place(points[i], points[left - 1])) {
      duplicates->pair[duplicates->count].kept = index[left - 1];
      duplicates->pair[duplicates->count++].index = index[i];
      continue;
    }
    memmove(points[left], points[i], sizeof points[i]);
    index[left++] = index[i];
  }
  *count = left;
  return 0;
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

/* The first pair of that position or a later one. */
static size_t lower_bound(const fr_duplicates *duplicates, int64_t position) {
  size_t low = 0;
  size_t high = duplicates->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (duplicates->pair[middle].kept < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t fr_duplicates_of(const fr_duplicates *duplicates, int32_t position, const struct fr_duplicate **first) {
  const size_t low = lower_bound(duplicates, position);
  *first = duplicates->pair + low;
  return lower_bound(duplicates, (int64_t)position + 1) - low;
}
