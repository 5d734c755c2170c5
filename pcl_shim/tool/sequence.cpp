// SPDX-License-Identifier: BSD-3-Clause
#include "sequence.hpp"

#include "console.hpp"
#include "file_bytes.hpp"
#include "pair.hpp"
#include "report.hpp"
#include "scans.hpp"
#include "window.hpp"

#include "fricp/pcl/conversions.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fricp::tool {

namespace {

using Solver = std::unique_ptr<fricp_solver, void (*)(fricp_solver *)>;

struct Step {
  Motion pose = Motion::Identity(); /**< first_from_scan, predicted unless used */
  bool used = true;                 /**< the registration is */
  bool trusted = true;              /**< by the verdict */
  std::string problem;              /**< why not used */
};

/** Inside, all scans are relative to the centre of the first, so that float can hold them. */
class Odometry {
public:
  explicit Odometry(const Options &options) : options_(options.solver), all_(options) {
    fricp_solver *solver = nullptr;
    if (fricp_solver_create(&solver, nullptr) != FRICP_OK)
      throw Error("out of memory");
    solver_.reset(solver);
  }

  Step take(const Cloud &scan) {
    if (!map_)
      return begin(scan);
    check_dimension(scan);
    const Motion predicted = pose_ * velocity_;
    Step step = align(scan, predicted);
    if (!step.used) // the sensor may have stopped or turned back
      if (const Step again = align(scan, pose_); again.used)
        step = again;
    velocity_ = pose_.inverse() * step.pose;
    pose_ = step.pose;
    if (step.used && map_->lacks(pose_))
      extend(scan);
    step.pose = Eigen::Translation3d(centre_) * pose_ * Eigen::Translation3d(-centre_);
    return step;
  }

  double preparing = 0; /**< seconds */
  std::size_t keys = 0; /**< scans that went into the map */

private:
  void check_dimension(const Cloud &scan) const {
    const Bounds bounds = bounds_of(scan);
    if (bounds.count > 0 && is_flat(bounds.box) != (dimension_ == 2) && (scan.planar || dimension_ == 2))
      fail(scan.path, 0, "must be as flat as the first scan of the sequence, or none of them");
  }

  /** A scan that nothing could be registered to leaves the beginning to the next one. */
  Step begin(const Cloud &scan) {
    const Bounds bounds = bounds_of(scan);
    dimension_ = bounds.count > 0 && is_flat(bounds.box) ? 2 : 3;
    centre_ = middle_of(scan);
    map_.emplace(all_, dimension_);
    try {
      extend(scan);
    } catch (const Map::Unusable &fault) {
      map_.reset();
      return {Motion::Identity(), false, false, fault.what()};
    }
    return {};
  }

  void extend(const Cloud &scan) {
    const Clock clock;
    map_->add(pose_, relative_to(scan, centre_), scan.path);
    preparing += clock.seconds();
    ++keys;
  }

  Step align(const Cloud &scan, const Motion &predicted) {
    View view(scan, dimension_ == 3 && (fricp_options_normals(&options_) & FRICP_NORMALS_SOURCE) != 0);
    view.set_dimension(dimension_);
    const fricp_pose guess = to_pose(map_->frame().inverse() * predicted * Eigen::Translation3d(-centre_));
    fricp_result result = FRICP_RESULT_INIT;
    const fricp_status status =
        fricp_solver_align(solver_.get(), map_->target(), &view.get(), &guess, &options_, &result);
    Step step = {predicted, false, false, ""};
    if (is_fault_of_points(status)) {
      step.problem = fricp_solver_last_error(solver_.get());
    } else if (status != FRICP_OK) {
      throw Error(scan.path + ": " + fricp_solver_last_error(solver_.get()));
    } else {
      judge(result, step);
    }
    return step;
  }

  void judge(const fricp_result &result, Step &step) const {
    step.trusted = is_trusted(result);
    const bool judged = result.verdict != FRICP_VERDICT_NONE;
    step.used = step.trusted || (!judged && !is_judging() && result.converged != 0);
    if (step.used)
      step.pose = map_->frame() * to_motion(result.target_from_source) * Eigen::Translation3d(centre_);
    else
      step.problem = judged ? std::string("the verdict is ") + fricp_verdict_name(result.verdict)
                     : result.converged != 0
                         ? "it has too few points to be judged"
                         : std::string("not converged: ") + fricp_stop_reason_name(result.stop_reason);
  }

  /** Auto has a verdict on what it can judge at all: three points lie on any map. */
  bool is_judging() const {
    constexpr int least = 10; // iterations with which it tries its ways
    return options_.method == FRICP_METHOD_AUTO && (options_.max_iterations == 0 || options_.max_iterations >= least);
  }

  fricp_options options_;
  const Options &all_;
  int dimension_ = 3;
  Point centre_ = Point::Zero();
  Motion pose_ = Motion::Identity();
  Motion velocity_ = Motion::Identity(); /**< a scan */
  std::optional<Map> map_;
  Solver solver_ = {nullptr, fricp_solver_destroy};
};

/** What is told on the way and at the end, on standard error. */
class Teller {
public:
  Teller(const Options &options, std::size_t count)
      : options_(options), count_(count), line_(!options.quiet && !options.verbose) {
  }

  void tell(const Cloud &scan, const Step &step) {
    lost_ += step.used ? 0U : 1U;
    ++done_;
    const std::string doubt = doubt_about(scan);
    if (!doubt.empty() && !options_.quiet) {
      line_.wipe();
      complain("warning: " + doubt);
    }
    if (!step.used && !options_.quiet) {
      line_.wipe();
      complain("warning: " + scan.path + ": " + step.problem + "; its pose is predicted, and it is not in the map");
    }
    if (line_.is_due())
      line_.show("scan " + std::to_string(done_) + " of " + std::to_string(count_) + ", " + rate() + " scans/s");
  }

  void end(const Odometry &odometry) {
    line_.wipe();
    if (!options_.quiet)
      complain(std::to_string(done_) + " of " + std::to_string(count_) + " scans, " + std::to_string(lost_) +
               " predicted, " + std::to_string(odometry.keys) + " in the map; " + rate() + " scans/s, " +
               rounded(100 * odometry.preparing / clock_.seconds(), 2) + " % of the time for the map");
  }

private:
  std::string rate() const {
    return rounded(static_cast<double>(done_) / clock_.seconds(), 3);
  }

  const Options &options_;
  std::size_t count_;
  LiveLine line_;
  Clock clock_;
  std::size_t done_ = 0;
  std::size_t lost_ = 0;
};

void write_trajectory(const std::string &path, const std::vector<std::string> &scans,
                      const std::vector<Motion> &poses) {
  OutputFile file(path);
  file.write(trajectory_text(path, scans, poses));
  file.close();
  file.commit();
}

} // namespace

bool run_sequence(const Options &options) {
  const std::string path = options.trajectory.empty() ? "-" : options.trajectory;
  const std::vector<std::string> scans = list_scans(options.sequence);
  check_distinct(scans, {path});
  OutputFile::check(path);
  Odometry odometry(options);
  Teller teller(options, scans.size());
  std::vector<Motion> poses;
  bool trusted = true;
  std::exception_ptr fault;
  try {
    for (const std::string &name : scans) {
      const Cloud scan = read_cloud(name);
      const Step step = odometry.take(scan);
      poses.push_back(step.pose);
      trusted = trusted && step.trusted;
      teller.tell(scan, step);
    }
  } catch (...) { // whatever it is, the poses so far are not lost
    fault = std::current_exception();
  }
  teller.end(odometry);
  if (!fault && odometry.keys == 0)
    fail(options.sequence, 0, "no scan has points that others could be registered to");
  if (!poses.empty())
    write_trajectory(path, scans, poses);
  if (fault)
    std::rethrow_exception(fault);
  return trusted;
}

} // namespace fricp::tool
