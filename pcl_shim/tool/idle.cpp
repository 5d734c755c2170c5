// SPDX-License-Identifier: BSD-3-Clause
#include "idle.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fricp::tool {

namespace {

/** @return whether the kernel has a width: see fricp.h. */
bool has_width(const fricp_options &options) {
  const std::int32_t least_squares[] = {FRICP_METHOD_FAST_ICP, FRICP_METHOD_ICP, FRICP_METHOD_ICP_PLANE,
                                        FRICP_METHOD_SYMMETRIC_ICP, FRICP_METHOD_AA_ICP};
  if (options.kernel > 0) {
    return options.kernel != FRICP_KERNEL_LEAST_SQUARES && options.kernel != FRICP_KERNEL_TRIMMED;
  }
  return std::find(std::begin(least_squares), std::end(least_squares), options.method) == std::end(least_squares);
}

} // namespace

std::vector<std::string> find_idle(const CLI::App &app, const fricp_options &solver) {
  const bool judging = solver.method == FRICP_METHOD_AUTO;
  const bool normals = (fricp_options_normals(&solver) & FRICP_NORMALS_TARGET_USED) != 0;
  const bool wide = has_width(solver);
  const std::pair<const char *, bool> uses[] = {{"--starts", judging},     {"--sensor", judging},
                                                {"--normals", normals},    {"--nu-start-factor", wide},
                                                {"--nu-end-factor", wide}, {"--fixed-width", wide && !judging}};
  std::vector<std::string> idle;
  for (const auto &[name, used] : uses)
    if (!used && app.count(name) > 0)
      idle.push_back(std::string(name) + " has no effect with " + fricp_method_name(solver.method) +
                     (solver.kernel > 0 ? " and " + std::string(fricp_kernel_name(solver.kernel)) : ""));
  return idle;
}

} // namespace fricp::tool
