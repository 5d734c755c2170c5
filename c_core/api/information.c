/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The information is I = H N^-1 H / s^2 (align/response.h; N / s^2 where H is N, as in textbooks), less what it claims about
 * open motions u, of which nothing is known: I - I u (u^T I u)^-1 u^T I, the Schur complement.
 */
#include "api/information.h"

#include "maths/lapack.h"
#include "maths/spring.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-12 /* of what is forgotten: rounding */
#define ROUNDING 1e-9 /* of an eigenvalue, the diagonal being 1 */
#define LEAST 1e-9    /* of a diagonal element: what is left of it is known to 1e-6, and so a prior's information */

/* Some of the open motions, about the step's center. */
static int list_some(const fr_step *step, const fr_open *open, int from, int end, double u[18][6], int count) {
  for (int e = from; e < end; e++, count++) {
    memcpy(u[count], open->u[e], sizeof u[count]);
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3;
      const int c = (a + 2) % 3;
      u[count][3 + a] += open->u[e][b] * step->center[c] - open->u[e][c] * step->center[b];
    }
  }
  return count;
}

/* What the data leave open; what nothing else determines comes first. @return how many. */
static int list_open(const fr_step *step, const fr_open *open, double u[18][6]) {
  int count = list_some(step, open, 0, open->told, u, 0);
  for (int e = 0; e < step->unseen; e++, count++)
    memcpy(u[count], step->direction[e], sizeof u[count]);
  return list_some(step, open, open->told, open->count, u, count);
}

static void forget(const double u[6], double n[6][6]) {
  double nu[6] = {0};
  double unu = 0;
  double scale = 0;
  for (int a = 0; a < 6; a++) {
    for (int b = 0; b < 6; b++)
      nu[a] += n[a][b] * u[b];
    unu += u[a] * nu[a];
    scale += u[a] * u[a] * n[a][a];
  }
  for (int a = 0; a < 6 && unu > NOTHING * scale; a++)
    for (int b = 0; b < 6; b++)
      n[a][b] -= nu[a] * nu[b] / unu;
}

/* No direction has less than no information. Only where rounding has left one, which takes coordinates of many magnitudes,
 * anything changes: as a matrix of ones on the diagonal, since units differ, with the negative eigenvalues 0. */
static void lift(double n[6][6]) {
  double part[36];
  double value[6];
  double size[6];
  for (int a = 0; a < 6; a++)
    size[a] = sqrt(n[a][a]);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      part[a + 6 * b] = size[a] > 0 && size[b] > 0 ? (n[a][b] + n[b][a]) / 2 / size[a] / size[b] : 0;
  if (fr_symmetric_eigen(6, part, value) != 0 || value[0] >= -ROUNDING)
    return;
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) {
      n[a][b] = 0;
      for (int e = 0; e < 6; e++)
        n[a][b] += fmax(value[e], 0) * part[a + 6 * e] * part[b + 6 * e] * size[a] * size[b];
    }
}

static void fill_directions(double u[18][6], int count, double extent, fricp_result *result) {
  result->undetermined = count;
  for (int d = 0; d < count; d++) {
    double *to = result->undetermined_directions[d];
    double length = 0;
    for (int a = 0; a < 6; a++) {
      to[a] = u[d][a] * (a < 3 ? 1 : extent);
      length = hypot(length, to[a]);
    }
    for (int a = 0; a < 6; a++)
      to[a] /= length;
  }
}

/* n = R^T N R, with R = N^-1 H: H N^-1 H. */
static void respond(const fr_step *step, const double r[6][6], double n[6][6]) {
  double nr[6][6] = {{0}};
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      for (int c = 0; c < 6; c++)
        nr[a][b] += step->normal[a][c] * r[c][b];
  memset(n, 0, sizeof nr);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      for (int c = 0; c < 6; c++)
        n[a][b] += r[c][a] * nr[c][b];
}

void fr_information_fill(const fr_step *step, const fr_open *open, const fr_response *response, int dimension,
                         double extent, fricp_result *result) {
  double u[18][6];
  double n[6][6];
  const int count = list_open(step, open, u);
  respond(step, response->share, n);
  if (dimension == 2) /* only rotation about z and the shifts along x and y exist */
    for (int a = 0; a < 6; a++)
      if (a < 2 || a > 4)
        fr_drop_coordinate(n, a);
  for (int d = 0; d < count; d++)
    forget(u[d], n);
  for (int a = 0; a < 6; a++)
    if (!(n[a][a] > LEAST * fabs(step->normal[a][a])))
      fr_drop_coordinate(n, a);
  lift(n);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      result->information[a][b] =
          (n[a][b] + n[b][a]) / 2 / response->variance / (a < 3 ? 1 : extent) / (b < 3 ? 1 : extent);
  const int told = open->told + step->undetermined;
  fill_directions(u, told < 6 ? told : 6, extent, result);
}
