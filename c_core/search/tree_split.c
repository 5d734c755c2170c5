/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection among records. Floats split first, which is fast; what they call equal, and what a misleading order leaves,
 * is selected by the doubles, in a total order, so that the halves do not depend on the order of the input.
 */
#include "search/tree_split.h"

#include "maths/median.h"
#include "search/look.h"

#define SAMPLE ((size_t)64)
#define FEW 12 /* so many are sorted */

/* ---- By the doubles ---- */

typedef struct selection {
  const double (*points)[3];
  int axis;
} selection;

static int is_before(const selection *s, const fr_record *a, const fr_record *b) {
  const double *p = s->points[a->id];
  const double *q = s->points[b->id];
  const int second = (s->axis + 1) % 3;
  const int third = (s->axis + 2) % 3;
  FR_LOOK(1);
  if (p[s->axis] != q[s->axis])
    return p[s->axis] < q[s->axis];
  if (p[second] != q[second])
    return p[second] < q[second];
  return p[third] != q[third] ? p[third] < q[third] : a->id < b->id;
}

static void swap(fr_record *a, fr_record *b) {
  const fr_record t = *a;
  *a = *b;
  *b = t;
}

static void sort_few(const selection *s, fr_record *v, size_t count) {
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && is_before(s, &v[j], &v[j - 1]); j--)
      swap(&v[j], &v[j - 1]);
}

static void sift_down(const selection *s, fr_record *v, size_t at, size_t count) {
  for (size_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
    if (child + 1 < count && is_before(s, &v[child], &v[child + 1]))
      child++;
    if (!is_before(s, &v[at], &v[child]))
      return;
    swap(&v[at], &v[child]);
  }
}

static void sort_by_heap(const selection *s, fr_record *v, size_t count) {
  for (size_t i = count / 2; i-- > 0;)
    sift_down(s, v, i, count);
  for (size_t i = count; i-- > 1;) {
    swap(&v[0], &v[i]);
    sift_down(s, v, 0, i);
  }
}

/* The middle of nine spread over the range goes to its front. */
static void choose_pivot(const selection *s, fr_record *v, size_t count) {
  for (size_t i = 0; i < 9; i++)
    swap(&v[i], &v[i + i * (count - 9) / 8]);
  sort_few(s, v, 9);
  swap(&v[0], &v[4]);
}

static void select_exactly(const selection *s, fr_record *v, size_t count, size_t rank) {
  while (count > FEW) {
    choose_pivot(s, v, count);
    size_t before = 0;
    for (size_t i = 1; i < count; i++)
      if (is_before(s, &v[i], &v[0]))
        swap(&v[++before], &v[i]);
    swap(&v[0], &v[before]);
    const size_t whole = count;
    if (rank <= before) {
      count = before;
    } else {
      v += before + 1;
      rank -= before + 1;
      count -= before + 1;
    }
    if (rank == 0 || rank == count)
      return;                        /* the pivot is the last of the left half, or the first of the right one */
    if (count > whole - whole / 8) { /* a misleading order */
      sort_by_heap(s, v, count);
      return;
    }
  }
  sort_few(s, v, count);
}

/* ---- By the floats ---- */

static float middle_of(float a, float b, float c) {
  const float low = a < b ? a : b;
  const float high = a < b ? b : a;
  return c < low ? low : (c > high ? high : c);
}

/* A pivot likely to lie just beyond `rank` (of count), so that one partition leaves a small rest: from a sample. */
static float pivot_for(const fr_record *v, size_t count, size_t rank, int axis) {
  if (count < 4 * SAMPLE)
    return middle_of(v[0].x[axis], v[count / 2].x[axis], v[count - 1].x[axis]);
  double sample[SAMPLE];
  for (size_t i = 0; i < SAMPLE; i++)
    sample[i] = (double)v[(2 * i + 1) * count / (2 * SAMPLE)].x[axis];
  const size_t at = rank * SAMPLE / count;
  fr_select(sample, SAMPLE, at);
  return (float)sample[at];
}

/* Records less than the pivot (or_equal: at most) go first, without a branch to mispredict. @return how many. */
static size_t partition(fr_record *v, size_t count, float pivot, int or_equal, int axis) {
  size_t less = 0;
  FR_LOOK(count);
  for (size_t i = 0; i < count; i++) {
    const fr_record r = v[i];
    v[i] = v[less];
    v[less] = r;
    less += (size_t)((r.x[axis] < pivot) | (or_equal & (r.x[axis] == pivot)));
  }
  return less;
}

void fr_split_records(const double (*points)[3], fr_record *v, size_t count, size_t rank, int axis, int exact) {
  const selection s = {points, axis};
  int misled = 0;
  while (count > 1 && !exact && misled < 2) {
    const size_t whole = count;
    const float pivot = pivot_for(v, count, rank, axis);
    const size_t less = partition(v, count, pivot, 0, axis);
    if (rank == less)
      return;
    if (rank < less) {
      count = less;
    } else {
      const size_t not_greater = less + partition(v + less, count - less, pivot, 1, axis);
      if (rank == not_greater)
        return;
      if (rank < not_greater) {
        select_exactly(&s, v + less, not_greater - less, rank - less);
        return;
      }
      v += not_greater;
      count -= not_greater;
      rank -= not_greater;
    }
    misled += count > whole - whole / 8 && whole > 32;
  }
  if (count > 1)
    select_exactly(&s, v, count, rank);
}
