// SPDX-License-Identifier: BSD-3-Clause
// Rows 9 to 18: what comes out, and the search objects.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_OUTPUTS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_OUTPUTS_HPP

#include "family.hpp"

namespace conformance {

template <class F> Outcome row09WholeCloud() {
  using P = typename F::Rich;
  auto pair = makePair<P>(easyScene());
  for (std::size_t i = 0; i < pair.source->size(); i++) {
    (*pair.source)[i].r = static_cast<std::uint8_t>(i);
    (*pair.source)[i].g = static_cast<std::uint8_t>(255 - i % 256);
    (*pair.source)[i].b = static_cast<std::uint8_t>(7 * i);
  }
  pair.source->width = 40;
  pair.source->height = 20;
  pair.source->header.frame_id = "lidar";
  pair.source->header.stamp = 123456789;
  pair.source->header.seq = 7;
  Subject<F, P> subject(pair.source, pair.target);
  subject.align();
  const pcl::PointCloud<P> &output = subject.output;
  REQUIRE(isRight(subject.pose(), pair.truth), "wrong pose");
  REQUIRE(output.width == 40 && output.height == 20 && output.size() == 800, "%u x %u", output.width, output.height);
  REQUIRE(output.header.frame_id == "lidar" && output.header.stamp == 123456789 && output.header.seq == 7,
          "header lost");
  for (std::size_t i = 0; i < output.size(); i++) {
    REQUIRE(output[i].rgba == (*pair.source)[i].rgba, "colour of point %zu changed", i);
    REQUIRE(squaredDistance(moved(subject.pose(), (*pair.source)[i]), output[i]) < 1e-10, "point %zu not moved", i);
  }
  return "";
}

template <class F> Outcome row10Normals() {
  using P = pcl::PointNormal;
  const auto pair = makePair<P>(easyScene());
  Subject<F, P> subject(pair.source, pair.target);
  subject.align();
  const fricp_pose pose = subject.pose();
  REQUIRE(isRight(pose, pair.truth), "wrong pose");
  const Eigen::Matrix3f rotation = toMatrix<float>(pose).template topLeftCorner<3, 3>();
  for (std::size_t i = 0; i < pair.source->size(); i++) {
    const Eigen::Vector3f expected = rotation * (*pair.source)[i].getNormalVector3fMap();
    REQUIRE((subject.output[i].getNormalVector3fMap() - expected).norm() < 1e-5, "normal of point %zu not turned", i);
  }
  return "";
}

template <class F> Outcome row11Homogeneous() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  for (std::size_t i = 0; i < pair.source->size(); i++)
    (*pair.source)[i].data[3] = static_cast<float>(i % 3); // 0, 1, 2
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  for (std::size_t i = 0; i < subject.output.size(); i++)
    REQUIRE(subject.output[i].data[3] == 1.0f, "data[3] of point %zu is %g", i,
            static_cast<double>(subject.output[i].data[3]));
  return "";
}

template <class F> Outcome row12IterationLimit() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.base->setMaximumIterations(2);
  subject.align();
  REQUIRE(subject.base->hasConverged(), "not converged");
  using Type = typename Subject<F>::Type;
  if constexpr (OffersStopReason<Type>::value) {
    REQUIRE(subject.probe->getStopReason() == FRICP_STOP_ITERATION_LIMIT, "stop reason not told");
  } else if constexpr (OffersState<Type>::value) {
    const auto criteria = subject.probe->getConvergeCriteria();
    REQUIRE(criteria->getConvergenceState() == criteria->CONVERGENCE_CRITERIA_ITERATIONS, "stop reason not told");
  }
  Subject<F> failing(pair.source, pair.target);
  failing.base->setMaximumIterations(2);
  failing.probe->getConvergeCriteria()->setFailureAfterMaximumIterations(true);
  failing.align();
  REQUIRE(!failing.base->hasConverged(), "converged in spite of setFailureAfterMaximumIterations");
  return "";
}

template <class F> Outcome row13NothingNear() {
  const auto pair = makePair<typename F::Plain>(easyScene());
  for (auto &point : *pair.target)
    point.x += 50;
  Subject<F> subject(pair.source, pair.target);
  subject.base->setMaxCorrespondenceDistance(1.0);
  const typename Subject<F>::Matrix guess = toMatrix<float>(makePose(0, 1, 0, 20, 0.3, 0.2, 0.1));
  ErrorCapture errors;
  try {
    subject.align(guess);
  } catch (...) {
    return "threw";
  }
  REQUIRE(!subject.base->hasConverged(), "converged");
  REQUIRE(subject.base->getFinalTransformation() == guess, "the final transformation is not the guess");
  REQUIRE(subject.base->getFitnessScore(1.0) == std::numeric_limits<double>::max(), "fitness score %g",
          subject.base->getFitnessScore(1.0));
  REQUIRE(!errors.text().empty(), "no message");
  return "";
}

// A flat grid, and a chessboard 0.1 above and below it with four points 3 away: the identity is the exact optimum by
// symmetry, and the mean squared distances follow by hand.
template <class F> Outcome row14FitnessScore() {
  using P = typename F::Plain;
  const CloudPtr<P> target(new pcl::PointCloud<P>), source(new pcl::PointCloud<P>);
  const double up[3] = {0, 0, 1};
  for (int i = 0; i < 100; i++) {
    P point;
    point.x = static_cast<float>(i % 10);
    point.y = static_cast<float>(i / 10);
    point.z = 0;
    setNormal(point, up);
    target->push_back(point);
    point.z = (i % 10 + i / 10) % 2 ? 0.1f : -0.1f;
    source->push_back(point);
  }
  for (const int corner : {22, 27, 72, 77}) {
    P point = (*target)[static_cast<std::size_t>(corner)];
    point.z = corner == 22 || corner == 77 ? 3.0f : -3.0f;
    source->push_back(point);
  }
  Subject<F> subject(source, target);
  subject.align();
  const fricp_pose identity = makePose(0, 0, 1, 0, 0, 0, 0);
  const fricp_pose pose = subject.pose();
  REQUIRE(verify_angle_degrees(&pose, &identity) < 0.01 && verify_translation(&pose, &identity) < 1e-3,
          "the pose is not the identity");
  const double all = (100 * 0.01 + 4 * 9) / 104;
  REQUIRE(std::abs(subject.base->getFitnessScore() - all) < 1e-4 * all, "%g", subject.base->getFitnessScore());
  // The range is compared with the squared distance.
  REQUIRE(std::abs(subject.base->getFitnessScore(4.0) - 0.01) < 1e-4, "(4.0): %g", subject.base->getFitnessScore(4.0));
  REQUIRE(std::abs(subject.base->getFitnessScore(10.0) - all) < 1e-4 * all, "(10.0): %g",
          subject.base->getFitnessScore(10.0));
  REQUIRE(subject.base->getFitnessScore(0.005) == std::numeric_limits<double>::max(), "(0.005): %g",
          subject.base->getFitnessScore(0.005));
  return "";
}

template <class F> Outcome row15SearchMethod() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  Subject<F> subject(pair.source, pair.target);
  subject.align();
  const auto tree = subject.base->getSearchMethodTarget();
  REQUIRE(tree->getInputCloud() == pair.target, "it does not hold the target");
  pcl::Indices indices;
  std::vector<float> distances;
  for (std::size_t i = 0; i < pair.source->size(); i += 40) {
    const P &query = (*pair.source)[i];
    REQUIRE(tree->nearestKSearch(query, 5, indices, distances) == 5 && indices.size() == 5, "not 5 neighbours");
    double least = 0;
    const int nearest = bruteNearest(*pair.target, Eigen::Vector3d(query.x, query.y, query.z), &least);
    REQUIRE(indices[0] == nearest && std::abs(distances[0] - least) < 1e-6, "neighbour of point %zu", i);
    REQUIRE(std::is_sorted(distances.begin(), distances.end()), "neighbours out of order");
    const double radius = 0.15;
    int within = 0;
    for (const P &point : *pair.target)
      within += squaredDistance(Eigen::Vector3d(query.x, query.y, query.z), point) < radius * radius;
    REQUIRE(tree->radiusSearch(query, radius, indices, distances) == within, "radius search");
  }
  return "";
}

template <class F> Outcome row16ForcedTree() {
  using P = typename F::Plain;
  const auto pair = makePair<P>(easyScene());
  const auto tree = pcl::make_shared<CountingTree<P>>();
  tree->setInputCloud(pair.target);
  Subject<F> subject;
  subject.base->setSearchMethodTarget(tree, true);
  subject.base->setInputSource(pair.source);
  for (int round = 0; round < 2; round++) {
    subject.base->setInputTarget(pair.target);
    tree->queries = 0;
    subject.align();
    REQUIRE(isRight(subject.pose(), pair.truth), "wrong pose");
    REQUIRE(tree->builds == 1, "rebuilt");
    REQUIRE(tree->queries >= static_cast<int>(pair.source->size()), "asked only %d times", tree->queries);
    REQUIRE(subject.base->getSearchMethodTarget() == tree, "replaced");
  }
  return "";
}

template <class F> Outcome row17Reciprocal() {
  using P = typename F::Plain;
  auto pair = makePair<P>(easyScene());
  pair.target->resize(500); // 300 source points have no counterpart: their nearest points have nearer ones
  Subject<F> subject(pair.source, pair.target);
  subject.base->setSearchMethodSource(pcl::make_shared<pcl::search::KdTree<P>>());
  using Type = typename Subject<F>::Type;
  if constexpr (!OffersReciprocal<Type>::value)
    return "setUseReciprocalCorrespondences not offered";
  else
    subject.probe->setUseReciprocalCorrespondences(true);
  subject.align();
  const fricp_pose pose = subject.pose();
  REQUIRE(isRight(pose, pair.truth), "wrong pose");
  REQUIRE(subject.probe->correspondences_->size() >= 400, "%zu correspondences",
          subject.probe->correspondences_->size());
  const fricp_pose back = verify_inverse(&pose);
  for (const auto &found : *subject.probe->correspondences_) {
    const P &match = (*pair.target)[static_cast<std::size_t>(found.index_match)];
    REQUIRE(bruteNearest(*pair.source, moved(back, match)) == found.index_query, "point %d is not reciprocal",
            static_cast<int>(found.index_query));
  }
  return "";
}

// x, y, z and curvature, as in PCL's tutorial on pairwise registration.
struct WithCurvature : pcl::PointRepresentation<pcl::PointNormal> {
  WithCurvature() {
    nr_dimensions_ = 4;
  }
  void copyToFloatArray(const pcl::PointNormal &p, float *out) const override {
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
    out[3] = p.curvature;
  }
};

template <class F> Outcome row18Representation() {
  using P = pcl::PointNormal;
  auto pair = makePair<P>(easyScene());
  // A second copy of the surface in the target, with another curvature, where the source lies already.
  for (auto &point : *pair.target)
    point.curvature = 1;
  for (const P &point : *pair.source)
    pair.target->push_back(point);
  for (auto &point : *pair.source)
    point.curvature = 1;
  Subject<F, P> subject(pair.source, pair.target);
  subject.base->setPointRepresentation(pcl::make_shared<const WithCurvature>());
  subject.align();
  const auto tree = subject.base->getSearchMethodTarget();
  REQUIRE(tree->getPointRepresentation()->getNumberOfDimensions() == 4, "does not reach the tree");
  pcl::Indices index(1);
  std::vector<float> distance(1);
  P query = (*pair.source)[3];
  query.curvature = 0;
  tree->nearestKSearch(query, 1, index, distance);
  REQUIRE(index[0] == 803 && distance[0] < 1e-8f, "the tree finds %d", static_cast<int>(index[0]));
  query.curvature = 1;
  tree->nearestKSearch(query, 1, index, distance);
  REQUIRE(index[0] < 800, "the tree does not measure the curvature");
  REQUIRE(isRight(subject.pose(), pair.truth), "pairs do not honour it: wrong pose");
  return "";
}

} // namespace conformance

#endif
