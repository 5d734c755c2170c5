// SPDX-License-Identifier: BSD-3-Clause
// Code that was written for PCL's registrations, with ours put in through the base class's pointer.
#include "clouds.hpp"
#include "instances.hpp"

#include <pcl/registration/elch.h>
#include <pcl/registration/incremental_registration.h>
#include <pcl/registration/meta_registration.h>

#include <atomic>
#include <thread>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Base = pcl::Registration<Point, Point>;

// Scans of a sensor that drives through a hall, and where each was truly taken.
struct Drive {
  std::vector<Cloud::Ptr> scans;
  std::vector<fricp_pose> world_from_scan;

  explicit Drive(std::size_t count, double loop_part) {
    sequence_spec spec = {};
    spec.scans = count;
    spec.points = 3000;
    spec.seed = 11;
    spec.noise = 0.005;
    spec.loop_part = loop_part;
    sequence made;
    ck_assert_ptr_null(sequence_make(&spec, &made));
    for (std::size_t k = 0; k < made.scans; k++) {
      scans.push_back(toCloud<Point>(made.scan[k], nullptr, made.points));
      world_from_scan.push_back(made.world_from_scan[k]);
    }
    sequence_free(&made);
  }

  // Where scan k is as seen from scan 0.
  fricp_pose fromFirst(std::size_t k) const {
    const fricp_pose back = verify_inverse(&world_from_scan[0]);
    return verify_multiply(&back, &world_from_scan[k]);
  }
};

START_TEST(incremental_registration_follows_a_drive) {
  const Drive drive(8, 0.1);
  pcl::registration::IncrementalRegistration<Point> incremental;
  incremental.setRegistration(fricp::makeRegistration<Point>("robust-icp-plane"));
  for (std::size_t k = 0; k < drive.scans.size(); k++) {
    ck_assert(incremental.registerCloud(drive.scans[k]));
    const fricp_pose pose = test::toPose(incremental.getAbsoluteTransform());
    const fricp_pose truth = drive.fromFirst(k);
    // 1 cm and 0.05 degrees a step, added up at worst.
    ck_assert_double_lt(verify_translation(&pose, &truth), 0.01 * static_cast<double>(k) + 1e-6);
    ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05 * static_cast<double>(k) + 1e-6);
  }
}
END_TEST

// The target is one cloud object that grows: the same pointer is set again and again.
START_TEST(meta_registration_grows_one_target) {
  const Drive drive(6, 0.08);
  pcl::registration::MetaRegistration<Point> meta;
  meta.setRegistration(fricp::makeRegistration<Point>("robust-icp-plane"));
  for (std::size_t k = 0; k < drive.scans.size(); k++) {
    const fricp_pose step = k ? verify_inverse(&drive.world_from_scan[k - 1]) : fricp_pose_identity();
    const fricp_pose delta = k ? verify_multiply(&step, &drive.world_from_scan[k]) : step;
    ck_assert(meta.registerCloud(drive.scans[k], toMatrix<float>(delta)));
    const fricp_pose pose = test::toPose(meta.getAbsoluteTransform());
    const fricp_pose truth = drive.fromFirst(k);
    ck_assert_double_lt(verify_translation(&pose, &truth), 0.01);
    ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05);
    ck_assert_uint_eq(meta.getMetaCloud()->size(), 3000 * (k + 1));
  }
}
END_TEST

// A loop whose odometry drifts 0.5 m along x: ELCH must find that, registering the last scans to the first.
START_TEST(elch_closes_a_loop) {
  const Drive drive(12, 1.0);
  const std::size_t last = drive.scans.size() - 1;
  pcl::registration::ELCH<Point> elch;
  elch.setReg(fricp::makeRegistration<Point>("robust-icp-plane"));
  for (std::size_t k = 0; k <= last; k++) {
    fricp_pose world = drive.world_from_scan[k];
    world.translation[0] += 0.5 * static_cast<double>(k) / static_cast<double>(last);
    const Cloud::Ptr placed(new Cloud);
    pcl::transformPointCloud(*drive.scans[k], *placed, toMatrix<float>(world));
    elch.addPointCloud(placed);
  }
  elch.setLoopStart(0);
  elch.setLoopEnd(last);
  elch.compute();
  const fricp_pose found = test::toPose(elch.getLoopTransform());
  // ELCH takes neighbouring scans along on both sides, which have an eleventh of the drift more or less each: a robust
  // kernel may lay any of the one side on any of the other.
  ck_assert_double_lt(std::abs(found.translation[0] + 0.5), 2 * 0.5 / 11 + 0.02);
  ck_assert_double_lt(std::hypot(found.translation[1], found.translation[2]), 0.05);
  const fricp_pose unturned = fricp_pose_identity();
  ck_assert_double_lt(verify_angle_degrees(&found, &unturned), 0.3);
}
END_TEST

// The calls of PCL's tutorial "interactive ICP", in its order.
START_TEST(interactive_icp_tutorial) {
  const auto pair = makePair<Point>(easyScene());
  const Cloud::Ptr cloud_in = pair.target, cloud_icp(new Cloud(*pair.source));
  int iterations = 1;
  fricp::Registration<Point, Point> icp;
  icp.setMaximumIterations(iterations);
  icp.setInputSource(cloud_icp);
  icp.setInputTarget(cloud_in);
  icp.align(*cloud_icp);
  ck_assert(icp.hasConverged());
  Eigen::Matrix4d matrix = icp.getFinalTransformation().cast<double>();
  icp.setMaximumIterations(1);
  for (iterations = 2; iterations <= 40; iterations++) {
    icp.align(*cloud_icp);
    ck_assert(icp.hasConverged());
    matrix = (icp.getFinalTransformation().cast<double>() * matrix).eval();
  }
  const fricp_pose pose = test::toPose(matrix);
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.05);
  ck_assert_double_lt(verify_translation(&pose, &pair.truth), 2e-3);
}
END_TEST

class MyPointRepresentation : public pcl::PointRepresentation<pcl::PointNormal> {
public:
  MyPointRepresentation() {
    nr_dimensions_ = 4;
  }
  void copyToFloatArray(const pcl::PointNormal &p, float *out) const override {
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
    out[3] = p.curvature;
  }
};

// The calls of PCL's tutorial "pairwise incremental registration", in its order.
START_TEST(pairwise_registration_tutorial) {
  const auto pair = makePair<pcl::PointNormal>(easyScene());
  MyPointRepresentation point_representation;
  const float alpha[4] = {1.0, 1.0, 1.0, 1.0};
  point_representation.setRescaleValues(alpha);
  fricp::Registration<pcl::PointNormal, pcl::PointNormal> reg;
  reg.setTransformationEpsilon(1e-6);
  reg.setMaxCorrespondenceDistance(0.1 * 3); // the tutorial's 0.1 is for a room
  reg.setPointRepresentation(pcl::make_shared<const MyPointRepresentation>(point_representation));
  reg.setInputSource(pair.source);
  reg.setInputTarget(pair.target);
  Eigen::Matrix4f total = Eigen::Matrix4f::Identity(), previous = Eigen::Matrix4f::Zero();
  pcl::PointCloud<pcl::PointNormal>::Ptr source = pair.source, result = source;
  reg.setMaximumIterations(2);
  for (int i = 0; i < 30; ++i) {
    source = result;
    reg.setInputSource(source);
    result.reset(new pcl::PointCloud<pcl::PointNormal>);
    reg.align(*result);
    total = reg.getFinalTransformation() * total;
    if (std::abs((reg.getLastIncrementalTransformation() - previous).sum()) < reg.getTransformationEpsilon())
      reg.setMaxCorrespondenceDistance(reg.getMaxCorrespondenceDistance() - 0.001);
    previous = reg.getLastIncrementalTransformation();
  }
  ck_assert_int_eq(reg.getSearchMethodTarget()->getPointRepresentation()->getNumberOfDimensions(), 4);
  const fricp_pose pose = test::toPose(total);
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.05);
  ck_assert_double_lt(verify_translation(&pose, &pair.truth), 2e-3);
  const fricp_pose back = test::toPose(Eigen::Matrix4f(total.inverse()));
  pcl::PointCloud<pcl::PointNormal> output;
  pcl::transformPointCloud(*pair.target, output, toMatrix<float>(back));
  output += *pair.source;
  ck_assert_uint_eq(output.size(), pair.source->size() + pair.target->size());
}
END_TEST

// A by-name factory with the setters that SLAM packages call on whatever they get.
Base::Ptr selectRegistrationMethod(const std::string &name) {
  for (const std::string &known : fricp::methodNames())
    if (name == known) {
      const auto registration = fricp::makeRegistration<Point, Point>(name);
      registration->setNumThreads(2);
      registration->setTransformationEpsilon(0.01);
      registration->setMaximumIterations(64);
      registration->setMaxCorrespondenceDistance(2.5);
      registration->setUseReciprocalCorrespondences(false);
      registration->setRANSACIterations(0);
      return registration;
    }
  return nullptr;
}

START_TEST(slam_factory_keyframes_and_loops) {
  const Drive drive(5, 0.05);
  for (const std::string &name : fricp::methodNames()) {
    const Base::Ptr registration = selectRegistrationMethod(name);
    ck_assert_ptr_nonnull(registration.get());
    // Odometry against a keyframe, each time from the last pose.
    registration->setInputTarget(drive.scans[0]);
    Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
    for (std::size_t k = 1; k < drive.scans.size(); k++) {
      registration->setInputSource(drive.scans[k]);
      Cloud aligned;
      registration->align(aligned, guess);
      ck_assert_msg(registration->hasConverged(), "%s", name.c_str());
      guess = registration->getFinalTransformation();
      // The score that decides on a loop, and the inliers as localisation counts them.
      const double score = registration->getFitnessScore(4.0);
      ck_assert_double_ge(score, 0);
      ck_assert_double_lt(score, 1.0);
      pcl::Indices index;
      std::vector<float> distance;
      int inliers = 0;
      for (const Point &point : aligned) {
        registration->getSearchMethodTarget()->nearestKSearch(point, 1, index, distance);
        ck_assert_uint_eq(distance.size(), 1);
        inliers += distance[0] < 0.25f;
      }
      ck_assert_int_gt(inliers, 1500);
    }
    const fricp_pose pose = test::toPose(guess), truth = drive.fromFirst(drive.scans.size() - 1);
    // 0.01 stops at a step of 10 cm; only the robust methods see through what one scan does not show.
    if (name.find("robust") == 0)
      ck_assert_double_lt(verify_translation(&pose, &truth), 0.1);
  }
  ck_assert_ptr_null(fricp::makeRegistration<Point>("no-such-method").get());
}
END_TEST

// Localisation: scans are aligned while another thread swaps in the next part of the map. Every pose must be that of
// the part it was found on; the parts lie 5 m apart in their own frames, so that they cannot be mixed up.
START_TEST(localisation_swaps_maps) {
  const auto pair = makePair<Point>(easyScene());
  const double offsets[2] = {0, 5};
  const Base::Ptr registration = fricp::makeRegistration<Point>();
  registration->setInputTarget(pair.target);
  registration->setInputSource(pair.source);
  std::atomic<bool> stop{false};
  std::atomic<int> swaps{0};
  std::thread mapper([&] {
    while (!stop) {
      const Cloud::Ptr map(new Cloud(*pair.target));
      for (Point &point : *map)
        point.x += static_cast<float>(offsets[(swaps + 1) % 2]);
      registration->setInputTarget(map);
      swaps++;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  int aligned = 0, wrong = 0;
  while (aligned < 200) {
    // The guess of one part: on the other part nothing is within the distance limit, which must be told.
    registration->setMaxCorrespondenceDistance(1.0);
    Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
    const double offset = offsets[aligned % 2];
    guess(0, 3) = static_cast<float>(offset);
    Cloud output;
    pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);
    registration->align(output, guess);
    pcl::console::setVerbosityLevel(pcl::console::L_INFO);
    if (registration->hasConverged()) {
      fricp_pose truth = pair.truth;
      truth.translation[0] += offset;
      const fricp_pose pose = test::toPose(registration->getFinalTransformation());
      wrong += !(verify_translation(&pose, &truth) < 4e-3);
      wrong += !(registration->getFitnessScore() < 1e-3); // on the index of that align, too
    } else {
      wrong += registration->getFinalTransformation() != guess;
    }
    aligned++;
  }
  stop = true;
  mapper.join();
  ck_assert_int_eq(wrong, 0);
  ck_assert_int_gt(swaps, 5);
}
END_TEST

} // namespace

int main() {
  return run_suite("callers", {incremental_registration_follows_a_drive, meta_registration_grows_one_target,
                               elch_closes_a_loop, interactive_icp_tutorial, pairwise_registration_tutorial,
                               slam_factory_keyframes_and_loops, localisation_swaps_maps});
}
