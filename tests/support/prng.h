/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file prng.h
 * A small random number generator (SplitMix64): the same numbers from the same seed on every machine. Each user owns
 * its state, so streams never disturb each other.
 */
#ifndef FRICP_SUPPORT_PRNG_H
#define FRICP_SUPPORT_PRNG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prng {
  uint64_t state;
} prng;

/** A generator for stream number `stream` of a seed: different streams are unrelated. */
prng prng_seed(uint64_t seed, uint64_t stream);
/** @return 64 uniformly distributed bits. */
uint64_t prng_bits(prng *g);
/** @return uniform in [0, 1), a multiple of 2^-53. */
double prng_uniform(prng *g);
/** @return uniform in [low, high). */
double prng_range(prng *g, double low, double high);
/** @return uniform in 0 .. n - 1; n > 0. */
uint64_t prng_below(prng *g, uint64_t n);
/** @return normally distributed, mean 0, standard deviation 1. */
double prng_normal(prng *g);
/** A direction uniformly distributed on the unit sphere. */
void prng_direction(prng *g, double direction[3]);
/** A point uniformly distributed on the two faces across an axis, 0 to 2, of a box about the origin. half: its half edges. */
void prng_on_faces(prng *g, const double half[3], int axis, double point[3]);

#ifdef __cplusplus
}
#endif

#endif
