/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver: one loop serves every method (icp.c). Its parts, each with a header of its own, work on the run's state,
 * which is here:
 *
 *   plan        the levels: width, points, iterations, tolerance
 *   evaluate    correspondences, energy and step at a pose
 *   scheme      how a level's next pose is found: a table; scheme_mm majorises and minimises, accelerated
 *   safeguard   a pose is taken only if the energy falls
 *   stop        when a level has come to its end
 *   last_level  what the last one has besides: rest, a prior's weight, open motions held
 */
#ifndef FR_ICP_H
#define FR_ICP_H

#include "align/anderson.h"
#include "align/curvature.h"
#include "align/mixing.h"
#include "align/open.h"
#include "align/pass.h"
#include "align/plan.h"

#define FR_TRACE 1024
#define FR_STALL_STEPS 8

/* A pose with all that was measured at it. */
typedef struct fr_state {
  fricp_pose pose;   /* T */
  fricp_pose target; /* T' of the paper: the step's increment * T */
  double residual;   /* ||T' - T|| */
  double energy;     /* E_nu(T) */
  double nu;
  size_t points; /* source points used */
  size_t matched;
  fr_step step;
} fr_state;

typedef struct fr_icp {
  /* Set by the caller; a run may be started again. */
  fr_settings settings;
  const struct fr_scheme *scheme;
  fr_pass pass;
  double started; /* fr_seconds() */
  /* Called after each accepted pose; non-zero cancels, by way of pass.interrupt. May be NULL. */
  int (*watch)(void *context, const struct fr_icp *icp);
  void *watch_context;
  fricp_trace_row *trace; /* ring of FR_TRACE rows, poses normalised; NULL: none is kept */
  fricp_level *levels;    /* FR_LEVELS, nu normalised; NULL: not kept */
  fr_lock lock;           /* motions since the start of the lock's own that are not to be made */
  fr_spring prior;        /* its variance is of the run */
  double *pull; /* room for a number a target point, of fr_response_measure(); NULL: a prior is weighed without it */
  fr_state now; /* the start in now.pose; then what was found */
  /* State and outcome. */
  size_t trace_count; /* rows ever written */
  int level_count;    /* levels run */
  fr_plan plan;
  fr_anderson anderson;
  fr_mixing mixing; /* of AA-ICP */
  fr_split split;   /* of ADMM; its room is set by the caller */
  fr_curvature curvature;
  fr_open open;          /* motions that are held */
  double energy;         /* at the pose just evaluated, with the prior's */
  double prior_parabola; /* c of prior.h, ... */
  double prior_doubt;    /* ... and d */
  fricp_pose last_step;
  int finishing; /* 1: by scheme->finish */
  int level;
  int level_iteration;
  int level_most;                  /* iterations that this level may take */
  int was_accelerated;             /* the last accepted pose */
  int calm;                        /* accelerated steps since a proposal failed */
  double squared_before;           /* weighted mean squared residual one step ago */
  double energies[FR_STALL_STEPS]; /* of the level's last steps, a ring */
  int iterations;
  int passes;
  int accelerated;
  int rejected;
  int32_t stop_reason;
  fricp_status failure; /* of a step that failed */
} fr_icp;

/* Run from icp->now.pose. */
fricp_status fr_icp_run(fr_icp *icp, fricp_error *error);

/* Enter icp->level: the same pose under a smaller nu, on more points. @return 0 if it has nothing to align, or where
 * status tells of a failure. */
int fr_level_enter(fr_icp *icp, fricp_status *status, fricp_error *error);

/* Iterate at fixed nu from the current state until icp->stop_reason. */
fricp_status fr_level_run(fr_icp *icp, fricp_error *error);

/* Note what the level came to in icp->levels. */
void fr_level_close(fr_icp *icp);

static inline int fr_icp_is_last_level(const fr_icp *icp) {
  return icp->level == icp->plan.count - 1;
}

#endif
