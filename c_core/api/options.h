/* SPDX-License-Identifier: BSD-3-Clause */
/* Checking what the caller passes. */
#ifndef FR_OPTIONS_H
#define FR_OPTIONS_H

#include "base/status.h"

/* Check options (NULL: the defaults) and copy them. */
fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error);
fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error);

#endif
