// SPDX-License-Identifier: BSD-3-Clause
// As consumer.cpp, with PCL's own classes: for the conformance report only.
#include "clouds.hpp"

#include <pcl/registration/gicp.h>
#include <pcl/registration/icp.h>

#include <cstring>

namespace {

template <class PointT> bool run(typename pcl::Registration<PointT, PointT>::Ptr registration) {
  const auto pair = test::makePair<PointT>(test::easyScene());
  registration->setInputSource(pair.source);
  registration->setInputTarget(pair.target);
  registration->setMaximumIterations(100);
  pcl::PointCloud<PointT> output;
  registration->align(output);
  const fricp_pose pose = test::toPose(registration->getFinalTransformation());
  return registration->hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 0.1 &&
         registration->getFitnessScore() < 1e-3;
}

} // namespace

int main(int count, char **arguments) {
  const std::string name = count > 1 ? arguments[1] : "";
  if (name == "pcl-icp")
    return run<pcl::PointXYZ>(pcl::make_shared<pcl::IterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ>>()) ? 0 : 1;
  if (name == "pcl-icp-with-normals")
    return run<pcl::PointNormal>(
               pcl::make_shared<pcl::IterativeClosestPointWithNormals<pcl::PointNormal, pcl::PointNormal>>())
               ? 0
               : 1;
  return run<pcl::PointXYZ>(pcl::make_shared<pcl::GeneralizedIterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ>>())
             ? 0
             : 1;
}
