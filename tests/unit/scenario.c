/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario.h"

#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scenario_of(scenario *s, const fricp_cloud *from, const fricp_cloud *to, int normals, fr_metric_id metric,
                 fr_kernel_id kernel, fr_isa isa) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = !normals;
  memset(s, 0, sizeof *s);
  ck_assert_int_eq(fricp_target_create(&s->target, to, &options, NULL), FRICP_OK);
  fricp_cloud checked;
  ck_assert_int_eq(fr_cloud_check(from, "source", &checked, NULL), FRICP_OK);
  fixture_pack(&s->source, &s->matches, &checked, s->target->extent);
  s->pass.target = s->target;
  s->pass.source = &s->source;
  s->pass.matches = &s->matches;
  s->pass.rules = &fr_default_rules;
  s->pass.metric = fr_metric_find(metric, isa);
  s->pass.kernel = fr_kernel_find(kernel, isa);
  s->pass.sweep = fr_sweep_find(isa);
  s->pass.reuse = fr_reuse_find(isa);
  s->pass.max_distance = INFINITY;
  s->pass.threads = 1;
  s->pass.block_sums = malloc(fr_pass_room(from->count) * sizeof(double));
  ck_assert_ptr_nonnull(s->pass.block_sums);
}

void scenario_free(scenario *s) {
  free(s->pass.block_sums);
  fr_source_release(&s->source, &fixture_memory);
  fr_matches_release(&s->matches, &fixture_memory);
  fricp_target_destroy(s->target);
}
