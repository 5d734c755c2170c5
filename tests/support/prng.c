/* SPDX-License-Identifier: BSD-3-Clause */
#include "prng.h"

#include <math.h>

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

prng prng_seed(uint64_t seed, uint64_t stream) {
  prng g;
  g.state = mix(seed + UINT64_C(0x632be59bd9b4e019)) ^ mix(~stream);
  return g;
}

uint64_t prng_bits(prng *g) {
  g->state += UINT64_C(0x9e3779b97f4a7c15);
  return mix(g->state);
}

double prng_uniform(prng *g) {
  return (double)(prng_bits(g) >> 11) * 0x1p-53;
}

double prng_range(prng *g, double low, double high) {
  return low + (high - low) * prng_uniform(g);
}

uint64_t prng_below(prng *g, uint64_t n) {
  uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* a multiple of n: no number is favoured */
  uint64_t bits;
  do {
    bits = prng_bits(g);
  } while (bits >= limit);
  return bits % n;
}

/* Marsaglia's polar method; the second number is dropped, so that the state alone determines what follows. */
double prng_normal(prng *g) {
  double u, v, s;
  do {
    u = prng_range(g, -1.0, 1.0);
    v = prng_range(g, -1.0, 1.0);
    s = u * u + v * v;
  } while (s >= 1.0 || s == 0.0);
  return u * sqrt(-2.0 * log(s) / s);
}

void prng_direction(prng *g, double direction[3]) {
  double x, y, s;
  do {
    x = prng_range(g, -1.0, 1.0);
    y = prng_range(g, -1.0, 1.0);
    s = x * x + y * y;
  } while (s >= 1.0);
  double f = 2.0 * sqrt(1.0 - s);
  direction[0] = x * f;
  direction[1] = y * f;
  direction[2] = 1.0 - 2.0 * s;
}

void prng_on_faces(prng *g, const double half[3], int axis, double point[3]) {
  for (int a = 0; a < 3; ++a)
    point[a] = prng_range(g, -half[a], half[a]);
  point[axis] = prng_below(g, 2) ? half[axis] : -half[axis];
}
