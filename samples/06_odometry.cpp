// SPDX-License-Identifier: BSD-3-Clause
// Odometry: each scan of a sequence is registered to the one before, starting where constant speed puts it.
//   06_odometry [method]     robust-icp-plane unless told; any name of fricp::methodNames()
#include <fricp/pcl/factory.hpp>

#include <pcl/point_types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "clouds.h"

using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;

static const int scans = 25;
static const double step = 0.03; // of the way, with each scan

// Where the sensor truly is when it takes scan k: it drives over the hills and turns on the way.
static fricp_pose truePose(int k) {
  return clouds_pose(2.0 * k, 0.05, 0.1, 1, 0.5 + step * k, 0.5 + 0.1 * std::sin(0.2 * k), 0.4);
}

static Cloud::Ptr takeScan(int k) {
  const std::size_t points = 4000;
  std::vector<float> xyz(3 * points);
  const fricp_pose pose = truePose(k);
  clouds_scan(xyz.data(), points, step * k, &pose, 0.001, 0.05, 1000u + static_cast<std::uint64_t>(k));
  Cloud::Ptr cloud(new Cloud);
  for (std::size_t i = 0; i < points; ++i)
    cloud->emplace_back(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
  return cloud;
}

static fricp_pose toPose(const Eigen::Matrix4d &matrix) {
  fricp_pose pose = fricp_pose_identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      pose.rotation[r][c] = matrix(r, c);
    pose.translation[r] = matrix(r, 3);
  }
  return pose;
}

int main(int argc, char **argv) {
  const std::string method = argc > 1 ? argv[1] : "robust-icp-plane"; // the one line of choice
  const auto registration = fricp::makeRegistration<Point, Point, double>(method);
  if (!registration)
    return 2;

  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity(), last_step = pose; // scan k in the frame of scan 0
  const fricp_pose first = truePose(0), first_inverse = fricp_pose_inverse(&first);
  Cloud::Ptr previous = takeScan(0);
  double degrees = 0.0, distance = 0.0;
  for (int k = 1; k < scans; ++k) {
    const Cloud::Ptr scan = takeScan(k);
    registration->setInputSource(scan);
    registration->setInputTarget(previous);
    Cloud aligned;
    registration->align(aligned, last_step);
    if (!registration->hasConverged()) {
      std::fprintf(stderr, "scan %d: lost: %s\n", k, registration->getStopReasonName().c_str());
      return 1;
    }
    last_step = registration->getFinalTransformation();
    pose = pose * last_step;
    previous = scan;

    const fricp_pose now = truePose(k), truth = fricp_pose_multiply(&first_inverse, &now), found = toPose(pose);
    const double here[3] = {0.0, 0.0, 0.0};
    clouds_compare(&found, &truth, here, &degrees, &distance);
    if (k % 4 == 0)
      std::printf("scan %2d: overlap %3.0f %%, drift so far %.4f degrees, %.5f of %.2f driven\n", k,
                  100.0 * registration->getInlierShare(), degrees, distance, step * k);
  }
  // One scan's error is about a hundredth of the spacing of its points (0.016), and errors of 24 steps add up.
  return degrees < 1.0 && distance < 0.02 ? 0 : 1;
}
