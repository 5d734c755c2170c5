/* SPDX-License-Identifier: BSD-3-Clause */
/* Checking what the caller passes, and the methods as presets. */
#ifndef FR_OPTIONS_H
#define FR_OPTIONS_H

#include "base/status.h"
#include "model/kernel.h"
#include "model/metric.h"

/* A method is a metric, a kernel and an acceleration. */
typedef struct fr_method {
  const char *name;
  fr_metric_id metric;
  fr_kernel_id kernel;
  int history; /* of Anderson acceleration; 0: none */
} fr_method;

/* The row of a fricp_method, NULL if there is none. */
const fr_method *fr_method_find(int32_t method);

/* A method's row, but for what checked options replace. */
fr_method fr_method_of(int32_t method, const fricp_options *options);

/* Check options (NULL: the defaults) and copy them. */
fricp_status fr_options_check(const fricp_options *options, fricp_options *checked, fricp_error *error);
fricp_status fr_target_options_check(const fricp_target_options *options, fricp_target_options *checked,
                                     fricp_error *error);

#endif
