/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's gate on pairs: it is asked in his terms about what would count and nothing else, and what it rejects does
 * not count. */
#include "api.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct gate {
  const scene *s;
  double limit2;   /* pairs beyond must not be asked for */
  int32_t refused; /* source points below this index are rejected */
  atomic_long calls;
  atomic_int wrong;
} gate;

static int accept_pair(void *context, int32_t source, int32_t target, double d2) {
  gate *g = context;
  g->calls++;
  if (source < 0 || (size_t)source >= g->s->source_count || target < 0 || (size_t)target >= g->s->target_count ||
      !(d2 <= g->limit2 * (1 + 1e-9)))
    g->wrong = 1;
  return source >= g->refused;
}

/* A third of the source is the shape shifted aside: a gate that knows it leaves the truth, exactly, where least squares
 * would be pulled away. */
START_TEST(what_is_rejected_does_not_count) {
  static const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 3000, .same_sample = 1, .angle = 2};
  for (int32_t method = FRICP_METHOD_FAST_ICP; fricp_method_name(method); method++) {
    scene s = make_scene(&spec);
    for (size_t i = 0; i < 1000; i++)
      s.source[3 * i] += 0.3;
    const fricp_cloud source = source_of(&s);
    const fricp_cloud target = target_of(&s);
    fricp_options options = options_for(method);
    const fricp_result all = register_or_fail(&source, &target, NULL, &options);
    gate g = {.s = &s, .limit2 = INFINITY, .refused = 1000};
    options.accept_pair = accept_pair;
    options.pair_context = &g;
    fricp_result r[2];
    for (int k = 0; k < 2; k++) {
      options.threads = k ? 4 : 1;
      r[k] = register_or_fail(&source, &target, NULL, &options);
    }
    ck_assert(!g.wrong);
    ck_assert(verify_same_bits(&r[0].target_from_source, &r[1].target_from_source));
    ck_assert_double_le(error_of(&s, &r[0].target_from_source), 1e-6);
    if (!is_robust(method))
      ck_assert_double_ge(error_of(&s, &all.target_from_source), 1e-3);
    scene_free(&s);
  }
}
END_TEST

/* One that accepts all changes no bit, and is asked at most once a point and pass, about pairs within the limit. */
START_TEST(what_is_accepted_changes_nothing) {
  static const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 3000, .overlap = 0.7, .noise = 0.002, .angle = 8};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.max_distance = 0.2;
    options.threads = 2;
    const fricp_result without = register_or_fail(&source, &target, NULL, &options);
    gate g = {.s = &s, .limit2 = 0.04};
    options.accept_pair = accept_pair;
    options.pair_context = &g;
    const fricp_result with = register_or_fail(&source, &target, NULL, &options);
    check_same_result(&without, &with);
    ck_assert(!g.wrong);
    ck_assert_int_gt(g.calls, 0);
    /* besides the passes that count, one for the first width, and one or two that record the outcome */
    ck_assert_int_le(g.calls, (long)s.source_count * (with.correspondence_passes + 3));
  }
  scene_free(&s);
}
END_TEST

START_TEST(a_gate_that_rejects_all_is_an_error) {
  static const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 500};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = FRICP_METHOD_ROBUST_ICP; fricp_method_name(method); method++) {
    gate g = {.s = &s, .limit2 = INFINITY, .refused = INT32_MAX};
    fricp_options options = options_for(method);
    options.accept_pair = accept_pair;
    options.pair_context = &g;
    fricp_result result = FRICP_RESULT_INIT;
    ck_assert_int_eq(fricp_register(&source, &target, NULL, &options, &result, NULL), FRICP_ERROR_NO_CORRESPONDENCES);
  }
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {what_is_rejected_does_not_count, what_is_accepted_changes_nothing,
                                a_gate_that_rejects_all_is_an_error};
  return run_suite("gate", tests, COUNT(tests));
}
