/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/noise.h"

#include "base/parallel.h"
#include "cloud/neighborhood.h"
#include "maths/lapack.h"
#include "maths/median.h"

#include <math.h>

#define NEIGHBORS 12    /* few, so that edges meet few of them */
#define TERMS 6         /* 1, u, v, uu, uv, vv; of a curve 1, u, uu */
#define DEPENDENT 1e-3  /* of a term's length: what is left of it beside the others says nothing of its own */
#define LEAST_FREEDOM 4 /* of the residuals of one fit */
#define CURVATURE 0.1   /* of the spacing: what the neighbours of a smooth, densely scanned surface deviate by */

typedef struct noise_sample {
  const fr_nn *nn;
  int dimension;
  const int32_t *position;
  double about_plane[FR_NOISE_SAMPLE]; /* variances; -1: says nothing */
  double about_surface[FR_NOISE_SAMPLE];
  _Atomic int failed;
} noise_sample;

/* Sums of squares of the neighbours along the axes of their covariance, the least first; their heights over the plane
 * (2-D: line) through them, along the first axis; and the terms of a second-order surface in coordinates along it.
 * @return the number of terms, 0 if there is no plane. */
static int heights_of(const noise_sample *s, const int32_t *position, int count, double variance[3],
                      double height[NEIGHBORS], double term[TERMS][NEIGHBORS]) {
  const int d = s->dimension;
  double mean[3];
  double axes[9]; /* covariance, then its eigenvectors, column by column */
  fr_covariance(s->nn, d, position, count, mean, axes);
  if (fr_symmetric_eigen(d, axes, variance) != 0 || !(variance[d - 1] > 0))
    return 0;
  const double scale = 1 / sqrt(variance[d - 1]);
  for (int j = 0; j < count; j++) {
    double along[3] = {0};
    for (int axis = 0; axis < d; axis++)
      for (int a = 0; a < d; a++)
        along[axis] += axes[a + axis * d] * (s->nn->points[position[j]][a] - mean[a]);
    const double u = along[d - 1] * scale;
    const double v = d == 3 ? along[1] * scale : 0;
    const double terms[TERMS] = {1, u, u * u, v, u * v, v * v};
    height[j] = along[0];
    for (int t = 0; t < TERMS; t++)
      term[t][j] = terms[t];
  }
  return d == 3 ? TERMS : TERMS / 2;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Take from v what lies along the unit vector q. */
static void take_out(double *v, const double *q, int n) {
  const double share = dot(v, q, n);
  for (int i = 0; i < n; i++)
    v[i] -= share * q[i];
}

/* Mean square of what least squares on the terms leave of the heights (Gram-Schmidt: a term that the ones before it
 * give, as on points of two lines, counts for none), as an estimate of sigma^2 whose median is right: that of a
 * chi-squared of k degrees is near k (1 - 2 / (9k))^3 (Wilson and Hilferty). @return -1 with too few neighbours. */
static double variance_about_surface(int count, int terms, double *height, double term[TERMS][NEIGHBORS]) {
  int kept = 0;
  for (int t = 0; t < terms; t++) {
    double *q = term[kept];
    const double length2 = dot(term[t], term[t], count);
    for (int i = 0; i < count; i++)
      q[i] = term[t][i];
    for (int k = 0; k < kept; k++)
      take_out(q, term[k], count);
    const double left2 = dot(q, q, count);
    if (!(left2 > DEPENDENT * DEPENDENT * length2))
      continue;
    for (int i = 0; i < count; i++)
      q[i] /= sqrt(left2);
    take_out(height, q, count);
    kept++;
  }
  const int freedom = count - kept;
  if (freedom < LEAST_FREEDOM)
    return -1;
  return dot(height, height, count) / (freedom * pow(1 - 2 / (9.0 * freedom), 3));
}

static void noise_of_one(void *context, size_t number, int thread) {
  noise_sample *s = context;
  const fr_nn *nn = s->nn;
  int32_t position[FR_NN_MAX_K];
  double d2[FR_NN_MAX_K];
  double variance[3];
  double height[NEIGHBORS];
  double term[TERMS][NEIGHBORS];
  (void)thread;
  s->about_plane[number] = s->about_surface[number] = -1;
  const int count = fr_nn_nearest(nn, nn->points[s->position[number]], NEIGHBORS, INFINITY, position, d2);
  if (count < 0)
    s->failed = 1;
  if (count <= s->dimension)
    return;
  const int terms = heights_of(s, position, count, variance, height, term);
  if (terms == 0)
    return;
  s->about_plane[number] = fmax(variance[0], 0) / (count - s->dimension);
  s->about_surface[number] = variance_about_surface(count, terms, height, term);
}

/* Median of those that say something, 0 if none does. */
static double typical(double *variance, size_t count) {
  size_t taken = 0;
  for (size_t i = 0; i < count; i++)
    if (variance[i] >= 0)
      variance[taken++] = variance[i];
  return taken > 0 ? fr_median(variance, taken) : 0;
}

fricp_status fr_measure_noise(const fr_nn *nn, int dimension, double spacing, const int32_t *sample, size_t samples,
                              int threads, fr_noise *noise, fricp_error *error) {
  noise_sample s = {.nn = nn, .dimension = dimension, .position = sample};
  fr_parallel_for(fr_neighborhood_threads(nn, threads), samples, noise_of_one, &s, nn->interrupt);
  const fricp_status status = fr_neighborhood_outcome(nn, s.failed, "while the target's noise was measured", error);
  if (status != FRICP_OK)
    return status;
  noise->roughness = sqrt(fmax(typical(s.about_plane, samples) - CURVATURE * CURVATURE * spacing * spacing, 0));
  noise->deviation = sqrt(typical(s.about_surface, samples));
  return FRICP_OK;
}
