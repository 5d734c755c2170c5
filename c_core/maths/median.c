/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection after Floyd and Rivest: two values of a sample bracket the rank, two passes without a branch to mispredict
 * split off what lies outside, and little is left. Where a sample misleads, the next pivot is the median of medians of
 * five, of which no input can leave more than seven tenths: linear for every input.
 */
#include "maths/median.h"

#include <math.h>
#include <stdint.h>

#ifndef FR_LESS /* a test counts comparisons, and answers them as it likes */
#define FR_LESS(a, b) ((a) < (b))
#endif

#define FEW 24       /* so many are sorted */
#define SAMPLED 1000 /* from so many on a sample pays */
#define SPREAD 1.5   /* half a bracket, in square roots of the sample: three standard deviations of the median's rank */
#define FIVE 5
#define CHUNK ((size_t)256)

static void swap(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

static void sort(double *v, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const double x = v[i];
    size_t at = i;
    for (; at > 0 && FR_LESS(x, v[at - 1]); at--)
      v[at] = v[at - 1];
    v[at] = x;
  }
}

/* Values less than the pivot go first. @return how many. */
static size_t put_less_first(double *v, size_t count, double pivot) {
  size_t less = 0;
  for (size_t i = 0; i < count; i++) {
    const double x = v[i];
    v[i] = v[less];
    v[less] = x;
    less += (size_t)FR_LESS(x, pivot);
  }
  return less;
}

/* Values greater than the pivot go last. @return how many do not. */
static size_t put_greater_last(double *v, size_t count, double pivot) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const double x = v[i];
    v[i] = v[kept];
    v[kept] = x;
    kept += (size_t)!FR_LESS(pivot, x);
  }
  return kept;
}

static double middle_of(double a, double b, double c) {
  if (FR_LESS(a, b))
    return FR_LESS(b, c) ? b : (FR_LESS(a, c) ? c : a);
  return FR_LESS(a, c) ? a : (FR_LESS(b, c) ? c : b);
}

/* Of few values no sample pays: the median of three medians of three. */
static double ninther(const double *v, size_t count) {
  const size_t s = count / 9;
  return middle_of(middle_of(v[0], v[s], v[2 * s]), middle_of(v[3 * s], v[4 * s], v[5 * s]),
                   middle_of(v[6 * s], v[7 * s], v[count - 1]));
}

/* Two values that most likely enclose that of the rank. One of each run is sampled, which one being mixed, so that no
 * period of the order is met. */
static void bracket(double *v, size_t count, size_t rank, double *low, double *high) { // NOLINT(misc-no-recursion)
  const double share = cbrt((double)count);
  const size_t sample = (size_t)(share * share);
  const size_t run = count / sample;
  for (size_t i = 0; i < sample; i++)
    swap(&v[i], &v[i * run + (i * 2654435769U >> 7) % run]);
  const double middle = (double)rank * (double)sample / (double)count;
  const double spread = SPREAD * sqrt((double)sample);
  const size_t first = middle > spread ? (size_t)(middle - spread) : 0;
  const size_t last = middle + spread < (double)(sample - 1) ? (size_t)(middle + spread) : sample - 1;
  fr_select(v, sample, first);
  fr_select(v + first, sample - first, last - first);
  *low = v[first];
  *high = v[last];
}

static double median_of_medians(double *v, size_t count) { // NOLINT(misc-no-recursion)
  const size_t fives = count / FIVE;
  for (size_t i = 0; i < fives; i++) {
    sort(v + FIVE * i, FIVE);
    swap(&v[i], &v[FIVE * i + FIVE / 2]);
  }
  fr_select(v, fives, fives / 2);
  return v[fives / 2];
}

/* The part of the values that holds the rank. */
typedef struct range {
  double *v;
  size_t count;
  size_t rank;
} range;

/* Narrow it by a lower bound of the value of that rank. @return 0 if it was none. */
static int drop_less(range *r, double low) {
  const size_t less = put_less_first(r->v, r->count, low);
  if (r->rank < less) {
    r->count = less;
    return 0;
  }
  r->v += less;
  r->count -= less;
  r->rank -= less;
  return 1;
}

static int drop_greater(range *r, double high) {
  const size_t kept = put_greater_last(r->v, r->count, high);
  if (r->rank < kept) {
    r->count = kept;
    return 1;
  }
  r->v += kept;
  r->count -= kept;
  r->rank -= kept;
  return 0;
}

void fr_select(double *values, size_t count, size_t rank) { // NOLINT(misc-no-recursion)
  range r = {values, count, rank};
  int misled = 0;
  while (r.count > FEW) {
    double low;
    double high;
    if (misled)
      low = high = median_of_medians(r.v, r.count);
    else if (r.count < SAMPLED)
      low = high = ninther(r.v, r.count);
    else
      bracket(r.v, r.count, r.rank, &low, &high);
    const size_t before = r.count;
    const int enclosed = r.rank < r.count / 2 ? drop_greater(&r, high) && drop_less(&r, low) /* most goes first */
                                              : drop_less(&r, low) && drop_greater(&r, high);
    if (enclosed && !FR_LESS(low, high))
      return;
    misled = r.count > before - before / 4;
  }
  sort(r.v, r.count);
}

/* Values from low to high go first. @return how many. *less: how many are less than low. */
static size_t put_enclosed_first(double *v, size_t count, double low, double high, size_t *less) {
  size_t kept = 0;
  size_t below = 0;
  for (size_t first = 0; first < count; first += CHUNK) {
    const size_t size = count - first < CHUNK ? count - first : CHUNK;
    uint8_t place[CHUNK];
    size_t found = 0;
    for (size_t i = 0; i < size; i++) {
      const double x = v[first + i];
      const int under = FR_LESS(x, low);
      below += (size_t)under;
      place[found] = (uint8_t)i;
      found += (size_t) !(under | FR_LESS(high, x));
    }
    for (size_t i = 0; i < found; i++)
      swap(&v[kept++], &v[first + place[i]]);
  }
  *less = below;
  return kept;
}

/* The median needs no order outside the bracket: one pass, and both middle ranks are in what is left. */
double fr_median(double *values, size_t count) {
  size_t middle = count / 2;
  const int even = count % 2 == 0;
  for (int enclosed = 1; enclosed && count >= SAMPLED;) {
    double low;
    double high;
    bracket(values, count, middle, &low, &high);
    size_t less;
    const size_t kept = put_enclosed_first(values, count, low, high, &less);
    enclosed = less + (size_t)even <= middle && middle < less + kept && kept <= count / 2;
    if (enclosed) {
      count = kept;
      middle -= less;
    }
  }
  fr_select(values, count, middle);
  if (!even)
    return values[middle];
  double below = values[0];
  for (size_t i = 1; i < middle; i++)
    below = FR_LESS(below, values[i]) ? values[i] : below;
  return below + (values[middle] - below) / 2;
}
