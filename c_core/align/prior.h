/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The prior in a run. Information is absolute, an energy is not: a kernel's is c sum w r^2 for small residuals, and a sum
 * of squares over their variance s^2 is twice the negative logarithm of a likelihood. So the run's energy is
 *
 *   E + c d s^2 x^T K x,      s^2 = sum w r^2 / (the equations' weight - the unknowns),
 *
 * with the prior's information K and error x (spring.h). s^2 is measured where a level begins, of as many points as the
 * level uses; the last level is run again until it stays. d is how much less than N / s^2 the clouds say (response.h), from
 * when the last level has come to rest; before, 1.
 */
#ifndef FR_PRIOR_H
#define FR_PRIOR_H

#include "align/icp.h"

/* Measure d s^2 and c at the pass just made, at `pose`; nothing without a prior. */
void fr_prior_weigh(fr_icp *icp, const fricp_pose *pose);

/* c d s^2 x^T K x. */
double fr_prior_energy(const fr_icp *icp, const fricp_pose *pose);

#endif
