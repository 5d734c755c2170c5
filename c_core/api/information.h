/* SPDX-License-Identifier: BSD-3-Clause */
/* What the data tell about the pose: open motions and the information matrix. */
#ifndef FR_INFORMATION_H
#define FR_INFORMATION_H

#include "align/response.h"

/* Fill undetermined, undetermined_directions and information of the result, in the caller's units, about step->center.
 */
void fr_information_fill(const fr_step *step, const fr_open *open, const fr_response *response, int dimension,
                         double extent, fricp_result *result);

#endif
