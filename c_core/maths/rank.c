/* SPDX-License-Identifier: BSD-3-Clause */
/* By digits: the bits of doubles that are not negative are ordered as they are, so the first digit of the value is that at
 * which the weights up to it reach what is wanted, and so on among those that begin like it. */
#include "maths/rank.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define DIGIT 8 /* bits */
#define DIGITS 64
#define VALUES (1 << DIGIT)

static uint64_t bits_of(double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double weight_of(const double *weights, size_t i) {
  return weights ? weights[i] : 1;
}

double fr_rank_cut(const double *values, const double *weights, size_t count, double share, double *part) {
  uint64_t known = 0; /* digits, from the first, */
  uint64_t mask = 0;  /* and which they are */
  double all = 0;
  double here = 0;
  for (size_t i = 0; i < count; i++)
    all += weight_of(weights, i);
  double wanted = share * all;
  for (int shift = DIGITS - DIGIT; shift >= 0; shift -= DIGIT) {
    double weight[VALUES] = {0};
    for (size_t i = 0; i < count; i++) {
      const uint64_t bits = bits_of(values[i]);
      if ((bits & mask) == known)
        weight[bits >> shift & (VALUES - 1)] += weight_of(weights, i);
    }
    int last = VALUES - 1; /* where rounding may leave some of what is wanted */
    while (last > 0 && !(weight[last] > 0))
      last--;
    int digit = 0;
    while (digit < last && wanted > weight[digit])
      wanted -= weight[digit++];
    here = weight[digit];
    known |= (uint64_t)digit << shift;
    mask |= (uint64_t)(VALUES - 1) << shift;
  }
  double cut = 0;
  memcpy(&cut, &known, sizeof cut);
  *part = fmin(wanted / here, 1);
  return cut;
}
