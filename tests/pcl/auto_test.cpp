// SPDX-License-Identifier: BSD-3-Clause
// Method auto through the shim: verdict and candidates, sensors, starts all around and by features.
#include "clouds.hpp"
#include "entry.hpp"
#include "instances.hpp"

#include "fricp/pcl/feature_start.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <dlfcn.h>

#include "prng.h"
#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

START_TEST(verdict_and_candidates) {
  const auto pair = makePair<Point>(turnedScene(20));
  Registration registration;
  ck_assert_int_eq(registration.getVerdict(), FRICP_VERDICT_NONE);
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.getVerdictName() == "reliable");
  ck_assert_int_eq(registration.getVerdict(), FRICP_VERDICT_RELIABLE);
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 1);
  // Of either cloud 0.7 is in the other: what agrees is most of that, and not more.
  ck_assert(registration.getSourceOverlap() > 0.5 && registration.getSourceOverlap() < 0.8);
  ck_assert(registration.getTargetOverlap() > 0.5 && registration.getTargetOverlap() < 0.8);
  ck_assert(registration.getAgreement() > 0.5 && registration.getAgreement() <= 1);
  ck_assert(registration.getRival() >= 0 && registration.getRival() < 0.7);
  const auto candidates = registration.getCandidates();
  ck_assert_uint_eq(candidates.size(), static_cast<std::size_t>(registration.getResult().candidates));
  ck_assert_int_eq(std::count_if(candidates.begin(), candidates.end(),
                                 [](const fricp_candidate &candidate) { return candidate.chosen != 0; }),
                   1);

  // Another surface: hasConverged() is about the iterations, the verdict about the pose.
  registration.setInputTarget(makePair<Point>(turnedScene(20, 4)).target);
  registration.align(output);
  ck_assert(registration.getVerdictName() == "poor" || registration.getVerdictName() == "ambiguous");

  registration.setMethod("robust-icp");
  registration.align(output);
  ck_assert(registration.getVerdictName() == "none");
  ck_assert_uint_eq(registration.getCandidates().size(), 0);
}
END_TEST

/** A room seen from its middle, and a sheet in it that only the second saw, where the first looked on to the wall. The origins
 *  are where the clouds say, and count only where that is asked for. */
START_TEST(sensor_origins_reach_the_core) {
  const int count = 3000;
  Cloud::Ptr clouds[2] = {Cloud::Ptr(new Cloud), Cloud::Ptr(new Cloud)};
  prng g = prng_seed(31, 0);
  const double half[3] = {3, 2.5, 1.5};
  const float at[3] = {100, -50, 3};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < count; i++) { // walls of a room 6 x 5 x 3, of all sides; a sheet 2 x 2 across x = 1
      double p[3];
      prng_on_faces(&g, half, i % 3, p);
      if (k == 1 && i % 20 == 0) {
        p[0] = 1;
        p[1] = prng_range(&g, -1, 1);
        p[2] = prng_range(&g, -1, 1);
      }
      Point point;
      point.x = static_cast<float>(p[0]) + at[0];
      point.y = static_cast<float>(p[1]) + at[1];
      point.z = static_cast<float>(p[2]) + at[2];
      clouds[k]->push_back(point);
    }
    clouds[k]->sensor_origin_ = Eigen::Vector4f(at[0], at[1], at[2], 0);
  }
  Registration registration;
  registration.setInputSource(clouds[0]);
  registration.setInputTarget(clouds[1]);
  Cloud output;
  registration.align(output);
  ck_assert(!registration.getUseSensorOrigins());
  ck_assert_double_eq(registration.getTargetSeenThrough(), 0);
  registration.setUseSensorOrigins(true);
  registration.align(output);
  ck_assert_double_eq(registration.getSourceSeenThrough(), 0);
  ck_assert_double_gt(registration.getTargetSeenThrough(), 0.01);
  clouds[0]->sensor_origin_ =
      Eigen::Vector4f(at[0], at[1], at[2] + 1000, 0); // from far above, the ceiling hides the sheet
  registration.align(output);
  ck_assert_double_eq(registration.getTargetSeenThrough(), 0);
  clouds[0]->sensor_origin_[1] = std::numeric_limits<float>::quiet_NaN();
  ErrorCapture errors;
  registration.align(output);
  ck_assert(contains(errors.text(), "source_sensor"));
  ck_assert_int_eq(registration.getStatus(), FRICP_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(starts_reach_the_core) {
  const auto pair = makePair<Point>(turnedScene(180));
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setStarts(48);
  ck_assert_int_eq(registration.getStarts(), 48);
  Cloud output;
  registration.align(output);
  ck_assert(registration.getVerdictName() == "reliable");
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 1);
  ErrorCapture errors;
  registration.setStarts(1001);
  registration.align(output);
  ck_assert(contains(errors.text(), "starts"));
  ck_assert_int_eq(registration.getStatus(), FRICP_ERROR_INVALID_ARGUMENT);
}
END_TEST

// Too few for normals or cells, in one plane, on one line: auto goes by points.
START_TEST(auto_without_normals) {
  const fricp_pose truth = makePose(0, 0, 1, 3, 0.02, -0.01, 0);
  const auto right = [&truth](const std::function<Point(int)> &at, int count) {
    Registration registration;
    const Cloud::Ptr source(new Cloud), target(new Cloud);
    for (int i = 0; i < count; i++) {
      source->push_back(at(i));
      const Eigen::Vector3d place = moved(truth, source->back());
      target->emplace_back(static_cast<float>(place.x()), static_cast<float>(place.y()), static_cast<float>(place.z()));
    }
    registration.setInputSource(source);
    registration.setInputTarget(target);
    Cloud output;
    registration.align(output);
    const fricp_pose pose = test::toPose(registration.getFinalTransformation());
    return registration.hasConverged() && verify_angle_degrees(&pose, &truth) < 0.01;
  };
  const auto corner = [](int i) {
    return Point(static_cast<float>(i == 1), static_cast<float>(i == 2), static_cast<float>(i == 3));
  };
  ck_assert(right(corner, 4));
  const auto outline = [](int i) { // no symmetry
    const double angle = 2 * M_PI * i / 400;
    const double radius = 1 + 0.2 * std::cos(3 * angle + 0.5) + 0.15 * std::sin(5 * angle) + 0.1 * std::cos(2 * angle);
    return Point(static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle)), 0);
  };
  ck_assert(right(outline, 400));
  const auto line = [](int i) { return Point(static_cast<float>(i + 0.3 * std::sin(0.7 * i)) / 200, 0, 0); };
  ck_assert(right(line, 200));
}
END_TEST

// A point far off all others, as sensors tell "no return" by their largest number, hides no surface: normals are estimated,
// and a start is found.
START_TEST(a_point_far_off) {
  const auto pair = makePair<Point>(turnedScene(12));
  for (const float far : {1e13F, std::numeric_limits<float>::max()}) {
    const Cloud::Ptr source(new Cloud(*pair.source)), target(new Cloud(*pair.target));
    source->emplace_back(far, -far, far);
    target->emplace_back(-far, far, far);
    for (const char *const method : {"auto", "robust-icp-plane"}) {
      Registration registration;
      registration.setMethod(method);
      registration.setInputSource(source);
      registration.setInputTarget(target);
      Cloud output;
      registration.align(output);
      const fricp_pose pose = test::toPose(registration.getFinalTransformation());
      ck_assert_msg(registration.hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 1, "%s, %g", method,
                    static_cast<double>(far));
    }
    const fricp::FeatureStart start = fricp::featureStart(*source, *target);
    ck_assert_msg(start.found, "%s", start.problem.c_str());
    const fricp_pose rough = test::toPose(start.target_from_source);
    ck_assert_double_lt(verify_angle_degrees(&rough, &pair.truth), 15);
  }
}
END_TEST

START_TEST(start_by_features) {
  const auto pair = makePair<Point>(turnedScene(120));
  const fricp::FeatureStart start = fricp::featureStart(*pair.source, *pair.target);
  ck_assert_msg(start.found, "%s", start.problem.c_str());
  ck_assert(start.problem.empty());
  ck_assert_double_ge(start.inlier_share, 0.2);
  const fricp_pose rough = test::toPose(start.target_from_source);
  ck_assert_double_lt(verify_orthonormality(&rough), 1e-12);
  ck_assert_double_lt(verify_angle_degrees(&rough, &pair.truth), 15); // within reach
  const fricp::FeatureStart again = fricp::featureStart(*pair.source, *pair.target, 1);
  ck_assert(start.target_from_source == again.target_from_source);

  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output, start.target_from_source.cast<float>());
  ck_assert(registration.getVerdictName() == "reliable");
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 1);
}
END_TEST

/** The tool's module is the same code: it has to be told of all points, of the sensors, and to give all back. */
START_TEST(start_by_the_module) {
  const char *const path = std::getenv("FRICP_MODULE");
  ck_assert_msg(path != nullptr, "FRICP_MODULE names no module");
  void *const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(opened != nullptr, "%s", dlerror());
  const auto *const module = static_cast<const fricp::features::Module *>(dlsym(opened, fricp::features::entry_name));
  ck_assert_ptr_nonnull(module);
  ck_assert_str_eq(module->version, fricp_version());
  const auto pair = makePair<Point>(turnedScene(120));
  const Eigen::Vector4f there = (toMatrix<double>(pair.truth) * Eigen::Vector4d(3, -1, 2, 1)).cast<float>();
  pair.source->sensor_origin_ << 3, -1, 2, 0;
  pair.target->sensor_origin_ << there.head<3>(), 0;
  const auto numbersOf = [](const Cloud &cloud) {
    std::vector<float> numbers;
    for (const Point &point : cloud)
      numbers.insert(numbers.end(), point.data, point.data + 3);
    return numbers;
  };
  const std::vector<float> from = numbersOf(*pair.source), to = numbersOf(*pair.target);
  const fricp::features::Cloud source = {from.data(), pair.source->size(), {3, -1, 2}};
  const fricp::features::Cloud target = {to.data(), pair.target->size(), {there.x(), there.y(), there.z()}};
  fricp::features::Start start;
  module->find(source, target, 1, start);
  const fricp::FeatureStart expected = fricp::featureStart(*pair.source, *pair.target, 1);
  ck_assert_msg(start.found && expected.found, "%s", start.problem);
  ck_assert_str_eq(start.problem, "");
  ck_assert(start.inlier_share == expected.inlier_share);
  for (int k = 0; k < 16; k++)
    ck_assert(start.target_from_source[k] == expected.target_from_source(k / 4, k % 4));
  pair.source->sensor_origin_.setZero(); // it matters here
  ck_assert(expected.target_from_source != fricp::featureStart(*pair.source, *pair.target, 1).target_from_source);

  module->find({}, target, 1, start); // no point
  ck_assert(!start.found);
  const std::string problem = fricp::featureStart(Cloud(), *pair.target, 1).problem;
  ck_assert_str_eq(start.problem, problem.c_str());
  dlclose(opened);
}
END_TEST

START_TEST(no_start_by_features) {
  const auto pair = makePair<Point>(turnedScene(120));
  const auto expect_nothing = [&pair](const Cloud &source) {
    const fricp::FeatureStart start = fricp::featureStart(source, *pair.target);
    ck_assert(!start.found);
    ck_assert(!start.problem.empty());
    ck_assert(start.target_from_source == Eigen::Matrix4d::Identity());
  };
  Cloud cloud;
  expect_nothing(cloud);
  cloud.resize(1000, Point(NOT_A_NUMBER, 0, 0));
  expect_nothing(cloud);
  for (Point &point : cloud)
    point = Point(1, 2, 3);
  expect_nothing(cloud);
}
END_TEST

} // namespace

int main() {
  return run_suite("auto",
                   {verdict_and_candidates, sensor_origins_reach_the_core, starts_reach_the_core, auto_without_normals,
                    a_point_far_off, start_by_features, start_by_the_module, no_start_by_features});
}
