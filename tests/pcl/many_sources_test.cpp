// SPDX-License-Identifier: BSD-3-Clause
// One target, many sources: how often anything is indexed. The linker routes the shim's calls of fricp_target_create()
// through here (--wrap).
#include "clouds.hpp"
#include "instances.hpp"

#include <functional>

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

// Without normals the index serves PCL to estimate them first, and is made again with them.
START_TEST(normals_estimated_once) {
  ck_assert_int_eq(prepareCount<pcl::PointXYZ>("robust-icp-plane"), 2);
  ck_assert_int_eq(prepareCount<pcl::PointXYZ>("auto"), 2);
}
END_TEST

using Point = pcl::PointXYZ;
using Registration = fricp::Registration<Point, Point>;

// Points of the target that have a normal.
std::size_t normalsOf(const Registration &registration) {
  return std::dynamic_pointer_cast<fricp::Search<Point>>(registration.getSearchMethodTarget())->prepared()->normals;
}

// @return how often a target was prepared for that one align.
int prepareCount(Registration &registration) {
  created = 0;
  pcl::PointCloud<Point> output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  return created;
}

// The core makes normals with the index, if what is set before the target is aligned to says that they are used.
START_TEST(core_normals_with_the_index) {
  const auto pair = makePair<Point>(partialScene());
  const auto flat = makePair<Point>(partialScene());
  for (const auto &cloud : {flat.source, flat.target})
    for (Point &point : *cloud)
      point.z = 0;
  const std::function<void(Registration &)> asks[] = {
      [](Registration &r) { r.setMethod("auto"); }, [](Registration &r) { r.setMethod("robust-icp-plane"); },
      [](Registration &r) { r.setMethod("robust-icp"), r.setMetric("point-to-plane"); },
      [](Registration &r) { r.setMethod("robust-icp"), r.setMetric(FRICP_METRIC_POINT_TO_PLANE); },
      [](Registration &r) { r.setMethod("robust-icp"), r.setMaxNormalAngle(1); }};
  for (const auto &ask : asks) {
    Registration once, twice;
    for (Registration *registration : {&once, &twice}) {
      registration->setInputSource(pair.source);
      registration->setInputTarget(pair.target);
    }
    once.setCoreNormals(true);
    ask(once);
    ck_assert_int_eq(prepareCount(once), 1);
    ck_assert_int_eq(prepareCount(once), 0);
    // Indexed first, and again with normals when they are asked for: the same target.
    twice.setMethod("robust-icp");
    ck_assert_int_eq(prepareCount(twice), 1);
    twice.setCoreNormals(true);
    ask(twice);
    ck_assert_int_eq(prepareCount(twice), 1);
    ck_assert_mem_eq(&once.getResult().target_from_source, &twice.getResult().target_from_source, sizeof(fricp_pose));
    // Another target: what is asked for is known by now.
    twice.setInputTarget(pair.source);
    ck_assert_int_eq(prepareCount(twice), 1);
  }
  Registration registration;
  registration.setCoreNormals(true);
  // Normals of a plane say nothing of motions within it: auto does without, and no method without them estimates any.
  registration.setInputSource(flat.source);
  registration.setInputTarget(flat.target);
  ck_assert_int_eq(prepareCount(registration), 1);
  ck_assert_uint_eq(normalsOf(registration), 0);
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  ck_assert_int_eq(prepareCount(registration), 1);
  ck_assert_uint_eq(normalsOf(registration), 0);
}
END_TEST

// The same behind a tree of the user's and behind a point representation, in which case positions have an index of their own.
START_TEST(core_normals_behind_a_tree) {
  const auto pair = makePair<Point>(partialScene());
  for (const char *method : {"auto", "robust-icp-plane"})
    for (const bool own : {false, true})
      for (const bool scaled : {false, true}) {
        if (!own && !scaled)
          continue; // no tree
        const int indices = 1 + scaled;
        Registration once, twice;
        for (Registration *registration : {&once, &twice}) {
          registration->setNumThreads(1);
          registration->setInputSource(pair.source);
          registration->setInputTarget(pair.target);
          if (own)
            registration->setSearchMethodTarget(Registration::Base::KdTreePtr(new pcl::search::KdTree<Point>));
          if (scaled && own)
            registration->getSearchMethodTarget()->setPointRepresentation(pcl::make_shared<Scaled<Point>>());
          else if (scaled)
            registration->setPointRepresentation(pcl::make_shared<Scaled<Point>>());
        }
        once.setMethod(method);
        once.setCoreNormals(true);
        ck_assert_int_eq(prepareCount(once), indices);
        ck_assert_int_eq(prepareCount(once), 0);
        twice.setMethod("robust-icp");
        ck_assert_int_eq(prepareCount(twice), indices);
        twice.setMethod(method);
        twice.setCoreNormals(true);
        ck_assert_int_eq(prepareCount(twice), 1);
        ck_assert_mem_eq(&once.getResult().target_from_source, &twice.getResult().target_from_source,
                         sizeof(fricp_pose));
      }
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

// Somebody else uses the tree: the normals of a scan, say, or another registration. Only force_no_recompute keeps that.
START_TEST(search_used_by_others) {
  const auto pair = makePair<Point>(easyScene()), other = makePair<Point>(easyScene(9));
  const auto is_right = [](const Registration &registration, const Pair<Point> &of) {
    const fricp_pose pose = registration.getResult().target_from_source;
    return registration.hasConverged() && verify_angle_degrees(&pose, &of.truth) < 0.05;
  };
  for (const int kind : {0, 1, 2}) {
    Registration first, second;
    pcl::PointCloud<Point> output;
    if (kind > 0)
      first.setSearchMethodTarget(kind == 1 ? pcl::make_shared<pcl::search::KdTree<Point>>()
                                            : pcl::make_shared<fricp::Search<Point>>());
    const auto tree = first.getSearchMethodTarget();
    first.setMethod("robust-icp-plane");
    first.setInputSource(pair.source);
    first.setInputTarget(pair.target);
    first.align(output);
    ck_assert(is_right(first, pair));
    tree->setInputCloud(pair.source);
    first.align(output);
    ck_assert_msg(is_right(first, pair), "tree %d, used for another cloud", kind);
    tree->setInputCloud(pair.target, pcl::IndicesPtr(new pcl::Indices({1, 2, 3, 4, 5, 6})));
    first.align(output);
    ck_assert_msg(is_right(first, pair), "tree %d, used for a part of the target", kind);

    second.setSearchMethodTarget(tree);
    second.setInputSource(other.source);
    second.setInputTarget(other.target);
    for (int turn = 0; turn < 2; turn++) {
      second.align(output);
      ck_assert_msg(is_right(second, other), "tree %d, the second's turn", kind);
      first.align(output);
      ck_assert_msg(is_right(first, pair), "tree %d, the first's turn", kind);
    }

    // PCL has written the output before the target can be read again.
    tree->setInputCloud(pair.source);
    ErrorCapture errors;
    const pcl::PointCloud<Point> whole = *pair.target;
    first.align(*pair.target);
    ck_assert(!first.hasConverged() && contains(errors.text(), "output"));
    *pair.target = whole;
    first.setSearchMethodTarget(tree, true);
    first.align(output);
    const fricp_pose pose = first.getResult().target_from_source, none = fricp_pose_identity();
    // PCL's tree only tells numbers of points, and where those of the target lie we know.
    ck_assert_double_lt(verify_angle_degrees(&pose, kind == 1 ? &pair.truth : &none), 0.05);
  }
}
END_TEST

} // namespace

int main() {
  return run_suite("many sources", {indexed_once, normals_estimated_once, core_normals_with_the_index,
                                    core_normals_behind_a_tree, indexed_anew_when_set_again, search_used_by_others});
}
