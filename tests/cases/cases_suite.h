/* SPDX-License-Identifier: BSD-3-Clause */
/* Suites on the shared cases: FRICP_SHARED names their folder; without it they say SKIPPED, which ctest shows. */
#ifndef FRICP_TEST_CASES_SUITE_H
#define FRICP_TEST_CASES_SUITE_H

#include "cases.h"
#include "suite.h"

#include <stdio.h>

/* A path below the shared folder, in a static buffer. */
static inline const char *shared_path(const char *below) {
  static char path[1024];
  const int length = snprintf(path, sizeof path, "%s/%s", cases_shared_folder(), below);
  ck_assert(length > 0 && (size_t)length < sizeof path);
  return path;
}

/* The index of the shared pairs, whose folder is copied to `folder`. @return its rows, to be given to free(). */
static inline case_row *shared_pairs(char folder[1024], size_t *count) {
  case_row *rows = NULL;
  (void)snprintf(folder, 1024, "%s", shared_path("cases/pairs"));
  const char *problem = cases_read_index(folder, &rows, count);
  if (problem)
    ck_abort_msg("index: %s", problem);
  return rows;
}

static inline int run_cases(const char *name, const TTest *const *tests, size_t count) {
  if (!cases_shared_folder()) {
    (void)printf("SKIPPED: FRICP_SHARED is not set\n");
    count = 0;
  }
  (void)fflush(stdout);
  return run_suite(name, tests, count);
}

#endif
