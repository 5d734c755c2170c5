/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/judge.h"

#include "maths/lapack.h"
#include "maths/se3.h"

#include <math.h>
#include <string.h>

#define REACH 1.5     /* spacings of the cells: near */
#define OFF_PLANE 0.2 /* the same: what cells of one surface lie off each other's planes */
#define PARALLEL 0.8  /* least cosine between normals: 37 degrees */
#define THROUGH 3.0   /* spacings: so much nearer than what was seen in its direction */
#define LITTLE 0.03   /* shares of cells: a pose that explains no more than that says little */

#define AGREEMENT 0.75  /* of the agreement counts */
#define AGAINST 5.0     /* what is seen through cannot be, what agrees can by chance */
#define ALIKE 0.003     /* of all that is known: along any direction so much agrees as all does */
#define LEAST_ALONG 0.4 /* of the agreement: what shows a shift along some direction agrees no less */

/* One of the two clouds, by the positions of its search. Of the other only what lies within a radius counts. */
typedef struct side {
  const fr_nn *nn;
  const float (*normals)[3];
  const fr_rays *rays;
  const double *middle;
  double radius; /* from the middle */
} side;

/* What shows a shift along a direction, of what is known and of what agrees: sums of n n^T over normals n in the frame of
 * the target, 3 x 3, column-major, the upper triangle. */
typedef struct shown {
  double known[9];
  double agree[9];
} shown;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int has_normal(const double n[3]) {
  return n[0] != 0 || n[1] != 0 || n[2] != 0;
}

/* Without normals the distance has to be small itself. */
static int do_agree(const double between[3], const double m[3], const double n[3], double off) {
  if (!has_normal(m) || !has_normal(n))
    return dot(between, between) < off * off;
  return fabs(dot(between, m)) < off && fabs(dot(between, n)) < off && fabs(dot(m, n)) > PARALLEL;
}

static void count_normal(double sum[9], const double n[3]) {
  sum[0] += n[0] * n[0];
  sum[3] += n[0] * n[1];
  sum[4] += n[1] * n[1];
  sum[6] += n[0] * n[2];
  sum[7] += n[1] * n[2];
  sum[8] += n[2] * n[2];
}

/* The least d^T agree d / d^T known d over all directions d, which is an eigenvalue, over what that is for all of them. */
static double least_along(const shown *s) {
  const double known = s->known[0] + s->known[4] + s->known[8];
  const double agree = s->agree[0] + s->agree[4] + s->agree[8];
  shown a = *s;
  double w[3];
  if (!(agree > 0))
    return known > 0 ? 0 : 1;
  for (int i = 0; i < 9; i += 4) {
    a.known[i] += ALIKE / 3 * known;
    a.agree[i] += ALIKE / 3 * agree;
  }
  return fr_generalized_eigen(3, a.agree, a.known, w) == 0 ? fmin(1, w[0] * known / agree) : 0;
}

/* The share of `from`, which is side number k. */
static int look_from(const side *from, const side *to, const fricp_pose *pose, double spacing, fr_judgement *j, int k,
                     shown *sums) {
  fricp_pose turn = *pose;
  memset(turn.translation, 0, sizeof turn.translation);
  const double reach2 = REACH * REACH * spacing * spacing;
  size_t count = 0;
  size_t near = 0;
  size_t agree = 0;
  size_t through = 0;
  for (size_t i = 0; i < from->nn->count; i++) {
    const double m[3] = {(double)from->normals[i][0], (double)from->normals[i][1], (double)from->normals[i][2]};
    double p[3];
    double turned[3];
    double between[3];
    int32_t match = -1;
    double d2 = 0;
    fr_apply(pose, from->nn->points[i], p);
    if (fr_distance2(p, to->middle) > to->radius * to->radius)
      continue;
    count++;
    const int found = fr_nn_nearest(to->nn, p, 1, reach2, &match, &d2);
    if (found < 0)
      return -1;
    if (found == 0 && !fr_rays_pass(to->rays, p, THROUGH * spacing))
      continue;
    fr_apply(&turn, m, turned);
    const double *in_target = k == 0 ? turned : m;
    count_normal(sums->known, in_target);
    if (found == 0) {
      through++;
      continue;
    }
    const double n[3] = {(double)to->normals[match][0], (double)to->normals[match][1], (double)to->normals[match][2]};
    for (int a = 0; a < 3; a++)
      between[a] = p[a] - to->nn->points[match][a];
    near++;
    if (do_agree(between, turned, n, OFF_PLANE * spacing)) {
      agree++;
      count_normal(sums->agree, in_target);
    }
  }
  const double all = fmax(1, (double)count);
  j->near[k] = (double)near / all;
  j->agree[k] = (double)agree / all;
  j->through[k] = (double)through / all;
  return 0;
}

static double both(const double share[2]) {
  return share[0] + share[1];
}

int fr_judge(const fr_coarse *coarse, const fricp_pose *pose, fr_judgement *j) {
  const side source = {&coarse->index.nn, (const float(*)[3])coarse->normals, &coarse->rays[0], coarse->middle,
                       coarse->radius};
  const side target = {&coarse->target.nn, (const float(*)[3])coarse->target.normals, &coarse->rays[1], coarse->middle,
                       INFINITY};
  const fricp_pose back = fricp_pose_inverse(pose);
  shown sums = {{0}, {0}};
  memset(j, 0, sizeof *j);
  if (look_from(&source, &target, pose, coarse->spacing, j, 0, &sums) != 0 ||
      look_from(&target, &source, &back, coarse->spacing, j, 1, &sums) != 0)
    return -1;
  j->least_along = least_along(&sums);
  j->score = fmin(1, j->least_along / LEAST_ALONG) * both(j->agree) / (LITTLE + both(j->near) + both(j->through));
  return 0;
}

double fr_judgement_agreement(const fr_judgement *j) {
  const double known = both(j->near) + both(j->through);
  return known > 0 ? both(j->agree) / known : 0;
}

double fr_judgement_evidence(const fr_judgement *j) {
  const double source = j->agree[0] - AGAINST * j->through[0];
  const double target = j->agree[1] - AGAINST * j->through[1];
  const double evidence = 2 * fmin(source, target) + AGREEMENT * fr_judgement_agreement(j);
  return j->least_along < LEAST_ALONG ? fmin(evidence, 0) : evidence;
}
