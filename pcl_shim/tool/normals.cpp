// SPDX-License-Identifier: BSD-3-Clause
#include "normals.hpp"

#include "points.hpp"
#include "text.hpp"

#include "fricp/pcl/normals.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <memory>

namespace fricp::tool {

namespace {

/** PCL gives points on a line some normal across it, as if they lay on a plane. */
bool is_line(const detail::Coordinates &points, const pcl::Indices &finite) {
  const auto centre = detail::centroid(points, finite);
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const pcl::index_t index : finite) {
    const auto point = points.at(static_cast<std::size_t>(index));
    const Eigen::Vector3d p = Eigen::Vector3d(point.data()) - Eigen::Vector3d(centre.data());
    covariance += p * p.transpose();
  }
  const Eigen::Vector3d spread = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvalues();
  constexpr double float_rounding = 1e-12; // square of a few units in the last place of a float
  return spread[1] <= float_rounding * spread[2];
}

} // namespace

std::vector<float> estimate_normals(const Cloud &cloud, int threads) {
  const View view(cloud, false);
  const auto coordinates = detail::Coordinates::of(view.get());
  const auto finite = pcl::make_shared<pcl::Indices>();
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (is_finite(coordinates.at(i))) {
      finite->push_back(static_cast<pcl::index_t>(i));
    }
  }
  std::vector<float> result(std::max<std::size_t>(cloud.size(), 1) * 3, std::numeric_limits<float>::quiet_NaN());
  if (finite->size() < 3) {
    return result; // the core says what is wrong with the cloud
  }
  if (is_line(coordinates, *finite)) {
    fail(cloud.path, 0, "all points lie on one line, so they have no normals: choose a point-to-point method");
  }
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = threads;
  fricp_target *target = nullptr;
  if (fricp_target_create(&target, &view.get(), &options, nullptr) != FRICP_OK) {
    return result; // as above
  }
  const std::unique_ptr<fricp_target, void (*)(fricp_target *)> owner(target, fricp_target_destroy);
  detail::estimateNormals(*target, coordinates, *finite, finite, threads, result);
  return result;
}

} // namespace fricp::tool
