/* SPDX-License-Identifier: BSD-3-Clause */
/* What a residual is, and the step that lowers the weighted sum of its squares. A metric is one file, compiled
 * for each instruction set, and one row of the table in metric.c. */
#ifndef FR_METRIC_H
#define FR_METRIC_H

#include "base/isa.h"
#include "cloud/block.h"
#include "maths/se3.h"

typedef enum fr_metric_id { FR_METRIC_POINT_TO_POINT, FR_METRIC_POINT_TO_PLANE } fr_metric_id;

#define FR_MOMENT_ROUNDING 1e-13 /* relative, of a covariance over any number of points about a far mean */

/* Motions that are not to be made: a twist d about the frame's origin is free if v . d is 0 for every row v. */
typedef struct fr_constraint {
  int count;
  double v[6][6];
} fr_constraint;

/* What is determined, and from when on. */
typedef struct fr_geometry {
  int dimension;
  double center[3];     /* of the blocks: the moved origin of the source */
  double least_radius;  /* a rotation that moves the points by less than this (RMS, per radian) is not determined */
  double least_incline; /* point-to-plane: the least RMS of normal motion, per unit of motion, that determines a
                           direction */
  const fr_constraint *constraint; /* NULL: none */
} fr_geometry;

/* The outcome of one alignment step. */
typedef struct fr_step {
  fricp_pose increment;   /* new pose = increment * pose, in the target's normalised frame */
  double weight;          /* sum of the weights */
  double squared;         /* weighted sum of squared residuals */
  double center[3];       /* weighted centroid of the moved source */
  double normal[6][6];    /* normal matrix of twists (rotation about center, then translation) */
  int undetermined;       /* directions left as they were */
  double direction[6][6]; /* their unit twists, row by row */
} fr_step;

typedef struct fr_metric {
  const char *name;
  int needs_normals;
  int residual_is_distance; /* 1: |residual| is the distance to the correspondence */
  int equations;            /* scalar equations per correspondence */
  /* Fill squared, and residual where it has a sign (not if residual_is_distance), of the padded block from y, q, n. */
  void (*residuals)(fr_block *block);
  /* Add the block's share to the sums. */
  void (*accumulate)(const fr_block *block, double sums[FR_SUMS]);
  /* Solve for the step. @return 0, or LAPACK's failure. */
  int (*step)(const double sums[FR_SUMS], const fr_geometry *geometry, fr_step *step);
} fr_metric;

const fr_metric *fr_metric_find(fr_metric_id id, fr_isa isa);

/* Solve for the step from its normal matrix, weight and center, and the gradient `right`: see step.c. @return 0, or -1 if
 * LAPACK failed. */
int fr_step_solve(const fr_geometry *geometry, double radius, double least, const double right[6], fr_step *step);

/* Degrees of freedom of a twist in so many dimensions: writes their indices. @return how many. */
int fr_free_directions(int dimension, int direction[6]);

#endif
