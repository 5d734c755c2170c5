/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/duplicates.h"

#include <string.h>

static int same_place(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
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
  const size_t folded = duplicates->count;
  if (folded == 0)
    return 0;
  struct fr_duplicate *pair = duplicates->pair;
  struct fr_duplicate *placed = fr_allocate(memory, folded, sizeof *placed);
  int32_t *first = fr_allocate(memory, cloud_count, sizeof *first); /* pair of each index that is kept */
  if (!placed || !first) {
    fr_release(memory, placed);
    fr_release(memory, first);
    return -1;
  }
  memset(first, -1, cloud_count * sizeof *first);
  for (size_t i = folded; i > 0; i--)
    first[pair[i - 1].kept] = (int32_t)(i - 1);
  size_t done = 0;
  for (size_t i = 0; i < count; i++)
    for (int32_t j = first[index[i]]; j >= 0 && (size_t)j < folded && pair[j].kept == index[i]; j++)
      placed[done++] = (struct fr_duplicate){(int32_t)i, pair[j].index};
  fr_release(memory, first);
  fr_release(memory, pair);
  duplicates->pair = placed;
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
  *first = duplicates->pair ? duplicates->pair + low : NULL; /* from a null pointer C knows no offset, not even 0 */
  return lower_bound(duplicates, (int64_t)position + 1) - low;
}
