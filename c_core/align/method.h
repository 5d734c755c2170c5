/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods as presets. */
#ifndef FR_METHOD_H
#define FR_METHOD_H

#include "align/scheme.h"
#include "base/status.h"
#include "model/kernel.h"
#include "model/metric.h"

/* A method is a metric, a kernel, a scheme and an acceleration. */
typedef struct fr_method {
  const char *name;
  fr_metric_id metric;
  fr_kernel_id kernel;
  fr_scheme_id scheme;
  int history; /* of Anderson acceleration; 0: none */
} fr_method;

/* The row of a fricp_method, NULL if there is none. */
const fr_method *fr_method_find(int32_t method);

/* The paper allows planes with a robust kernel few steps a level; so all that goes by normals with a width. */
fr_limits fr_method_limits(const fr_method *method);

#endif
