/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that must be refused, judged by both forms. */
#ifndef FRICP_TEST_REFUSAL_H
#define FRICP_TEST_REFUSAL_H

#include "api.h"

/* A pair that registers, prepared once for every test. */
typedef struct prepared_pair {
  scene s;
  fricp_cloud source, target;
  fricp_target *prepared, *bare; /* bare: without normals */
  fricp_solver *solver;
  fricp_result good; /* what a fresh solver finds */
} prepared_pair;

prepared_pair set_up(void);
void tear_down(prepared_pair *b);

/* One line that names the word. */
void check_text(const char *text, const char *word);

/* A result that says that nothing was found: its pose is the guess. */
void check_failed_result(const fricp_result *r, const fricp_pose *guess);

/* Fails by both forms with this status and this word; the solver then holds nothing of the earlier success, and the
 * next good call gives what a fresh solver gives. */
void expect_refusal(prepared_pair *b, const fricp_target *prepared, const fricp_cloud *source,
                    const fricp_cloud *target, const fricp_pose *guess, const fricp_options *options,
                    fricp_status status, const char *word);

#endif
