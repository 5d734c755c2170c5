// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include "fricp/pcl/thinned.hpp"

#include <algorithm>
#include <vector>

namespace fricp::tool {

namespace {

/** Lengths are shares of the first scan's radius, the median distance of its points from their middle. */
constexpr double voxel_share = 1.0 / 30;
constexpr double step_share = 1.0 / 10;        // the sensor has moved: a key frame
constexpr double least_turn = 10 * M_PI / 180; // or turned, radians

/** @param size  of the voxels; 0: as it is. */
Points::Ptr thinned(const Points::Ptr &points, double size) {
  if (!(size > 0))
    return points;
  std::vector<Eigen::Vector3d> all;
  for (const auto &point : *points)
    all.push_back(point.getVector3fMap().cast<double>());
  return detail::thinned(all, size);
}

/** @param points  relative to their middle. */
double radius_of(const Points &points) {
  std::vector<double> distances;
  for (const auto &point : points)
    distances.push_back(point.getVector3fMap().cast<double>().norm());
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

} // namespace

bool is_fault_of_points(fricp_status status) {
  return status == FRICP_ERROR_EMPTY_CLOUD || status == FRICP_ERROR_TOO_FEW_POINTS ||
         status == FRICP_ERROR_NO_CORRESPONDENCES || status == FRICP_ERROR_DEGENERATE;
}

Map::Map(const Options &options, int dimension)
    : dimension_(dimension), window_(static_cast<std::size_t>(options.window)), voxel_(options.voxel),
      how_(options.prepare) {
  how_.given_normals_only = (fricp_options_normals(&options.solver) & FRICP_NORMALS_TARGET_USED) != 0 ? 0 : 1;
}

bool Map::lacks(const Motion &pose) const {
  const Motion moved = frame().inverse() * pose;
  return moved.translation().norm() > step_share * radius_ || Eigen::AngleAxisd(moved.linear()).angle() > least_turn;
}

void Map::add(const Motion &pose, const Points::Ptr &points, const std::string &name) {
  if (points->empty())
    throw Unusable("none of its points is finite");
  if (keys_.empty()) {
    radius_ = radius_of(*points);
    voxel_ = voxel_ > 0 ? voxel_ : voxel_share * radius_;
  }
  keys_.emplace_back(pose, thinned(points, voxel_));
  if (keys_.size() > window_)
    keys_.pop_front();
  prepare(name);
}

Points::Ptr Map::joined() const {
  Points::Ptr all(new Points);
  for (const auto &[pose, points] : keys_) {
    const Eigen::Affine3f move((frame().inverse() * pose).matrix().cast<float>());
    for (const auto &point : *points) {
      const Eigen::Vector3f moved = move * point.getVector3fMap();
      all->emplace_back(moved.x(), moved.y(), moved.z());
    }
  }
  return all;
}

void Map::prepare(const std::string &name) {
  const Points::Ptr points = thinned(joined(), voxel_);
  fricp_cloud view = FRICP_CLOUD_INIT;
  view.points = points->points.data();
  view.count = points->size();
  view.stride = sizeof(pcl::PointXYZ);
  view.scalar_type = FRICP_SCALAR_FLOAT;
  view.dimension = dimension_;
  fricp_target *created = nullptr;
  fricp_error error = {};
  const fricp_status status = fricp_target_create(&created, &view, &how_, &error);
  if (is_fault_of_points(status))
    throw Unusable(std::string("cannot be the map: ") + error.text);
  if (status != FRICP_OK)
    throw Error(name + ": cannot be the map: " + error.text);
  target_.reset(created);
}

} // namespace fricp::tool
