/* SPDX-License-Identifier: BSD-3-Clause */
/* Quickselect with a three-way partition: equal values (distances of exact duplicates, of a flat scan) cost nothing. */
#include "median.h"

static void swap(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

static double median_of_three(double a, double b, double c) {
  if (a < b)
    return b < c ? b : (a < c ? c : a);
  return a < c ? a : (b < c ? c : b);
}

/* A pivot near the middle rank: the median of three medians of three spread over the range. */
static double pivot_of(const double *v, size_t count) {
  if (count < 9)
    return v[count / 2];
  const size_t s = count / 9;
  return median_of_three(median_of_three(v[0], v[s], v[2 * s]), median_of_three(v[3 * s], v[4 * s], v[5 * s]),
                         median_of_three(v[6 * s], v[7 * s], v[count - 1]));
}

void fr_select(double *values, size_t count, size_t rank) {
  size_t first = 0;
  size_t end = count;
  while (end - first > 1) {
    const double pivot = pivot_of(values + first, end - first);
    size_t less = first; /* [first, less) < pivot, [less, i) == pivot, [greater, end) > pivot */
    size_t i = first;
    size_t greater = end;
    while (i < greater) {
      if (values[i] < pivot)
        swap(&values[less++], &values[i++]);
      else if (values[i] > pivot)
        swap(&values[i], &values[--greater]);
      else
        i++;
    }
    if (rank < less)
      end = less;
    else if (rank >= greater)
      first = greater;
    else
      return;
  }
}

double fr_median(double *values, size_t count) {
  const size_t middle = count / 2;
  fr_select(values, count, middle);
  if (count % 2)
    return values[middle];
  double below = values[0];
  for (size_t i = 1; i < middle; i++)
    below = values[i] > below ? values[i] : below;
  return below + (values[middle] - below) / 2;
}
