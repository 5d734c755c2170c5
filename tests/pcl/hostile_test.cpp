// SPDX-License-Identifier: BSD-3-Clause
// What callers get wrong, and when: values out of range, clouds that lie, callbacks that throw or change what is in
// use, a cancel() at any time. Nothing may be thrown out of align() or crash; what fails says why, and the next align
// works.
#include "clouds.hpp"
#include "instances.hpp"

#include <pcl/search/kdtree.h>

#include <atomic>
#include <cfloat>
#include <check.h>
#include <climits>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Fixture {
  Pair<Point> pair = makePair<Point>(easyScene());
  Registration registration;
  Cloud output;

  Fixture() {
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

#define ASSERT_FAILED(fixture, text, part)                                                                             \
  do {                                                                                                                 \
    ck_assert(!(fixture).registration.hasConverged());                                                                 \
    ck_assert_msg(contains(text, part), "\"%s\" does not say %s", (text).c_str(), part);                               \
    ck_assert_uint_eq((fixture).output.size(), (fixture).pair.source->size());                                         \
  } while (0)

// ---- Values out of range ----

START_TEST(methods_that_are_none) {
  Fixture f;
  for (const int number : {-1, 5, 99, INT_MAX, INT_MIN}) {
    bool taken = true;
    const std::string text = f.errorsOf([&] { taken = f.registration.setMethod(static_cast<fricp_method>(number)); });
    ck_assert(!taken && contains(text, "method"));
    ck_assert_int_eq(f.registration.getMethod(), FRICP_METHOD_ROBUST_ICP);
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

// ---- Clouds that lie ----

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
    ck_assert(f.align().empty() && f.isRight());
    f.pair.target->resize(size);
    f.registration.setMethod("icp-plane"); // only now are its normals needed
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
  const std::string text = f.errorsOf([&] { f.registration.align(*f.pair.target); });
  ck_assert(!f.registration.hasConverged() && contains(text, "output"));
}
END_TEST

// What could not be indexed is indexed as soon as the caller has mended it.
START_TEST(target_mended_in_place) {
  Fixture f;
  const Cloud whole = *f.pair.target;
  f.pair.target->resize(2);
  f.registration.setInputTarget(f.pair.target);
  const std::string text = f.align();
  ASSERT_FAILED(f, text, "target");
  *f.pair.target = whole;
  ck_assert(f.align().empty() && f.isRight());
}
END_TEST

// ---- What is thrown ----

START_TEST(callbacks_that_throw) {
  Fixture f;
  using Callback = std::function<pcl::Registration<Point, Point>::UpdateVisualizerCallbackSignature>;
  int thrown = 0, poses = 0, last = 0;
  int thrower = INT_MAX;
  Eigen::Vector3f seen(0, 0, 0);
  // Poses count, not calls: on a busy machine one is shown again in between.
  Callback callback = [&](const Cloud &moved_source, const pcl::Indices &, const Cloud &, const pcl::Indices &) {
    if (moved_source.empty())
      return; // when it is registered
    const Eigen::Vector3f first = moved_source[0].getVector3fMap();
    poses += poses == 0 || first != seen;
    seen = first;
    if (poses >= thrower) {
      thrown++;
      throw std::runtime_error("no window");
    }
  };
  f.registration.registerVisualizationCallback(callback);
  poses = 0;
  ck_assert(f.align().empty() && f.isRight());
  last = poses;
  for (const int at : {1, last / 2, last}) { // the last one is made when the core has ended
    poses = thrown = 0;
    thrower = at;
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "no window");
    ck_assert_int_eq(thrown, 1);
    ck_assert_int_eq(f.registration.getStopReason(), FRICP_STOP_CANCELLED);
    const fricp_pose pose = test::toPose(f.registration.getFinalTransformation());
    for (std::size_t i = 0; i < 800; i += 99)
      ck_assert_double_lt(squaredDistance(moved(pose, (*f.pair.source)[i]), f.output[i]), 1e-10);
  }
  thrower = INT_MAX;
  for (const int kind : {0, 1, 2}) {
    f.registration.setProgressCallback([kind](const fricp_progress &) -> bool {
      if (kind == 0)
        throw std::bad_alloc();
      if (kind == 1)
        throw 7;
      throw std::logic_error("wrong");
    });
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "threw");
  }
  f.registration.setProgressCallback(nullptr);
  ck_assert(f.align().empty() && f.isRight());
}
END_TEST

struct Throwing : pcl::PointRepresentation<Point> {
  explicit Throwing(int calls) : left(std::make_shared<std::atomic<int>>(calls)) {
    nr_dimensions_ = 3;
  }
  void copyToFloatArray(const Point &p, float *out) const override {
    if ((*left)-- <= 0)
      throw std::runtime_error("no such feature");
    std::copy_n(p.data, 3, out);
  }
  std::shared_ptr<std::atomic<int>> left;
};

struct ThrowingTree : pcl::search::KdTree<Point> {
  using Base = pcl::search::KdTree<Point>;
  using Base::nearestKSearch;
  int nearestKSearch(const Point &point, int k, pcl::Indices &indices, std::vector<float> &distances) const override {
    if (left-- <= 0)
      throw std::runtime_error("tree is down");
    return Base::nearestKSearch(point, k, indices, distances);
  }
  mutable std::atomic<int> left{0};
};

START_TEST(searches_that_throw) {
  // Calls until it throws: at once, while the target is indexed, while pairs are sought. A point is looked at twice, by
  // isValid(), when it is indexed and when it is asked for.
  for (const int calls : {0, 700, 1600, 2000, 5000}) {
    Fixture f;
    f.registration.setPointRepresentation(pcl::make_shared<const Throwing>(calls));
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "no such feature");
    f.registration.setPointRepresentation(pcl::make_shared<const Throwing>(INT_MAX));
    ck_assert(f.align().empty() && f.isRight());
  }
  for (const int calls : {0, 100, 7000}) {
    Fixture f;
    const auto tree = pcl::make_shared<ThrowingTree>();
    tree->left = calls;
    f.registration.setSearchMethodTarget(tree);
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "");
    ck_assert_int_eq(f.registration.getStatus(), FRICP_ERROR_SEARCH);
    f.registration.setSearchMethodTarget(nullptr);
    ck_assert(f.align().empty() && f.isRight());
  }
}
END_TEST

// ---- Callbacks that change what is in use ----

START_TEST(callbacks_that_change_things) {
  Fixture f;
  using Callback = std::function<pcl::Registration<Point, Point>::UpdateVisualizerCallbackSignature>;
  Callback seen = [](const Cloud &, const pcl::Indices &, const Cloud &, const pcl::Indices &) {};
  const auto other = makePair<Point>(easyScene(9));
  const std::function<void(Registration &)> changes[] = {
      [](Registration &r) { r.setProgressCallback(nullptr); },
      [](Registration &r) { r.setIndices(pcl::IndicesPtr()); },
      [&](Registration &r) { r.setInputTarget(other.target); },
      [&](Registration &r) { r.setInputSource(other.source); },
      [](Registration &r) { r.setMethod("icp-plane"); },
      [](Registration &r) { r.setSearchMethodTarget(pcl::make_shared<pcl::search::KdTree<Point>>(), true); },
      [&](Registration &r) {
        Callback none;
        none = [](const Cloud &, const pcl::Indices &, const Cloud &, const pcl::Indices &) {};
        r.registerVisualizationCallback(none);
      },
  };
  for (const auto &change : changes) {
    Fixture g;
    g.registration.registerVisualizationCallback(seen);
    pcl::IndicesPtr half(new pcl::Indices);
    for (int i = 0; i < 800; i += 2)
      half->push_back(i);
    g.registration.setIndices(half);
    half.reset(); // the registration's is the last
    g.registration.setProgressCallback([&](const fricp_progress &) {
      change(g.registration);
      return true;
    });
    (void)g.align();
    ck_assert(g.isRight()); // by what was set when it began
  }

  // The source is emptied while it is shown.
  f.registration.registerVisualizationCallback(seen);
  f.registration.setProgressCallback([&](const fricp_progress &progress) {
    if (progress.iteration == 1)
      f.pair.source->resize(10);
    return true;
  });
  (void)f.align();
  const fricp_pose pose = test::toPose(f.registration.getFinalTransformation());
  ck_assert(verify_finite(&pose));
}
END_TEST

START_TEST(align_within_align) {
  Fixture f;
  int nested = 0;
  f.registration.setProgressCallback([&](const fricp_progress &) {
    if (nested++ == 0) {
      Cloud another;
      f.registration.align(another);
    }
    return true;
  });
  ck_assert(contains(f.align(), "callback"));
  ck_assert(f.isRight());
  ck_assert_int_gt(nested, 1);
}
END_TEST

// ---- Cancel ----

START_TEST(cancel_before_align_counts) {
  Fixture f;
  const Eigen::Matrix4f guess = toMatrix<float>(makePose(0, 0, 1, 1, 0.01, 0, 0));
  for (const char *method : {"robust-icp", "icp-plane"}) {
    f.registration.setMethod(method);
    f.registration.cancel();
    f.registration.align(f.output, guess);
    ck_assert(!f.registration.hasConverged());
    ck_assert_int_eq(f.registration.getStopReason(), FRICP_STOP_CANCELLED);
    ck_assert_int_eq(f.registration.getStatus(), FRICP_OK);
    ck_assert(f.registration.getFinalTransformation() == guess);
    const fricp_pose pose = test::toPose(guess);
    for (std::size_t i = 0; i < 800; i += 99)
      ck_assert_double_lt(squaredDistance(moved(pose, (*f.pair.source)[i]), f.output[i]), 1e-10);
    ck_assert(f.align().empty() && f.isRight()); // it counts once
  }
}
END_TEST

// From another thread, from before align() begins to when it is in full course: it never runs on.
START_TEST(cancel_at_any_time_ends_it) {
  Fixture f;
  f.registration.setProgressCallback([](const fricp_progress &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // so that it cannot end by itself before the cancel
    return true;
  });
  for (int round = 0; round < 60; round++) {
    std::atomic<bool> go{false};
    std::thread canceller([&] {
      while (!go)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(50 * round));
      f.registration.cancel();
    });
    go = true;
    f.registration.align(f.output);
    canceller.join();
    if (f.registration.getStopReason() != FRICP_STOP_CANCELLED) {
      // The machine was so slow that align() had ended: then the cancel must count for the next.
      ck_assert(f.isRight());
      f.registration.align(f.output);
    }
    ck_assert_int_eq(f.registration.getStopReason(), FRICP_STOP_CANCELLED);
    ck_assert(!f.registration.hasConverged());
  }
  f.registration.setProgressCallback(nullptr);
  ck_assert(f.align().empty() && f.isRight());
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("hostile");
  TCase *tcase = tcase_create("callers");
  tcase_set_timeout(tcase, 240);
  tcase_add_test(tcase, methods_that_are_none);
  tcase_add_test(tcase, setters_given_nonsense);
  tcase_add_test(tcase, limits_that_are_none);
  tcase_add_test(tcase, thread_counts_given_nonsense);
  tcase_add_test(tcase, trees_that_are_none);
  tcase_add_test(tcase, indices_repeated_and_unsorted);
  tcase_add_test(tcase, sizes_and_density_that_lie);
  tcase_add_test(tcase, huge_and_tiny_coordinates);
  tcase_add_test(tcase, targets_smaller_than_a_neighbourhood);
  tcase_add_test(tcase, target_changed_behind_the_index);
  tcase_add_test(tcase, output_is_the_target);
  tcase_add_test(tcase, target_mended_in_place);
  tcase_add_test(tcase, callbacks_that_throw);
  tcase_add_test(tcase, searches_that_throw);
  tcase_add_test(tcase, callbacks_that_change_things);
  tcase_add_test(tcase, align_within_align);
  tcase_add_test(tcase, cancel_before_align_counts);
  tcase_add_test(tcase, cancel_at_any_time_ends_it);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
