/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/open.h"

#include "base/parallel.h"
#include "cloud/neighborhood.h"
#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define FEW 128          /* points that show whether there is any doubt, ... */
#define MANY 1024        /* ... and that decide it */
#define LEAST_POINTS 30  /* fewer are no surface */
#define OUTSIDE 1e4      /* extents: a stray point of the target, which would outweigh all others */
#define FAR 1.0          /* extents: what matches from farther off tells nothing */
#define SAME 0.2         /* of the spacing: so near are matches only where both samples are the same points */
#define MOST_NEEDED 0.25 /* ... but not a greater mean squared share: thin things bend more than planes tilt */
#define MOST_TILT 0.3
#define LEAST_TILT 1e-3   /* of normals given as floats, of surfaces that are not quite what they are taken for */
#define LEAST_SHARE 3e-3  /* of the points: fewer may be outliers, or normals at an edge */
#define SEEN 1e-5         /* mean squared share that is a motion seen, ... */
#define SEEN_OF_TILT 0.05 /* ... or so many t^2 */
#define TRIFLE 1e-9       /* of the mean stiffness, for motions that no point makes */

static const double origin[3]; /* the target's */

typedef struct view {
  float q[3]; /* target point */
  float n[2][3];
  float tilt2[2];
  float differs2; /* the squared sine between the metric's normal and the one fitted here */
  int normals;    /* 0: says nothing */
  float weight;
  float near2; /* squared distance of the match */
} view;

typedef struct sample {
  const fr_pass *pass;
  size_t step;
  _Atomic int failed;
  size_t count;
  view views[MANY];
} sample;

/* Of a metric with normals those count: with the errors that those have which are estimated. */
static int normals_of(const fr_pass *pass, int32_t match, double normal[2][3], double tilt2[2], double *differs2) {
  const fricp_target *target = pass->target;
  const double *q = target->points[match];
  if (!(fabs(q[0]) + fabs(q[1]) + fabs(q[2]) < OUTSIDE))
    return 0;
  const int as_targets = pass->metric->needs_normals && target->dimension == 2;
  const int neighbors = as_targets ? FR_NORMAL_NEIGHBORS_2D : FR_NORMAL_NEIGHBORS;
  const int found = fr_normals_at(&target->nn, target->dimension, neighbors, (size_t)match, normal, tilt2);
  if (found <= 0 || !pass->metric->needs_normals)
    return found;
  double cosine = 0;
  for (int a = 0; a < 3; a++) {
    cosine += normal[0][a] * (double)target->normals[match][a];
    normal[0][a] = (double)target->normals[match][a];
  }
  *differs2 = fmax(1 - cosine * cosine, 0);
  return 1;
}

static void look(void *context, size_t number, int thread) {
  sample *s = context;
  view *v = &s->views[number];
  const fr_source *source = s->pass->source;
  const fr_matches *matches = s->pass->matches;
  const fricp_target *target = s->pass->target;
  const size_t i = number * s->step;
  const int32_t match = matches->match[i];
  double normal[2][3];
  double tilt2[2];
  double differs2 = 0;
  (void)thread;
  v->normals = 0;
  if (match < 0 || !(matches->weight[i] > 0) || matches->distance2[i] > FAR * FAR)
    return;
  const int found = normals_of(s->pass, match, normal, tilt2, &differs2);
  if (found < 0)
    s->failed = 1;
  if (found <= 0)
    return;
  v->normals = found;
  v->weight = (float)(matches->weight[i] * (source->weight ? source->weight[i] : 1));
  v->differs2 = (float)differs2;
  v->near2 = (float)matches->distance2[i];
  for (int k = 0; k < 2; k++)
    v->tilt2[k] = (float)fmin(fmax(tilt2[k], LEAST_TILT * LEAST_TILT), MOST_TILT * MOST_TILT);
  for (int a = 0; a < 3; a++) {
    v->q[a] = (float)target->points[match][a];
    v->n[0][a] = (float)normal[0][a];
    v->n[1][a] = found > 1 ? (float)normal[1][a] : 0;
  }
}

/* At most `most` points, evenly along the source. */
static int take_sample(sample *s, size_t most) {
  const size_t count = s->pass->source->count;
  s->step = (count + most - 1) / most;
  const size_t taken = (count + s->step - 1) / s->step;
  fr_parallel_for(s->pass->threads, taken, look, s, s->pass->interrupt);
  if (s->failed || fr_interrupt_reason(s->pass->interrupt) != FRICP_STOP_NONE)
    return -1;
  s->count = 0;
  for (size_t i = 0; i < taken; i++)
    if (s->views[i].normals > 0 && s->views[i].weight > 0)
      s->views[s->count++] = s->views[i];
  return 0;
}

/* How exact the metric's normals are: errors of variance e of normals that have nothing to do with the ones fitted here,
 * whose variance is t^2, make both differ by t^2 + e, those of means over more of the same neighbours by t^2 - e. So exact
 * normals differ by t^2, and the same ones not at all. */
static void trust_normals(sample *s) {
  double differs2 = 0;
  double tilt2 = 0;
  for (size_t k = 0; k < s->count; k++) {
    differs2 += (double)s->views[k].weight * (double)s->views[k].differs2;
    tilt2 += (double)s->views[k].weight * (double)s->views[k].tilt2[0];
  }
  differs2 /= s->pass->target->dimension - 1; /* t is that in one direction */
  const double part = fmin(fabs(differs2 - tilt2) / tilt2, 1);
  for (size_t k = 0; k < s->count && s->pass->metric->needs_normals; k++)
    s->views[k].tilt2[0] = (float)fmax((double)s->views[k].tilt2[0] * part, LEAST_TILT * LEAST_TILT);
}

/* Most matches lie far nearer than independent samples of a surface do. */
static int are_samples_the_same(const sample *s) {
  const double spacing = s->pass->target->spacing;
  size_t near = 0;
  for (size_t i = 0; i < s->count; i++)
    near += (double)s->views[i].near2 < SAME * SAME * spacing * spacing;
  return 2 * near > s->count;
}

/* What the twists' coordinates move a point along a unit vector by: (q x e, e). */
static void row_along(const float q[3], const float e[3], double row[6]) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    row[a] = (double)q[b] * (double)e[c] - (double)q[c] * (double)e[b];
    row[3 + a] = (double)e[a];
  }
}

/* Mean squares: what the points are moved by, and what their normals see of it; n x n, upper triangles. */
static void sum_views(const sample *s, int n, const int direction[6], double *moved, double *seen) {
  static const float axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (size_t k = 0; k < s->count; k++) {
    const view *v = &s->views[k];
    for (int e = 0; e < 3 + v->normals; e++) {
      double row[6];
      row_along(v->q, e < 3 ? axis[e] : v->n[e - 3], row);
      double *to = e < 3 ? moved : seen;
      for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
          to[i + n * j] += (double)v->weight * row[direction[i]] * row[direction[j]];
    }
  }
  double mean = 0;
  for (int i = 0; i < n; i++)
    mean += moved[i + n * i] / n;
  for (int i = 0; i < n; i++)
    moved[i + n * i] += TRIFLE * mean;
}

/* Motions in doubt: unit twists u (of a mean squared movement of 1) with their duals v, what is
 * seen of each, least first.
 * @return how many. */
static int doubts(const sample *s, const fr_constraint *held, double share[6], double u[6][6], double v[6][6]) {
  int direction[6];
  double moved[36] = {0};
  double seen[36] = {0};
  double factors[36];
  double basis[36];
  const int n = fr_free_directions(s->pass->target->dimension, direction);
  sum_views(s, n, direction, moved, seen);
  const int m = fr_free_basis(held, origin, 1, n, direction, basis);
  if (m <= 0)
    return 0;
  fr_free_restrict(n, m, basis, moved);
  fr_free_restrict(n, m, basis, seen);
  memcpy(factors, moved, sizeof moved);
  if (fr_generalized_eigen(m, seen, factors, share) != 0)
    return 0; /* points on a line, or no weight: nothing is known */
  int count = 0;
  for (; count < m && share[count] < s->pass->rules->open_doubt; count++) {
    double dual[6] = {0};
    for (int p = 0; p < m; p++)
      for (int q = 0; q < m; q++)
        dual[p] += moved[p <= q ? p + m * q : q + m * p] * seen[q + m * count];
    fr_free_twist(n, m, basis, direction, seen + (size_t)m * (size_t)count, u[count]);
    fr_free_twist(n, m, basis, direction, dual, v[count]);
  }
  return count;
}

/* Of m motions in doubt, what the points see for certain: m x m, upper triangle, per mean squared movement; 0 throughout
 * if it is hardly any point. */
static void see(const sample *s, int m, double u[6][6], double *certain) {
  const double tilts = s->pass->rules->open_tilts;
  double all = 0;
  double sees = 0;
  memset(certain, 0, 36 * sizeof *certain);
  for (size_t k = 0; k < s->count; k++) {
    const view *v = &s->views[k];
    static const float axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double along[5][6] = {{0}};
    double moved2 = 0;
    for (int e = 0; e < 3 + v->normals; e++) {
      double row[6];
      row_along(v->q, e < 3 ? axis[e] : v->n[e - 3], row);
      for (int d = 0; d < m; d++) {
        for (int i = 0; i < 6; i++)
          along[e][d] += row[i] * u[d][i];
        moved2 += e < 3 ? along[e][d] * along[e][d] : 0;
      }
    }
    all += (double)v->weight * moved2;
    for (int e = 3; e < 3 + v->normals; e++) {
      double seen2 = 0;
      for (int d = 0; d < m; d++)
        seen2 += along[e][d] * along[e][d];
      if (seen2 < fmin(tilts * tilts * (double)v->tilt2[e - 3], MOST_NEEDED) * moved2)
        continue;
      sees += (double)v->weight * moved2;
      for (int j = 0; j < m; j++)
        for (int i = 0; i <= j; i++)
          certain[i + m * j] += (double)v->weight * along[e][i] * along[e][j];
    }
  }
  if (sees < LEAST_SHARE * all)
    memset(certain, 0, 36 * sizeof *certain);
}

/* The same of one motion: of several in doubt a point may see one, and of another only its normal's error. */
static double sees_one(const sample *s, const double twist[6]) {
  double u[6][6];
  double certain[36];
  memcpy(u[0], twist, sizeof u[0]);
  see(s, 1, u, certain);
  return certain[0];
}

static double mean_tilt2(const sample *s) {
  double all = 0;
  double tilts = 0;
  for (size_t k = 0; k < s->count; k++) {
    all += (double)s->views[k].weight;
    tilts += (double)s->views[k].weight * (double)s->views[k].tilt2[0];
  }
  return tilts / all;
}

/* Of the motions in doubt keep those that are open. */
static void decide(const sample *s, int m, const double share[6], double u[6][6], double v[6][6], fr_open *open) {
  const fr_rules *rules = s->pass->rules;
  const double tilt2 = mean_tilt2(s);
  double certain[36];
  double sees[6];
  see(s, m, u, certain);
  if (fr_symmetric_eigen(m, certain, sees) != 0)
    return;
  memset(open->u, 0, sizeof open->u);
  memset(&open->constraint, 0, sizeof open->constraint);
  for (int e = 0; e < m; e++) {
    const double *part = certain + (size_t)m * (size_t)e;
    double *twist = open->u[open->count];
    double *dual = open->constraint.v[open->count];
    double all = 0;
    for (int d = 0; d < m; d++) {
      all += part[d] * part[d] * share[d];
      for (int i = 0; i < 6; i++) {
        twist[i] += part[d] * u[d][i];
        dual[i] += part[d] * v[d][i];
      }
    }
    if (all < rules->open_bent + rules->open_explained * tilt2 && sees_one(s, twist) < SEEN + SEEN_OF_TILT * tilt2) {
      open->count++;
      continue;
    }
    memset(twist, 0, 6 * sizeof *twist);
    memset(dual, 0, 6 * sizeof *dual);
  }
  open->told = open->constraint.count = open->count;
}

/* Are these as many as tell anything? Not where a few outweigh the others. */
static int do_suffice(const sample *s) {
  double sum = 0;
  double squares = 0;
  for (size_t k = 0; k < s->count; k++) {
    const double w = (double)s->views[k].weight;
    sum += w;
    squares += w * w;
  }
  return s->count >= LEAST_POINTS && sum * sum >= LEAST_POINTS * squares;
}

int fr_open_measure(fr_open *open, const fr_pass *pass, const fr_constraint *held) {
  sample s;
  double share[6];
  double u[6][6];
  double v[6][6];
  open->count = open->told = open->constraint.count = 0;
  s.pass = pass;
  s.failed = 0;
  if (!(pass->rules->open > 0) || pass->target->count < LEAST_POINTS || !pass->target->nn.ops->euclidean)
    return 0;
  if (take_sample(&s, FEW) != 0)
    return -1;
  if (!do_suffice(&s) || (!pass->metric->needs_normals && are_samples_the_same(&s)) ||
      doubts(&s, held, share, u, v) == 0)
    return 0;
  if (take_sample(&s, MANY) != 0)
    return -1;
  const int m = do_suffice(&s) ? doubts(&s, held, share, u, v) : 0;
  trust_normals(&s);
  if (m > 0)
    decide(&s, m, share, u, v, open);
  return 0;
}
