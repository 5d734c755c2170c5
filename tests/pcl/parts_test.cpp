// SPDX-License-Identifier: BSD-3-Clause
// Metric, kernel, acceleration, the gates on pairs, locked directions and the prior through the shim. Expected: the same bits
// by another way, the scene's pose, the header's words.
#include "clouds.hpp"
#include "instances.hpp"

#include <atomic>
#include <stdexcept>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

fricp_pose align(Registration &registration, const Pair<Point, Point> &pair) {
  Cloud output;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.align(output);
  ck_assert_msg(registration.getStatus() == FRICP_OK, "%s", registration.getErrorText().c_str());
  return registration.getResult().target_from_source;
}

START_TEST(a_method_is_its_parts) {
  const auto pair = makePair<Point>(easyScene());
  Registration whole, parts;
  whole.setMethod("robust-icp-plane");
  parts.setMethod(FRICP_METHOD_ICP);
  ck_assert(parts.setMetric("point-to-plane"));
  ck_assert(parts.setKernel(FRICP_KERNEL_WELSCH));
  ck_assert(parts.setAcceleration("anderson"));
  const fricp_pose expected = align(whole, pair);
  const fricp_pose pose = align(parts, pair);
  ck_assert(verify_same_bits(&expected, &pose));
  ck_assert_int_eq(parts.getMetric(), FRICP_METRIC_POINT_TO_PLANE);
  ck_assert_int_eq(parts.getKernel(), FRICP_KERNEL_WELSCH);
  ck_assert_int_eq(parts.getAcceleration(), FRICP_ACCELERATION_ANDERSON);
}
END_TEST

START_TEST(settings_reach_the_core) {
  const auto pair = makePair<Point>(easyScene());
  Registration registration;
  registration.setMethod("robust-icp");
  registration.setMetric(FRICP_METRIC_SYMMETRIC);
  registration.setFixedWidth(true);
  registration.setMaxNormalAngle(0.8);
  fricp_pose pose = align(registration, pair);
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.05);
  ck_assert_int_eq(registration.getResult().levels, 1);
  registration.setKernel("trimmed");
  registration.setKernelShape(0.8);
  pose = align(registration, pair);
  ck_assert_double_eq(registration.getResult().nu_end, 0);
  const std::vector<double> weights = registration.getPointWeights();
  double taken = 0;
  for (const double weight : weights)
    taken += weight;
  ck_assert_double_le(std::abs(taken / static_cast<double>(weights.size()) - 0.8), 1e-3);
}
END_TEST

START_TEST(what_there_is_not_is_refused) {
  const auto pair = makePair<Point>(easyScene());
  Registration registration;
  ErrorCapture errors;
  ck_assert(registration.setMetric("symmetric"));
  ck_assert(!registration.setMetric("magic"));
  ck_assert(!registration.setKernel(""));
  ck_assert(!registration.setAcceleration(static_cast<fricp_acceleration>(9)));
  ck_assert_int_eq(registration.getMetric(), FRICP_METRIC_SYMMETRIC);
  Cloud output;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.align(output); // auto chooses its own
  const std::string told = errors.text();
  ck_assert(contains(told, "::setMetric] there is no \"magic\""));
  ck_assert(contains(told, "::setAcceleration] there is no number 9"));
  ck_assert(contains(told, "with method auto"));
  ck_assert(!registration.hasConverged());
  ck_assert(registration.setMetric(FRICP_METRIC_DEFAULT));
  registration.align(output);
  ck_assert(registration.hasConverged());
}
END_TEST

START_TEST(names_are_listed) {
  ck_assert_uint_eq(fricp::metricNames().size(), FRICP_METRIC_SYMMETRIC);
  ck_assert_uint_eq(fricp::kernelNames().size(), FRICP_KERNEL_TRIMMED);
  ck_assert_uint_eq(fricp::accelerationNames().size(), FRICP_ACCELERATION_ANDERSON);
  ck_assert_str_eq(fricp::kernelNames().back().c_str(), "trimmed");
}
END_TEST

// The cloud turned about z and shifted, z and tilt known beforehand: they stay to the bit of a double, the pair is right.
START_TEST(locked_directions_reach_the_core) {
  scene_spec spec = turnedScene(6);
  spec.axis[2] = 1;
  const auto pair = makePair<Point>(spec);
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setLockedDirections(FRICP_ONLY_PLANAR);
  ck_assert_int_eq(registration.getLockedDirections(), FRICP_ONLY_PLANAR);
  Cloud output;
  registration.align(output);
  const fricp_pose &pose = registration.getResult().target_from_source;
  ck_assert_double_le(std::abs(pose.rotation[2][2] - 1), 1e-12);
  ck_assert_double_le(std::abs(pose.translation[2]), 1e-12);
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.2);
  // Along the axes of another frame.
  const fricp_pose tilted = makePose(1, 0, 0, 90, 0, 0, 0);
  Eigen::Matrix4d frame = Eigen::Matrix4d::Identity();
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++)
      frame(row, column) = tilted.rotation[row][column];
  registration.setMotionFrame(frame);
  registration.align(output);
  ck_assert_double_le(std::abs(pose.rotation[1][1] - 1), 1e-12);
  ck_assert_double_le(std::abs(pose.translation[1]), 1e-12);
  registration.clearMotionFrame();
  ErrorCapture errors;
  registration.setLockedDirections(63);
  registration.align(output);
  ck_assert(contains(errors.text(), "locked"));
  ck_assert(!registration.hasConverged());
}
END_TEST

// Next to certain, the prior is the answer; gone, it is not.
START_TEST(priors_reach_the_core) {
  const auto pair = makePair<Point>(turnedScene(3));
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  const Eigen::Matrix<double, 6, 6> certain = 1e12 * Eigen::Matrix<double, 6, 6>::Identity();
  Eigen::Matrix4d rest = Eigen::Matrix4d::Identity();
  rest(0, 3) = 0.25;
  registration.setPrior(certain, Eigen::Vector3d::Zero(), rest);
  Cloud output;
  registration.align(output);
  const fricp_pose &pose = registration.getResult().target_from_source;
  ck_assert_double_le(std::abs(pose.translation[0] - 0.25), 1e-4);
  registration.setPrior(certain, Eigen::Vector3d::Zero());
  registration.align(output);
  ck_assert_double_le(std::abs(pose.translation[0]), 1e-4);
  registration.clearPrior();
  registration.align(output);
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.2);
}
END_TEST

START_TEST(pairs_may_be_filtered) {
  const auto pair = makePair<Point>(turnedScene(3));
  Registration registration;
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  std::atomic<int> calls{0};
  registration.setPairFilter([&](int source, int, double) {
    ++calls;
    return source % 2 == 0;
  });
  Cloud output;
  registration.align(output);
  ck_assert_int_gt(calls, 0);
  const auto weights = registration.getPointWeights();
  for (std::size_t i = 1; i < weights.size(); i += 2)
    ck_assert_double_eq(weights[i], 0);
  const fricp_pose pose = registration.getResult().target_from_source;
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 1);
  ErrorCapture errors;
  registration.setPairFilter([](int, int, double) -> bool { throw std::runtime_error("no such pair"); });
  registration.align(output);
  ck_assert(contains(errors.text(), "no such pair"));
  ck_assert(!registration.hasConverged());
  registration.setPairFilter(nullptr);
  registration.align(output);
  ck_assert(registration.hasConverged());
}
END_TEST

} // namespace

int main() {
  return run_suite("parts",
                   {a_method_is_its_parts, settings_reach_the_core, what_there_is_not_is_refused, names_are_listed,
                    locked_directions_reach_the_core, priors_reach_the_core, pairs_may_be_filtered});
}
