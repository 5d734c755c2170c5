// SPDX-License-Identifier: BSD-3-Clause
// Rows 1 to 8: what goes in.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_INPUTS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_INPUTS_HPP

#include "family.hpp"

namespace conformance {

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr float INFINITE = std::numeric_limits<float>::infinity();

template <class F> Outcome row01SourceNotFinite() {
  using P = typename F::Plain;
  auto pair = makePair<P>(easyScene());
  const std::size_t bad[] = {0, 17, 400, 799};
  for (const std::size_t i : bad)
    (*pair.source)[i].x = (*pair.source)[i].y = (*pair.source)[i].z = NOT_A_NUMBER;
  (*pair.source)[250].z = INFINITE;
  pair.source->is_dense = false;
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  REQUIRE(subject.base->hasConverged(), "not converged");
  REQUIRE(isRight(subject.pose(), pair.truth), "wrong pose");
  REQUIRE(subject.output.size() == pair.source->size(), "output has %zu points", subject.output.size());
  for (const std::size_t i : bad)
    REQUIRE(std::isnan(subject.output[i].x) && std::isnan(subject.output[i].z), "NaN point %zu not kept", i);
  REQUIRE(std::isinf(subject.output[250].z) && subject.output[250].x == (*pair.source)[250].x, "Inf point not kept");
  const double score = subject.base->getFitnessScore();
  REQUIRE(score >= 0 && score < 1e-4, "fitness score %g", score);
  return "";
}

template <class F> Outcome row02TargetNotFinite() {
  using P = typename F::Plain;
  auto pair = makePair<P>(easyScene());
  for (std::size_t i = 0; i < 100; i += 7)
    (*pair.target)[i].x = (*pair.target)[i].y = (*pair.target)[i].z = NOT_A_NUMBER;
  pair.target->is_dense = false;
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), pair.truth), "wrong pose");
  pcl::Indices index(1);
  std::vector<float> distance(1);
  for (const int i : {1, 300, 799}) {
    subject.base->getSearchMethodTarget()->nearestKSearch((*pair.target)[static_cast<std::size_t>(i)], 1, index,
                                                          distance);
    REQUIRE(index[0] == i, "target point %d found as %d", i, static_cast<int>(index[0]));
  }
  for (auto &point : *pair.target)
    point.x = point.y = point.z = NOT_A_NUMBER;
  subject.base->setInputTarget(pair.target);
  ErrorCapture errors;
  subject.align();
  REQUIRE(!subject.base->hasConverged(), "converged on an all-NaN target");
  REQUIRE(contains(errors.text(), "target"), "no message names the target");
  return "";
}

template <class F> Outcome row03Empty() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const CloudPtr<P> empty(new pcl::PointCloud<P>);
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose first = subject.pose();
  REQUIRE(subject.base->hasConverged() && isRight(first, pair.truth), "wrong pose");
  const double score = subject.base->getFitnessScore();
  for (const bool source : {true, false}) {
    ErrorCapture errors;
    if (source)
      subject.base->setInputSource(empty);
    else
      subject.base->setInputTarget(empty);
    subject.align();
    const char *name = source ? "source" : "target";
    REQUIRE(!subject.base->hasConverged(), "empty %s: converged on the old one", name);
    const fricp_pose after = subject.pose();
    REQUIRE(!verify_same_bits(&after, &first), "empty %s: the old pose", name);
    REQUIRE(!source || subject.base->getFitnessScore() != score, "empty %s: the old fitness score", name);
    REQUIRE(contains(errors.text(), source ? "ource" : "arget"), "no message names the %s", name);
    if (source)
      subject.base->setInputSource(pair.source);
    else
      subject.base->setInputTarget(pair.target);
    subject.align();
    const fricp_pose again = subject.pose();
    REQUIRE(subject.base->hasConverged() && verify_same_bits(&again, &first), "not as the first time after an empty %s",
            name);
  }
  return "";
}

template <class F> Outcome row04NoInputs() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  for (const int given : {0, 1, 2}) {
    Subject<F> subject;
    if (given == 1)
      subject.base->setInputSource(pair.source);
    if (given == 2)
      subject.base->setInputTarget(pair.target);
    ErrorCapture errors;
    subject.align();
    REQUIRE(!subject.base->hasConverged(), "converged without %s", given == 1 ? "a target" : "a source");
    REQUIRE(contains(errors.text(), "[") && contains(errors.text(), "nput"), "no message");
  }
  return "";
}

template <class F> Outcome row05OutputIsInput() {
  using P = typename F::Plain;
  auto pair = makePair<P>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.base->setMaximumIterations(5);
  auto total = Subject<F>::Matrix::Identity().eval();
  for (int round = 0; round < 20; round++) {
    subject.base->align(*pair.source);
    REQUIRE(subject.base->hasConverged(), "round %d: not converged", round);
    total = (subject.base->getFinalTransformation() * total).eval();
  }
  REQUIRE(isRight(test::toPose(total), pair.truth), "the steps do not add up to the true pose");
  for (std::size_t i = 0; i < pair.source->size(); i += 50)
    REQUIRE(((*pair.source)[i].getVector3fMap() - (*pair.target)[i].getVector3fMap()).norm() < 4e-3,
            "point %zu of the cloud did not arrive", i);
  return "";
}

template <class F> Outcome row06TargetChangedInPlace() {
  using P = typename F::Plain;
  auto pair = makePair<P>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose move = makePose(0, 0, 1, 3, 0.02, 0.03, -0.01);
  pcl::transformPointCloud(*pair.target, *pair.target, toMatrix<float>(move));
  subject.base->setInputTarget(pair.target);
  subject.align();
  const fricp_pose truth = verify_multiply(&move, &pair.truth);
  REQUIRE(subject.base->hasConverged() && isRight(subject.pose(), truth), "still on the old content");
  return "";
}

template <class F> Outcome row07TargetReused() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const auto tree = pcl::make_shared<CountingTree<P>>();
  Subject<F> subject;
  subject.base->setSearchMethodTarget(tree);
  subject.base->setInputTarget(pair.target);
  for (int scan = 0; scan < 3; scan++) {
    const CloudPtr<P> source(new pcl::PointCloud<P>(*pair.source));
    subject.base->setInputSource(source);
    subject.align();
    REQUIRE(isRight(subject.pose(), pair.truth), "scan %d: wrong pose", scan);
  }
  REQUIRE(tree->builds == 1, "target indexed %d times for 3 scans", tree->builds);
  return "";
}

template <class F> Outcome row08Indices() {
  using P = typename F::Plain;
  // Every second point is moved by a wrong motion, consistently: without the indices there is no right answer.
  auto pair = makePair<P>(easyScene());
  const fricp_pose wrong = makePose(1, 0, 0, 8, 0.1, -0.1, 0.1);
  const pcl::IndicesPtr good(new pcl::Indices);
  for (std::size_t i = 0; i < pair.source->size(); i++) {
    if (i % 4 == 0)
      good->push_back(static_cast<pcl::index_t>(i));
    else
      (*pair.source)[i].getVector3fMap() = moved(wrong, (*pair.source)[i]).template cast<float>();
  }
  Subject<F> subject(pair.source, pair.target);
  subject.base->setIndices(good);
  subject.align();
  REQUIRE(subject.base->hasConverged(), "not converged");
  REQUIRE(isRight(subject.pose(), pair.truth), "indices not honoured: wrong pose");
  REQUIRE(subject.output.size() == pair.source->size(), "output has %zu points", subject.output.size());
  for (const auto &pair_found : *subject.probe->correspondences_)
    REQUIRE(pair_found.index_query % 4 == 0, "correspondence of point %d, which is not selected",
            static_cast<int>(pair_found.index_query));

  const pcl::IndicesPtr outside(new pcl::Indices(4, 5000000)), none(new pcl::Indices);
  for (const auto &indices : {none, outside}) {
    const char *what = indices->empty() ? "empty" : "outside the cloud";
    subject.base->setIndices(indices);
    ErrorCapture errors;
    subject.align();
    REQUIRE(!subject.base->hasConverged(), "indices %s: converged", what);
    REQUIRE(!errors.text().empty(), "indices %s: no message", what);
  }
  return "";
}

} // namespace conformance

#endif
