// SPDX-License-Identifier: BSD-3-Clause
// Every library behind the core is called: the index, LAPACKE, threads.
#include <fricp/fricp.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const double shift[3] = {0.02, -0.01, 0.03};
  std::vector<double> source, target;
  for (int i = 0; i < 2000; i++) { // a bumpy ball, by the golden angle
    const double z = 1 - 2 * (i + 0.5) / 2000, angle = 2.399963 * i, radius = std::sqrt(1 - z * z);
    const double bump = 1 + 0.3 * std::sin(2.1 * radius * std::cos(angle) + 0.5) + 0.2 * std::cos(3.3 * z);
    const double p[3] = {bump * radius * std::cos(angle), 0.7 * bump * radius * std::sin(angle), 0.5 * bump * z};
    for (int a = 0; a < 3; a++) {
      source.push_back(p[a]);
      target.push_back(p[a] + shift[a]);
    }
  }
  fricp_cloud from = FRICP_CLOUD_INIT, to = FRICP_CLOUD_INIT;
  from.points = source.data();
  to.points = target.data();
  from.count = to.count = 2000;
  fricp_target_options prepare = FRICP_TARGET_OPTIONS_INIT;
  fricp_options options = FRICP_OPTIONS_INIT;
  options.threads = 2;
  int wrong = 0;
  for (int type = FRICP_SEARCH_TREE; type <= FRICP_SEARCH_FLANN; type++) {
    prepare.search_type = type;
    fricp_target *index = nullptr;
    fricp_solver *solver = nullptr;
    fricp_result result = FRICP_RESULT_INIT;
    fricp_status status = fricp_target_create(&index, &to, &prepare, nullptr);
    if (status == FRICP_OK)
      status = fricp_solver_create(&solver, nullptr);
    if (status == FRICP_OK)
      status = fricp_solver_align(solver, index, &from, nullptr, &options, &result);
    for (int a = 0; a < 3; a++) // one cloud is the other, shifted: exact up to rounding
      wrong += status != FRICP_OK || !(std::fabs(result.target_from_source.translation[a] - shift[a]) < 1e-9);
    std::printf("search %d: %s\n", type, fricp_status_text(status));
    fricp_solver_destroy(solver);
    fricp_target_destroy(index);
  }
  return wrong != 0;
}
