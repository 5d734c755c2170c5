/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anderson acceleration (paper, Eq. AndersonAcceleration): from the last m + 1 iterates x of x <- G(x),
 *
 *   x_AA = G(x_k) - sum_j theta_j (G_{k-j+1} - G_{k-j}),
 *   theta = argmin | F_k - sum_j theta_j (F_{k-j+1} - F_{k-j}) |,     F = G - x.
 *
 * The columns are scaled to unit length and the least squares problem is solved by a truncated SVD: near convergence
 * the differences shrink by orders of magnitude and become dependent, and the plain normal equations lose everything.
 */
#include "anderson.h"

#include "lapack.h"

#include <math.h>

#define RCOND 1e-10

void fr_anderson_reset(fr_anderson *anderson, int history) {
  anderson->history = history;
  anderson->count = 0;
  anderson->next = 0;
  anderson->primed = 0;
}

static fr_twist difference(const fr_twist *a, const fr_twist *b) {
  fr_twist d;
  for (int i = 0; i < 6; i++)
    d.v[i] = a->v[i] - b->v[i];
  return d;
}

static double norm(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

static void remember(fr_anderson *anderson, const fr_twist *g, const fr_twist *f) {
  if (anderson->primed && anderson->history > 0) {
    anderson->delta_g[anderson->next] = difference(g, &anderson->last_g);
    anderson->delta_f[anderson->next] = difference(f, &anderson->last_f);
    anderson->next = (anderson->next + 1) % anderson->history;
    if (anderson->count < anderson->history)
      anderson->count++;
  }
  anderson->last_g = *g;
  anderson->last_f = *f;
  anderson->primed = 1;
}

int fr_anderson_step(fr_anderson *anderson, const fr_twist *x, const fr_twist *g, fr_twist *next) {
  const fr_twist f = difference(g, x);
  remember(anderson, g, &f);
  *next = *g;
  double matrix[6 * FR_ANDERSON_MAX];
  double scale[FR_ANDERSON_MAX];
  double theta[FR_ANDERSON_MAX] = {0};
  int used[FR_ANDERSON_MAX];
  int columns = 0;
  for (int j = 0; j < anderson->count; j++) {
    const double length = norm(anderson->delta_f[j].v, 6);
    if (!(length > 0))
      continue;
    for (int i = 0; i < 6; i++)
      matrix[6 * columns + i] = anderson->delta_f[j].v[i] / length;
    scale[columns] = length;
    used[columns++] = j;
  }
  if (columns == 0)
    return 0;
  for (int i = 0; i < 6; i++)
    theta[i] = f.v[i];
  if (fr_least_squares(6, columns, matrix, theta, RCOND) != 0)
    return 0;
  fr_twist accelerated = *g;
  for (int c = 0; c < columns; c++)
    for (int i = 0; i < 6; i++)
      accelerated.v[i] -= theta[c] / scale[c] * anderson->delta_g[used[c]].v[i];
  const double pi = 3.14159265358979323846;
  if (!(norm(accelerated.v, 3) <= pi) || !isfinite(norm(accelerated.v, 6)))
    return 0;
  *next = accelerated;
  return 1;
}
