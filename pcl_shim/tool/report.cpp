// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fricp::tool {

namespace {

using Json = nlohmann::ordered_json;

/** The rotation that leads from one pose to another: radians. Exact also for small angles. */
double angle_between(const Motion &from, const Motion &to) {
  return Eigen::AngleAxisd(to.linear() * from.linear().transpose()).angle();
}

/** How far the source's centre is from where it is under another pose. */
double distance_between(const Motion &from, const Motion &to, const Outcome &outcome) {
  return (to * outcome.source_center - from * outcome.source_center).stableNorm();
}

Json json_levels(const std::vector<fricp_level> &levels) {
  Json list = Json::array();
  for (const fricp_level &level : levels) {
    list.push_back(
        {{"nu", level.nu}, {"iterations", level.iterations}, {"energy", level.energy}, {"points", level.points}});
  }
  return list;
}

Json json_numbers(const double *values, std::size_t count) {
  return std::vector<double>(values, values + count);
}

std::string degrees(double radians) {
  return rounded(radians * 180 / EIGEN_PI, 6);
}

std::string plural(std::int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

std::string to_json(const Outcome &outcome) {
  const fricp_result &result = outcome.result;
  const Motion pose = to_motion(result.target_from_source);
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> matrix = pose.matrix();
  const Json report = {{"pose", json_numbers(matrix.data(), 16)},
                       {"shift_at_center", distance_between(Motion::Identity(), pose, outcome)},
                       {"turned_from_start", angle_between(outcome.start, pose)},
                       {"moved_from_start", distance_between(outcome.start, pose, outcome)},
                       {"converged", result.converged != 0},
                       {"stop_reason", fricp_stop_reason_name(result.stop_reason)},
                       {"method", fricp_method_name(outcome.method)},
                       {"dimension", outcome.dimension},
                       {"iterations", result.iterations},
                       {"correspondence_passes", result.correspondence_passes},
                       {"accelerated", result.accelerated},
                       {"rejected", result.rejected},
                       {"levels", json_levels(outcome.levels)},
                       {"energy", result.energy},
                       {"nu_start", result.nu_start},
                       {"nu_end", result.nu_end},
                       {"inliers", result.inliers},
                       {"inlier_share", result.inlier_share},
                       {"inlier_rms", result.inliers > 0 ? Json(result.inlier_rms) : Json()},
                       {"inlier_distance", result.inlier_distance},
                       {"undetermined", result.undetermined},
                       {"information_center", json_numbers(result.information_center, 3)},
                       {"information", json_numbers(&result.information[0][0], 36)},
                       {"points_source", result.points_source},
                       {"points_target", result.points_target},
                       {"skipped_source", result.skipped_source},
                       {"skipped_target", result.skipped_target},
                       {"seconds",
                        {{"read", outcome.seconds.read},
                         {"normals", outcome.seconds.normals},
                         {"prepare", outcome.seconds.prepare + result.seconds_prepare},
                         {"solve", result.seconds_solve},
                         {"total", outcome.total_seconds}}},
                       {"threads", result.threads},
                       {"version", fricp_version()}};
  std::string text; // a member a line; numbers that are not finite become null
  for (const auto &[key, value] : report.items()) {
    text += (text.empty() ? "{\n  \"" : ",\n  \"") + key + "\": " + value.dump();
  }
  return text + "\n}\n";
}

std::string summary_of(const Outcome &outcome, const std::string &source, const std::string &target) {
  const fricp_result &result = outcome.result;
  std::string stop = fricp_stop_reason_name(result.stop_reason);
  std::replace(stop.begin(), stop.end(), '_', ' ');
  std::string text = printable(source) + " -> " + printable(target) + " by " + fricp_method_name(outcome.method) + "\n";
  text += "  " + std::string(result.converged != 0 ? "converged" : "stopped: " + stop) + " after " +
          plural(result.iterations, "iteration") + " in " + plural(result.levels, "level") + ", " +
          rounded(outcome.total_seconds, 3) + " s\n";
  text += "  " + std::to_string(result.inliers) + " of " + std::to_string(result.points_source) + " points (" +
          rounded(100 * result.inlier_share, 3) + " %) within " + rounded(result.inlier_distance, 3) +
          " of the target, RMS " + rounded(result.inlier_rms, 3) + "\n";
  if (result.skipped_source > 0 || result.skipped_target > 0) {
    text += "  left out as not finite: " + std::to_string(result.skipped_source) + " source and " +
            std::to_string(result.skipped_target) + " target points\n";
  }
  const Motion pose = to_motion(result.target_from_source);
  const Motion origin = Motion::Identity();
  text += "  from the start: turned by " + degrees(angle_between(outcome.start, pose)) + " degrees and moved by " +
          rounded(distance_between(outcome.start, pose, outcome), 6) + " at the source's centre\n";
  text += "  target_from_source turns by " + degrees(angle_between(origin, pose)) +
          " degrees and shifts the source's centre by " + rounded(distance_between(origin, pose, outcome), 6) + ":\n";
  for (int k = 0; k < 16; ++k) {
    const std::string number = rounded(pose.matrix()(k / 4, k % 4), 10);
    text += std::string(number.size() < 16 ? 16 - number.size() : 1, ' ') + number + (k % 4 == 3 ? "\n" : "");
  }
  return text;
}

std::vector<std::string> warnings_of(const Outcome &outcome) {
  const fricp_result &result = outcome.result;
  std::vector<std::string> warnings;
  if (result.undetermined > 0) {
    warnings.push_back(plural(result.undetermined, "direction") +
                       " of motion not determined by these clouds: the pose keeps the start there");
  }
  if (result.converged == 0) {
    warnings.push_back(std::string("not converged (") + fricp_stop_reason_name(result.stop_reason) +
                       "): the pose is the best so far");
  }
  return warnings;
}

} // namespace fricp::tool
