// SPDX-License-Identifier: BSD-3-Clause
// Rows 19 to 29: settings and state.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_SETTINGS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_SETTINGS_HPP

#include "family.hpp"

#include <pcl/registration/correspondence_rejection.h>
#include <pcl/registration/default_convergence_criteria.h>
#include <pcl/registration/transformation_estimation_svd.h>

namespace conformance {

template <class F> Outcome row19MaxDistance() {
  using P = typename F::Plain;
  // A third of the source is a block that has nothing to do with the target, 1.5 away to one side: least squares would
  // follow it.
  auto pair = makePair<P>(easyScene());
  for (std::size_t i = 0; i < 260; i++)
    (*pair.source)[i].x += 3.0f;
  Subject<F> subject(pair.source, pair.target);
  subject.base->setMaxCorrespondenceDistance(0.5);
  subject.align();
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), pair.truth), "wrong pose");
  REQUIRE(subject.probe->correspondences_->size() >= 500, "%zu correspondences",
          subject.probe->correspondences_->size());
  for (const auto &found : *subject.probe->correspondences_)
    REQUIRE(found.distance <= 0.25f, "a correspondence of squared distance %g", static_cast<double>(found.distance));
  return "";
}

// Some 20 iterations are needed from here with a tiny epsilon. So many points that method auto, which tries its ways on
// fewer, has as much left to do.
template <class F> Pair<typename F::Plain> slowPair() {
  scene_spec spec = easyScene();
  spec.source_count = 6000;
  spec.angle = 10;
  spec.noise = 0.0001; // with much more auto, whose last level starts at the optimum, has nothing left to do
  spec.same_sample = 0;
  return makePair<typename F::Plain>(spec);
}

template <class F> Outcome row20TranslationEpsilon() {
  const auto pair = slowPair<F>();
  Subject<F> subject(pair.source, pair.target);
  subject.base->setTransformationEpsilon(1e-12);
  subject.align();
  const int tight = subject.probe->nr_iterations_;
  subject.base->setTransformationEpsilon(0.01); // 0.1 in translation, 8 degrees
  subject.align();
  REQUIRE(subject.base->hasConverged(), "not converged");
  const int loose = subject.probe->nr_iterations_;
  REQUIRE(loose < tight, "%d iterations with 0.01, %d with 1e-12", loose, tight);
  const fricp_pose none = makePose(0, 0, 1, 0, 0, 0, 0);
  const fricp_pose step = test::toPose(subject.base->getLastIncrementalTransformation());
  REQUIRE(verify_translation(&step, &none) <= 0.1, "the last step is %g long", verify_translation(&step, &none));
  if constexpr (OffersResult<typename Subject<F>::Type>::value) {
    REQUIRE(subject.probe->getStopReason() == FRICP_STOP_POSE_EPSILON, "stopped for another reason");
    REQUIRE(subject.probe->getResult().levels > 1, "the early levels were cut short, too");
  }
  return "";
}

template <class F> Outcome row21RotationEpsilon() {
  const auto pair = slowPair<F>();
  Subject<F> subject(pair.source, pair.target);
  subject.base->setTransformationEpsilon(1); // any translation will do
  subject.base->setTransformationRotationEpsilon(0.9);
  subject.align();
  const int loose = subject.probe->nr_iterations_;
  const double tight_cosine = 1 - 1e-12; // 0.00008 degrees
  subject.base->setTransformationRotationEpsilon(tight_cosine);
  subject.align();
  const int tight = subject.probe->nr_iterations_;
  REQUIRE(loose < tight, "%d iterations at a cosine of 0.9, %d near 1", loose, tight);
  const fricp_pose step = test::toPose(subject.base->getLastIncrementalTransformation());
  const fricp_pose none = makePose(0, 0, 1, 0, 0, 0, 0);
  // In single precision a cosine near 1 is good for 0.04 degrees.
  REQUIRE(verify_angle_degrees(&step, &none) < 0.06, "the last step turns by %g degrees",
          verify_angle_degrees(&step, &none));
  return "";
}

template <class F> Outcome row22FitnessEpsilon() {
  const auto pair = slowPair<F>();
  Subject<F> subject(pair.source, pair.target);
  REQUIRE(!(subject.base->getEuclideanFitnessEpsilon() > 0), "on by default");
  subject.base->setTransformationEpsilon(0);
  subject.align();
  const int without = subject.probe->nr_iterations_;
  subject.base->setEuclideanFitnessEpsilon(0.5);
  subject.align();
  REQUIRE(subject.base->hasConverged(), "not converged");
  REQUIRE(subject.probe->nr_iterations_ < without, "%d iterations with 0.5, %d without", subject.probe->nr_iterations_,
          without);
  const auto state = subject.probe->getConvergeCriteria()->getConvergenceState();
  REQUIRE(state == subject.probe->getConvergeCriteria()->CONVERGENCE_CRITERIA_REL_MSE, "another reason was told");
  return "";
}

template <class F> Outcome row23IterationBudget() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const double full_nu = [&] {
    if constexpr (OffersResult<typename Subject<F>::Type>::value)
      return subject.probe->getResult().nu_end;
    return 0.0;
  }();
  subject.base->setMaximumIterations(30);
  subject.align();
  REQUIRE(subject.probe->nr_iterations_ <= 30, "%d iterations", subject.probe->nr_iterations_);
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), pair.truth), "30 iterations: wrong pose");
  if constexpr (OffersResult<typename Subject<F>::Type>::value) {
    subject.base->setMaximumIterations(10);
    subject.align();
    REQUIRE(subject.probe->nr_iterations_ <= 10, "%d iterations", subject.probe->nr_iterations_);
    const double nu = subject.probe->getLevels().back().nu;
    REQUIRE(std::abs(nu - full_nu) < 1e-9 * full_nu, "the last nu is %g, not %g", nu, full_nu);
  }
  return "";
}

template <class F> Outcome row24Ransac() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose without = subject.pose();
  ErrorCapture errors;
  subject.base->setRANSACIterations(50);
  subject.base->setRANSACOutlierRejectionThreshold(0.05);
  subject.align();
  const fricp_pose with = subject.pose();
  REQUIRE(errors.text().empty(), "prints something");
  REQUIRE(verify_same_bits(&with, &without), "changes the result");
  return "";
}

struct CountingRejector : pcl::registration::CorrespondenceRejector {
  void getRemainingCorrespondences(const pcl::Correspondences &original, pcl::Correspondences &remaining) override {
    calls++;
    remaining = original;
  }
  void applyRejection(pcl::Correspondences &correspondences) override {
    calls++;
    correspondences = *input_correspondences_;
  }
  int calls = 0;
};

template <class P> struct CountingEstimation : pcl::registration::TransformationEstimationSVD<P, P> {
  using Base = pcl::registration::TransformationEstimationSVD<P, P>;
  using Base::estimateRigidTransformation;
  void estimateRigidTransformation(const pcl::PointCloud<P> &source, const pcl::PointCloud<P> &target,
                                   const pcl::Correspondences &pairs, Eigen::Matrix4f &matrix) const override {
    calls++;
    Base::estimateRigidTransformation(source, target, pairs, matrix);
  }
  mutable int calls = 0;
};

template <class F> Outcome row25Rejectors() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const auto rejector = pcl::make_shared<CountingRejector>();
  const auto estimation = pcl::make_shared<CountingEstimation<P>>();
  for (const bool reject : {true, false}) {
    Subject<F> subject(pair.source, pair.target);
    if (reject)
      subject.base->addCorrespondenceRejector(rejector);
    else
      subject.base->setTransformationEstimation(estimation);
    ErrorCapture errors;
    subject.align();
    subject.align();
    const int warnings = countOf(errors.text(), "not used");
    const int calls = reject ? rejector->calls : estimation->calls;
    REQUIRE(calls > 0 || warnings == 1, "%s: neither used nor warned of once",
            reject ? "rejector" : "transformation estimation");
  }
  return "";
}

template <class F> Outcome row26State() {
  using Criteria = pcl::registration::DefaultConvergenceCriteria<float>;
  const auto pair = makePair<typename F::Plain>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  if constexpr (!OffersState<typename Subject<F>::Type>::value) {
    return "not offered";
  } else {
    const auto criteria = subject.probe->getConvergeCriteria();
    subject.base->setTransformationEpsilon(1e-6);
    subject.align();
    REQUIRE(criteria->getConvergenceState() == Criteria::CONVERGENCE_CRITERIA_TRANSFORM, "converged: state %d",
            static_cast<int>(criteria->getConvergenceState()));
    subject.base->setMaximumIterations(1);
    subject.base->setTransformationEpsilon(0);
    subject.align();
    REQUIRE(criteria->getConvergenceState() == Criteria::CONVERGENCE_CRITERIA_ITERATIONS, "at the limit: state %d",
            static_cast<int>(criteria->getConvergenceState()));
    criteria->setFailureAfterMaximumIterations(true);
    subject.align();
    REQUIRE(criteria->getConvergenceState() == Criteria::CONVERGENCE_CRITERIA_FAILURE_AFTER_MAX_ITERATIONS,
            "failed at the limit: state %d", static_cast<int>(criteria->getConvergenceState()));
    subject.base->setMaxCorrespondenceDistance(1e-6);
    subject.align();
    REQUIRE(criteria->getConvergenceState() == Criteria::CONVERGENCE_CRITERIA_NO_CORRESPONDENCES,
            "nothing near: state %d", static_cast<int>(criteria->getConvergenceState()));
    return "";
  }
}

template <class F> Outcome row27LastStep() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  REQUIRE(isRight(subject.pose(), pair.truth), "wrong pose");
  const fricp_pose none = makePose(0, 0, 1, 0, 0, 0, 0);
  const fricp_pose step = test::toPose(subject.base->getLastIncrementalTransformation());
  REQUIRE(verify_angle_degrees(&step, &none) < 0.4, "it turns by %g of 4 degrees", verify_angle_degrees(&step, &none));
  // From a limit on, one iteration more: pose = last step * pose before.
  subject.base->setTransformationEpsilon(0);
  subject.base->setMaximumIterations(1);
  subject.align();
  const fricp_pose only = test::toPose(subject.base->getLastIncrementalTransformation()), pose = subject.pose();
  REQUIRE(verify_max_difference(&only, &pose) < 1e-5, "after one iteration it is not the whole motion");
  return "";
}

template <class F> Outcome row28Members() {
  using P = typename F::Plain;
  scene_spec spec = easyScene();
  spec.source_count = 5000; // as in slowPair()
  const auto pair = makePair<P>(spec);
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose pose = subject.pose();
  REQUIRE(isRight(pose, pair.truth), "wrong pose");
  REQUIRE(subject.probe->nr_iterations_ > 1, "nr_iterations_ is %d", subject.probe->nr_iterations_);
  const fricp_pose previous = test::toPose(subject.probe->previous_transformation_);
  REQUIRE(isRigid(previous), "previous_transformation_ is no motion");
  REQUIRE(subject.probe->correspondences_->size() > 700, "%zu correspondences_",
          subject.probe->correspondences_->size());
  double sum = 0;
  for (const auto &found : *subject.probe->correspondences_) {
    const P &from = (*pair.source)[static_cast<std::size_t>(found.index_query)];
    const P &to = (*pair.target)[static_cast<std::size_t>(found.index_match)];
    // Of the last iteration, whose pose is almost the final one. The clouds' spacing is about 0.04.
    const double distance = squaredDistance(moved(pose, from), to);
    REQUIRE(std::abs(distance - static_cast<double>(found.distance)) < 1e-4, "squared distance %g, said %g", distance,
            static_cast<double>(found.distance));
    sum += distance;
  }
  REQUIRE(sum < 1e-2, "pairs are far apart");
  return "";
}

template <class F> Outcome row29Visualizer() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  int calls = 0, bad = 0;
  pcl::PointCloud<P> last;
  pcl::Indices last_source, last_target;
  std::function<typename Subject<F>::Base::UpdateVisualizerCallbackSignature> callback =
      [&](const pcl::PointCloud<P> &source, const pcl::Indices &source_indices, const pcl::PointCloud<P> &target,
          const pcl::Indices &target_indices) {
        calls++;
        bad += source_indices.size() != target_indices.size() || target.size() != pair.target->size();
        last = source;
        last_source = source_indices;
        last_target = target_indices;
      };
  REQUIRE(subject.base->registerVisualizationCallback(callback) && calls == 1, "not registered");
  subject.align();
  REQUIRE(calls > subject.probe->nr_iterations_, "called %d times in %d iterations", calls - 1,
          subject.probe->nr_iterations_);
  REQUIRE(bad == 0, "lists of different lengths");
  REQUIRE(last.size() == subject.output.size() && last_source.size() > 700, "last call: %zu pairs", last_source.size());
  for (std::size_t i = 0; i < last.size(); i++)
    REQUIRE((last[i].getVector3fMap() - subject.output[i].getVector3fMap()).norm() < 1e-4f,
            "the last cloud is not the output");
  for (std::size_t i = 0; i < last_source.size(); i++) {
    const P &from = last[static_cast<std::size_t>(last_source[i])];
    const P &to = (*pair.target)[static_cast<std::size_t>(last_target[i])];
    REQUIRE((from.getVector3fMap() - to.getVector3fMap()).norm() < 0.1f, "a pair that is no pair");
  }
  return "";
}

} // namespace conformance

#endif
