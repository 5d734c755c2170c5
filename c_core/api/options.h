/* SPDX-License-Identifier: BSD-3-Clause */
/* Checking what the caller passes. */
#ifndef FR_OPTIONS_H
#define FR_OPTIONS_H

#include "align/method.h"
#include "base/status.h"

/* A method's row, but for what checked options replace. */
fr_method fr_method_of(int32_t method, const fricp_options *options);

/* Check options (NULL: the defaults) and copy them. */
fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error);
fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error);

#endif
