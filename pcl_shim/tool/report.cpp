// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "pose_text.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fricp::tool {

namespace {

/** JSON has no NaN and no infinity. */
std::string json(double value) {
  return std::isfinite(value) ? shortest(value) : "null";
}

template <typename T> std::string json_list(const T *values, std::size_t count) {
  std::string text = "[";
  for (std::size_t k = 0; k < count; ++k) {
    text += (k > 0 ? ", " : "") + json(values[k]);
  }
  return text + "]";
}

/** Builds an object key by key, in order. */
class Object {
public:
  explicit Object(std::string separator) : separator_(std::move(separator)) {
  }
  Object &raw(const char *key, const std::string &value) {
    text_ += (text_.empty() ? "" : separator_) + "\"" + key + "\": " + value;
    return *this;
  }
  Object &number(const char *key, double value) {
    return raw(key, json(value));
  }
  Object &count(const char *key, std::size_t value) {
    return raw(key, std::to_string(value));
  }
  Object &count(const char *key, std::int32_t value) {
    return raw(key, std::to_string(value));
  }
  Object &name(const char *key, const char *value) {
    return raw(key, std::string("\"") + value + "\"");
  }
  const std::string &text() const {
    return text_;
  }

private:
  std::string separator_;
  std::string text_;
};

std::string json_levels(const std::vector<fricp_level> &levels) {
  std::string text = "[";
  for (std::size_t k = 0; k < levels.size(); ++k) {
    Object level(", ");
    level.number("nu", levels[k].nu)
        .count("iterations", levels[k].iterations)
        .number("energy", levels[k].energy)
        .count("points", levels[k].points);
    text += (k > 0 ? ",\n    {" : "\n    {") + level.text() + "}";
  }
  return text + (levels.empty() ? "]" : "\n  ]");
}

std::string json_seconds(const Outcome &outcome) {
  Object seconds(", ");
  seconds.number("read", outcome.seconds.read)
      .number("normals", outcome.seconds.normals)
      .number("prepare", outcome.seconds.prepare + outcome.result.seconds_prepare)
      .number("solve", outcome.result.seconds_solve)
      .number("total", outcome.total_seconds);
  return "{" + seconds.text() + "}";
}

/** In radians. Exact also for small angles, where the trace says nothing. */
double angle_of(const fricp_pose &pose) {
  const auto &r = pose.rotation;
  const double sine = std::hypot(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]) / 2;
  const double cosine = (r[0][0] + r[1][1] + r[2][2] - 1) / 2;
  return std::atan2(sine, cosine);
}

/** How far a point is from where it is under another pose. */
double distance_between(const fricp_pose &a, const fricp_pose &b, const Point &point) {
  const Point p = moved(a, point);
  const Point q = moved(b, point);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/** The rotation that leads from one pose to another: radians. */
double angle_between(const fricp_pose &from, const fricp_pose &to) {
  fricp_pose turn = fricp_pose_identity();
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const double *const a = to.rotation[row];
      const double *const b = from.rotation[column];
      turn.rotation[row][column] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
  }
  return angle_of(turn);
}

std::string degrees(double radians) {
  return rounded(radians * 180 / std::acos(-1.0), 6);
}

std::string plural(std::int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

std::string to_json(const Outcome &outcome) {
  const fricp_result &result = outcome.result;
  const std::array<double, 16> matrix = matrix_of(result.target_from_source);
  Object report(",\n  ");
  report.raw("pose", json_list(matrix.data(), matrix.size()))
      .number("shift_at_center",
              distance_between(result.target_from_source, fricp_pose_identity(), outcome.source_center))
      .number("turned_from_start", angle_between(outcome.start, result.target_from_source))
      .number("moved_from_start", distance_between(outcome.start, result.target_from_source, outcome.source_center))
      .raw("converged", result.converged != 0 ? "true" : "false")
      .name("stop_reason", fricp_stop_reason_name(result.stop_reason))
      .name("method", fricp_method_name(outcome.method))
      .count("dimension", outcome.dimension)
      .count("iterations", result.iterations)
      .count("correspondence_passes", result.correspondence_passes)
      .count("accelerated", result.accelerated)
      .count("rejected", result.rejected)
      .raw("levels", json_levels(outcome.levels))
      .number("energy", result.energy)
      .number("nu_start", result.nu_start)
      .number("nu_end", result.nu_end)
      .count("inliers", result.inliers)
      .number("inlier_share", result.inlier_share)
      .raw("inlier_rms", result.inliers > 0 ? json(result.inlier_rms) : "null")
      .number("inlier_distance", result.inlier_distance)
      .count("undetermined", result.undetermined)
      .raw("information_center", json_list(result.information_center, 3))
      .raw("information", json_list(&result.information[0][0], 36))
      .count("points_source", result.points_source)
      .count("points_target", result.points_target)
      .count("skipped_source", result.skipped_source)
      .count("skipped_target", result.skipped_target)
      .raw("seconds", json_seconds(outcome))
      .count("threads", result.threads)
      .name("version", fricp_version());
  return "{\n  " + report.text() + "\n}\n";
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
  const fricp_pose &pose = result.target_from_source;
  text += "  from the start: turned by " + degrees(angle_between(outcome.start, pose)) + " degrees and moved by " +
          rounded(distance_between(outcome.start, pose, outcome.source_center), 6) + " at the source's centre\n";
  text += "  target_from_source turns by " + degrees(angle_of(pose)) + " degrees and shifts the source's centre by " +
          rounded(distance_between(pose, fricp_pose_identity(), outcome.source_center), 6) + ":\n";
  const std::array<double, 16> matrix = matrix_of(result.target_from_source);
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    const std::string number = rounded(matrix[k], 10);
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
