/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a pass over the source needs: a target, a packed source and its matches, on one thread. */
#ifndef FRICP_TEST_SCENARIO_H
#define FRICP_TEST_SCENARIO_H

#include "align/pass.h"
#include "fixture.h"

typedef struct scenario {
  fricp_target *target;
  fr_source source;
  fr_matches matches;
  fr_pass pass;
} scenario;

/* @param normals  1: the target's are estimated. */
void scenario_of(scenario *s, const fricp_cloud *from, const fricp_cloud *to, int normals, fr_metric_id metric,
                 fr_kernel_id kernel, fr_isa isa);
void scenario_free(scenario *s);

#endif
