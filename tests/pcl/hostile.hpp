// SPDX-License-Identifier: BSD-3-Clause
// A registration with a pair that it solves, and what it says when it does not.
#ifndef FRICP_TESTS_PCL_HOSTILE_HPP
#define FRICP_TESTS_PCL_HOSTILE_HPP

#include "clouds.hpp"
#include "instances.hpp"

#include <functional>
#include <string>

#include "suite.h"

namespace test {

using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

struct Fixture {
  Pair<Point> pair;
  Registration registration;
  Cloud output;

  explicit Fixture(const scene_spec &spec = easyScene()) : pair(makePair<Point>(spec)) {
    registration.setInputSource(pair.source);
    registration.setInputTarget(pair.target);
  }
  bool isRight() {
    const fricp_pose pose = test::toPose(registration.getFinalTransformation());
    return registration.hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 0.05;
  }
  std::string errorsOf(const std::function<void()> &call) {
    ErrorCapture errors;
    call();
    return errors.text();
  }
  std::string align() {
    return errorsOf([&] { registration.align(output); });
  }
};

} // namespace test

#define ASSERT_FAILED(fixture, text, part)                                                                             \
  do {                                                                                                                 \
    ck_assert(!(fixture).registration.hasConverged());                                                                 \
    ck_assert_msg(contains(text, part), "\"%s\" does not say %s", (text).c_str(), part);                               \
    ck_assert_uint_eq((fixture).output.size(), (fixture).pair.source->size());                                         \
  } while (0)

#endif
