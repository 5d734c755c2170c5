/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/judge.h"

#include "maths/se3.h"

#include <math.h>
#include <string.h>

#define REACH 1.5     /* spacings of the cells: near */
#define OFF_PLANE 0.2 /* the same: what cells of one surface lie off each other's planes */
#define PARALLEL 0.8  /* least cosine between normals: 37 degrees */
#define LITTLE 0.03   /* shares of cells: a pose that explains no more than that says little */

#define RELIABLE 0.9 /* least of 2 min(agree) + AGREEMENT agreement */
#define AGREEMENT 0.5

/* One of the two clouds, by the positions of its search. */
typedef struct side {
  const fr_nn *nn;
  const float (*normals)[3];
} side;

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

static int look_from(const side *from, const side *to, const fricp_pose *pose, double spacing, double *near,
                     double *agree) {
  const fricp_pose turn = {{{pose->rotation[0][0], pose->rotation[0][1], pose->rotation[0][2]},
                            {pose->rotation[1][0], pose->rotation[1][1], pose->rotation[1][2]},
                            {pose->rotation[2][0], pose->rotation[2][1], pose->rotation[2][2]}},
                           {0, 0, 0}};
  const double reach2 = REACH * REACH * spacing * spacing;
  size_t nears = 0;
  size_t agrees = 0;
  for (size_t i = 0; i < from->nn->count; i++) {
    double p[3];
    double between[3];
    int32_t match = -1;
    double d2 = 0;
    fr_apply(pose, from->nn->points[i], p);
    const int found = fr_nn_nearest(to->nn, p, 1, reach2, &match, &d2);
    if (found < 0)
      return -1;
    if (found == 0)
      continue;
    const double m[3] = {(double)from->normals[i][0], (double)from->normals[i][1], (double)from->normals[i][2]};
    const double n[3] = {(double)to->normals[match][0], (double)to->normals[match][1], (double)to->normals[match][2]};
    double turned[3];
    fr_apply(&turn, m, turned);
    for (int a = 0; a < 3; a++)
      between[a] = p[a] - to->nn->points[match][a];
    nears++;
    agrees += (size_t)do_agree(between, turned, n, OFF_PLANE * spacing);
  }
  *near = (double)nears / (double)from->nn->count;
  *agree = (double)agrees / (double)from->nn->count;
  return 0;
}

int fr_judge(const fr_coarse *coarse, const fricp_pose *pose, fr_judgement *j) {
  const side source = {&coarse->index.nn, (const float(*)[3])coarse->normals};
  const side target = {&coarse->target.nn, (const float(*)[3])coarse->target.normals};
  const fricp_pose back = fricp_pose_inverse(pose);
  memset(j, 0, sizeof *j);
  if (look_from(&source, &target, pose, coarse->spacing, &j->near[0], &j->agree[0]) != 0 ||
      look_from(&target, &source, &back, coarse->spacing, &j->near[1], &j->agree[1]) != 0)
    return -1;
  j->score = (j->agree[0] + j->agree[1]) / (LITTLE + j->near[0] + j->near[1]);
  return 0;
}

double fr_judgement_agreement(const fr_judgement *j) {
  const double near = j->near[0] + j->near[1];
  return near > 0 ? (j->agree[0] + j->agree[1]) / near : 0;
}

int fr_judgement_convinces(const fr_judgement *j) {
  return 2 * fmin(j->agree[0], j->agree[1]) + AGREEMENT * fr_judgement_agreement(j) >= RELIABLE;
}
