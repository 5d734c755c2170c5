/* SPDX-License-Identifier: BSD-3-Clause */
/* The main of every suite here: `int main(void) { return run_suite("se3", tests, COUNT(tests)); }`. */
#ifndef FRICP_TEST_SUITE_H
#define FRICP_TEST_SUITE_H

#include <check.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline int run_suite(const char *name, const TTest *const *tests, size_t count) {
  Suite *suite = suite_create(name);
  TCase *all = tcase_create(name);
  tcase_set_timeout(all, 240); /* only where Check forks; ctest has its own limit */
  for (size_t i = 0; i < count; i++)
    tcase_add_test(all, tests[i]);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}

#endif
