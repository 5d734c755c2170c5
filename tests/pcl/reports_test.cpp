// SPDX-License-Identifier: BSD-3-Clause
// Public failure reports as small inputs (FRICP_SHARED/cases/reports), through the shim. Limits are those stated there.
#include "cases.h"
#include "clouds.hpp"
#include "instances.hpp"

#include <pcl/io/pcd_io.h>

#include <fstream>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;

const char *const METHODS[] = {"robust-icp", "robust-icp-plane"};

std::string folder(const char *report) {
  const char *shared = cases_shared_folder();
  return shared ? std::string(shared) + "/cases/reports/" + report + "/" : "";
}

#define FOLDER_OR_SKIP(report)                                                                                         \
  const std::string path = folder(report);                                                                             \
  if (path.empty()) {                                                                                                  \
    std::printf("SKIPPED %s: FRICP_SHARED is not set\n", report);                                                      \
    return;                                                                                                            \
  }

template <class P> CloudPtr<P> load(const std::string &file) {
  CloudPtr<P> cloud(new pcl::PointCloud<P>);
  ck_assert_msg(pcl::io::loadPCDFile(file, *cloud) == 0, "%s", file.c_str());
  return cloud;
}

Eigen::Matrix4d loadMatrix(const std::string &file) {
  std::ifstream stream(file);
  stream.imbue(std::locale::classic());
  Eigen::Matrix4d matrix;
  for (int i = 0; i < 16; i++)
    stream >> matrix(i / 4, i % 4);
  ck_assert_msg(static_cast<bool>(stream), "%s", file.c_str());
  return matrix;
}

template <class P> struct Run {
  typename fricp::Registration<P, P>::Ptr registration;
  pcl::PointCloud<P> output;
  fricp_pose pose;

  Run(const char *method, const CloudPtr<P> &source, const CloudPtr<P> &target,
      const Eigen::Matrix4f &guess = Eigen::Matrix4f::Identity(), double max_distance = 0)
      : registration(fricp::makeRegistration<P>(method)) {
    registration->setInputSource(source);
    registration->setInputTarget(target);
    if (max_distance != 0)
      registration->setMaxCorrespondenceDistance(max_distance);
    align(guess);
  }
  void align(const Eigen::Matrix4f &guess = Eigen::Matrix4f::Identity()) {
    registration->align(output, guess);
    pose = test::toPose(registration->getFinalTransformation());
    ck_assert_int_eq(verify_finite(&pose), 1);
    ck_assert_double_le(verify_orthonormality(&pose), 1e-6);
  }
};

void assertPose(const fricp_pose &pose, const fricp_pose &truth, double degrees, double shift, const char *what,
                const double *at = nullptr) {
  const double origin[3] = {0, 0, 0};
  const double angle = verify_angle_degrees(&pose, &truth), error = verify_error_at(&pose, &truth, at ? at : origin);
  ck_assert_msg(angle <= degrees && error <= shift, "%s: %g degrees, %g", what, angle, error);
}

START_TEST(b01_not_a_number_pixels) {
  FOLDER_OR_SKIP("B01")
  const auto source = load<Point>(path + "source.pcd"), target = load<Point>(path + "target.pcd");
  const fricp_pose truth = test::toPose(loadMatrix(path + "truth.txt"));
  const double at[3] = {0, 0, 2};
  const Cloud::Ptr dense(new Cloud);
  for (const Point &point : *source)
    if (std::isfinite(point.x))
      dense->push_back(point);
  for (const char *method : METHODS) {
    Run<Point> run(method, source, target);
    ck_assert(run.registration->hasConverged());
    assertPose(run.pose, truth, 0.01, 1e-3, method, at);
    ck_assert(run.output.size() == 1200 && run.output.width == 40 && run.output.height == 30 && !run.output.is_dense);
    int missing = 0;
    for (std::size_t i = 0; i < 1200; i++) {
      ck_assert_int_eq(std::isfinite((*source)[i].x), std::isfinite(run.output[i].x));
      missing += !std::isfinite(run.output[i].x);
      if (std::isfinite(run.output[i].x))
        ck_assert_double_lt(squaredDistance(moved(run.pose, (*source)[i]), run.output[i]), 1e-10);
    }
    ck_assert_int_eq(missing, 60);
    ck_assert_uint_eq(run.registration->getResult().points_source, 1140);
    const double score = run.registration->getFitnessScore();
    ck_assert(score >= 0 && score <= 1e-6);
    const Run<Point> without(method, dense, target);
    ck_assert_double_le(verify_max_difference(&run.pose, &without.pose), 1e-6);
  }
}
END_TEST

START_TEST(b03_empty_and_tiny) {
  FOLDER_OR_SKIP("B03")
  const auto good_source = load<Point>(path + "good_source.pcd"), good_target = load<Point>(path + "good_target.pcd");
  const auto nan = load<Point>(path + "all_nan.pcd"), one = load<Point>(path + "one.pcd"),
             two = load<Point>(path + "two.pcd");
  const Cloud::Ptr empty(new Cloud);
  const struct {
    const char *name; // of the cloud that the message must name
    Cloud::Ptr source, target;
  } bad[] = {{"source", empty, good_target}, {"target", good_source, empty}, {"source", nan, good_target},
             {"target", good_source, nan},   {"source", one, good_target},   {"source", two, good_target},
             {"target", good_source, one}};
  const Eigen::Matrix4f guess = toMatrix<float>(makePose(0, 0, 1, 1, 0.01, 0, 0));
  for (const char *method : METHODS) {
    for (const auto &pair : bad) {
      ErrorCapture errors;
      Run<Point> run(method, pair.source, pair.target, guess);
      ck_assert(!run.registration->hasConverged());
      ck_assert(run.registration->getFinalTransformation() == guess);
      ck_assert(contains(errors.text(), pair.name));
    }
    Run<Point> run(method, good_source, good_target);
    ck_assert(run.registration->hasConverged());
    assertPose(run.pose, test::toPose(loadMatrix(path + "truth.txt")), 0.01, 1e-4, method);
    const fricp_pose first = run.pose;
    const double score = run.registration->getFitnessScore();
    {
      ErrorCapture errors;
      for (const pcl::IndicesPtr &indices :
           {pcl::IndicesPtr(new pcl::Indices), pcl::IndicesPtr(new pcl::Indices(1, 5000))}) {
        run.registration->setIndices(indices);
        run.align();
        ck_assert(!run.registration->hasConverged());
      }
      run.registration->setIndices(pcl::IndicesPtr());
      run.registration->setInputSource(empty);
      run.align();
      ck_assert(!run.registration->hasConverged());
      ck_assert_int_eq(verify_same_bits(&run.pose, &first), 0);
      ck_assert_double_ne(run.registration->getFitnessScore(), score);
    }
    run.registration->setInputSource(good_source);
    run.align();
    ck_assert(run.registration->hasConverged());
    ck_assert_int_eq(verify_same_bits(&run.pose, &first), 1);
  }
}
END_TEST

START_TEST(b05_first_median_is_zero) {
  FOLDER_OR_SKIP("B05")
  const auto same_source = load<pcl::PointNormal>(path + "same_source.pcd");
  const auto same_target = load<pcl::PointNormal>(path + "same_target.pcd");
  const auto most = load<pcl::PointNormal>(path + "most_equal_source.pcd");
  for (const char *method : METHODS) {
    Run<pcl::PointNormal> same(method, same_source, same_target);
    const fricp_pose identity = fricp_pose_identity();
    ck_assert(same.registration->hasConverged());
    ck_assert_double_le(verify_max_difference(&same.pose, &identity), 1e-6);
    ck_assert_int_le(same.registration->getResult().iterations, 5);
    ck_assert_double_eq(same.registration->getFitnessScore(), 0);
    for (std::size_t i = 0; i < same_source->size(); i++)
      ck_assert_double_le((same.output[i].getVector3fMap() - (*same_source)[i].getVector3fMap()).norm(), 1e-6);
    Run<pcl::PointNormal> outliers(method, most, same_target);
    ck_assert(outliers.registration->hasConverged());
    ck_assert_double_le(verify_max_difference(&outliers.pose, &identity), 1e-6);
  }
}
END_TEST

START_TEST(b13_units) {
  FOLDER_OR_SKIP("B13")
  const struct {
    const char *name;
    double factor;
  } units[] = {{"m", 1}, {"mm", 1000}, {"km", 0.001}};
  for (const char *method : METHODS) {
    int passes = 0;
    fricp_pose first = {};
    for (const auto &unit : units) {
      const std::string name = unit.name;
      Run<Point> run(method, load<Point>(path + "source_" + name + ".pcd"),
                     load<Point>(path + "target_" + name + ".pcd"));
      ck_assert_msg(run.registration->hasConverged(), "%s in %s", method, unit.name);
      const fricp_pose truth = test::toPose(loadMatrix(path + "truth_" + name + ".txt"));
      assertPose(run.pose, truth, 0.01, 1e-3 * unit.factor, unit.name);
      // All poses tried: an accelerated one that another rounding of the input rejects is not an iteration, but counts.
      const int used = run.registration->getResult().correspondence_passes;
      if (unit.factor == 1) {
        passes = used;
        first = run.pose;
      }
      ck_assert_double_le(verify_angle_degrees(&run.pose, &first), 0.01);
      ck_assert_msg(std::abs(used - passes) <= 0.2 * passes, "%s: %d passes in %s, %d in m", method, used, unit.name,
                    passes);
    }
  }
}
END_TEST

START_TEST(b15_nothing_in_range) {
  FOLDER_OR_SKIP("B15")
  const auto source = load<pcl::PointNormal>(path + "source.pcd"), target = load<pcl::PointNormal>(path + "target.pcd");
  const Eigen::Matrix4f guesses[] = {Eigen::Matrix4f::Identity(), loadMatrix(path + "guess.txt").cast<float>()};
  for (const char *method : METHODS) {
    for (const Eigen::Matrix4f &guess : guesses) {
      ErrorCapture errors;
      Run<pcl::PointNormal> run(method, source, target, guess, 1.0);
      ck_assert(!run.registration->hasConverged());
      ck_assert_int_eq(run.registration->getStatus(), FRICP_ERROR_NO_CORRESPONDENCES);
      ck_assert(run.registration->getFinalTransformation() == guess);
      ck_assert_double_eq(run.registration->getFitnessScore(1.0), std::numeric_limits<double>::max());
      for (std::size_t i = 0; i < source->size(); i++)
        ck_assert_double_lt(squaredDistance(moved(run.pose, (*source)[i]), run.output[i]), 1e-8);
    }
    for (const double limit : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
      ErrorCapture errors;
      Run<pcl::PointNormal> run(method, source, target, guesses[0], limit);
      ck_assert(!run.registration->hasConverged());
      ck_assert(contains(errors.text(), "istance"));
      run.registration->setMaxCorrespondenceDistance(0);
      run.align();
      ck_assert(!run.registration->hasConverged());
    }
  }
}
END_TEST

START_TEST(b17_direction_and_guess) {
  FOLDER_OR_SKIP("B17")
  const auto source = load<pcl::PointNormal>(path + "source.pcd"), target = load<pcl::PointNormal>(path + "target.pcd");
  const fricp_pose truth = makePose(0, 0, 1, 90, 1, 2, 3);
  const pcl::PointCloud<pcl::PointNormal> before = *source;
  for (const char *method : METHODS) {
    Run<pcl::PointNormal> run(method, source, target, loadMatrix(path + "guess.txt").cast<float>());
    ck_assert(run.registration->hasConverged());
    assertPose(run.pose, truth, 0.01, 1e-3, method);
    pcl::PointXYZ unit(1, 0, 0);
    ck_assert_double_lt((moved(run.pose, unit) - Eigen::Vector3d(1, 3, 3)).norm(), 1e-3);
    for (std::size_t i = 0; i < source->size(); i++) {
      ck_assert_double_lt(squaredDistance(moved(truth, before[i]), run.output[i]), 1e-6);
      ck_assert((*source)[i].getVector3fMap() == before[i].getVector3fMap());
    }
  }
}
END_TEST

START_TEST(b19_fitness_score) {
  FOLDER_OR_SKIP("B19")
  const auto source = load<Point>(path + "source.pcd"), target = load<Point>(path + "target.pcd");
  for (const char *method : METHODS) {
    Run<Point> run(method, source, target);
    assertPose(run.pose, fricp_pose_identity(), 0.01, 1e-3, method);
    const auto &registration = run.registration;
    ck_assert_double_eq_tol(registration->getFitnessScore(), 0.355769231, 1e-4 * 0.355769231);
    ck_assert_double_eq_tol(registration->getFitnessScore(4.0), 0.01, 1e-4);
    ck_assert_double_eq_tol(registration->getFitnessScore(10.0), 0.355769231, 1e-4 * 0.355769231);
    ck_assert_double_eq(registration->getFitnessScore(0.005), std::numeric_limits<double>::max());
    registration->setInlierDistance(1.0);
    run.align();
    ck_assert_double_eq_tol(registration->getInlierShare(), 100.0 / 104, 1e-9);
    ck_assert_double_eq_tol(registration->getInlierRMS(), 0.1, 1e-4);
  }
}
END_TEST

START_TEST(b21_fields_survive) {
  FOLDER_OR_SKIP("B21")
  const auto colours = load<pcl::PointXYZRGB>(path + "source.pcd");
  const auto colour_target = load<pcl::PointXYZRGB>(path + "target.pcd");
  const fricp_pose truth = test::toPose(loadMatrix(path + "truth.txt"));
  Run<pcl::PointXYZRGB> coloured("robust-icp", colours, colour_target);
  assertPose(coloured.pose, truth, 0.02, 5e-4, "PointXYZRGB");
  ck_assert(coloured.output.width == 20 && coloured.output.height == 10);
  for (std::size_t i = 0; i < colours->size(); i++) {
    ck_assert_uint_eq(coloured.output[i].rgba, (*colours)[i].rgba);
    ck_assert_uint_eq(coloured.output[i].r, static_cast<std::uint8_t>(i));
  }
}
END_TEST

START_TEST(b29_normals_of_any_sign_and_length) {
  FOLDER_OR_SKIP("B29")
  const fricp_pose truth = test::toPose(loadMatrix(path + "truth.txt"));
  for (const char *source_name : {"source.pcd", "source_flipped.pcd"})
    for (const char *target_name : {"target_clean.pcd", "target_flipped.pcd", "target_length.pcd", "target_both.pcd"}) {
      const auto source = load<pcl::PointNormal>(path + source_name);
      const auto target = load<pcl::PointNormal>(path + target_name);
      const pcl::PointCloud<pcl::PointNormal> before = *target;
      Run<pcl::PointNormal> run("robust-icp-plane", source, target);
      ck_assert(run.registration->hasConverged());
      assertPose(run.pose, truth, 0.01, 2e-4, target_name);
      for (std::size_t i = 0; i < target->size(); i++)
        ck_assert((*target)[i].getNormalVector3fMap() == before[i].getNormalVector3fMap());
    }
}
END_TEST

} // namespace

int main() {
  return run_suite("reports", {b01_not_a_number_pixels, b03_empty_and_tiny, b05_first_median_is_zero, b13_units,
                               b15_nothing_in_range, b17_direction_and_guess, b19_fitness_score, b21_fields_survive,
                               b29_normals_of_any_sign_and_length});
}
