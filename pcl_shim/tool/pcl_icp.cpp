// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <pcl/point_types.h>
#include <pcl/registration/icp.h>

namespace fricp::tool {

namespace {

using PclCloud = pcl::PointCloud<pcl::PointXYZ>;

/** Relative to a centre, since PCL computes in float; finite points only, since its search aborts on others. */
PclCloud::Ptr centred(const Cloud &cloud, const Point &centre) {
  const auto points = pcl::make_shared<PclCloud>();
  const Triple coordinates = coordinates_of(cloud);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point point = coordinates.load(cloud.data.data.data() + i * cloud.data.point_step);
    if (is_finite(point)) {
      points->emplace_back(static_cast<float>(point[0] - centre[0]), static_cast<float>(point[1] - centre[1]),
                           static_cast<float>(point[2] - centre[2]));
    }
  }
  return points;
}

/** With the frame's origin in the centre: R (p + c) + t - c = R p + (R c + t - c). */
fricp_pose recentred(fricp_pose pose, const Point &centre, double sign) {
  const Point turned = rotated(pose, centre);
  for (std::size_t k = 0; k < 3; ++k) {
    pose.translation[k] += sign * (turned[k] - centre[k]);
  }
  return pose;
}

} // namespace

bool pcl_icp(const Cloud &source, const Cloud &target, const Point &centre, const fricp_pose &guess,
             double max_distance, fricp_pose &pose) {
  const fricp_pose start = recentred(guess, centre, 1);
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      matrix(row, column) = start.rotation[row][column];
    }
    matrix(row, 3) = start.translation[row];
  }
  pcl::IterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ, double> icp;
  icp.setInputSource(centred(source, centre));
  icp.setInputTarget(centred(target, centre));
  icp.setMaximumIterations(100);
  if (max_distance > 0) {
    icp.setMaxCorrespondenceDistance(max_distance);
  }
  PclCloud moved_source;
  icp.align(moved_source, matrix);
  const Eigen::Matrix4d found = icp.getFinalTransformation();
  fricp_pose relative = fricp_pose_identity();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      relative.rotation[row][column] = found(row, column);
    }
    relative.translation[row] = found(row, 3);
  }
  pose = recentred(relative, centre, -1);
  return icp.hasConverged();
}

} // namespace fricp::tool
