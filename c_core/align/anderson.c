/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anderson acceleration (paper, Eq. AndersonAcceleration): from the last m + 1 iterates x of x <- G(x), F = G - x,
 *
 *   x_AA = x_k + P F_k - sum_j theta_j (x_{k-j+1} - x_{k-j} + P (F_{k-j+1} - F_{k-j})),
 *   theta = argmin | P F_k - sum_j theta_j P (F_{k-j+1} - F_{k-j}) |.
 *
 * Without a preconditioner (P = 1) that is the paper's, written with differences of x and F instead of G. The columns
 * are scaled to unit length and the least squares problem is solved by a truncated SVD: near convergence the
 * differences shrink by orders of magnitude and become dependent, and the plain normal equations lose everything.
 */
#include "align/anderson.h"

#include "maths/lapack.h"

#include <math.h>
#include <string.h>

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

static void remember(fr_anderson *anderson, const fr_twist *x, const fr_twist *f) {
  if (anderson->primed && anderson->history > 0) {
    anderson->delta_x[anderson->next] = difference(x, &anderson->last_x);
    anderson->delta_f[anderson->next] = difference(f, &anderson->last_f);
    anderson->next = (anderson->next + 1) % anderson->history;
    if (anderson->count < anderson->history)
      anderson->count++;
  }
  anderson->last_x = *x;
  anderson->last_f = *f;
  anderson->primed = 1;
}

static fr_twist preconditioned(const double (*p)[6], const fr_twist *f) {
  fr_twist product = {{0}};
  if (!p)
    return *f;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      product.v[i] += p[i][j] * f->v[j];
  return product;
}

int fr_anderson_step(fr_anderson *anderson, const fr_twist *x, const fr_twist *g, const double (*p)[6],
                     fr_twist *next) {
  const fr_twist f = difference(g, x);
  remember(anderson, x, &f);
  double matrix[6 * FR_ANDERSON_MAX];
  double theta[FR_ANDERSON_MAX] = {0};
  double move[FR_ANDERSON_MAX][6]; /* delta x + P delta F, divided by the column's length */
  int columns = 0;
  for (int j = 0; j < anderson->count; j++) {
    const fr_twist d = preconditioned(p, &anderson->delta_f[j]);
    const double length = norm(d.v, 6);
    if (!(length > 0))
      continue;
    for (int i = 0; i < 6; i++) {
      matrix[6 * columns + i] = d.v[i] / length;
      move[columns][i] = (anderson->delta_x[j].v[i] + d.v[i]) / length;
    }
    columns++;
  }
  const fr_twist step = preconditioned(p, &f);
  memcpy(theta, step.v, sizeof step.v);
  int accelerates = columns > 0 || p;
  if (columns > 0 && fr_least_squares(6, columns, matrix, theta, RCOND) != 0)
    accelerates = 0;
  fr_twist accelerated;
  for (int i = 0; i < 6; i++) {
    accelerated.v[i] = x->v[i] + step.v[i];
    for (int c = 0; c < columns; c++)
      accelerated.v[i] -= theta[c] * move[c][i];
  }
  const double pi = 3.14159265358979323846;
  if (!(norm(accelerated.v, 3) <= pi) || !isfinite(norm(accelerated.v, 6)))
    accelerates = 0;
  *next = accelerates ? accelerated : *g;
  return accelerates;
}

void fr_anderson_round(int kept_bits, const fr_twist *x, const fr_twist *g, fr_twist *accelerated) {
  double residual2 = 0;
  for (int i = 0; i < 6; i++)
    residual2 += (g->v[i] - x->v[i]) * (g->v[i] - x->v[i]);
  if (!(residual2 > 0) || kept_bits == 0)
    return;
  const double grain = ldexp(1, ilogb(sqrt(residual2)) - kept_bits);
  for (int i = 0; i < 6; i++)
    accelerated->v[i] = g->v[i] + grain * rint((accelerated->v[i] - g->v[i]) / grain);
}
