/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver object, and one call's view of things. */
#ifndef FR_JOB_H
#define FR_JOB_H

#include "align/candidates.h"
#include "align/icp.h"
#include "align/method.h"
#include "align/response.h"
#include "cloud/frames.h"
#include "cloud/source_index.h"

struct fricp_solver {
  fr_memory memory;
  fr_source source;
  fr_matches matches;
  fr_buffer sums;
  fr_buffer trace;
  fr_buffer split;
  fr_buffer pull;
  fricp_level levels[FR_LEVELS];
  size_t level_count;
  size_t trace_rows;
  fricp_candidate candidates[FR_CANDIDATES];
  size_t candidate_count;
  double extent; /* of the target last used */
  fr_rules rules;
  int aligned;  /* 1: the last call left per-point results */
  fr_pool pool; /* of the source's index */
  fricp_error error;
};

typedef struct fr_job {
  fricp_solver *solver;
  const fricp_target *target;
  fricp_options options;
  fricp_cloud cloud;
  fricp_pose guess;
  fr_chart lock;    /* of the locked directions, in the caller's frames */
  fr_spring prior;  /* the same */
  fr_method method; /* of auto the one that refines; as the options combine it */
  int is_auto;
  fr_coarse cells[2]; /* of auto: of all points, without strays */
  fr_coarse *coarse;  /* of these, the one of the choice */
  fr_choice choice;
  fr_frames frames;
  fr_source_index reciprocal; /* of one-to-one correspondences and of normals */
  fr_interrupt interrupt;
  fricp_progress told; /* at the last accepted pose */
  fr_icp icp;
  fr_response response;
  size_t inliers; /* where the final pass was made; and the sum of their squared distances */
  double inliers_squared;
} fr_job;

/* Check all that the caller passes. */
fricp_status fr_job_check(fr_job *job, const fricp_cloud *source, const fricp_pose *guess, const fricp_options *options,
                          fricp_error *error);

/* Read the source and set up the run, at the start that the options ask for. Released by fr_job_release(), also after a
 * failure. */
fricp_status fr_job_prepare(fr_job *job, fricp_error *error);

/* Run by another method than the job was prepared for, of a scheme that needs no room of its own. */
fricp_status fr_job_change_method(fr_job *job, int32_t method, fricp_error *error);

void fr_job_release(fr_job *job);

/* Fill a blank result. known: was the final pass made, so that each point's outcome is known? */
void fr_job_fill(const fr_job *job, int known, fricp_result *result);

/* Bring levels, trace and matches into the caller's frame and indices, where they lie. */
void fr_job_publish(fr_job *job, int known);

#endif
