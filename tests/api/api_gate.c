/* SPDX-License-Identifier: BSD-3-Clause */
/* Gates on pairs. The caller's is asked in his terms about what would count and nothing else, and what it rejects does not
 * count; that on the angle between normals is as defined. */
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
    fricp_options options = options_for(method);
    const fricp_result all = register_scene(&s, NULL, &options);
    gate g = {.s = &s, .limit2 = INFINITY, .refused = 1000};
    options.accept_pair = accept_pair;
    options.pair_context = &g;
    fricp_result r[2];
    for (int k = 0; k < 2; k++) {
      options.threads = k ? 4 : 1;
      r[k] = register_scene(&s, NULL, &options);
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
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.max_distance = 0.2;
    options.threads = 2;
    const fricp_result without = register_scene(&s, NULL, &options);
    gate g = {.s = &s, .limit2 = 0.04};
    options.accept_pair = accept_pair;
    options.pair_context = &g;
    const fricp_result with = register_scene(&s, NULL, &options);
    check_same_result(&without, &with);
    ck_assert(!g.wrong);
    ck_assert_int_gt(g.calls, 0);
    /* besides the passes that count, one for the first width, one or two that record the outcome, and, for the information,
     * one and two for each direction on a sample of fewer than 2,000 points */
    ck_assert_int_le(g.calls, (long)s.source_count * (with.correspondence_passes + 3) + 13 * 2000L);
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

/* A room with outliers, whose normals are random: the pairs that count at the end are those of the definition, by looking
 * at all. A third of the source's normals are turned around. */
START_TEST(an_angle_between_normals_is_a_gate) {
  enum { N = 3000 };
  static const scene_spec spec = {
      .kind = SCENE_ROOM, .source_count = N, .overlap = 0.9, .noise = 0.002, .angle = 4, .outliers = 0.1};
  scene s = make_scene(&spec);
  for (size_t i = 0; i < N; i += 3)
    for (size_t a = 0; a < 3; a++)
      s.source_normals[3 * i + a] *= -1;
  const fricp_cloud source = scene_view(s.source, N, s.source_normals, 3);
  const fricp_cloud cloud = target_of(&s);
  fricp_target *target = target_or_fail(&cloud, NULL);
  fricp_solver *solver = solver_or_fail();
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const int far = method > FRICP_METHOD_ROBUST_ICP; /* the others look everywhere */
    int32_t match[N];
    size_t dropped = 0;
    fricp_options options = options_for(method);
    options.max_normal_angle = 0.4;
    const fricp_result one = align_or_fail(solver, target, &source, NULL, &options);
    ck_assert_int_eq(fricp_solver_get_points(solver, N, match, NULL, NULL, NULL), FRICP_OK);
    for (size_t i = 0; i < N; i++) {
      double q[3];
      double m[3] = {0, 0, 0};
      double d2;
      double cosine = 0;
      verify_apply(&one.target_from_source, s.source + 3 * i, q);
      const size_t at = nearest_by_looking(&cloud, q, &d2);
      for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 3; b++)
          m[a] += one.target_from_source.rotation[a][b] * s.source_normals[3 * i + b];
        cosine += m[a] * s.target_normals[3 * at + a];
      }
      const int out = fabs(cosine) < cos(0.4) - 1e-6;
      dropped += out;
      if (out)
        ck_assert_int_eq(match[i], -1);
      else if (far && fabs(cosine) > cos(0.4) + 1e-6)
        ck_assert_int_eq(match[i], (int32_t)at);
    }
    ck_assert_int_gt(dropped, 100);
    options.threads = 3;
    const fricp_result three = align_or_fail(solver, target, &source, NULL, &options);
    check_same_result(&one, &three);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

/* A right angle excludes nothing; normals are estimated where there are none, and a target without is told. */
START_TEST(an_angle_needs_normals) {
  scene s = scan_pair(3);
  const fricp_cloud source = source_of(&s);
  fricp_cloud cloud = target_of(&s);
  fricp_options options = options_for(FRICP_METHOD_ICP);
  const fricp_result without = register_or_fail(&source, &cloud, NULL, &options);
  options.max_normal_angle = 1.5707963267948966;
  const int all = FRICP_NORMALS_TARGET | FRICP_NORMALS_TARGET_USED | FRICP_NORMALS_SOURCE;
  ck_assert_int_eq(fricp_options_normals(&options), all);
  const fricp_result with = register_or_fail(&source, &cloud, NULL, &options);
  check_same_result(&without, &with);
  cloud.normals = NULL;
  options.max_normal_angle = 0.5;
  (void)register_or_fail(&source, &cloud, NULL, &options);
  fricp_target *target = target_as_given(&cloud);
  fricp_solver *solver = solver_or_fail();
  fricp_result r = FRICP_RESULT_INIT;
  ck_assert_int_eq(fricp_solver_align(solver, target, &source, NULL, &options, &r), FRICP_ERROR_NO_NORMALS);
  ck_assert_ptr_nonnull(strstr(fricp_solver_last_error(solver), "max_normal_angle needs normals"));
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {what_is_rejected_does_not_count, what_is_accepted_changes_nothing,
                                a_gate_that_rejects_all_is_an_error, an_angle_between_normals_is_a_gate,
                                an_angle_needs_normals};
  return run_suite("gate", tests, COUNT(tests));
}
