// SPDX-License-Identifier: BSD-3-Clause
// Callbacks that throw or change what is in use, searches that throw, cancel at any time.
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
    f.registration.setMethod("robust-icp");
    f.registration.setPointRepresentation(pcl::make_shared<const Throwing>(calls));
    const std::string text = f.align();
    ASSERT_FAILED(f, text, "no such feature");
    f.registration.setPointRepresentation(pcl::make_shared<const Throwing>(INT_MAX));
    ck_assert(f.align().empty() && f.isRight());
  }
  for (const int calls : {0, 100, 7000}) {
    Fixture f;
    f.registration.setMethod("robust-icp");
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

// PCL's align() has put the identity in the place of what the outer one leaves.
START_TEST(align_within_align_takes_nothing_away) {
  Fixture f;
  const Eigen::Matrix4f guess = toMatrix<float>(makePose(0, 0, 1, 1, 0.01, 0, 0));
  const auto nested = [&f] {
    Cloud another;
    f.registration.align(another);
  };
  f.registration.setNumThreads(1);
  f.registration.setMethod("robust-icp");
  f.registration.setPairFilter([&](int, int, double) {
    nested();
    return false;
  });
  const std::string text = f.errorsOf([&] { f.registration.align(f.output, guess); });
  ASSERT_FAILED(f, text, "callback");
  ck_assert_int_ne(f.registration.getStatus(), FRICP_OK);
  ck_assert(f.registration.getFinalTransformation() == guess);
  f.registration.setPairFilter(nullptr);

  f.registration.setProgressCallback([&](const fricp_progress &) {
    f.registration.cancel(); // which the nested one must not forget
    nested();
    return true;
  });
  f.registration.align(f.output, guess);
  ck_assert_int_eq(f.registration.getStopReason(), FRICP_STOP_CANCELLED);
  ck_assert(f.registration.getFinalTransformation() == guess);
  f.registration.setProgressCallback(nullptr);

  using Callback = std::function<pcl::Registration<Point, Point>::UpdateVisualizerCallbackSignature>;
  Callback callback = [&](const Cloud &moved_source, const pcl::Indices &, const Cloud &, const pcl::Indices &) {
    if (!moved_source.empty()) // not when it is registered
      nested();
  };
  f.registration.registerVisualizationCallback(callback);
  (void)f.align(); // the last call comes when the core has ended
  ck_assert(f.isRight());
  const fricp_pose step = test::toPose(f.registration.getLastIncrementalTransformation());
  ck_assert_double_lt(verify_max_difference(&step, &f.registration.getResult().last_step), 1e-6);
}
END_TEST

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

// So many points that PCL's normals take many blocks of 2,048.
scene_spec largeScene() {
  scene_spec spec = easyScene();
  spec.source_count = 40000;
  return spec;
}

void checkStopped(const Registration &registration, fricp_stop_reason reason) {
  ck_assert_int_eq(registration.getStopReason(), reason);
  ck_assert_int_eq(registration.getStatus(), FRICP_OK);
  ck_assert_int_eq(registration.getResult().iterations, 0);
}

// The callback is asked once a block while PCL estimates normals, and no more once it has said no.
START_TEST(a_cancel_among_the_normals) {
  Fixture f(largeScene());
  Registration &registration = f.registration;
  registration.setMethod("robust-icp-plane");
  int before = 0, calls = 0;
  registration.setMaximumIterations(1);
  for (const int at : {1, 2, 9, 17, 0}) {
    calls = 0;
    registration.setProgressCallback([&](const fricp_progress &progress) {
      before += progress.levels == 0;
      if (++calls == at && at % 2 == 0)
        registration.cancel();
      return calls != at || at % 2 == 0;
    });
    registration.align(f.output);
    if (at == 0)
      break;
    checkStopped(registration, FRICP_STOP_CANCELLED);
    ck_assert(!registration.hasConverged());
    ck_assert_int_eq(calls, at);
    ck_assert(registration.getFinalTransformation() == Eigen::Matrix4f::Identity());
  }
  ck_assert_int_ge(before, 1 + 2 + 9 + 17 + 40000 / 2048);
  ck_assert(registration.hasConverged()); // as if nothing had been
}
END_TEST

// Each question takes 10 ms, so that a limit of 50 is over after five; and a limit that is over before the target is
// indexed ends that. The next align() begins anew.
START_TEST(the_time_limit_counts_preparation) {
  Fixture f(largeScene());
  Registration &registration = f.registration;
  registration.setMethod("icp-plane");
  int calls = 0;
  registration.setProgressCallback([&](const fricp_progress &) {
    calls++;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return true;
  });
  for (const double limit : {0.05, 1e-9}) {
    calls = 0;
    registration.setTimeLimit(limit);
    registration.align(f.output);
    checkStopped(registration, FRICP_STOP_TIME_LIMIT);
    ck_assert(registration.hasConverged()); // as at the iteration limit
    ck_assert_int_le(calls, 6);
    registration.setFailureAfterMaximumIterations(true);
    registration.align(f.output);
    ck_assert(!registration.hasConverged());
    registration.setFailureAfterMaximumIterations(false);
    registration.setInputTarget(f.pair.target);
  }
  registration.setProgressCallback(nullptr);
  registration.setTimeLimit(0);
  registration.align(f.output);
  ck_assert(registration.hasConverged());
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_double_lt(verify_angle_degrees(&pose, &f.pair.truth), 0.05);
}
END_TEST

START_TEST(progress_and_cancel) {
  Fixture f(partialScene());
  Registration &registration = f.registration;
  int calls = 0;
  registration.setProgressCallback([&](const fricp_progress &progress) {
    calls++;
    ck_assert(progress.levels == 0 || progress.level < progress.levels); // 0: still preparing
    return true;
  });
  registration.align(f.output);
  ck_assert(registration.hasConverged());
  ck_assert_int_ge(calls, registration.getResult().iterations - 1);

  registration.setProgressCallback([](const fricp_progress &progress) { return progress.iteration < 2; });
  registration.align(f.output);
  ck_assert(!registration.hasConverged());
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_CANCELLED);
  ck_assert_int_le(registration.getResult().iterations, 3);
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_int_eq(verify_finite(&pose), 1);
  ck_assert_uint_eq(f.output.size(), f.pair.source->size());

  registration.setProgressCallback([&](const fricp_progress &) {
    registration.cancel();
    return true;
  });
  registration.align(f.output);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_CANCELLED);

  ErrorCapture errors;
  registration.setProgressCallback([](const fricp_progress &) -> bool { throw std::runtime_error("not today"); });
  registration.align(f.output);
  ck_assert(!registration.hasConverged());
  ck_assert(contains(errors.text(), "not today"));

  registration.setProgressCallback(nullptr);
  registration.align(f.output);
  ck_assert(registration.hasConverged());
}
END_TEST

} // namespace

int main() {
  return run_suite("callbacks",
                   {callbacks_that_throw, searches_that_throw, callbacks_that_change_things, align_within_align,
                    align_within_align_takes_nothing_away, cancel_before_align_counts, cancel_at_any_time_ends_it,
                    a_cancel_among_the_normals, the_time_limit_counts_preparation, progress_and_cancel});
}
