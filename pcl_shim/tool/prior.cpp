// SPDX-License-Identifier: BSD-3-Clause
#include "prior.hpp"

#include "file_bytes.hpp"
#include "pose_file.hpp"
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fricp::tool {

namespace {

Prior prior_of_text(std::string_view text, const std::string &path) {
  constexpr const char *needed =
      "not a prior: four rows of four numbers are needed, the pose; if wanted a row of three, the "
      "point it turns about; six rows of six, the information";
  NumberRows rows(text, path);
  Prior prior;
  prior.pose = to_pose(take_pose(rows, needed));
  std::copy_n(prior.pose.translation, 3, prior.weight.center);
  if (rows.has(3))
    rows.take(prior.weight.center, 3, needed);
  for (double(&row)[6] : prior.weight.information)
    rows.take(row, 6, needed);
  if (!rows.is_over())
    rows.fail(needed);
  return prior;
}

Prior prior_of_report(std::string_view text, const std::string &path) {
  Prior prior;
  try {
    const auto report = nlohmann::ordered_json::parse(text);
    prior.pose = to_pose(pose_in(report.at("pose")));
    const auto copy = [&report](const char *key, std::size_t count, double *to) {
      const std::vector<double> numbers = numbers_in(report.at(key), count);
      std::copy(numbers.begin(), numbers.end(), to);
    };
    copy("information_center", 3, prior.weight.center);
    copy("information", 36, &prior.weight.information[0][0]);
  } catch (const std::exception &fault) {
    fail(path, 0, std::string("is no report that fricp --report wrote: ") + fault.what());
  }
  return prior;
}

} // namespace

Prior read_prior(const std::string &path) {
  const FileBytes file(path);
  const std::string_view text = without_mark(file.view());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool report = first != std::string_view::npos && text[first] == '{';
  return report ? prior_of_report(text, path) : prior_of_text(text, path);
}

} // namespace fricp::tool
