// SPDX-License-Identifier: BSD-3-Clause
// A PCL pipeline before and after: one line changes, and everything behind the base class's pointer stays.
#include <fricp/pcl/registration.hpp>

#include <pcl/point_types.h>
#include <pcl/registration/icp.h>

#include <cstdio>
#include <vector>

#include "clouds.h"

using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;

static Cloud::Ptr makeScan(std::size_t points, double x0, const fricp_pose &pose, std::uint64_t seed) {
  std::vector<float> xyz(3 * points);
  clouds_scan(xyz.data(), points, x0, &pose, 0.002, 0.05, seed);
  Cloud::Ptr cloud(new Cloud);
  for (std::size_t i = 0; i < points; ++i)
    cloud->emplace_back(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
  return cloud;
}

// The pipeline. It knows nothing of fricp. Returns how far the pose is off the truth, in degrees.
static double runPipeline(const char *name, pcl::Registration<Point, Point> &registration, const Cloud::Ptr &scan,
                          const Cloud::Ptr &map, const fricp_pose &truth) {
  registration.setInputSource(scan);
  registration.setInputTarget(map);
  registration.setMaximumIterations(200);
  Cloud aligned;
  registration.align(aligned);

  const Eigen::Matrix4f matrix = registration.getFinalTransformation();
  fricp_pose pose = fricp_pose_identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      pose.rotation[r][c] = matrix(r, c);
    pose.translation[r] = matrix(r, 3);
  }
  const double middle[3] = {0.8, 0.5, 0.0};
  double degrees, distance;
  clouds_compare(&pose, &truth, middle, &degrees, &distance);
  std::printf("%-28s %s, fitness %.6f, off the truth: %8.4f degrees, %.5f\n", name,
              registration.hasConverged() ? "converged" : "not converged", registration.getFitnessScore(), degrees,
              distance);
  return registration.hasConverged() && aligned.size() == scan->size() && distance < 0.5 ? degrees : 180.0;
}

int main() {
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(12, 0.2, -0.3, 1, 0.08, -0.05, 0.04);
  const Cloud::Ptr map = makeScan(6000, 0.0, here, 1), scan = makeScan(6000, 0.3, truth, 2);

  pcl::IterativeClosestPoint<Point, Point> before;
  const double degrees_before = runPipeline("pcl::IterativeClosestPoint", before, scan, map, truth);

  fricp::Registration<Point, Point> after; // the line that changes
  const double degrees_after = runPipeline("fricp::Registration", after, scan, map, truth);

  // What the base class cannot say.
  std::printf("ended: %s; overlap %.0f %%, error of a matching point %.5f\n", after.getStopReasonName().c_str(),
              100.0 * after.getInlierShare(), after.getInlierRMS());
  // 70 % of the clouds overlap: least squares is drawn to the rest, the robust kernel is not.
  return degrees_after < 0.3 && degrees_after < degrees_before ? 0 : 1;
}
