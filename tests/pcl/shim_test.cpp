// SPDX-License-Identifier: BSD-3-Clause
// What fricp::Registration offers beyond pcl::Registration, and the factory.
#include "clouds.hpp"
#include "instances.hpp"

#include <chrono>
#include <thread>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

START_TEST(factory_lists_and_makes_every_method) {
  const std::vector<std::string> names = fricp::methodNames();
  ck_assert_uint_eq(names.size(), FRICP_METHOD_SPARSE_ICP_PLANE + 1);
  ck_assert(names[0] == "auto");
  const auto pair = makePair<Point>(easyScene());
  for (const std::string &name : names) {
    const auto registration = fricp::makeRegistration<Point>(name);
    ck_assert(registration->getMethodName() == name);
    ck_assert(contains(registration->getClassName(), name.c_str()));
    registration->setInputSource(pair.source);
    registration->setInputTarget(pair.target);
    Cloud output;
    registration->align(output);
    const fricp_pose pose = test::toPose(registration->getFinalTransformation());
    ck_assert_msg(registration->hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 0.05, "%s", name.c_str());
  }
  ErrorCapture errors;
  Registration registration;
  ck_assert(!registration.setMethod("nonsense"));
  ck_assert(registration.getMethodName() == "auto");
  ck_assert(contains(errors.text(), "nonsense"));
}
END_TEST

START_TEST(results_agree_with_each_other) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  ck_assert_int_eq(registration.getStatus(), FRICP_OK);
  ck_assert(registration.getErrorText().empty());
  const fricp_result &result = registration.getResult();
  ck_assert_int_eq(result.stop_reason, registration.getStopReason());
  ck_assert(registration.getStopReasonName() == fricp_stop_reason_name(result.stop_reason));
  ck_assert_uint_eq(result.points_source, pair.source->size());

  const auto levels = registration.getLevels();
  ck_assert_uint_eq(levels.size(), static_cast<std::size_t>(result.levels));
  int iterations = 0;
  for (const fricp_level &level : levels)
    iterations += level.iterations;
  ck_assert_int_eq(iterations, result.iterations);
  ck_assert_double_eq(levels.back().nu, result.nu_end);
  int accepted = 0;
  for (const fricp_trace_row &row : registration.getTrace())
    accepted += row.accepted;
  ck_assert_int_ge(accepted, result.iterations);

  const auto residuals = registration.getPointResiduals(), weights = registration.getPointWeights();
  ck_assert_uint_eq(residuals.size(), pair.source->size());
  ck_assert_uint_eq(weights.size(), pair.source->size());
  for (std::size_t i = 0; i < residuals.size(); i += 37) {
    double nearest = 0;
    bruteNearest(*pair.target, moved(result.target_from_source, (*pair.source)[i]), &nearest);
    if (std::isnan(residuals[i])) { // proven far: a Welsch weight below 1e-13
      ck_assert_double_eq(weights[i], 0);
      ck_assert_double_gt(std::sqrt(nearest), 7 * result.nu_end);
      continue;
    }
    ck_assert_double_eq_tol(residuals[i], std::sqrt(nearest), 1e-6);
    const double ratio = residuals[i] / result.nu_end;
    ck_assert_double_eq_tol(weights[i], std::exp(-ratio * ratio / 2), 1e-4);
  }
}
END_TEST

// Both directions, against counting by hand.
START_TEST(inliers_both_ways) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setInlierDistance(0.03);
  Cloud output;
  registration.align(output);
  const auto count = [](const Cloud &from, const Cloud &to, double &share, double &rms) {
    double sum = 0;
    int inliers = 0;
    for (const Point &point : from) {
      double squared = 0;
      bruteNearest(to, Eigen::Vector3d(point.x, point.y, point.z), &squared);
      if (squared > 0.03 * 0.03)
        continue;
      inliers++;
      sum += squared;
    }
    share = inliers / static_cast<double>(from.size());
    rms = std::sqrt(sum / inliers);
  };
  double share = 0, rms = 0;
  count(output, *pair.target, share, rms);
  ck_assert_double_eq_tol(registration.getInlierShare(), share, 1.5 / 2000); // a point on the edge
  ck_assert_double_eq_tol(registration.getInlierRMS(), rms, 1e-4);
  count(*pair.target, output, share, rms);
  ck_assert_double_eq_tol(registration.getTargetInlierShare(), share, 1.5 / 2000);
  ck_assert_double_eq_tol(registration.getTargetInlierRMS(), rms, 1e-4);

  // The same after the source was moved in place.
  registration.align(*pair.source);
  ck_assert_double_eq_tol(registration.getTargetInlierShare(), share, 1.5 / 2000);
}
END_TEST

START_TEST(information_is_symmetric_and_centred) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  const Eigen::Matrix<double, 6, 6> information = registration.getInformationMatrix();
  ck_assert((information - information.transpose()).norm() <= 1e-9 * information.norm());
  ck_assert_double_gt(information.diagonal().minCoeff(), 0);
  ck_assert_double_lt(registration.getInformationCenter().norm(), 1.5); // inside the shape
}
END_TEST

START_TEST(settings_reach_the_core) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  const fricp_result plain = registration.getResult();
  ck_assert_int_gt(plain.accelerated, 0);

  registration.setNuFactors(1.5, 0);
  registration.align(output);
  // First nu = factor times the median residual: half of the default's 3.
  ck_assert_double_eq_tol(registration.getResult().nu_start, plain.nu_start / 2, 1e-6 * plain.nu_start);
  registration.setNuFactors(0, 0);

  registration.setAndersonHistory(-1);
  registration.align(output);
  ck_assert_int_eq(registration.getResult().accelerated, 0);
  registration.setAndersonHistory(0);

  registration.setNumThreads(1);
  registration.align(output);
  const fricp_result one = registration.getResult();
  ck_assert_int_eq(one.threads, 1);
  registration.setNumThreads(2);
  registration.align(output);
  ck_assert_int_eq(verify_same_bits(&registration.getResult().target_from_source, &one.target_from_source), 1);
  registration.setNumThreads(0);

  registration.setFullResolution(true);
  registration.align(output);
  for (const fricp_level &level : registration.getLevels())
    ck_assert_int_eq(level.points, 2000);

  registration.setTimeLimit(1e-9);
  registration.setProgressCallback([](const fricp_progress &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the clock for limits may be some late
    return true;
  });
  registration.align(output);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_TIME_LIMIT);
  registration.setTimeLimit(0);
  registration.setProgressCallback(nullptr);

  // Far off, on top of each other only by their centroids.
  const auto whole = makePair<Point>(easyScene());
  for (Point &point : *whole.target)
    point.x += 100;
  registration.setInputSource(whole.source);
  registration.setInputTarget(whole.target);
  registration.setStartAtCentroid(true);
  registration.align(output);
  fricp_pose truth = whole.truth;
  truth.translation[0] += 100;
  const fricp_pose pose = registration.getResult().target_from_source;
  ck_assert(registration.hasConverged());
  ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05);
}
END_TEST

START_TEST(rows_and_columns_as_indices) {
  auto pair = makePair<Point>(easyScene());
  pair.source->width = 40;
  pair.source->height = 20;
  Registration registration;
  registration.setMethod("robust-icp");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setIndices(5, 10, 10, 20);
  Cloud output;
  registration.align(output);
  ck_assert_uint_eq(registration.getResult().points_source, 200);
  ck_assert_uint_eq(output.size(), 800);
  const auto weights = registration.getPointWeights();
  ck_assert_double_eq(weights[0], 0);
  ck_assert_double_gt(weights[5 * 40 + 10], 0.5);
}
END_TEST

// It never came to the part that is ours: no source, no target.
START_TEST(align_that_pcl_refuses) {
  const auto pair = makePair<Point>(easyScene());
  for (const bool has_target : {false, true}) {
    Registration registration;
    Cloud output;
    if (has_target)
      registration.setInputTarget(pair.target);
    registration.cancel();
    registration.align(output);
    registration.setInputTarget(pair.target);
    registration.setInputSource(pair.source);
    registration.align(output);
    ck_assert(registration.hasConverged());
    registration.cancel();
    registration.setInputSource(pair.source); // that is no align
    registration.align(output);
    ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_CANCELLED);
  }
}
END_TEST

// Nor is the index of an align() without a source part of the next one's time, however it was called.
START_TEST(time_of_a_refused_align) {
  for (const bool through_base : {false, true}) {
    scene_spec spec = easyScene();
    spec.source_count = 40000; // its normals take many blocks, before each of which it is asked
    const auto pair = makePair<Point>(spec);
    Registration registration;
    Cloud output;
    registration.setMethod("icp-plane");
    registration.setInputTarget(pair.target);
    registration.setNumThreads(1); // some ten milliseconds
    if (through_base)
      static_cast<Registration::Base &>(registration).align(output);
    else
      registration.align(output);
    const auto begin = std::chrono::steady_clock::now();
    double most = -1;
    registration.setProgressCallback([&](const fricp_progress &progress) {
      const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
      most = std::max(most, progress.seconds - since.count());
      return true;
    });
    registration.setInputSource(pair.source);
    registration.align(output);
    ck_assert(registration.hasConverged());
    ck_assert_double_le(most, 0);
    ck_assert_double_gt(most, -1);
  }
}
END_TEST

} // namespace

int main() {
  return run_suite("shim", {factory_lists_and_makes_every_method, results_agree_with_each_other, inliers_both_ways,
                            information_is_symmetric_and_centred, settings_reach_the_core, rows_and_columns_as_indices,
                            align_that_pcl_refuses, time_of_a_refused_align});
}
