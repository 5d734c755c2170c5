// SPDX-License-Identifier: BSD-3-Clause
// Settings that are nonsense, clouds that lie or change: nothing is thrown, what fails says why, the next align works.
#include "hostile.hpp"

#include <atomic>
#include <cfloat>
#include <climits>
#include <pcl/search/kdtree.h>
#include <random>
#include <thread>

#include "suite.h"

namespace {

using namespace test;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

START_TEST(methods_that_are_none) {
  Fixture f;
  for (const int number : {-1, FRICP_METHOD_SPARSE_ICP_PLANE + 1, 99, INT_MAX, INT_MIN}) {
    bool taken = true;
    const std::string text = f.errorsOf([&] { taken = f.registration.setMethod(static_cast<fricp_method>(number)); });
    ck_assert(!taken && contains(text, "method"));
    ck_assert_int_eq(f.registration.getMethod(), FRICP_METHOD_AUTO);
  }
  ck_assert(f.registration.setMethod(FRICP_METHOD_ICP));
  ck_assert(f.registration.getMethodName() == "icp" && contains(f.registration.getClassName(), "icp"));
  ck_assert(f.align().empty() && f.isRight());
}
END_TEST

START_TEST(setters_given_nonsense) {
  using Setter = std::function<void(Registration &, double)>;
  const auto integer = [](double value) {
    return !(value > INT_MIN) ? INT_MIN : value < INT_MAX ? static_cast<int>(value) : INT_MAX;
  };
  const struct {
    const char *name;
    double usual;
    Setter set;
  } setters[] = {
      {"iterations", 0, [&](Registration &r, double v) { r.setMaximumIterations(integer(v)); }},
      {"distance", DBL_MAX, [](Registration &r, double v) { r.setMaxCorrespondenceDistance(v); }},
      {"epsilon", 0, [](Registration &r, double v) { r.setTransformationEpsilon(v); }},
      {"rotation", 0, [](Registration &r, double v) { r.setTransformationRotationEpsilon(v); }},
      {"fitness", 0, [](Registration &r, double v) { r.setEuclideanFitnessEpsilon(v); }},
      {"nu start", 0, [](Registration &r, double v) { r.setNuFactors(v, 0); }},
      {"nu end", 0, [](Registration &r, double v) { r.setNuFactors(0, v); }},
      {"starts", 0, [&](Registration &r, double v) { r.setStarts(integer(v)); }},
      {"locked", 0, [&](Registration &r, double v) { r.setLockedDirections(integer(v)); }},
      {"history", 0, [&](Registration &r, double v) { r.setAndersonHistory(integer(v)); }},
      {"inlier", 0, [](Registration &r, double v) { r.setInlierDistance(v); }},
      {"time", 0, [](Registration &r, double v) { r.setTimeLimit(v); }},
      {"RANSAC", 0.05, [](Registration &r, double v) { r.setRANSACOutlierRejectionThreshold(v); }},
      {"RANSAC iterations", 0, [&](Registration &r, double v) { r.setRANSACIterations(integer(v)); }},
  };
  Fixture f;
  for (const auto &setter : setters) {
    for (const double value :
         {NOT_A_NUMBER, -1.0, -INFINITE, -DBL_MAX, 0.0, DBL_MIN, 1e-160, 1e160, DBL_MAX, INFINITE}) {
      setter.set(f.registration, value);
      const std::string text = f.align();
      const fricp_pose pose = test::toPose(f.registration.getFinalTransformation());
      ck_assert_msg(verify_finite(&pose), "%s = %g: a pose that is not finite", setter.name, value);
      ck_assert_msg(f.registration.hasConverged() || !text.empty() || f.registration.getStatus() == FRICP_OK,
                    "%s = %g: failed without a word", setter.name, value);
      ck_assert_uint_eq(f.output.size(), 800);
    }
    setter.set(f.registration, setter.usual);
    ck_assert_msg(f.align().empty() && f.isRight(), "after %s was mended", setter.name);
  }
}
END_TEST

// No limit at all, in each of the ways that PCL's users write it.
START_TEST(limits_that_are_none) {
  Fixture f;
  f.registration.setMaximumIterations(INT_MAX);
  f.registration.setMaxCorrespondenceDistance(DBL_MAX);
  f.registration.setTimeLimit(INFINITE);
  ck_assert(f.align().empty() && f.isRight());
  f.registration.setMaxCorrespondenceDistance(INFINITE);
  f.registration.setTimeLimit(DBL_MAX);
  ck_assert(f.align().empty() && f.isRight());
  f.registration.setTransformationEpsilon(INFINITE);
  f.registration.setEuclideanFitnessEpsilon(INFINITE);
  ck_assert(f.align().empty());
  ck_assert(f.registration.hasConverged());
}
END_TEST

START_TEST(thread_counts_given_nonsense) {
  Fixture f;
  for (const int threads : {-1, INT_MIN}) {
    ck_assert(contains(f.errorsOf([&] { f.registration.setNumThreads(threads); }), "hreads"));
    ck_assert_int_eq(f.registration.getNumThreads(), 0);
  }
  f.registration.setInputTarget(f.pair.target);
  ck_assert(f.align().empty() && f.isRight());
  fricp::Search<Point> search;
  search.setNumThreads(-3);
  search.setInputCloud(f.pair.target);
  pcl::Indices indices;
  std::vector<float> distances;
  ck_assert_int_eq(search.nearestKSearch((*f.pair.target)[3], 1, indices, distances), 1);
}
END_TEST

START_TEST(trees_that_are_none) {
  Fixture f;
  const auto own = f.registration.getSearchMethodTarget();
  f.registration.setSearchMethodTarget(pcl::make_shared<pcl::search::KdTree<Point>>());
  ck_assert(f.align().empty() && f.isRight());
  f.registration.setSearchMethodTarget(nullptr, true);
  ck_assert_ptr_eq(f.registration.getSearchMethodTarget().get(), own.get());
  ck_assert(f.align().empty() && f.isRight());
  // Through the base class's pointer the null gets by; with force_no_recompute it is ours to refuse.
  static_cast<pcl::Registration<Point, Point> &>(f.registration).setSearchMethodTarget(nullptr, true);
  const std::string text = f.align();
  ASSERT_FAILED(f, text, "setSearchMethodTarget");
  f.registration.setSearchMethodTarget(nullptr);
  ck_assert(f.align().empty() && f.isRight());
}
END_TEST

START_TEST(indices_repeated_and_unsorted) {
  Fixture f;
  ck_assert(f.align().empty());
  const fricp_pose whole = f.registration.getResult().target_from_source;
  pcl::IndicesPtr indices(new pcl::Indices);
  for (int copy = 0; copy < 3; copy++)
    for (int i = 0; i < 800; i++)
      indices->push_back(i);
  std::shuffle(indices->begin(), indices->end(), std::mt19937(7));
  f.registration.setIndices(indices);
  ck_assert(f.align().empty() && f.isRight());
  // Three times every point: the same sums, but for rounding and where coarse levels take their samples.
  const fricp_pose pose = f.registration.getResult().target_from_source;
  ck_assert_double_lt(verify_max_difference(&whole, &pose), 1e-6);
  ck_assert_uint_eq(f.registration.getPointWeights().size(), 800);
  for (const int bad : {-1, 800, INT_MAX, INT_MIN}) {
    indices->back() = bad;
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "outside the cloud");
  }
}
END_TEST

START_TEST(sizes_and_density_that_lie) {
  Fixture f;
  for (const std::uint32_t width : {0U, 7U, 800U, UINT_MAX})
    for (const std::uint32_t height : {0U, 1U, 3U, UINT_MAX}) {
      for (const auto &cloud : {f.pair.source, f.pair.target}) {
        cloud->width = width;
        cloud->height = height;
      }
      f.registration.setInputSource(f.pair.source);
      f.registration.setInputTarget(f.pair.target);
      ck_assert(f.align().empty() && f.isRight());
      ck_assert_uint_eq(f.output.size(), 800);
      // Rows and columns by what the cloud claims may lie outside of it.
      (void)f.errorsOf([&] { f.registration.setIndices(0, 0, 2, 5); });
      (void)f.align();
      f.registration.setIndices(pcl::IndicesPtr());
    }
  (*f.pair.source)[3].x = (*f.pair.target)[5].y = std::numeric_limits<float>::quiet_NaN();
  f.pair.source->is_dense = f.pair.target->is_dense = true;
  for (const char *method : {"robust-icp", "robust-icp-plane"}) {
    f.registration.setMethod(method);
    f.registration.setInputTarget(f.pair.target);
    ck_assert(f.align().empty() && f.isRight());
    ck_assert(f.registration.getFitnessScore() < 1e-3);
  }
}
END_TEST

// A shape in every unit that floats hold: the same rotation, or a word. The distances' squares leave the range of
// float.
START_TEST(huge_and_tiny_coordinates) {
  for (const char *method : {"robust-icp", "robust-icp-plane", "icp"})
    for (const double scale : {1e-35, 1e-25, 1e-15, 1e15, 1e25, 1e35}) {
      Fixture f;
      for (const auto &cloud : {f.pair.source, f.pair.target})
        for (Point &point : *cloud)
          for (int axis = 0; axis < 3; axis++)
            point.data[axis] = static_cast<float>(static_cast<double>(point.data[axis]) * scale);
      f.registration.setMethod(method);
      const std::string text = f.align();
      const fricp_pose pose = f.registration.getResult().target_from_source;
      ck_assert_msg(f.registration.hasConverged() ? verify_angle_degrees(&pose, &f.pair.truth) < 0.05 : !text.empty(),
                    "%s in units of %g: %g degrees", method, scale, verify_angle_degrees(&pose, &f.pair.truth));
      (void)f.registration.getFitnessScore();
      (void)f.registration.getTargetInlierShare();
    }
}
END_TEST

// Fewer points than an estimated normal is fitted to.
START_TEST(targets_smaller_than_a_neighbourhood) {
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 12U, 29U, 30U, 31U}) {
    Fixture f;
    f.pair.target->resize(count);
    f.registration.setInputTarget(f.pair.target);
    for (const std::string &method : fricp::methodNames()) {
      f.registration.setMethod(method);
      const std::string text = f.align();
      const fricp_pose pose = test::toPose(f.registration.getFinalTransformation());
      ck_assert(verify_finite(&pose) && verify_orthonormality(&pose) < 1e-5);
      ck_assert_msg(count > 2 || contains(text, "target"), "%s, %zu points: %s", method.c_str(), count, text.c_str());
    }
  }
}
END_TEST

START_TEST(target_changed_behind_the_index) {
  for (const std::size_t size : {0U, 100U, 799U, 5000U}) {
    Fixture f;
    const Cloud whole = *f.pair.target;
    f.registration.setMethod("robust-icp");
    ck_assert(f.align().empty() && f.isRight());
    f.pair.target->resize(size);
    f.registration.setMethod("auto"); // which can do without its normals
    ck_assert(f.align().empty() && f.isRight());
    f.registration.setMethod("icp-plane"); // only now are they needed
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "setInputTarget");
    (void)f.registration.getTargetInlierShare();
    *f.pair.target = whole;
    f.registration.setInputTarget(f.pair.target);
    ck_assert(f.align().empty() && f.isRight());
    f.pair.target->resize(size);
    (void)f.registration.getTargetInlierShare(); // of the points that are left
  }
}
END_TEST

START_TEST(output_is_the_target) {
  Fixture f;
  const Cloud whole = *f.pair.target;
  f.registration.align(*f.pair.target);
  ck_assert(f.isRight());
  *f.pair.target = whole;
  f.registration.setInputTarget(f.pair.target);
  f.registration.setMethod("robust-icp-plane");
  const auto refuses = [&f] {
    const std::string text = f.errorsOf([&f] { f.registration.align(*f.pair.target); });
    ck_assert(!f.registration.hasConverged() && contains(text, "output"));
  };
  refuses();
  // The core estimates normals with the index, which is made before PCL writes to the output.
  *f.pair.target = whole;
  f.registration.setInputTarget(f.pair.target);
  f.registration.setCoreNormals(true);
  f.registration.align(*f.pair.target);
  ck_assert(f.isRight());
  // Behind a search of the user's, or a representation, the cloud itself is read, and later.
  for (const char *method : {"robust-icp", "robust-icp-plane"})
    for (const bool scaled : {false, true}) {
      *f.pair.target = whole;
      f.registration.setMethod(method);
      if (scaled)
        f.registration.setPointRepresentation(pcl::make_shared<Scaled<Point>>());
      f.registration.setSearchMethodTarget(scaled ? nullptr
                                                  : Registration::Base::KdTreePtr(new pcl::search::KdTree<Point>));
      f.registration.setInputTarget(f.pair.target);
      refuses();
      *f.pair.target = whole;
      f.registration.setInputTarget(f.pair.target);
      ck_assert(f.align().empty() && f.isRight());
    }
}
END_TEST

// What could not be indexed is indexed as soon as the caller has mended it, in whatever search.
START_TEST(target_mended_in_place) {
  const Registration::Base::KdTreePtr trees[] = {nullptr, pcl::make_shared<fricp::Search<Point>>(),
                                                 pcl::make_shared<pcl::search::KdTree<Point>>()};
  for (const auto &tree : trees) {
    Fixture f;
    const Cloud whole = *f.pair.target;
    f.registration.setSearchMethodTarget(tree);
    f.pair.target->resize(2);
    f.registration.setInputTarget(f.pair.target);
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "target");
    *f.pair.target = whole;
    ck_assert(f.align().empty() && f.isRight());
  }
}
END_TEST

// The core's rule, also where an align() ends before it comes to the core: in time, or with a failure.
template <class Scalar> void checkGuesses() {
  using Matrix = Eigen::Matrix<Scalar, 4, 4>;
  const auto pair = makePair<Point>(easyScene());
  const Matrix good = toMatrix<Scalar>(makePose(1, 2, 3, 4, 0.1, 0.2, 0.3));
  Matrix nearly = good, scaled = good, mirrored = good, flat = good, far = good;
  nearly.row(1).head(3) *= Scalar(1.0005);
  scaled.row(1).head(3) *= Scalar(1.003);
  mirrored.row(0).head(3) *= -1;
  flat.row(2).head(3).setZero();
  far(0, 3) = std::numeric_limits<Scalar>::max();
  const bool too_far = sizeof(Scalar) > sizeof(float); // 3e38 may be
  const struct {
    const Matrix *guess;
    bool taken;
  } guesses[] = {{&good, true},      {&nearly, true}, {&scaled, false},
                 {&mirrored, false}, {&flat, false},  {&far, !too_far}};
  for (const int ends : {0, 1, 2}) { // by the time limit, by a cancel, by a failure
    fricp::Registration<Point, Point, Scalar> registration;
    registration.setInputSource(pair.source);
    registration.setInputTarget(pair.target);
    if (ends == 0)
      registration.setTimeLimit(1e-9);
    if (ends == 2)
      registration.setKernelShape(-1);
    for (const auto &item : guesses) {
      if (ends == 1)
        registration.cancel();
      ErrorCapture errors;
      Cloud output;
      registration.align(output, *item.guess);
      const Matrix last = registration.getFinalTransformation();
      ck_assert_int_eq(contains(errors.text(), "guess"), !item.taken);
      ck_assert_int_eq(registration.hasConverged(), item.taken && ends == 0);
      ck_assert_int_eq(registration.getStatus() == FRICP_OK, item.taken && ends < 2);
      const fricp_pose pose = test::toPose(last);
      ck_assert_double_lt(verify_orthonormality(&pose), 1e-6);
      if (item.guess == &nearly)
        ck_assert_double_lt(static_cast<double>((last - good).norm()), 1e-3);
      else
        ck_assert(last == (item.taken ? *item.guess : Matrix::Identity()));
    }
  }
}

START_TEST(guesses_that_never_reach_the_core) {
  checkGuesses<float>();
  checkGuesses<double>();
}
END_TEST

// What is wrong with another pose is not the guess's fault.
START_TEST(motion_frame_that_is_none) {
  Fixture f;
  const Eigen::Matrix4f guess = toMatrix<float>(makePose(0, 0, 1, 1, 0.01, 0, 0));
  f.registration.setLockedDirections(FRICP_ONLY_PLANAR);
  f.registration.setMotionFrame(2 * Eigen::Matrix4d::Identity());
  const std::string text = f.errorsOf([&] { f.registration.align(f.output, guess); });
  ASSERT_FAILED(f, text, "frame");
  ck_assert(f.registration.getFinalTransformation() == guess);
}
END_TEST

START_TEST(failure_is_told_and_leaves_nothing_old) {
  const auto pair = makePair<Point>(easyScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  pcl::IndicesPtr outside(new pcl::Indices(1, 800));
  registration.setIndices(outside);
  {
    ErrorCapture errors;
    registration.align(output);
    ck_assert(contains(errors.text(), "800"));
  }
  ck_assert(!registration.hasConverged());
  ck_assert_int_eq(registration.getStatus(), FRICP_ERROR_BAD_INDEX);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_NONE);
  ck_assert_uint_eq(registration.getTrace().size(), 0);
  ck_assert_uint_eq(registration.getLevels().size(), 0);
  ck_assert_uint_eq(registration.getPointWeights().size(), 0);
  ck_assert_uint_eq(output.size(), pair.source->size());
  registration.setIndices(pcl::IndicesPtr());
  registration.align(output);
  ck_assert(registration.hasConverged());
}
END_TEST

} // namespace

int main() {
  return run_suite("hostile",
                   {methods_that_are_none, setters_given_nonsense, limits_that_are_none, thread_counts_given_nonsense,
                    trees_that_are_none, indices_repeated_and_unsorted, sizes_and_density_that_lie,
                    huge_and_tiny_coordinates, targets_smaller_than_a_neighbourhood, target_changed_behind_the_index,
                    output_is_the_target, target_mended_in_place, guesses_that_never_reach_the_core,
                    motion_frame_that_is_none, failure_is_told_and_leaves_nothing_old});
}
