/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file suite.h
 * The main of every Check program: `return run_suite("se3", tests, COUNT(tests));`, in C++
 * `return run_suite("shim", {one, another});`.
 */
#ifndef FRICP_SUPPORT_SUITE_H
#define FRICP_SUPPORT_SUITE_H

#include <check.h>
#include <stddef.h>

/* Older macros of Check's, by names that C++ libraries use. */
#undef fail
#undef fail_if
#undef fail_unless

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Is this an instrumented build, some ten times as slow, of another size, with other stacks? */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/** A size or a number of repetitions. What a sanitizer looks for, every access and every conversion, a small scene passes
 *  as a large one does; what the numbers have to be is proven without it. The assertions are the same. */
#define UNLESS_SANITIZED(full, small) (SANITIZED ? (small) : (full))

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
