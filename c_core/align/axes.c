/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/axes.h"

#include "maths/lapack.h"
#include "maths/se3.h"

#include <math.h>
#include <string.h>

#define ALIKE 0.1 /* of the longest axis' deviation: what deviations of the two clouds may differ by */

/* One vote a cell, so how densely a surface was sampled does not count. */
typedef struct axes {
  double mean[3];
  double axis[3][3];   /* unit vectors of the deviations, right-handed, ... */
  double deviation[3]; /* ... which ascend: in 2-D the first axis is z */
} axes;

static int axes_of(const fr_nn *nn, int dimension, axes *out) {
  double m[3][3] = {{0}};
  double variance[3];
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < nn->count; i++)
    for (int a = 0; a < 3; a++)
      out->mean[a] += nn->points[i][a] / (double)nn->count;
  for (size_t i = 0; i < nn->count; i++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        m[a][b] += (nn->points[i][a] - out->mean[a]) * (nn->points[i][b] - out->mean[b]) / (double)nn->count;
  if (dimension == 2)
    m[2][2] = -1; /* below all others, so that z is an axis of its own even of a line */
  if (fr_symmetric_eigen(3, m[0], variance) != 0)
    return -1;
  const double hand = fr_determinant((const double(*)[3])m) < 0 ? -1 : 1;
  for (int a = 0; a < 3; a++)
    m[0][a] *= hand;
  memcpy(out->axis, m, sizeof out->axis);
  for (int k = 0; k < 3; k++)
    out->deviation[k] = sqrt(fmax(variance[k], 0));
  return 0;
}

static int extend_alike(const axes *s, const axes *t) {
  double differ = 0;
  for (int k = 0; k < 3; k++)
    differ = fmax(differ, fabs(s->deviation[k] - t->deviation[k]));
  return differ <= ALIKE * fmax(s->deviation[2], t->deviation[2]);
}

/* The source's axes laid on the target's, the two longer ones by these signs: the shortest one's follows. */
static fricp_pose laid_on(const axes *s, const axes *t, double middle, double longest) {
  const double signs[3] = {middle * longest, middle, longest};
  fricp_pose pose;
  memset(&pose, 0, sizeof pose);
  for (int a = 0; a < 3; a++) {
    pose.translation[a] = t->mean[a];
    for (int b = 0; b < 3; b++) {
      for (int k = 0; k < 3; k++)
        pose.rotation[a][b] += signs[k] * t->axis[k][a] * s->axis[k][b];
      pose.translation[a] -= pose.rotation[a][b] * s->mean[b];
    }
  }
  return pose;
}

int fr_axes_poses(const fr_coarse *coarse, fricp_pose poses[FR_AXES]) {
  const int dimension = coarse->target.dimension;
  axes s;
  axes t;
  int count = 0;
  if (axes_of(&coarse->index.nn, dimension, &s) != 0 || axes_of(&coarse->target.nn, dimension, &t) != 0 ||
      !extend_alike(&s, &t))
    return 0;
  for (int i = 0; i < FR_AXES; i++) {
    const fricp_pose pose = laid_on(&s, &t, i & 1 ? -1 : 1, i & 2 ? -1 : 1);
    if (dimension != 2 || pose.rotation[2][2] > 0) /* else turned over */
      poses[count++] = pose;
  }
  return count;
}
