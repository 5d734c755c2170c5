// SPDX-License-Identifier: BSD-3-Clause
#include "scene.hpp"

#include "file_bytes.hpp"
#include "report.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace fricp::view {

namespace {

using Json = nlohmann::ordered_json;

std::string of(std::size_t number, std::size_t count) {
  return std::to_string(number) + " of " + std::to_string(count);
}

struct Pass {
  bool begins = false; /**< the first of a level, which looks where it is */
  tool::Motion pose;
  std::string what;
};

std::vector<Pass> passes_of(const Json &trace) {
  std::vector<Pass> passes;
  int level = -1;
  for (const Json &row : trace) {
    const bool begins = std::exchange(level, row.at("level").get<int>()) != level;
    if (row.at("accepted").get<bool>())
      passes.push_back({begins, tool::pose_in(row.at("pose")),
                        "(level " + std::to_string(level + 1) + ", energy " +
                            tool::rounded(row.at("energy").get<double>(), 4) + ")"});
  }
  return passes;
}

/** The start, the pose after each pass that moved it, and the result where the last of these is another. */
std::vector<Stand> steps_of(const Json &report) {
  std::vector<Stand> steps = {{"the start", tool::pose_in(report.at("start"))}};
  const std::vector<Pass> passes = passes_of(report.at("trace"));
  const auto count =
      passes.size() - std::count_if(passes.begin(), passes.end(), [](const Pass &p) { return p.begins; });
  constexpr double rounding = 1e-12; // the trace's poses have been through the core's frame
  std::size_t number = 0;
  for (const Pass &pass : passes) {
    if (!pass.begins)
      steps.push_back({"pass " + of(++number, count) + " " + pass.what, pass.pose});
    else if (!steps.back().pose.matrix().isApprox(pass.pose.matrix(), rounding))
      steps.push_back({"where the passes begin " + pass.what, pass.pose}); // auto's choice
  }
  const tool::Motion result = tool::pose_in(report.at("pose"));
  if (steps.size() == 1 || steps.back().pose.matrix() != result.matrix())
    steps.push_back({"after the last pass", result});
  steps.back().caption = "the result, " + steps.back().caption;
  return steps;
}

std::string rotation_of(const Json &candidate) {
  const int start = candidate.at("start").get<int>();
  return start > 0 ? ", rotation " + std::to_string(start) : "";
}

std::vector<Stand> candidates_of(const Json &report) {
  std::vector<Stand> candidates;
  const Json &rows = report.at("candidates");
  for (const Json &row : rows)
    candidates.push_back({"candidate " + of(candidates.size() + 1, rows.size()) +
                              (row.at("chosen").get<bool>() ? ", chosen: " : ": ") + row.at("name").get<std::string>() +
                              rotation_of(row) + ", score " + tool::rounded(row.at("score").get<double>(), 3),
                          tool::pose_in(row.at("pose"))});
  return candidates;
}

} // namespace

Report read_report(const std::string &path) {
  const tool::FileBytes file(path);
  Report report;
  report.text = file.view();
  try {
    const Json json = Json::parse(report.text);
    report.method = json.at("method").get<std::string>();
    report.verdict = json.at("verdict").get<std::string>();
    report.dimension = json.at("dimension").get<int>();
    report.points_source = json.at("points_source").get<std::size_t>();
    report.points_target = json.at("points_target").get<std::size_t>();
    report.steps = steps_of(json);
    report.candidates = candidates_of(json);
  } catch (const std::exception &fault) {
    tool::fail(path, 0, "is no report that fricp --report wrote: " + std::string(fault.what()));
  }
  return report;
}

} // namespace fricp::view
