// SPDX-License-Identifier: BSD-3-Clause
#include "pair.hpp"

#include "feature_start.hpp"
#include "pose_file.hpp"
#include "text.hpp"

#include "fricp/pcl/normals.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fricp::tool {

namespace {

/** @return whether a pose moves the plane z = const within itself. */
bool is_planar(const Motion &pose) {
  const auto &matrix = pose.matrix();
  return matrix.row(2) == Eigen::RowVector4d(0, 0, 1, 0) && matrix(0, 2) == 0 && matrix(1, 2) == 0;
}

constexpr double least_limit = 1e-9; // seconds; 0 would be none

/** The normals that a cloud's file has. */
struct GivenNormals {
  explicit GivenNormals(const Cloud &cloud) : of_points(3 * cloud.size(), std::numeric_limits<float>::quiet_NaN()) {
    const View view(cloud, false);
    const auto normals = normals_of(cloud);
    points = detail::togetherOf(detail::Coordinates::of(view.get()), nullptr);
    for (const auto index : points) {
      const auto at = static_cast<std::size_t>(index);
      const Point normal = normals ? normals->load(cloud.point(at)) : Point(Point::Zero());
      if (!normal.allFinite() || normal.isZero(0)) {
        missing.push_back(index);
        continue;
      }
      Eigen::Map<Eigen::Vector3f>(of_points.data() + 3 * at) = normal.stableNormalized().cast<float>();
      ++count;
    }
  }

  std::vector<float> of_points; /**< 3 a point, of length 1; NaN where there is none */
  pcl::Indices points;          /**< those that may have one */
  pcl::Indices missing;         /**< those of them that have none */
  std::size_t count = 0;
};

/**
 * Are normals to be estimated? Those of points on a line, or in a plane, would hide what moves within.
 * @param needed  by the method: a plane will do then. Unless some are given, an Error is thrown if all points lie on one line.
 */
bool has_surfaces(const Cloud &cloud, const GivenNormals &given, bool needed) {
  if (given.points.size() < 3) {
    return false; // the core says what is wrong with the cloud
  }
  const View view(cloud, false);
  const int directions = detail::directionsOf(detail::Coordinates::of(view.get()), given.points);
  if (needed && given.count == 0 && directions < 2) {
    fail(cloud.path, 0, "all points lie on one line, so they have no normals: choose a point-to-point method");
  }
  return directions == 3 || (needed && directions == 2);
}

/**
 * Missing normals by pcl::NormalEstimationOMP, in the shim's way: both give a pair the same pose.
 * @param time_limit  seconds, then the rest of the points are left without; 0: none.
 * @return 3 floats a point, NaN where there is none.
 */
std::vector<float> fill_in(GivenNormals &given, const Cloud &cloud, int threads, double time_limit) {
  detail::Watch watch(time_limit);
  const View view(cloud, false);
  const auto coordinates = detail::Coordinates::of(view.get());
  std::vector<float> result = std::move(given.of_points);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = 1;
  options.threads = threads;
  watch.attach(options);
  fricp_target *target = nullptr;
  if (fricp_target_create(&target, &view.get(), &options, nullptr) != FRICP_OK) {
    return result; // the core says what is wrong with the cloud, or that the time is over
  }
  const std::unique_ptr<fricp_target, void (*)(fricp_target *)> owner(target, fricp_target_destroy);
  (void)detail::estimateNormals(*target, coordinates, given.points, given.missing, threads, watch, result);
  return result;
}

/** A copy of what the solver keeps of its last registration. */
template <typename Row>
std::vector<Row> rows_of(std::size_t (*get)(const fricp_solver *, const Row **), const fricp_solver *solver) {
  const Row *rows = nullptr;
  const std::size_t count = get(solver, &rows);
  return std::vector<Row>(rows, rows + count);
}

} // namespace

Pair::Pair(const Options &options, Pair *before)
    : prior_path_(options.prior), guess_path_(options.init), sensor_(options.sensor), sensor_at_(options.sensor_at) {
  const Clock clock;
  if (!options.prior.empty()) {
    prior = read_prior(options.prior);
  }
  if (!options.init.empty()) {
    guess_ = read_pose(options.init);
  } else if (prior && options.start_at_prior) {
    guess_ = to_motion(prior->pose);
    guess_path_ = options.prior;
  }
  source = read_cloud(options.source);
  if (before == nullptr || !take_target(options, *before)) {
    target = read_cloud(options.target);
    target_bounds = bounds_of(target);
  }
  seconds.read = clock.seconds();
  prepare(options);
  if (options.output.empty() && options.compare.empty()) {
    source.dropped.clear();
  }
}

/** Features look at the points, which a prepared target has given up; a time limit may have cut its normals short. */
bool Pair::take_target(const Options &options, Pair &before) {
  const bool as_new = !options.features && options.solver.time_limit <= 0;
  if (before.target.path != options.target || !before.prepared || !as_new) {
    return false;
  }
  target = std::move(before.target);
  target.surplus = 0; // told of already
  target_bounds = before.target_bounds;
  dimension = before.dimension;
  prepared = std::move(before.prepared);
  return true;
}

/**
 * Laser scanners that turn in a plane give 2-D clouds, stored with one z throughout or with none. Normals given in the
 * file are 3-D ones, so a method that needs them stays with them.
 */
bool Pair::is_flat() const {
  if (!is_planar(guess_) || source_bounds.count == 0 || target_bounds.count == 0) {
    return false;
  }
  return tool::is_flat(source_bounds.box.merged(target_bounds.box));
}

void Pair::find_dimension(bool needs_normals) {
  source_bounds = bounds_of(source);
  const bool flat = is_flat();
  if (!flat && (source.planar || target.planar) && source_bounds.count > 0 && target_bounds.count > 0) {
    fail(source.planar ? source.path : target.path, 0,
         "has rows of x y, so it is registered in 2-D: the other cloud must lie in the plane z = 0, and the start must "
         "keep to it");
  }
  dimension = flat && !(needs_normals && normals_of(target)) ? 2 : 3;
  notes.push_back(dimension == 2 ? "both clouds lie in one plane of constant z: registered in 2-D"
                                 : "registered in 3-D");
}

Motion Pair::start(const fricp_options &options) const {
  Motion pose = guess_;
  if (options.start == FRICP_START_CENTROID) {
    Eigen::Vector3d shift = target_bounds.centroid - guess_ * source_bounds.centroid;
    for (int axis = 0; axis < 3; ++axis) {
      shift[axis] = (options.locked & FRICP_SHIFT_X << axis) != 0 ? 0 : shift[axis];
    }
    pose.pretranslate(shift);
  }
  return pose;
}

/** They tell surfaces apart by their shape in 3-D. */
void Pair::find_features(int threads) {
  const std::string &path = source.path;
  if (source.planar || target.planar || is_flat()) {
    fail(path, 0, "lies in one plane with its target, where --init features finds nothing: use another start");
  }
  const features::Start start = feature_start(source, source_bounds.centroid, target, target_bounds.centroid, threads);
  if (!start.found) {
    fail(path, 0,
         std::string("--init features: ") + start.problem + "; try --starts 48 or a start of your own (--init FILE)");
  }
  const Motion between(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(start.target_from_source));
  guess_ = Eigen::Translation3d(target_bounds.centroid) * between * Eigen::Translation3d(-source_bounds.centroid);
  notes.push_back("start from features: " + rounded(100 * start.inlier_share, 3) +
                  " % of the thinned source lie on the target");
}

void Pair::find_normals(View &view, const Options &options, fricp_target_options &how) {
  GivenNormals given(target);
  if (given.count > 0) {
    notes.push_back("normals of the target: " + std::to_string(given.count) + " from the file");
  }
  const bool needed = (fricp_options_normals(&options.solver) & FRICP_NORMALS_TARGET) != 0;
  const Clock clock;
  if (!given.missing.empty() && has_surfaces(target, given, needed)) {
    if (options.core_normals != 0) {
      how.given_normals_only = 0;
    } else {
      view.set_normals(fill_in(given, target, options.solver.threads, limited_ ? time_left(options) : 0));
    }
    notes.push_back("normals of the target: " + std::to_string(given.missing.size()) + " estimated from " +
                    std::to_string(detail::NORMAL_NEIGHBORS) + " neighbours" +
                    (options.core_normals != 0 ? " by the core" : ""));
  }
  seconds.normals = clock.seconds();
}

double Pair::time_left(const Options &options) const {
  return std::max(options.solver.time_limit - seconds.normals - seconds.prepare, least_limit);
}

void Pair::prepare(const Options &options) {
  const int normals = options.compare.empty() ? fricp_options_normals(&options.solver) : ~0;
  limited_ = options.compare.empty() && options.solver.time_limit > 0; // methods that are compared share the target
  const int prepared_in = dimension;
  find_dimension((normals & FRICP_NORMALS_TARGET) != 0);
  if (prepared && dimension != prepared_in) { // the one before asked for another form of it
    prepared.reset();
    target = read_cloud(options.target);
  }
  if (!prepared) {
    prepare_target(options, normals);
  }
  source_view_.emplace(source, (normals & FRICP_NORMALS_SOURCE) != 0 && dimension == 3); // else the core estimates them
  source_view_->set_dimension(dimension);
  fricp_solver *solver = nullptr;
  if (fricp_solver_create(&solver, nullptr) != FRICP_OK) {
    throw Error("out of memory");
  }
  solver_.reset(solver);
}

void Pair::prepare_target(const Options &options, int normals) {
  const bool uses_normals = (normals & FRICP_NORMALS_TARGET_USED) != 0;
  if (options.features) {
    const Clock features;
    find_features(options.solver.threads);
    seconds.prepare = features.seconds();
  }
  View view(target, uses_normals && dimension == 3);
  view.set_dimension(dimension);
  fricp_target_options how = options.prepare;
  how.given_normals_only = uses_normals && dimension == 2 ? 0 : 1; // of lines the core estimates them
  if (uses_normals && dimension == 3) {
    find_normals(view, options, how);
  }
  const Clock clock;
  if (limited_) {
    how.time_limit = time_left(options);
  }
  fricp_target *created = nullptr;
  fricp_error error = {};
  const fricp_status status = fricp_target_create(&created, &view.get(), &how, &error);
  if (status != FRICP_OK && status != FRICP_ERROR_INTERRUPTED) {
    throw Error(target.path + ": " + error.text);
  }
  prepared.reset(created);
  seconds.prepare += clock.seconds();
  if (options.compare.empty()) {
    target.data.data = {}; // the core has its own copy
  }
}

std::array<double, 3> Pair::sensor_of(const Cloud &cloud) const {
  if (sensor_ == "viewpoint") {
    return {cloud.origin.x(), cloud.origin.y(), cloud.origin.z()};
  }
  return sensor_at_;
}

fricp_result Pair::align(const fricp_options &options) {
  fricp_result result = FRICP_RESULT_INIT;
  const fricp_pose guess = to_pose(guess_);
  const double spent = seconds.normals + seconds.prepare;
  if (!prepared || (limited_ && spent >= options.time_limit)) { // nothing is better than the start yet
    result.target_from_source = guess;
    result.last_step = fricp_pose_identity();
    result.stop_reason = FRICP_STOP_TIME_LIMIT;
    return result;
  }
  fricp_options left = options;
  if (limited_) {
    left.time_limit -= spent;
  }
  const std::array<double, 3> source_sensor = sensor_of(source);
  const std::array<double, 3> target_sensor = sensor_of(target);
  if (!sensor_.empty()) {
    left.source_sensor = source_sensor.data();
    left.target_sensor = target_sensor.data();
  }
  fricp_prior weighed = FRICP_PRIOR_INIT;
  if (prior) {
    weighed = prior->weight;
    weighed.pose = &prior->pose;
    left.prior = &weighed;
  }
  const fricp_status status =
      fricp_solver_align(solver_.get(), prepared.get(), &source_view_->get(), &guess, &left, &result);
  if (status != FRICP_OK) {
    const std::string text = fricp_solver_last_error(solver_.get());
    const auto blame = [&text](const std::string &part, const std::string &path) {
      if (!path.empty() && text.compare(0, part.size(), part) == 0) {
        fail(path, 0, text.substr(part.size()));
      }
    };
    blame("prior: ", prior_path_);
    blame("guess: ", guess_path_);
    throw Error("cannot register " + source.path + " to " + target.path + ": " + text);
  }
  return result;
}

std::vector<fricp_level> Pair::levels() const {
  return rows_of(fricp_solver_get_levels, solver_.get());
}

std::vector<fricp_candidate> Pair::candidates() const {
  return rows_of(fricp_solver_get_candidates, solver_.get());
}

std::vector<fricp_trace_row> Pair::trace() const {
  return rows_of(fricp_solver_get_trace, solver_.get());
}

fricp_target_info Pair::target_info() const {
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target_get_info(prepared.get(), &info);
  return info;
}

} // namespace fricp::tool
