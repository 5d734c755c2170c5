// SPDX-License-Identifier: BSD-3-Clause
// Every row of the drop-in contract must hold for our class, with a point-to-point and a point-to-plane method.
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

START_TEST(robust_icp_row) {
  runLoop(0, _i);
}
END_TEST

START_TEST(robust_icp_plane_row) {
  runLoop(1, _i);
}
END_TEST

} // namespace

int main() {
  candidates = conformance::ours();
  const int rows = static_cast<int>(candidates[0].rows.size());
  Suite *suite = suite_create("conformance");
  TCase *point = tcase_create("robust-icp");
  tcase_set_timeout(point, 120);
  tcase_add_loop_test(point, robust_icp_row, 0, rows);
  suite_add_tcase(suite, point);
  TCase *plane = tcase_create("robust-icp-plane");
  tcase_set_timeout(plane, 120);
  tcase_add_loop_test(plane, robust_icp_plane_row, 0, rows);
  suite_add_tcase(suite, plane);
  return run_and_free(suite);
}
