/* SPDX-License-Identifier: BSD-3-Clause */
#include "refusal.h"

#include <string.h>

prepared_pair set_up(void) {
  const scene_spec spec = {.source_count = 500, .same_sample = 1, .seed = 1, .angle = 3};
  prepared_pair b = {.s = make_scene(&spec)};
  b.source = source_of(&b.s);
  b.target = target_of(&b.s);
  b.prepared = target_or_fail(&b.target, NULL);
  fricp_cloud bare = b.target;
  bare.normals = NULL;
  b.bare = target_as_given(&bare);
  b.solver = solver_or_fail();
  b.good = align_or_fail(b.solver, b.prepared, &b.source, NULL, NULL);
  return b;
}

void tear_down(prepared_pair *b) {
  fricp_solver_destroy(b->solver);
  fricp_target_destroy(b->prepared);
  fricp_target_destroy(b->bare);
  scene_free(&b->s);
}

void check_text(const char *text, const char *word) {
  if (!strstr(text, word))
    ck_abort_msg("\"%s\" does not name \"%s\"", text, word);
  ck_assert_ptr_null(strchr(text, '\n'));
}

void check_failed_result(const fricp_result *r, const fricp_pose *guess) {
  const fricp_pose identity = fricp_pose_identity();
  ck_assert_int_eq(r->converged, 0);
  ck_assert_int_eq(r->stop_reason, FRICP_STOP_NONE);
  ck_assert_int_eq(r->iterations, 0);
  ck_assert_uint_eq(r->inliers, 0);
  ck_assert_mem_eq(&r->target_from_source, guess ? guess : &identity, sizeof identity);
}

void expect_refusal(prepared_pair *b, const fricp_target *prepared, const fricp_cloud *source,
                    const fricp_cloud *target, const fricp_pose *guess, const fricp_options *options,
                    fricp_status status, const char *word) {
  fricp_result r = b->good;
  const fricp_status got = fricp_solver_align(b->solver, prepared, source, guess, options, &r);
  if (got != status)
    ck_abort_msg("status %d, not %d (\"%s\"; %s)", (int)got, (int)status, word, fricp_solver_last_error(b->solver));
  check_text(fricp_solver_last_error(b->solver), word);
  check_failed_result(&r, guess);
  const fricp_level *levels = NULL;
  const fricp_trace_row *rows = NULL;
  ck_assert_uint_eq(fricp_solver_get_levels(b->solver, &levels), 0);
  ck_assert_uint_eq(fricp_solver_get_trace(b->solver, &rows), 0);
  int32_t match[500];
  ck_assert_int_eq(fricp_solver_get_points(b->solver, 500, match, NULL, NULL, NULL), FRICP_ERROR_INVALID_ARGUMENT);
  const fricp_result again = align_or_fail(b->solver, b->prepared, &b->source, NULL, NULL);
  check_same_result(&again, &b->good);
  if (!target)
    return;
  fricp_error error;
  r = b->good;
  ck_assert_int_eq(fricp_register(source, target, guess, options, &r, &error), status);
  ck_assert_int_eq(error.status, status);
  check_text(error.text, word);
  check_failed_result(&r, guess);
  ck_assert_int_eq(fricp_register(source, target, guess, options, &r, NULL), status); /* the text is optional */
}
