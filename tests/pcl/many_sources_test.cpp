// SPDX-License-Identifier: BSD-3-Clause
// One target, many sources: how often anything is indexed. The linker routes the shim's calls of fricp_target_create()
// through here (--wrap).
#include "clouds.hpp"
#include "instances.hpp"

#include "suite.h"

static int created = 0;

extern "C" {
fricp_status __real_fricp_target_create(fricp_target **target, const fricp_cloud *cloud,
                                        const fricp_target_options *options, fricp_error *error);
fricp_status __wrap_fricp_target_create(fricp_target **target, const fricp_cloud *cloud,
                                        const fricp_target_options *options, fricp_error *error);

fricp_status __wrap_fricp_target_create(fricp_target **target, const fricp_cloud *cloud,
                                        const fricp_target_options *options, fricp_error *error) {
  created++;
  return __real_fricp_target_create(target, cloud, options, error);
}
}

namespace {

using namespace test;

constexpr int SOURCES = 100;

// Aligns SOURCES moved copies of the source, the fitness score after each. @return how often a target was prepared.
template <class P> int prepareCount(const char *method) {
  const auto pair = makePair<P>(easyScene());
  const typename pcl::Registration<P, P>::Ptr registration = fricp::makeRegistration<P, P>(method);
  const auto search = registration->getSearchMethodTarget();
  registration->setInputTarget(pair.target);
  created = 0;
  for (int k = 0; k < SOURCES; k++) {
    const fricp_pose extra = makePose(0, 0, 1, 0.02 * k, 0.0002 * k, 0, 0);
    const CloudPtr<P> source(new pcl::PointCloud<P>);
    pcl::transformPointCloud(*pair.source, *source, toMatrix<float>(extra));
    registration->setInputSource(source);
    pcl::PointCloud<P> output;
    registration->align(output);
    ck_assert(registration->hasConverged());
    const fricp_pose back = verify_inverse(&extra);
    const fricp_pose truth = verify_multiply(&pair.truth, &back);
    const fricp_pose pose = test::toPose(registration->getFinalTransformation());
    ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05);
    ck_assert_double_lt(registration->getFitnessScore(), 1e-4);
  }
  ck_assert_ptr_eq(registration->getSearchMethodTarget().get(), search.get());
  return created;
}

START_TEST(indexed_once) {
  ck_assert_int_eq(prepareCount<pcl::PointXYZ>("robust-icp"), 1);
  ck_assert_int_eq(prepareCount<pcl::PointNormal>("robust-icp-plane"), 1);
  ck_assert_int_eq(prepareCount<pcl::PointNormal>("auto"), 1);
}
END_TEST

// Without normals the index serves to estimate them first, and is made again with them.
START_TEST(normals_estimated_once) {
  ck_assert_int_eq(prepareCount<pcl::PointXYZ>("robust-icp-plane"), 2);
  ck_assert_int_eq(prepareCount<pcl::PointXYZ>("auto"), 2);
}
END_TEST

START_TEST(indexed_anew_when_set_again) {
  const auto pair = makePair<pcl::PointXYZ>(easyScene());
  fricp::Registration<pcl::PointXYZ, pcl::PointXYZ> registration;
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  pcl::PointCloud<pcl::PointXYZ> output;
  created = 0;
  for (int k = 0; k < 3; k++) {
    registration.setInputTarget(pair.target);
    registration.align(output);
    registration.align(output);
  }
  ck_assert_int_eq(created, 3);
  (void)registration.getTargetInlierShare(); // indexes the source, once
  (void)registration.getTargetInlierRMS();
  ck_assert_int_eq(created, 4);
}
END_TEST

} // namespace

int main() {
  return run_suite("many sources", {indexed_once, normals_estimated_once, indexed_anew_when_set_again});
}
