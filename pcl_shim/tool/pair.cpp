// SPDX-License-Identifier: BSD-3-Clause
#include "pair.hpp"

#include "normals.hpp"
#include "pose_text.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fricp::tool {

namespace {

/** @return whether a pose moves the plane z = const within itself. */
bool is_planar(const fricp_pose &pose) {
  const auto &r = pose.rotation;
  return r[0][2] == 0 && r[1][2] == 0 && r[2][0] == 0 && r[2][1] == 0 && r[2][2] == 1 && pose.translation[2] == 0;
}

constexpr double least_limit = 1e-9; // seconds; 0 would be none

/** @return how many points have a normal to go by. */
std::size_t count_usable(const Cloud &cloud, const Triple &normals) {
  std::size_t usable = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point normal = normals.load(cloud.data.data.data() + i * cloud.data.point_step);
    usable += is_finite(normal) && (normal[0] != 0 || normal[1] != 0 || normal[2] != 0) ? 1U : 0U;
  }
  return usable;
}

} // namespace

Pair::Pair(const Options &options) : guess_(fricp_pose_identity()) {
  const Clock clock;
  if (!options.init.empty()) {
    guess_ = read_pose(options.init);
  }
  source_ = read_cloud(options.source);
  target_ = read_cloud(options.target);
  seconds_.read = clock.seconds();
  prepare(options);
  if (options.output.empty() && options.compare.empty()) {
    source_.dropped.clear();
  }
}

/**
 * Laser scanners that turn in a plane give 2-D clouds, stored with one z throughout or with none. Normals given in the
 * file are 3-D ones, so a method that needs them stays with them.
 */
bool Pair::is_flat(const Bounds &source, const Bounds &target) const {
  if (!is_planar(guess_) || source.count == 0 || target.count == 0) {
    return false;
  }
  const double low = std::min(source.low[2], target.low[2]);
  const double high = std::max(source.high[2], target.high[2]);
  constexpr double rounding = 1e-12;
  return high - low <= rounding * std::max(source.extent(), target.extent());
}

void Pair::find_dimension(bool needs_normals) {
  const Bounds source = bounds_of(source_);
  const Bounds target = bounds_of(target_);
  source_center_ = source.centroid;
  target_center_ = target.centroid;
  const bool flat = is_flat(source, target);
  if (!flat && (source_.planar || target_.planar) && source.count > 0 && target.count > 0) {
    fail(source_.planar ? source_.path : target_.path, 0,
         "has rows of x y, so it is registered in 2-D: the other cloud must lie in the plane z = 0, and the start must "
         "keep to it");
  }
  dimension_ = flat && !(needs_normals && normals_of(target_)) ? 2 : 3;
  notes_.push_back(dimension_ == 2 ? "both clouds lie in one plane of constant z: registered in 2-D"
                                   : "registered in 3-D");
}

fricp_pose Pair::start(const fricp_options &options) const {
  fricp_pose pose = guess_;
  const Point from = moved(pose, source_center_);
  for (std::size_t k = 0; k < 3 && options.start == FRICP_START_CENTROID; ++k) {
    pose.translation[k] += target_center_[k] - from[k];
  }
  return pose;
}

void Pair::find_normals(View &view, int threads) {
  const auto normals = normals_of(target_);
  const std::size_t usable = normals ? count_usable(target_, *normals) : 0;
  if (usable > 0) {
    notes_.push_back("normals of the target: " + std::to_string(usable) + " from the file");
    return;
  }
  const Clock clock;
  view.set_normals(estimate_normals(target_, threads));
  seconds_.normals = clock.seconds();
  notes_.push_back("normals of the target: estimated from " + std::to_string(normal_neighbors) + " neighbours");
}

void Pair::prepare(const Options &options) {
  const bool needs_normals = !options.compare.empty() || fricp_method_needs_normals(options.solver.method) != 0;
  find_dimension(needs_normals);
  View view(target_, needs_normals && dimension_ == 3);
  view.set_dimension(dimension_);
  fricp_target_options how = options.prepare;
  if (needs_normals && dimension_ == 3) {
    find_normals(view, options.solver.threads);
  } else if (needs_normals) {
    how.estimate_normals = 1;
    how.normal_neighbors = flat_normal_neighbors;
  }
  const Clock clock;
  limited_ = options.compare.empty() && options.solver.time_limit > 0; // methods that are compared share the target
  if (limited_) {
    how.time_limit = std::max(options.solver.time_limit - seconds_.normals, least_limit);
  }
  fricp_target *target = nullptr;
  fricp_error error = {};
  const fricp_status status = fricp_target_create(&target, &view.get(), &how, &error);
  if (status != FRICP_OK && status != FRICP_ERROR_INTERRUPTED) {
    throw Error(target_.path + ": " + error.text);
  }
  prepared_.reset(target);
  seconds_.prepare = clock.seconds();
  if (options.compare.empty()) {
    target_.data.data = {}; // the core has its own copy
  }
  source_view_.emplace(source_, false);
  source_view_->set_dimension(dimension_);
  fricp_solver *solver = nullptr;
  if (fricp_solver_create(&solver, nullptr) != FRICP_OK) {
    throw Error("out of memory");
  }
  solver_.reset(solver);
}

fricp_result Pair::align(const fricp_options &options) {
  fricp_result result = FRICP_RESULT_INIT;
  const double spent = seconds_.normals + seconds_.prepare;
  if (!prepared_ || (limited_ && spent >= options.time_limit)) { // nothing is better than the start yet
    result.target_from_source = guess_;
    result.last_step = fricp_pose_identity();
    result.stop_reason = FRICP_STOP_TIME_LIMIT;
    return result;
  }
  fricp_options left = options;
  if (limited_) {
    left.time_limit -= spent;
  }
  const fricp_status status =
      fricp_solver_align(solver_.get(), prepared_.get(), &source_view_->get(), &guess_, &left, &result);
  if (status != FRICP_OK) {
    throw Error("cannot register " + source_.path + " to " + target_.path + ": " +
                fricp_solver_last_error(solver_.get()));
  }
  return result;
}

std::vector<fricp_level> Pair::levels() const {
  const fricp_level *levels = nullptr;
  const std::size_t count = fricp_solver_get_levels(solver_.get(), &levels);
  return std::vector<fricp_level>(levels, levels + count);
}

fricp_target_info Pair::target_info() const {
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target_get_info(prepared_.get(), &info);
  return info;
}

} // namespace fricp::tool
