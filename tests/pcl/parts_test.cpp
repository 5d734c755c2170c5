// SPDX-License-Identifier: BSD-3-Clause
// Metric, kernel, acceleration and the gate on normals through the shim. Expected: the same bits by another way, the
// scene's pose, the header's words.
#include "clouds.hpp"
#include "instances.hpp"

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

} // namespace

int main() {
  return run_suite("parts",
                   {a_method_is_its_parts, settings_reach_the_core, what_there_is_not_is_refused, names_are_listed});
}
