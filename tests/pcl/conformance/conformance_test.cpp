// SPDX-License-Identifier: BSD-3-Clause
// Every row of the drop-in contract must hold for our class, with its default, a point-to-point and a point-to-plane method.
#include "row.hpp"

#include "suite.h"

namespace {

std::vector<conformance::Candidate> candidates;

void runLoop(std::size_t candidate, int row) {
  const conformance::Row &under_test = candidates[candidate].rows[static_cast<std::size_t>(row)];
  const conformance::Outcome outcome = under_test.run();
  ck_assert_msg(outcome.empty(), "%s, row %d (%s): %s", candidates[candidate].name, under_test.number,
                under_test.behaviour, outcome.c_str());
}

START_TEST(auto_row) {
  runLoop(0, _i);
}
END_TEST

START_TEST(robust_icp_row) {
  runLoop(1, _i);
}
END_TEST

START_TEST(robust_icp_plane_row) {
  runLoop(2, _i);
}
END_TEST

void addCase(Suite *suite, const char *name, const TTest *test) {
  TCase *rows = tcase_create(name);
  tcase_set_timeout(rows, 120);
  tcase_add_loop_test(rows, test, 0, static_cast<int>(candidates[0].rows.size()));
  suite_add_tcase(suite, rows);
}

} // namespace

int main() {
  candidates = conformance::ours();
  Suite *suite = suite_create("conformance");
  addCase(suite, "auto", auto_row);
  addCase(suite, "robust-icp", robust_icp_row);
  addCase(suite, "robust-icp-plane", robust_icp_plane_row);
  return run_and_free(suite);
}
