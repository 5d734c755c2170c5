/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file suite.h
 * The main of every Check program: `return run_suite("se3", tests, COUNT(tests));`, in C++
 * `return run_suite("shim", {one, another});`. In C++ to be included last: Check's macros have common names.
 */
#ifndef FRICP_SUPPORT_SUITE_H
#define FRICP_SUPPORT_SUITE_H

#include <check.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/** Runs a suite and frees it. @return the program's exit status. */
static inline int run_and_free(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}

static inline int run_suite(const char *name, const TTest *const *tests, size_t count) {
  Suite *suite = suite_create(name);
  TCase *all = tcase_create(name);
  tcase_set_timeout(all, 240); /* only where Check forks; ctest has its own limit */
  for (size_t i = 0; i < count; i++)
    tcase_add_test(all, tests[i]);
  suite_add_tcase(suite, all);
  return run_and_free(suite);
}

#ifdef __cplusplus
#include <initializer_list>

inline int run_suite(const char *name, std::initializer_list<const TTest *> tests) {
  return run_suite(name, tests.begin(), tests.size());
}
#endif

#endif
