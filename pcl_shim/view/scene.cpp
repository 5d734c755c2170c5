// SPDX-License-Identifier: BSD-3-Clause
#include "scene.hpp"

#include "report.hpp"
#include "text.hpp"

#include "fricp/pcl/conversions.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <filesystem>

namespace fricp::view {

namespace {

/** Reads a cloud of so many finite points; 0: the run was stopped before it counted them. */
tool::Cloud read_cloud_of(const std::string &path, std::size_t &points) {
  tool::Cloud cloud = tool::read_cloud(path);
  const std::size_t count = tool::bounds_of(cloud).count;
  if (points != 0 && count != points)
    tool::fail(path, 0,
               "has " + std::to_string(count) + " points, the report's cloud " + std::to_string(points) +
                   ": the report is one of other clouds");
  points = count;
  return cloud;
}

fricp_target *prepare(const tool::Cloud &cloud, int dimension) {
  tool::View view(cloud, false);
  view.set_dimension(dimension);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = 1;
  fricp_target *target = nullptr;
  fricp_error error = {};
  if (fricp_target_create(&target, &view.get(), &options, &error) != FRICP_OK)
    throw tool::Error(cloud.path + ": " + error.text);
  return target;
}

std::string name_of(const tool::Cloud &cloud) {
  return tool::printable(std::filesystem::path(cloud.path).filename().string());
}

} // namespace

Scene::Scene(Report report, const std::string &source, const std::string &target)
    : report_(std::move(report)), source_(read_cloud_of(source, report_.points_source)),
      target_(read_cloud_of(target, report_.points_target)), centre_(tool::centre_for(tool::bounds_of(target_))),
      step_(report_.steps.size() - 1) {
  prepared_.reset(prepare(target_, report_.dimension));
}

bool Scene::press(const std::string &key) {
  const std::size_t count = report_.candidates.size();
  const auto step_to = [this](std::size_t step) {
    among_candidates_ = false;
    step_ = std::min(step, report_.steps.size() - 1);
  };
  const auto candidate_to = [this, count](std::size_t candidate) {
    among_candidates_ = among_candidates_ || candidate < count;
    candidate_ = candidate < count ? candidate : candidate_;
  };
  if (key == "Left" || key == ",")
    step_to(among_candidates_ || step_ == 0 ? step_ : step_ - 1);
  else if (key == "Right" || key == ".")
    step_to(among_candidates_ ? step_ : step_ + 1);
  else if (key == "r")
    step_to(report_.steps.size());
  else if (key == "n" && count > 0)
    candidate_to(among_candidates_ ? (candidate_ + 1) % count : candidate_);
  else if (key == "p" && count > 0)
    candidate_to(among_candidates_ ? (candidate_ + count - 1) % count : candidate_);
  else if (key.size() == 1 && key[0] >= '1' && key[0] <= '9')
    candidate_to(static_cast<std::size_t>(key[0] - '1'));
  else
    return false;
  return true;
}

const Stand &Scene::chosen() const {
  return among_candidates_ ? report_.candidates[candidate_] : report_.steps[step_];
}

tool::Picture Scene::target() const {
  return tool::plain_picture(target_, tool::Motion::Identity(), tool::target_colour, centre_);
}

tool::Picture Scene::before() const {
  return tool::plain_picture(source_, report_.steps.front().pose, tool::source_colour, centre_);
}

tool::Picture Scene::after() {
  return tool::distance_picture(source_, chosen().pose, prepared_.get(), centre_, nearness_);
}

std::string Scene::title() const {
  if (report_.verdict == fricp_verdict_name(FRICP_VERDICT_NONE) && report_.method != "auto")
    return "not judged: method " + report_.method + " gives no verdict";
  std::int32_t verdict = FRICP_VERDICT_POOR;
  while (verdict > FRICP_VERDICT_NONE && report_.verdict != fricp_verdict_name(verdict))
    --verdict;
  return (verdict == FRICP_VERDICT_NONE ? "not judged" : report_.verdict) + ": " + tool::meaning_of(verdict);
}

tool::Colour Scene::title_colour() const {
  return report_.verdict == "reliable"                                    ? tool::Colour(20, 120, 50)
         : report_.verdict == "partial" || report_.verdict == "ambiguous" ? tool::Colour(190, 100, 0)
         : report_.verdict == "poor"                                      ? tool::Colour(190, 20, 20)
                                                                          : tool::Colour(90, 90, 90);
}

std::string Scene::subtitle() const {
  return name_of(source_) + ", " + std::to_string(report_.points_source) + " points, laid on " + name_of(target_) +
         ", " + std::to_string(report_.points_target) + " points, by " + report_.method;
}

std::string Scene::caption() const {
  return chosen().caption + "\n" + tool::rounded(100 * nearness_.within, 3) +
         " % of the source within the spacing, median distance " + tool::rounded(nearness_.median, 3);
}

std::string Scene::keys() const {
  const std::string digits = std::to_string(std::min<std::size_t>(report_.candidates.size(), 9));
  return "left, right: passes   " +
         (report_.candidates.empty() ? std::string() : "n, p, 1-" + digits + ": auto's candidates   ") +
         "r: result   t: target on, off   +, -: points larger, smaller   mouse: turn, shift, zoom   c: camera back   "
         "q: quit";
}

tool::DistanceScale Scene::scale() const {
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target_get_info(prepared_.get(), &info);
  return {info.spacing};
}

Eigen::Matrix3d Scene::axes() const {
  const tool::Point middle = tool::bounds_of(target_).centroid;
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  tool::for_each_finite(target_,
                        [&](const tool::Point &point) { moments += (point - middle) * (point - middle).transpose(); });
  const Eigen::Matrix3d vectors = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments).eigenvectors();
  Eigen::Matrix3d axes;
  axes << vectors.col(2), vectors.col(1), vectors.col(2).cross(vectors.col(1));
  Eigen::Index most = 0;
  axes.col(1).cwiseAbs().maxCoeff(&most);
  if (axes(most, 1) < 0) // up is where coordinates grow
    axes.leftCols(2) *= -1;
  if (report_.dimension == 3) // somewhat from above and from the side, so that depth is seen
    axes = Eigen::AngleAxisd(-0.35, axes.col(0)) * (Eigen::AngleAxisd(0.3, axes.col(1)) * axes);
  return axes;
}

} // namespace fricp::view
