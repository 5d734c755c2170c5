// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file thinned.hpp
 * A cloud thinned by a grid of cubes, of any extent: pcl::VoxelGrid counts its cells in 32 bits, and where that is not enough
 * it thins nothing. Internal to the shim.
 */
#ifndef FRICP_PCL_THINNED_HPP
#define FRICP_PCL_THINNED_HPP

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fricp {
namespace detail {

/** The mean of the points in each cube of this size, in an order that does not depend on that of the points. */
inline pcl::PointCloud<pcl::PointXYZ>::Ptr thinned(const std::vector<Eigen::Vector3d> &points, double size) {
  using Cell = std::array<std::int64_t, 3>;
  constexpr double most = 1e15; // cells: beyond, an outlier that is nobody's neighbour
  std::vector<std::pair<Cell, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); i++) {
    Cell cell;
    for (Eigen::Index axis = 0; axis < 3; axis++)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(std::max(-most, std::min(most, points[i][axis] / size))));
    order.emplace_back(cell, i);
  }
  std::sort(order.begin(), order.end());
  const pcl::PointCloud<pcl::PointXYZ>::Ptr result(new pcl::PointCloud<pcl::PointXYZ>);
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (; last < order.size() && order[last].first == order[first].first; last++)
      sum += points[order[last].second];
    const Eigen::Vector3f mean = (sum / static_cast<double>(last - first)).cast<float>();
    result->emplace_back(mean.x(), mean.y(), mean.z());
  }
  return result;
}

} // namespace detail
} // namespace fricp

#endif
