// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "text.hpp"

#include "fricp/pcl/conversions.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

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
  for (const fricp_level &level : levels)
    list.push_back(
        {{"nu", level.nu}, {"iterations", level.iterations}, {"energy", level.energy}, {"points", level.points}});
  return list;
}

Json json_numbers(const double *values, std::size_t count) {
  return std::vector<double>(values, values + count);
}

Json json_pose(const fricp_pose &pose) {
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> matrix = to_motion(pose).matrix();
  return json_numbers(matrix.data(), 16);
}

Json json_candidates(const std::vector<fricp_candidate> &candidates) {
  Json list = Json::array();
  for (const fricp_candidate &candidate : candidates) {
    list.push_back({{"name", candidate.name},
                    {"start", candidate.start},
                    {"score", candidate.score},
                    {"moved", candidate.moved},
                    {"agree", json_numbers(candidate.agree, 2)},
                    {"near", json_numbers(candidate.near, 2)},
                    {"through", json_numbers(candidate.through, 2)},
                    {"agreement_least", candidate.agreement_least},
                    {"chosen", candidate.chosen != 0},
                    {"pose", json_pose(candidate.target_from_source)}});
  }
  return list;
}

Json json_trace(const std::vector<fricp_trace_row> &trace) {
  Json list = Json::array();
  for (const fricp_trace_row &row : trace) {
    list.push_back({{"level", row.level},
                    {"accepted", row.accepted != 0},
                    {"accelerated", row.accelerated != 0},
                    {"points", row.points},
                    {"nu", row.nu},
                    {"energy", row.energy},
                    {"seconds", row.seconds},
                    {"pose", json_pose(row.target_from_source)}});
  }
  return list;
}

/** What replaces a part of the method; null: the method's own. */
Json json_part(const char *(*name_of)(std::int32_t), std::int32_t part) {
  return part > 0 ? Json(name_of(part)) : Json();
}

std::string degrees(double radians) {
  return rounded(radians * 180 / EIGEN_PI, 6);
}

std::string plural(std::int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string percent(double share) {
  return rounded(100 * share, 3) + " %";
}

std::string verdict_line(const fricp_result &result) {
  const double through = std::max(result.through_source, result.through_target);
  if (result.verdict == FRICP_VERDICT_NONE)
    return std::string("not judged: ") + meaning_of(result.verdict);
  return std::string(fricp_verdict_name(result.verdict)) + ": " + meaning_of(result.verdict) +
         "; surface in agreement: " + percent(result.overlap_source) + " of the source's, " +
         percent(result.overlap_target) + " of the target's" +
         (through > 0 ? "; seen through: " + percent(through) : "");
}

/** What finds a pose from anywhere, if that has not been tried. */
std::string advice(const Outcome &outcome) {
  constexpr int all_around = 48;
  return outcome.options.starts < all_around ? "--starts 48 may find a better one, from any rotation"
                                             : "--init features or a rough pose (--init FILE) may find a better one";
}

} // namespace

Outcome register_pair(Pair &pair, const fricp_options &options) {
  return {options,
          pair.align(options),
          pair.levels(),
          pair.candidates(),
          pair.dimension,
          pair.start(options),
          pair.source_bounds.centroid,
          pair.seconds,
          0,
          pair.trace(),
          pair.prior.has_value()};
}

const char *meaning_of(std::int32_t verdict) {
  switch (verdict) {
  case FRICP_VERDICT_RELIABLE:
    return "the clouds agree, and no other pose comes close";
  case FRICP_VERDICT_AMBIGUOUS:
    return "another pose fits nearly as well";
  case FRICP_VERDICT_PARTIAL:
    return "the clouds agree, but directions are open";
  case FRICP_VERDICT_POOR:
    return "do not trust it: too little of the clouds agrees, or too much contradicts";
  default:
    return "too few points or iterations, or stopped before the end";
  }
}

Json report_of(const Outcome &outcome) {
  const fricp_result &result = outcome.result;
  const Motion pose = to_motion(result.target_from_source);
  const Json report = {{"pose", json_pose(result.target_from_source)},
                       {"start", json_pose(to_pose(outcome.start))},
                       {"shift_at_center", distance_between(Motion::Identity(), pose, outcome)},
                       {"turned_from_start", angle_between(outcome.start, pose)},
                       {"moved_from_start", distance_between(outcome.start, pose, outcome)},
                       {"converged", result.converged != 0},
                       {"stop_reason", fricp_stop_reason_name(result.stop_reason)},
                       {"verdict", fricp_verdict_name(result.verdict)},
                       {"overlap_source", result.overlap_source},
                       {"overlap_target", result.overlap_target},
                       {"agreement", result.agreement},
                       {"agreement_least", result.agreement_least},
                       {"through_source", result.through_source},
                       {"through_target", result.through_target},
                       {"rival", result.rival},
                       {"candidates", json_candidates(outcome.candidates)},
                       {"method", fricp_method_name(outcome.options.method)},
                       {"metric", json_part(fricp_metric_name, outcome.options.metric)},
                       {"kernel", json_part(fricp_kernel_name, outcome.options.kernel)},
                       {"acceleration", json_part(fricp_acceleration_name, outcome.options.acceleration)},
                       {"prior", outcome.prior},
                       {"dimension", outcome.dimension},
                       {"iterations", result.iterations},
                       {"correspondence_passes", result.correspondence_passes},
                       {"accelerated", result.accelerated},
                       {"rejected", result.rejected},
                       {"levels", json_levels(outcome.levels)},
                       {"trace", json_trace(outcome.trace)},
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
  return report;
}

std::vector<double> numbers_in(const Json &list, std::size_t count) {
  if (!list.is_array() || list.size() != count)
    throw Error("a list of " + std::to_string(count) + " numbers is needed");
  std::vector<double> numbers;
  for (const Json &number : list)
    numbers.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>());
  return numbers;
}

Motion pose_in(const Json &list) {
  const std::vector<double> numbers = numbers_in(list, 16);
  const Motion pose(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(numbers.data()));
  if (!pose.matrix().allFinite())
    throw Error("a pose needs 16 numbers");
  return pose;
}

std::string to_json(const Outcome &outcome) {
  const Json report = report_of(outcome);
  std::string text; // numbers that are not finite become null
  for (const auto &[key, value] : report.items())
    text += (text.empty() ? "{\n  \"" : ",\n  \"") + key + "\": " + value.dump();
  return text + "\n}\n";
}

bool is_trusted(std::string_view verdict) {
  return verdict == fricp_verdict_name(FRICP_VERDICT_RELIABLE) || verdict == fricp_verdict_name(FRICP_VERDICT_PARTIAL);
}

bool is_trusted(const fricp_result &result) {
  return is_trusted(fricp_verdict_name(result.verdict));
}

std::string way_of(const fricp_options &options) {
  std::string way = fricp_method_name(options.method);
  for (const char *const part :
       {options.metric > 0 ? fricp_metric_name(options.metric) : nullptr,
        options.kernel > 0 ? fricp_kernel_name(options.kernel) : nullptr,
        options.acceleration > 0 ? fricp_acceleration_name(options.acceleration) : nullptr,
        options.fixed_width != 0 ? "fixed width" : nullptr, options.anderson_history < 0 ? "history 0" : nullptr})
    way += part != nullptr ? std::string(", ") + part : "";
  const std::pair<const char *, double> numbers[] = {{"kernel shape", options.kernel_shape},
                                                     {"history", std::max(options.anderson_history, 0)},
                                                     {"nu start factor", options.nu_start_factor},
                                                     {"nu end factor", options.nu_end_factor},
                                                     {"normal angle", options.max_normal_angle}};
  for (const auto &[name, number] : numbers)
    way += number > 0 ? std::string(", ") + name + " " + shortest(number) : "";
  return way;
}

std::string summary_of(const Outcome &outcome, const std::string &source, const std::string &target) {
  const fricp_result &result = outcome.result;
  std::string stop = fricp_stop_reason_name(result.stop_reason);
  std::replace(stop.begin(), stop.end(), '_', ' ');
  std::string text = printable(source) + " -> " + printable(target) + " by " + way_of(outcome.options) + "\n";
  text += "  " + std::string(result.converged != 0 ? "converged" : "stopped: " + stop) + " after " +
          plural(result.iterations, "iteration") + " in " + plural(result.levels, "level") + ", " +
          rounded(outcome.total_seconds, 3) + " s\n";
  text += outcome.options.method == FRICP_METHOD_AUTO ? "  " + verdict_line(result) + "\n" : std::string();
  text += "  " + std::to_string(result.inliers) + " of " + std::to_string(result.points_source) + " points (" +
          percent(result.inlier_share) + ") within " + rounded(result.inlier_distance, 3) + " of the target, RMS " +
          rounded(result.inlier_rms, 3) + "\n";
  if (result.skipped_source > 0 || result.skipped_target > 0)
    text += "  left out as not finite: " + std::to_string(result.skipped_source) + " source and " +
            std::to_string(result.skipped_target) + " target points\n";
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
  if (result.verdict != FRICP_VERDICT_NONE && !is_trusted(result))
    warnings.push_back(std::string("the pose is not reliable (") + fricp_verdict_name(result.verdict) +
                       "): " + advice(outcome));
  if (result.undetermined > 0)
    warnings.push_back(plural(result.undetermined, "direction") +
                       " of motion not determined by these clouds: the pose keeps the start there");
  if (result.converged == 0)
    warnings.push_back(std::string("not converged (") + fricp_stop_reason_name(result.stop_reason) +
                       "): the pose is the best so far");
  return warnings;
}

} // namespace fricp::tool
