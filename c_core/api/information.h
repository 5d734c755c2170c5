/* SPDX-License-Identifier: BSD-3-Clause */
/* What the data tell about the pose: open motions and the information matrix. */
#ifndef FR_INFORMATION_H
#define FR_INFORMATION_H

#include "align/open.h"

/* Fill undetermined, undetermined_directions and information of the result, in the caller's units, about step->center.
 * equations: independent ones a correspondence; mean_weight: of the caller's weights, which count relative to it. */
void fr_information_fill(const fr_step *step, const fr_open *open, int dimension, double equations, double mean_weight,
                         double extent, fricp_result *result);

#endif
