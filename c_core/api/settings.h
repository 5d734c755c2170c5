/* SPDX-License-Identifier: BSD-3-Clause */
/* From the caller's options to a run's settings, in units of the target's extent. */
#ifndef FR_SETTINGS_H
#define FR_SETTINGS_H

#include "align/method.h"
#include "align/pass.h"
#include "align/plan.h"

#define FR_LEAST_NU 1e-7 /* of the extent: below, floats and duplicates decide */
#define FR_ENDLESS 1e140 /* of the extent: no limit at all, and its square is finite */

fr_settings fr_settings_make(const fricp_options *options, const fr_method *method, const fricp_target *target,
                             const fr_rules *rules);

/* The caller's max_distance, in extents; INFINITY: none. */
double fr_most_distance(const fricp_options *options, const fricp_target *target);

/* What counts as an inlier, in extents. */
double fr_inlier_limit(const fricp_options *options, const fricp_target *target);

#endif
