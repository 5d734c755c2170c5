/* SPDX-License-Identifier: BSD-3-Clause */
/* What a residual is, and the step that lowers the weighted sum of its squares. A metric is one file that defines
 * fr_metric_<name>, compiled for each instruction set, and a row here. */
#ifndef FR_METRIC_H
#define FR_METRIC_H

#include "base/isa.h"
#include "cloud/block.h"
#include "maths/freedom.h"
#include "maths/se3.h"
#include "maths/spring.h"

#define FR_METRICS(ROW)                                                                                                \
  ROW(POINT_TO_POINT, point)                                                                                           \
  ROW(POINT_TO_PLANE, plane)                                                                                           \
  ROW(SYMMETRIC, symmetric)

#define FR_METRIC_ID(id, name) FR_METRIC_##id,
typedef enum fr_metric_id { FR_METRICS(FR_METRIC_ID) FR_METRIC_COUNT } fr_metric_id;
#undef FR_METRIC_ID

#define FR_LEAST_DEVIATION 1e-9  /* of the extent: no residual is more exact than that */
#define FR_MOMENT_ROUNDING 1e-13 /* relative, of a covariance over any number of points about a far mean */

/* What is determined, and from when on. */
typedef struct fr_geometry {
  int dimension;
  double center[3];     /* of the blocks: the moved origin of the source */
  double least_radius;  /* a rotation that moves the points by less than this (RMS, per radian) is not determined */
  double least_incline; /* point-to-plane: the least RMS of normal motion, per unit of motion, that determines a
                           direction */
  const fr_constraint *constraint; /* NULL: none */
  int repeat;                      /* 1: solve to the minimum under a constraint, too, where the metric can */
  const fr_spring *spring;         /* NULL: none; else what it pulls at: */
  const fricp_pose *pose;          /* that of the moved source */
} fr_geometry;

/* One alignment step: the equations, and what they come to. */
typedef struct fr_step {
  double weight;           /* sum of the weights; 0: nothing to align */
  double squared;          /* weighted sum of squared residuals */
  double center[3];        /* weighted centroid of the moved source */
  double normal[6][6];     /* normal matrix N of twists (rotation about center, then translation) */
  double gradient[6];      /* half of that of `squared` by them */
  double radius;           /* of the points about center, to compare turns with shifts; positive */
  double least;            /* mean squared residual per unit of motion that determines a direction */
  fricp_pose increment;    /* new pose = increment * pose, in the target's normalised frame */
  int undetermined;        /* directions left as they were */
  int unseen;              /* those, and what the data do not determine though a spring may */
  double direction[12][6]; /* their unit twists, row by row; the undetermined ones first */
} fr_step;

typedef struct fr_metric {
  const char *name;
  int needs_normals; /* of the target */
  int needs_source_normals;
  int residual_is_distance; /* 1: |residual| is the distance to the correspondence */
  int equations;            /* scalar equations per correspondence */
  /* The last kernel width, nu_min: the target's spacing over so much, along the normals if there are to be any
   * (paper, appendix "Choices of nu_min"), but at least so much of its roughness or noise, and of its plain spacing. */
  double spacing_over_nu;
  double nu_roughness;
  double nu_noise;
  double nu_trifle;
  /* Fill squared, and residual where it has a sign (not if residual_is_distance), of the padded block from y, q, n. */
  void (*residuals)(fr_block *block);
  /* Add the block's share to the sums. */
  void (*accumulate)(const fr_block *block, double sums[FR_SUMS]);
  /* From the sums, weight and squared, and if there is weight all down to `least`. */
  void (*equate)(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step);
  /* Solve exactly, after equate(), where all motions are free; NULL: there is no closed form. @return 0, or LAPACK's
   * failure. */
  int (*closed_form)(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step);
  /* With a closed form: the sums of the source moved by a motion about the blocks' centre, its correspondences held. */
  void (*move)(const fricp_pose *motion, double sums[FR_SUMS]);
} fr_metric;

const fr_metric *fr_metric_find(fr_metric_id id, fr_isa isa);

/* The variance of a residual of weight 1. equations: independent ones a correspondence; mean_weight: of the caller's
 * weights, which count relative to it. */
double fr_step_variance(const fr_step *step, int unknowns, double equations, double mean_weight);

/* The motions that are free, and the data's equations over them by eigenvectors: twists v with v^T N v = eigenvalue, which
 * about the step's center and with turns scaled by its radius are orthonormal. */
typedef struct fr_reduced {
  int m;
  double eigenvalue[6];
  double v[6][6];
} fr_reduced;

/* Of a step with weight. @return 0, or -1 if LAPACK failed. */
int fr_step_reduce(const fr_geometry *geometry, const fr_step *step, fr_reduced *reduced);

/* The step from the sums of a pass. @return 0, or -1 if LAPACK failed. */
int fr_step_make(const fr_metric *metric, const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step);

#endif
