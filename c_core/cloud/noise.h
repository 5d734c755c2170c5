/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FR_NOISE_H
#define FR_NOISE_H

#include "search/nn.h"

#define FR_NOISE_SAMPLE 512

/* Standard deviations of the points, medians over a sample of the twelve nearest of each. */
typedef struct fr_noise {
  double roughness; /* about the plane through them, beyond a tenth of the spacing: noise, and what bends sharply */
  double deviation; /* about the second-order surface through them: noise. On an exact smooth surface nearly 0 */
} fr_noise;

/* `sample`: positions, of which there are `samples`, at most FR_NOISE_SAMPLE. */
fricp_status fr_measure_noise(const fr_nn *nn, int dimension, double spacing, const int32_t *sample, size_t samples,
                              int threads, fr_noise *noise, fricp_error *error);

#endif
