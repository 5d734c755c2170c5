/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver. One loop serves every method. */
#ifndef FR_ICP_H
#define FR_ICP_H

#include "align/anderson.h"
#include "align/curvature.h"
#include "align/open.h"
#include "align/pass.h"
#include "align/schedule.h"

#define FR_TRACE 1024

/* What a caller's options come to in the target's normalised frame. */
typedef struct fr_settings {
  int history;          /* m; 0: no acceleration */
  int max_iterations;   /* total; INT_MAX: none */
  int first_iterations; /* limit of the first level, ... */
  int most_iterations;  /* ... one more in each later one, at most this; the last level: LAST_ITERATIONS of icp.c */
  size_t least_points;  /* see fr_schedule_least() */
  double nu_start_factor;
  double nu_end;              /* absolute */
  double translation_epsilon; /* 0: off */
  double rotation_epsilon;
  double fitness_epsilon;
  double spacing;      /* of the target */
  double least_radius; /* see fr_geometry */
  double least_incline;
} fr_settings;

/* A pose with all that was measured at it. */
typedef struct fr_state {
  fricp_pose pose;
  double energy;
  double nu;
  size_t points; /* source points used */
  size_t matched;
  fr_step step;
} fr_state;

typedef struct fr_icp {
  fr_settings settings;
  fr_pass pass;
  double started; /* fr_seconds() */
  /* Called after each accepted pose; non-zero cancels, by way of pass.interrupt. May be NULL. */
  int (*watch)(void *context, const struct fr_icp *icp);
  void *watch_context;
  fricp_trace_row *trace; /* ring of FR_TRACE rows, poses normalised */
  size_t trace_count;     /* rows ever written */
  fricp_level *levels;    /* FR_LEVELS, nu normalised */
  int level_count;        /* levels run */
  /* State and outcome. */
  fr_schedule schedule;
  fr_anderson anderson;
  fr_curvature curvature;
  fr_open open; /* motions that are held at the start */
  fr_state now;
  fricp_pose last_step;
  int level;
  int level_iteration;
  int calm; /* accelerated steps since a proposal failed */
  int iterations;
  int passes;
  int accelerated;
  int rejected;
  int32_t stop_reason;
  fricp_status failure; /* of a step that failed */
} fr_icp;

/* Hold the motions that are open since the start, and run the last level again. */
fricp_status fr_icp_hold(fr_icp *icp, const fr_open *open, const fricp_pose *start, fricp_error *error);

/* May the pose be called converged? */
int fr_icp_is_converged(const fr_icp *icp);

/* Run from icp->now.pose. Everything above "State and outcome" is set by the caller. */
fricp_status fr_icp_run(fr_icp *icp, fricp_error *error);

#endif
