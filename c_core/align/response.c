/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/response.h"

#include "align/evaluate.h"
#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define SAMPLE 1000      /* source points at least: a share to some 4 % */
#define STEP 2.0         /* of the residuals' deviation */
#define LEAST_STEP 1e-6  /* of the target's extent: far above rounding, ... */
#define MOST_STEP 0.1    /* ... and still small where nothing fits */
#define LEAST_SHARE 0.01 /* what a sample tells from nothing */

/* exp of a twist along one coordinate about `center`, on top of a pose. */
static fricp_pose moved_along(int coordinate, double by, const double center[3], const fricp_pose *pose) {
  fr_twist twist = {{0}};
  twist.v[coordinate] = by;
  if (coordinate < 3) {
    const int b = (coordinate + 1) % 3;
    const int c = (coordinate + 2) % 3;
    twist.v[3 + b] = center[c] * by;
    twist.v[3 + c] = -center[b] * by;
  }
  const fricp_pose motion = fr_exp(&twist);
  return fricp_pose_multiply(&motion, pose);
}

/* The gradient by twists about `center`, of the sample at a pose. @return 0, or -1 if the pass came to no end. */
static int gradient_at(const fr_icp *icp, fr_pass *pass, size_t points, const fricp_pose *pose, const double center[3],
                       double gradient[6]) {
  fr_step step;
  if (fr_pass_run(pass, pose, icp->now.nu, points, 0, 0) != 0)
    return -1;
  fr_equate(icp, pose, pass->sums, &step);
  memcpy(gradient, step.gradient, sizeof step.gradient);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    gradient[a] += (step.center[b] - center[b]) * gradient[3 + c] - (step.center[c] - center[c]) * gradient[3 + b];
  }
  return 0;
}

/* share = I + sum (s - 1) z (N z)^T over the motions z that are free and seen, with z^T N z = 1 and H z = s N z. @return the
 * mean of the s. */
static double divide(const fr_geometry *geometry, const fr_step *at, double h[6][6], double share[6][6]) {
  fr_reduced r;
  double a[36] = {0};
  double s[6];
  double mean = 0;
  if (fr_step_reduce(geometry, at, &r) != 0)
    return 1;
  int first = 0;
  while (first < r.m && !(r.eigenvalue[first] > at->least * at->weight))
    first++;
  const int m = r.m - first;
  for (int q = 0; q < m; q++)
    for (int p = 0; p < m; p++) {
      const double *u = r.v[first + p];
      const double *v = r.v[first + q];
      const double size[2] = {sqrt(r.eigenvalue[first + p]), sqrt(r.eigenvalue[first + q])};
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          a[p + m * q] += (u[i] * h[i][j] * v[j] + u[j] * h[i][j] * v[i]) / 2 / size[0] / size[1];
    }
  if (m <= 0 || fr_symmetric_eigen(m, a, s) != 0)
    return 1;
  for (int e = 0; e < m; e++) {
    double z[6] = {0};
    for (int p = 0; p < m; p++)
      for (int i = 0; i < 6; i++)
        z[i] += a[p + m * e] * r.v[first + p][i] / sqrt(r.eigenvalue[first + p]);
    const double less = fmin(fmax(s[e], LEAST_SHARE), 1) - 1;
    mean += (less + 1) / m;
    for (int j = 0; j < 6; j++) {
      double nz = 0;
      for (int k = 0; k < 6; k++)
        nz += at->normal[j][k] * z[k];
      for (int i = 0; i < 6; i++)
        share[i][j] += less * z[i] * nz;
    }
  }
  return mean;
}

/* R of twists about a center, into R of those about one that lies by d from it: (a, v) becomes (a, v + a x d). */
static void move_center(const double d[3], double r[6][6]) {
  for (int p = 0; p < 6; p++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      r[3 + i][p] += r[j][p] * d[k] - r[k][p] * d[j];
    }
  for (int p = 0; p < 6; p++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      r[p][j] -= r[p][3 + i] * d[k];
      r[p][k] += r[p][3 + i] * d[j];
    }
}

/* @return 0, or -1 if a pass came to no end. */
static int measure_share(fr_response *response, const fr_icp *icp) {
  const fr_step *whole = &icp->now.step;
  const fricp_pose *pose = &icp->now.pose;
  const size_t points = fr_source_prefix(icp->pass.source, SAMPLE);
  const double equations = fmin(icp->pass.metric->equations, icp->pass.target->dimension);
  const double by = fmin(fmax(STEP * sqrt(whole->squared / whole->weight / equations), LEAST_STEP), MOST_STEP);
  double h[6][6] = {{0}};
  int direction[6];
  const int n = fr_free_directions(icp->pass.target->dimension, direction);
  fr_pass pass = icp->pass;
  fr_step at;
  pass.split = NULL;
  if (fr_pass_run(&pass, pose, icp->now.nu, points, 0, 0) != 0)
    return -1;
  fr_equate(icp, pose, pass.sums, &at);
  if (!(at.weight > 0))
    return 0;
  for (int k = 0; k < n; k++) {
    const int c = direction[k];
    const double far = c < 3 ? by / at.radius : by;
    double gradient[6];
    const fricp_pose moved = moved_along(c, far, at.center, pose);
    if (gradient_at(icp, &pass, points, &moved, at.center, gradient) != 0)
      return -1;
    for (int i = 0; i < n; i++)
      h[direction[i]][c] = (gradient[direction[i]] - at.gradient[direction[i]]) / far;
  }
  const fr_geometry geometry = {.dimension = pass.target->dimension, .constraint = &icp->open.constraint};
  const double d[3] = {whole->center[0] - at.center[0], whole->center[1] - at.center[1],
                       whole->center[2] - at.center[2]};
  response->doubt /= divide(&geometry, &at, h, response->share);
  move_center(d, response->share);
  return 0;
}

/* The sum of squares of the pulls at the target points, and the weighted one of the residuals: along one axis of a metric
 * that is the distance, else of all. Less if the run was interrupted. */
static double pulled(const fr_icp *icp, int axis, double *squared) {
  double *pull = icp->pull;
  const fr_pass *pass = &icp->pass;
  const fr_source *source = pass->source;
  const fr_matches *matches = pass->matches;
  const double(*rotation)[3] = icp->now.pose.rotation;
  double sum = 0;
  for (size_t q = 0; q < pass->target->count && !fr_interrupt_each(pass->interrupt, q); q++)
    pull[q] = 0;
  for (size_t i = 0; i < source->count && !fr_interrupt_each(pass->interrupt, i); i++) {
    const int32_t match = matches->match[i];
    if (match < 0)
      continue;
    double r = matches->residual[i];
    if (pass->metric->residual_is_distance) {
      r = icp->now.pose.translation[axis] - pass->target->points[match][axis];
      for (int a = 0; a < 3; a++)
        r += rotation[axis][a] * source->x[a][i];
    }
    const double w = matches->weight[i] * (source->weight ? source->weight[i] : 1);
    sum += w * r * (2 * pull[match] + w * r); /* what its square grows by: the order of target points is the index's */
    pull[match] += w * r;
    *squared += w * r * r;
  }
  return sum;
}

int fr_response_measure(fr_response *response, const fr_icp *icp) {
  const fr_pass *pass = &icp->pass;
  const fr_step *step = &icp->now.step;
  double mean = 1;
  memset(response, 0, sizeof *response);
  for (int i = 0; i < 6; i++)
    response->share[i][i] = 1;
  const double plain = fr_residual_variance(icp, step, &mean);
  response->variance = plain;
  response->doubt = 1;
  if (!(step->weight > 0) || fr_interrupt_reason(pass->interrupt) != FRICP_STOP_NONE)
    return 0;
  double sum = 0;
  double squared = 0;
  for (int axis = 0; axis < (pass->metric->residual_is_distance ? 3 : 1); axis++)
    sum += pulled(icp, axis, &squared);
  if (!(squared > 0) || fr_interrupt_reason(pass->interrupt) != FRICP_STOP_NONE)
    return 0;
  response->variance = fmax(plain * (sum / squared / mean), mean * FR_LEAST_DEVIATION * FR_LEAST_DEVIATION);
  response->doubt = response->variance / plain;
  if (measure_share(response, icp) != 0 && fr_interrupt_reason(pass->interrupt) == FRICP_STOP_NONE)
    return -1;
  return 0;
}
