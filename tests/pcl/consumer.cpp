// SPDX-License-Identifier: BSD-3-Clause
// A user's program that is compiled with other flags than the libraries it uses: the machine's own vectors, whose Eigen
// aligns differently, or a sanitizer. It goes through the common point types, or (FRICP_CONSUMER_CUSTOM) one of its
// own, for which PCL's templates are compiled with those flags, too.
#ifdef FRICP_CONSUMER_CUSTOM
#define PCL_NO_PRECOMPILE
#endif
#include "clouds.hpp"

#include "fricp/pcl/factory.hpp"

#ifdef FRICP_CONSUMER_CUSTOM
struct MyPoint {
  PCL_ADD_POINT4D;
  float reflectance;
  PCL_ADD_NORMAL4D;
  std::uint32_t ring;
  PCL_MAKE_ALIGNED_OPERATOR_NEW
} EIGEN_ALIGN16;

POINT_CLOUD_REGISTER_POINT_STRUCT(MyPoint,
                                  (float, x, x)(float, y, y)(float, z, z)(float, reflectance,
                                                                          reflectance)(float, normal_x, normal_x)(
                                      float, normal_y, normal_y)(float, normal_z, normal_z)(std::uint32_t, ring, ring))
#endif

namespace {

using namespace test;

template <class PointT> bool run(const char *type, const std::string &method) {
  const auto pair = makePair<PointT>(easyScene());
  (*pair.source)[5].x = std::numeric_limits<float>::quiet_NaN();
  pair.source->is_dense = false;
  const typename pcl::Registration<PointT, PointT>::Ptr registration = fricp::makeRegistration<PointT, PointT>(method);
  registration->setInputSource(pair.source);
  registration->setInputTarget(pair.target);
  pcl::PointCloud<PointT> output;
  registration->align(output);
  const fricp_pose pose = test::toPose(registration->getFinalTransformation());
  const bool right = registration->hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 0.05 &&
                     verify_translation(&pose, &pair.truth) < 2e-3 && registration->getFitnessScore() < 1e-4;
  std::printf("%s %s %s\n", type, method.c_str(), right ? "right" : "WRONG");
  return right;
}

bool runAll(const std::string &method) {
#if defined(FRICP_CONSUMER_CUSTOM)
  return run<MyPoint>("MyPoint", method);
#elif defined(FRICP_CONSUMER_SMALL)
  return run<pcl::PointXYZ>("PointXYZ", method) && run<pcl::PointNormal>("PointNormal", method);
#else
  bool right = run<pcl::PointXYZ>("PointXYZ", method);
  right &= run<pcl::PointXYZI>("PointXYZI", method);
  right &= run<pcl::PointXYZRGB>("PointXYZRGB", method);
  right &= run<pcl::PointNormal>("PointNormal", method);
  right &= run<pcl::PointXYZINormal>("PointXYZINormal", method);
  right &= run<pcl::PointXYZRGBNormal>("PointXYZRGBNormal", method);
  return right;
#endif
}

} // namespace

int main(int count, char **arguments) {
  std::printf("Eigen aligns to %d bytes\n", EIGEN_MAX_ALIGN_BYTES);
  bool right = true;
  for (const std::string &method : fricp::methodNames())
    if (count < 2 || method == arguments[1])
      right &= runAll(method);
  return right ? 0 : 1;
}
