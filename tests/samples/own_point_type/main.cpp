// SPDX-License-Identifier: BSD-3-Clause
#define PCL_NO_PRECOMPILE
#include <fricp/pcl/factory.hpp>

#include <cmath>
#include <cstdio>

struct RatedPoint {
  PCL_ADD_POINT4D;
  float rating;
  PCL_MAKE_ALIGNED_OPERATOR_NEW
};
POINT_CLOUD_REGISTER_POINT_STRUCT(RatedPoint, (float, x, x)(float, y, y)(float, z, z)(float, rating, rating))

int main() {
  using Cloud = pcl::PointCloud<RatedPoint>;
  Cloud::Ptr source(new Cloud), target(new Cloud);
  for (int i = 0; i < 500; i++) {
    RatedPoint p;
    p.x = static_cast<float>(i % 14);
    p.y = static_cast<float>((i * 7) % 11);
    p.z = static_cast<float>((i * i) % 9);
    p.rating = static_cast<float>(i);
    source->push_back(p);
    p.x += 0.125f; // exact in binary
    target->push_back(p);
  }
  const auto registration = fricp::makeRegistration<RatedPoint, RatedPoint>("robust-icp");
  registration->setInputSource(source);
  registration->setInputTarget(target);
  Cloud aligned;
  registration->align(aligned);
  const float shift = registration->getFinalTransformation()(0, 3);
  const bool kept = aligned.size() == source->size() && aligned[7].rating == 7.f;
  std::printf("converged %d, shift %g, rating kept %d\n", registration->hasConverged(), shift, kept);
  return registration->hasConverged() && std::fabs(shift - 0.125f) < 1e-5f && kept ? 0 : 1;
}
