// SPDX-License-Identifier: BSD-3-Clause
// Rows 30 to 41: poses, types, threads, scenes.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_RESULTS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_RESULTS_HPP

#include "family.hpp"

#include <pcl/pcl_config.h>

#include <atomic>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>

namespace conformance {

template <class F> Outcome row30Guess() {
  using P = typename F::Plain;
  scene_spec spec = easyScene();
  spec.angle = 170;
  const auto pair = makePair<P>(spec);
  Subject<F> subject(pair.source, pair.target);
  const fricp_pose off = makePose(1, 1, 0, 3, 0.01, 0.01, -0.01);
  const auto guess = toMatrix<float>(verify_multiply(&off, &pair.truth));
  subject.align(guess);
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), pair.truth), "170 degrees, guess 3 off: wrong pose");

  auto nearly = guess;
  nearly.template topLeftCorner<3, 3>() *= 1.0005f;
  subject.align(nearly);
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), pair.truth) && isRigid(subject.pose()),
          "a guess that is nearly a rotation is not mended");

  auto scaled = guess, mirrored = guess, broken = guess;
  scaled.template topLeftCorner<3, 3>() *= 1.05f;
  mirrored.row(2) *= -1;
  broken(1, 2) = std::numeric_limits<float>::quiet_NaN();
  const std::pair<const char *, Eigen::Matrix4f> wrong[] = {
      {"scaled", scaled}, {"mirrored", mirrored}, {"NaN", broken}};
  for (const auto &item : wrong) {
    ErrorCapture errors;
    subject.align(item.second);
    REQUIRE(!subject.base->hasConverged(), "%s guess: converged, determinant %g", item.first,
            static_cast<double>(subject.base->getFinalTransformation().template topLeftCorner<3, 3>().determinant()));
    const fricp_pose pose = subject.pose();
    REQUIRE(verify_finite(&pose), "%s guess: the final transformation is not finite", item.first);
    REQUIRE(contains(errors.text(), "guess"), "%s guess: no message", item.first);
  }
  return "";
}

template <class F> Outcome row31Scalar() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  Subject<F> single(pair.source, pair.target);
  single.align();
  REQUIRE(isRight(single.pose(), pair.truth), "float: wrong pose");
  if constexpr (!F::has_double) {
    return "no double";
  } else {
    Subject<F, P, P, double> subject(pair.source, pair.target);
    subject.align();
    const fricp_pose pose = subject.pose();
    REQUIRE(isRight(pose, pair.truth), "double: wrong pose");
    REQUIRE(verify_orthonormality(&pose) < 1e-12, "double: orthonormal to %g", verify_orthonormality(&pose));
    return "";
  }
}

template <class F> Outcome row32Types() {
  // Normals only in the target, then in neither: estimated where the method needs them.
  if constexpr (!F::mixed_types) {
    return "PointXYZ to PointNormal does not compile";
  } else {
    const auto mixed = makePair<pcl::PointXYZ, pcl::PointNormal>(easyScene());
    Subject<F, pcl::PointXYZ, pcl::PointNormal> with(mixed.source, mixed.target);
    // PCL's own align() and getFitnessScore() do not compile for two types, in whatever class: this is ours.
    with.probe->align(with.output);
    REQUIRE(with.base->hasConverged() && isRight(with.pose(), mixed.truth), "PointXYZ to PointNormal: wrong pose");
    REQUIRE(with.probe->getFitnessScore() < 1e-4, "fitness score %g", with.probe->getFitnessScore());
    const auto plain = makePair<pcl::PointXYZ>(easyScene());
    Subject<F, pcl::PointXYZ> without(plain.source, plain.target);
    without.align();
    REQUIRE(without.base->hasConverged() && isRight(without.pose(), plain.truth), "PointXYZ: wrong pose");
    return "";
  }
}

template <class F> Outcome row33Pointers() {
  using P = typename F::Plain;
  using Type = typename F::template Type<P, P, float>;
  using Base = pcl::Registration<P, P, float>;
  static_assert(std::is_same<typename Type::Ptr, pcl::shared_ptr<Type>>::value, "Ptr");
  static_assert(std::is_same<typename Type::ConstPtr, pcl::shared_ptr<const Type>>::value, "ConstPtr");
  static_assert(std::is_convertible<typename Type::Ptr, typename Base::Ptr>::value, "upcast");
  const typename Base::Ptr base = pcl::make_shared<Type>();
  REQUIRE(base && !base->getClassName().empty(), "no name");
  REQUIRE(pcl::dynamic_pointer_cast<Type>(base) != nullptr, "does not cast back");
  return "";
}

template <class F> Outcome row34Copying() {
  using P = typename F::Plain;
  using Type = typename F::template Type<P, P, float>;
  if constexpr (!std::is_copy_constructible<Type>::value && !std::is_copy_assignable<Type>::value) {
    return ""; // deleted
  } else {
    const auto pair = makePair<P>(easyScene());
    auto original = std::make_unique<Subject<F>>(pair.source, pair.target);
    Type copy(*original->probe);
    original.reset();
    pcl::PointCloud<P> output;
    copy.align(output);
    REQUIRE(isRight(test::toPose(copy.getFinalTransformation()), pair.truth), "the copy is not on its own");
    return "";
  }
}

template <class F> Outcome row35Exceptions() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const CloudPtr<P> one(new pcl::PointCloud<P>), same(new pcl::PointCloud<P>);
  one->push_back((*pair.source)[0]);
  same->resize(50, (*pair.source)[0]);
  ErrorCapture errors;
  for (int bad = 0; bad < 6; bad++) {
    Subject<F> subject(pair.source, pair.target);
    typename Subject<F>::Matrix guess = Subject<F>::Matrix::Identity();
    try {
      switch (bad) {
      case 0:
        subject.base->setInputSource(one);
        break;
      case 1:
        subject.base->setInputTarget(one);
        break;
      case 2:
        subject.base->setInputTarget(same);
        break;
      case 3:
        subject.base->setMaxCorrespondenceDistance(-1);
        break;
      case 4:
        subject.base->setMaxCorrespondenceDistance(std::numeric_limits<double>::quiet_NaN());
        break;
      default:
        guess.setZero();
        break;
      }
      subject.align(guess);
    } catch (...) {
      return describe("bad input %d threw", bad);
    }
    REQUIRE(!subject.base->hasConverged(), "bad input %d: converged", bad);
    const fricp_pose pose = subject.pose();
    REQUIRE(verify_finite(&pose), "bad input %d: a pose that is not finite", bad);
  }
  return "";
}

template <class F> Outcome row36OtherThread() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const fricp_pose step = makePose(0, 0, 1, 2, 0.01, 0, 0);
  const fricp_pose truths[2] = {pair.truth, verify_multiply(&step, &pair.truth)};
  Subject<F> subject(pair.source, pair.target);
  const auto base = subject.base;
  std::atomic<bool> stop{false};
  std::thread setter([&] {
    for (int i = 0; !stop; i++) {
      const CloudPtr<P> target(new pcl::PointCloud<P>(*pair.target));
      if (i % 2)
        pcl::transformPointCloud(*target, *target, toMatrix<float>(step));
      base->setInputTarget(target);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  int wrong = 0;
  for (int i = 0; i < 150; i++) {
    subject.align();
    const fricp_pose pose = subject.pose();
    wrong += !subject.base->hasConverged() || !(isRight(pose, truths[0]) || isRight(pose, truths[1]));
  }
  stop = true;
  setter.join();
  REQUIRE(wrong == 0, "%d of 150 poses belong to neither target", wrong);
  subject.base->setInputTarget(pair.target);
  subject.align();
  REQUIRE(isRight(subject.pose(), pair.truth), "the last target set is not used");
  return "";
}

// A flat floor, tilted and lifted: what it determines is found, the rest (turning and sliding in the floor) stays at
// the guess. For planes the two floors are sampled apart; to points that would be noise that does determine something.
template <class F> Outcome row37Degenerate() {
  using P = typename F::Plain;
  scene_spec spec = {};
  spec.kind = SCENE_FLOOR;
  spec.source_count = 2000;
  spec.seed = 5;
  spec.same_sample = F::plane ? 0 : 1;
  auto pair = makePair<P>(spec);
  const fricp_pose lift = makePose(0, 1, 0, 0, 0, 0, 0.05);
  const fricp_pose tilt = makePose(0, 1, 0, 0.5, 0, 0, 0);
  const fricp_pose source_from_floor = verify_multiply(&lift, &tilt);
  for (auto &point : *pair.source)
    point.getVector3fMap() = moved(source_from_floor, point).template cast<float>();
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose pose = subject.pose();
  REQUIRE(verify_finite(&pose) && isRigid(pose), "no rigid motion");
  const fricp_pose floor_from_floor = verify_multiply(&pose, &source_from_floor);
  const double up[3] = {floor_from_floor.rotation[0][2], floor_from_floor.rotation[1][2], 0};
  REQUIRE(std::hypot(up[0], up[1]) < 1e-3, "the floors are not parallel");
  REQUIRE(std::abs(floor_from_floor.translation[2]) < 1e-2, "the floors are %g apart", floor_from_floor.translation[2]);
  const double yaw = std::atan2(pose.rotation[1][0], pose.rotation[0][0]) * 57.29578;
  REQUIRE(std::abs(yaw) < 0.1 && std::hypot(pose.translation[0], pose.translation[1]) < 0.02,
          "slid by %g, turned by %g degrees", std::hypot(pose.translation[0], pose.translation[1]), yaw);
  if constexpr (OffersResult<typename Subject<F>::Type>::value && F::plane)
    REQUIRE(subject.probe->getResult().undetermined == 3, "%d undetermined directions reported",
            subject.probe->getResult().undetermined);
  return "";
}

// Map coordinates. The same numbers less the offset, exact in float, must give the same rotation.
template <class F> Outcome row38FarAway() {
  using P = typename F::Plain;
  scene_spec spec = {};
  spec.kind = SCENE_LIDAR;
  spec.source_count = 3000;
  spec.seed = 3;
  spec.scale = 8; // 160 x 112 x 40: map units of 1/32 are fine enough
  spec.angle = 1.2;
  const auto pair = makePair<P>(spec);
  const float offset[3] = {500000, 400000, 0};
  for (const auto &cloud : {pair.source, pair.target})
    for (auto &point : *cloud)
      for (int axis = 0; axis < 3; axis++)
        point.data[axis] = (point.data[axis] + offset[axis]) - offset[axis];
  Subject<F> at_origin(pair.source, pair.target);
  at_origin.align();
  const fricp_pose expected = at_origin.pose();
  REQUIRE(at_origin.base->hasConverged() && verify_angle_degrees(&expected, &pair.truth) < 1,
          "at the origin: %g degrees off", verify_angle_degrees(&expected, &pair.truth));
  for (const auto &cloud : {pair.source, pair.target})
    for (auto &point : *cloud)
      for (int axis = 0; axis < 3; axis++)
        point.data[axis] += offset[axis];
  Subject<F> far(pair.source, pair.target);
  far.align();
  const fricp_pose pose = far.pose();
  REQUIRE(far.base->hasConverged(), "not converged");
  REQUIRE(verify_angle_degrees(&pose, &expected) < 1e-3, "the rotation differs by %g degrees",
          verify_angle_degrees(&pose, &expected));
  return "";
}

template <class F> Outcome row39SensorPose() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  pair.source->sensor_origin_ = Eigen::Vector4f(1, 2, 3, 0);
  pair.source->sensor_orientation_ = Eigen::Quaternionf(0.5f, 0.5f, 0.5f, 0.5f);
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  REQUIRE(subject.output.sensor_origin_ == pair.source->sensor_origin_, "origin not copied");
  REQUIRE(subject.output.sensor_orientation_.coeffs() == pair.source->sensor_orientation_.coeffs(),
          "orientation not copied");
  return "";
}

// Of the program built with the machine's widest vectors, against libraries that are not.
template <class F> Outcome row40NativeConsumer() {
  const char *program = std::getenv(F::consumer_program);
  REQUIRE(program && *program, "%s does not name the program", F::consumer_program);
  const int status = std::system((std::string(program) + " " + F::consumer + " >/dev/null 2>&1").c_str());
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the consumer ended with %d", status);
  return "";
}

template <class F> Outcome row41Versions() {
  static_assert(PCL_VERSION_COMPARE(>=, 1, 12, 0), "PCL 1.12 or newer");
  return "";
}

} // namespace conformance

#endif
