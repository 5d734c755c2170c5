/* SPDX-License-Identifier: BSD-3-Clause */
#include "maths/freedom.h"

#include "maths/lapack.h"

#include <string.h>

int fr_free_directions(int dimension, int direction[6]) {
  if (dimension == 2) { /* rotation about z, shifts along x and y */
    direction[0] = 2;
    direction[1] = 3;
    direction[2] = 4;
    return 3;
  }
  for (int i = 0; i < 6; i++)
    direction[i] = i;
  return 6;
}

/* The constraint's rows for twists about `center` whose rotations are multiplied by the radius. A twist (a, v) about
 * the center c moves the origin by v + c x a. */
static void constraint_rows(const fr_constraint *c, const double center[3], double radius, double row[6][6]) {
  for (int e = 0; e < c->count; e++) {
    const double *v = c->v[e];
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3;
      const int d = (a + 2) % 3;
      row[e][a] = (v[a] + v[3 + b] * center[d] - v[3 + d] * center[b]) / radius;
      row[e][3 + a] = v[3 + a];
    }
  }
}

int fr_free_basis(const fr_constraint *c, const double center[3], double radius, int n, const int direction[6],
                  double basis[36]) {
  memset(basis, 0, 36 * sizeof *basis);
  if (!c || c->count == 0) {
    for (int i = 0; i < n; i++)
      basis[i + n * i] = 1;
    return n;
  }
  double row[6][6];
  double eigenvalue[6];
  constraint_rows(c, center, radius, row);
  for (int e = 0; e < c->count; e++) {
    double length2 = 0;
    for (int i = 0; i < n; i++)
      length2 += row[e][direction[i]] * row[e][direction[i]];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        basis[i + n * j] += row[e][direction[i]] * row[e][direction[j]] / length2;
  }
  if (fr_symmetric_eigen(n, basis, eigenvalue) != 0)
    return -1;
  return n - c->count; /* what no row sees has the least eigenvalues */
}
