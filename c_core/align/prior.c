/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/prior.h"

#include "align/evaluate.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-12 /* squared residual, in squares of the width: where a kernel is a parabola */

static double parabola_of(const fr_pass *pass, double nu) {
  double weight[8];
  double squared[8] = {nu > 0 ? SMALL * nu * nu : 1};
  const double prior[8] = {1};
  const double width = pass->kernel->ranked ? INFINITY : nu; /* the first points count */
  return pass->kernel->apply(width, pass->shape, 8, squared, prior, weight) / squared[0];
}

/* Of a level's part of the points the share of what all would say. */
static double share_of(const fr_icp *icp) {
  const fr_source *source = icp->pass.source;
  return fr_source_weight(source, icp->now.points) / fr_source_weight(source, source->count);
}

void fr_prior_weigh(fr_icp *icp, const fricp_pose *pose) {
  fr_step step;
  double mean = 1;
  if (!icp->prior.used)
    return;
  fr_equate(icp, pose, icp->pass.sums, &step);
  if (!(step.weight > 0))
    return;
  const double variance = fr_residual_variance(icp, &step, &mean);
  icp->prior.variance = variance * share_of(icp) * icp->prior_doubt;
  icp->prior_parabola = parabola_of(&icp->pass, icp->now.nu);
  fr_spring_limit(&icp->prior, pose, step.center, step.radius, step.weight);
}

double fr_prior_energy(const fr_icp *icp, const fricp_pose *pose) {
  return icp->prior.used ? icp->prior_parabola * fr_spring_energy(&icp->prior, pose) : 0;
}
