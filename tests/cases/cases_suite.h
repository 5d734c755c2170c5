/* SPDX-License-Identifier: BSD-3-Clause */
/* Suites on the shared cases: FRICP_SHARED names their folder; without it they say SKIPPED, which ctest shows. */
#ifndef FRICP_TEST_CASES_SUITE_H
#define FRICP_TEST_CASES_SUITE_H

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

static inline const char *shared_folder(void) {
  const char *folder = getenv("FRICP_SHARED");
  return folder && *folder ? folder : NULL;
}

/* A path below the shared folder, in a static buffer. */
static inline const char *shared_path(const char *below) {
  static char path[1024];
  const int length = snprintf(path, sizeof path, "%s/%s", shared_folder(), below);
  ck_assert(length > 0 && (size_t)length < sizeof path);
  return path;
}

static inline int run_cases(const char *name, const TTest *const *tests, size_t count) {
  if (!shared_folder()) {
    (void)printf("SKIPPED: FRICP_SHARED is not set\n");
    count = 0;
  }
  (void)fflush(stdout);
  return run_suite(name, tests, count);
}

#endif
