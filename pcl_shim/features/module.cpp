// SPDX-License-Identifier: BSD-3-Clause
/*
 * The module fricp-features.so.
 */
#include "entry.hpp"

#include "fricp/pcl/feature_start.hpp"
#include "fricp/version.h"

#include <cstdio>
#include <exception>

namespace fricp::features {

namespace {

using Points = pcl::PointCloud<pcl::PointXYZ>;

Points copy_of(const Cloud &cloud) {
  Points points;
  points.reserve(cloud.count);
  for (std::size_t i = 0; i < cloud.count; ++i) {
    const float *const point = cloud.points + 3 * i;
    points.emplace_back(point[0], point[1], point[2]);
  }
  points.sensor_origin_.head<3>() = Eigen::Map<const Eigen::Vector3f>(cloud.sensor);
  return points;
}

void set_problem(Start &start, const char *text) {
  std::snprintf(start.problem, sizeof start.problem, "%s", text);
}

void find(const Cloud &source, const Cloud &target, int threads, Start &start) noexcept {
  start = Start();
  try {
    const FeatureStart result = featureStart(copy_of(source), copy_of(target), threads);
    using Matrix = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
    Eigen::Map<Matrix>(start.target_from_source) = result.target_from_source;
    start.inlier_share = result.inlier_share;
    start.found = result.found;
    set_problem(start, result.problem.c_str());
  } catch (const std::exception &fault) {
    set_problem(start, fault.what());
  } catch (...) {
    set_problem(start, "PCL failed and does not say why");
  }
}

} // namespace

} // namespace fricp::features

const fricp::features::Module fricp_features = {FRICP_VERSION_STRING, fricp::features::find};
