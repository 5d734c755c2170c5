/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/curvature.h"

#include "base/parallel.h"
#include "cloud/neighborhood.h"
#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define SAMPLE 256         /* points, a multiple of 8: an eigenvalue to some 6 %, which Anderson's history mends */
#define LEAST_NEIGHBORS 16 /* of a target point, for its normal: see neighbors_for() */
#define MOST_NEIGHBORS 64  /* what fricp_search promises an own search */
#define INCREASE 1e-4      /* relative, of a squared residual: for the slope of the kernel's weight */
#define UNDETERMINED 1e-9  /* of the mean stiffness, given to every direction: lambda is 1 where nothing else is */
#define MOST_DAMPING 1000

static const double origin[3]; /* the target's */

typedef struct sample {
  const fr_pass *pass;
  const fricp_pose *pose;
  size_t step; /* every step-th point of the coarsest stage */
  int neighbors;
  _Atomic int failed;
  int count;
  double weight;            /* of the points looked at, whether they say anything or not */
  double y[SAMPLE][3];      /* moved source points */
  double normal[SAMPLE][3]; /* of their correspondences */
  double normal2[SAMPLE];   /* squared residual along the normal */
  double squared[SAMPLE];
  double prior[SAMPLE];
} sample;

void fr_curvature_forget(fr_curvature *curvature, const fr_rules *rules) {
  curvature->count = 0;
  curvature->damping = rules->least_damping;
}

/* k neighbours with noise sigma at spacing s reach as far as R = s sqrt(k / pi), so that a normal's tilt has a variance
 * of 8 sigma^2 / (k R^2) = 25 (sigma / (s k))^2. That looks like stiffness where there is none; k = 90 sigma / s keeps
 * it below 0.003. */
static int neighbors_for(const fricp_target *target) {
  return (int)fmin(fmax(90 * target->noise.roughness / target->spacing, LEAST_NEIGHBORS), MOST_NEIGHBORS);
}

/* Fill in sample point `number`; squared stays -1 if it says nothing. */
static void measure_point(void *context, size_t number, int thread) {
  sample *s = context;
  const fr_source *source = s->pass->source;
  const fr_matches *matches = s->pass->matches;
  const fricp_target *target = s->pass->target;
  const size_t i = number * s->step;
  const int32_t match = matches->match[i];
  (void)thread;
  s->squared[number] = -1;
  if (match < 0 || !(matches->weight[i] > 0))
    return;
  double normal[2][3];
  double tilt2[2];
  const int found = fr_normals_at(&target->nn, target->dimension, s->neighbors, (size_t)match, normal, tilt2);
  if (found < 0)
    s->failed = 1;
  if (found <= 0)
    return;
  const double p[3] = {source->x[0][i], source->x[1][i], source->x[2][i]};
  const double *q = target->points[match];
  double along = 0;
  memcpy(s->normal[number], normal[0], sizeof normal[0]);
  fr_apply(s->pose, p, s->y[number]);
  for (int a = 0; a < 3; a++)
    along += (s->y[number][a] - q[a]) * s->normal[number][a];
  s->normal2[number] = along * along;
  s->squared[number] = matches->residual[i] * matches->residual[i];
  s->prior[number] = source->weight ? source->weight[i] : 1;
}

static int take_sample(const fr_pass *pass, const fricp_pose *pose, sample *s) {
  const size_t points = pass->source->stage_end[0];
  memset(s, 0, sizeof *s);
  s->pass = pass;
  s->pose = pose;
  s->neighbors = neighbors_for(pass->target);
  s->step = (points + SAMPLE - 1) / SAMPLE;
  const size_t taken = (points + s->step - 1) / s->step;
  fr_parallel_for(pass->threads, taken, measure_point, s, pass->interrupt);
  for (size_t i = 0; i < taken; i++) {
    s->weight += pass->source->weight ? pass->source->weight[i * s->step] : 1;
    if (s->squared[i] < 0)
      continue;
    const int at = s->count++;
    memmove(s->y[at], s->y[i], sizeof s->y[i]);
    memmove(s->normal[at], s->normal[i], sizeof s->normal[i]);
    s->normal2[at] = s->normal2[i];
    s->squared[at] = s->squared[i];
    s->prior[at] = s->prior[i];
  }
  for (int i = s->count; i < SAMPLE; i++)
    s->squared[i] = s->prior[i] = 0;
  return s->failed || fr_interrupt_reason(pass->interrupt) != FRICP_STOP_NONE ? -1 : 0;
}

/* Add stiffness * row^T row to the upper triangle of an n x n matrix, column-major, over the free directions. */
static void add_spring(double stiffness, const double row[6], int n, const int direction[6], double *matrix) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      matrix[i + n * j] += stiffness * row[direction[i]] * row[direction[j]];
}

/* The derivative by a twist of a moved point's coordinate along a unit vector: (y x e, e). */
static void derivative_along(const double y[3], const double e[3], double row[6]) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    row[a] = y[b] * e[c] - y[c] * e[b];
    row[3 + a] = e[a];
  }
}

/* H in `all`, H_n in `along`. */
static void sum_springs(const sample *s, double nu, int n, const int direction[6], double *all, double *along) {
  static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double increased[SAMPLE];
  double weight[SAMPLE];
  double lesser[SAMPLE];
  double row[6];
  const int padded = (s->count + 7) / 8 * 8;
  for (int i = 0; i < padded; i++)
    increased[i] = s->squared[i] * (1 + INCREASE);
  (void)fr_pass_weigh(s->pass, nu, padded, s->squared, s->prior, weight);
  (void)fr_pass_weigh(s->pass, nu, padded, increased, s->prior, lesser);
  for (int i = 0; i < s->count; i++) {
    double stiffness = weight[i];
    if (s->squared[i] > 0) /* d(w r) / dr = w + 2 r^2 dw / d(r^2), r along the normal */
      stiffness += 2 * s->normal2[i] * (lesser[i] - weight[i]) / (INCREASE * s->squared[i]);
    derivative_along(s->y[i], s->normal[i], row);
    add_spring(fmax(stiffness, 0), row, n, direction, along);
    for (int a = 0; a < 3; a++) {
      derivative_along(s->y[i], axis[a], row);
      add_spring(weight[i], row, n, direction, all);
    }
  }
  double mean = 0;
  for (int i = 0; i < n; i++)
    mean += all[i + n * i] / n;
  for (int i = 0; i < n; i++) {
    all[i + n * i] += UNDETERMINED * mean;
    along[i + n * i] += UNDETERMINED * mean;
  }
}

int fr_curvature_measure(fr_curvature *curvature, const fr_pass *pass, const fricp_pose *pose, double nu,
                         const fr_constraint *held, const double (*pull)[6]) {
  fr_curvature_forget(curvature, pass->rules);
  if (!pass->metric->residual_is_distance || !(pass->rules->precondition > 0))
    return 0;
  sample s;
  if (take_sample(pass, pose, &s) != 0)
    return -1;
  int direction[6];
  double all[36] = {0};
  double along[36] = {0};
  const int n = fr_free_directions(pass->target->dimension, direction);
  sum_springs(&s, nu, n, direction, all, along);
  for (int j = 0; pull && j < n; j++)
    for (int i = 0; i <= j; i++) {
      const double more = s.weight * pull[direction[i]][direction[j]];
      all[i + n * j] += more;
      along[i + n * j] += more;
    }
  double basis[36];
  const int m = fr_free_basis(held, origin, 1, n, direction, basis);
  if (m <= 0)
    return m;
  fr_free_restrict(n, m, basis, all);
  fr_free_restrict(n, m, basis, along);
  double factors[36]; /* of all, which the factorisation replaces */
  memcpy(factors, all, sizeof all);
  if (fr_generalized_eigen(m, along, factors, curvature->share) != 0)
    return 0; /* no weight: H is not definite */
  for (int e = 0; e < m; e++) {
    double v[6] = {0};
    curvature->share[e] = fmin(fmax(curvature->share[e], 0), 1);
    for (int p = 0; p < m; p++)
      for (int q = 0; q < m; q++)
        v[p] += all[p <= q ? p + m * q : q + m * p] * along[q + m * e];
    fr_free_twist(n, m, basis, direction, along + (size_t)m * (size_t)e, curvature->u[e]);
    fr_free_twist(n, m, basis, direction, v, curvature->v[e]);
  }
  curvature->count = m;
  return 0;
}

void fr_curvature_adapt(fr_curvature *curvature, int improved, const fr_rules *rules) {
  const double damping = curvature->damping;
  curvature->damping = improved ? fmax(damping / rules->damping_fall, rules->least_damping)
                                : fmin(damping * rules->damping_rise, MOST_DAMPING);
}

int fr_curvature_preconditioner(const fr_curvature *curvature, double p[6][6]) {
  memset(p, 0, 36 * sizeof p[0][0]);
  for (int e = 0; e < curvature->count; e++) {
    const double factor = (1 + curvature->damping) / (curvature->share[e] + curvature->damping);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        p[i][j] += factor * curvature->u[e][i] * curvature->v[e][j];
  }
  return curvature->count > 0;
}
