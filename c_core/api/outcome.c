/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call came to, in the caller's terms. */
#include "align/stop.h"
#include "api/information.h"
#include "api/job.h"
#include "api/settings.h"

#include <math.h>

static void fill_inliers(const fr_job *j, fricp_result *result) {
  const double extent = j->target->extent;
  result->inliers = j->inliers;
  result->inlier_distance = fr_inlier_limit(&j->options, j->target) * extent;
  result->inlier_share = (double)j->inliers / (double)j->solver->source.count;
  result->inlier_rms = j->inliers ? extent * sqrt(j->inliers_squared / (double)j->inliers) : 0;
}

static void fill_information(const fr_job *j, fricp_result *result) {
  const fr_icp *icp = &j->icp;
  fr_information_fill(&icp->now.step, &icp->open, &j->response, j->target->dimension, j->target->extent, result);
  fr_point_to_caller(&j->frames, icp->now.step.center, result->information_center);
}

void fr_job_fill(const fr_job *j, int known, fricp_result *result) {
  const fr_icp *icp = &j->icp;
  const double extent = j->target->extent;
  result->target_from_source = fr_pose_to_caller(&j->frames, &icp->now.pose);
  result->last_step = fr_motion_to_caller(&j->frames, &icp->last_step);
  result->stop_reason = icp->stop_reason;
  result->converged = fr_icp_is_converged(icp);
  result->levels = icp->level_count;
  result->iterations = icp->iterations;
  result->correspondence_passes = icp->passes;
  result->accelerated = icp->accelerated;
  result->rejected = icp->rejected;
  result->threads = icp->pass.threads;
  result->energy = fr_energy_to_caller(&j->frames, icp->now.energy);
  result->nu_start = icp->plan.level[0].nu * extent;
  result->nu_end = icp->now.nu * extent;
  if (known)
    fill_inliers(j, result);
  if (known && result->inliers == 0 && result->converged && j->options.inlier_distance == 0) {
    result->stop_reason = FRICP_STOP_NO_OVERLAP;
    result->converged = 0;
  }
  if (icp->now.step.weight > 0)
    fill_information(j, result);
}

void fr_job_publish(fr_job *j, int known) {
  fricp_solver *solver = j->solver;
  const fr_icp *icp = &j->icp;
  const double extent = j->target->extent;
  solver->extent = extent;
  for (size_t i = 0; known && i < solver->source.count; i++)
    if (solver->matches.match[i] >= 0)
      solver->matches.match[i] = j->target->index[solver->matches.match[i]];
  solver->level_count = (size_t)icp->level_count;
  for (size_t i = 0; i < solver->level_count; i++) {
    solver->levels[i].nu *= extent;
    solver->levels[i].energy = fr_energy_to_caller(&j->frames, solver->levels[i].energy);
  }
  solver->trace_rows = icp->trace_count < FR_TRACE ? icp->trace_count : FR_TRACE;
  for (size_t i = 0; i < solver->trace_rows; i++) {
    icp->trace[i].nu *= extent;
    icp->trace[i].energy = fr_energy_to_caller(&j->frames, icp->trace[i].energy);
    icp->trace[i].target_from_source = fr_pose_to_caller(&j->frames, &icp->trace[i].target_from_source);
  }
  /* The ring starts at its oldest row: turn it, by three reversals. */
  const size_t turn = icp->trace_count > FR_TRACE ? icp->trace_count % FR_TRACE : 0;
  const size_t bound[3][2] = {{0, turn}, {turn, solver->trace_rows}, {0, solver->trace_rows}};
  for (int k = 0; turn > 0 && k < 3; k++)
    for (size_t a = bound[k][0], b = bound[k][1]; a + 1 < b; a++, b--) {
      const fricp_trace_row row = icp->trace[a];
      icp->trace[a] = icp->trace[b - 1];
      icp->trace[b - 1] = row;
    }
}
