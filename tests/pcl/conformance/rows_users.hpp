// SPDX-License-Identifier: BSD-3-Clause
// Rows 42 to 46: what users of 0.1.0 met.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_USERS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_USERS_HPP

#include "family.hpp"
#include "rows_outputs.hpp"

#include "fricp/pcl/cloud_view.hpp"

#include <pcl/features/normal_3d.h>
#include <pcl/registration/icp.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <sys/wait.h>

namespace conformance {

// Root mean square distance of a cloud's points between a pose and the truth.
template <class PointT>
double rmsError(const pcl::PointCloud<PointT> &cloud, const fricp_pose &pose, const fricp_pose &truth) {
  double sum = 0;
  for (const PointT &point : cloud)
    sum += (moved(pose, point) - moved(truth, point)).squaredNorm();
  return std::sqrt(sum / static_cast<double>(cloud.size()));
}

// The motion of PCL's tutorial "interactive ICP": a cloud against itself, turned by pi/8 about z and shifted by 0.4.
template <class F> Outcome row42SmallBudgets() {
  using P = typename F::Plain;
  scene_spec spec = {};
  spec.kind = SCENE_BLOB;
  spec.source_count = 1500;
  const CloudPtr<P> target = makePair<P>(spec).target, source(new pcl::PointCloud<P>);
  const fricp_pose motion = makePose(0, 0, 1, 22.5, 0, 0, 0.4), truth = verify_inverse(&motion);
  *source = *target;
  (void)fricp::detail::moveCloud(motion, *source, *source);
  const double start = rmsError(*source, makePose(0, 0, 1, 0, 0, 0, 0), truth);
  for (const int budget : {1, 2, 3, 4, 5, 7, 10, 20, 50}) {
    Subject<F> subject(source, target);
    subject.base->setTransformationEpsilon(0);
    subject.base->setMaximumIterations(budget);
    subject.align();
    REQUIRE(subject.base->hasConverged(), "%d iterations: not converged", budget);
    REQUIRE(subject.probe->nr_iterations_ >= 1 && subject.probe->nr_iterations_ <= budget, "%d iterations: made %d",
            budget, subject.probe->nr_iterations_);
    const fricp_pose pose = subject.pose();
    const double error = rmsError(*source, pose, truth);
    REQUIRE(isRigid(pose) && error < start, "%d iterations: %g off, the guess %g", budget, error, start);
  }
  Subject<F> failing(source, target);
  failing.base->setTransformationEpsilon(0);
  failing.base->setMaximumIterations(1);
  failing.probe->getConvergeCriteria()->setFailureAfterMaximumIterations(true);
  failing.align();
  REQUIRE(!failing.base->hasConverged(), "converged in spite of setFailureAfterMaximumIterations");
  return "";
}

// The tutorial's representation; counts the vectors that a search makes of points, one a query and one a point indexed.
struct CountingCurvature : WithCurvature {
  void copyToFloatArray(const pcl::PointNormal &p, float *out) const override {
    (*vectors)++;
    WithCurvature::copyToFloatArray(p, out);
  }
  std::shared_ptr<std::atomic<long>> vectors = std::make_shared<std::atomic<long>>(0);
};

struct Pairwise {
  double error; // root mean square, over the source
  long vectors;
};

// The calls of PCL's tutorial "pairwise incremental registration" on clouds of a room with estimated curvatures.
template <class R> Pairwise alignPairwise(R &registration, const Pair<pcl::PointNormal> &pair, double max_distance) {
  using P = pcl::PointNormal;
  CountingCurvature representation;
  const float alpha[4] = {1, 1, 1, 1};
  representation.setRescaleValues(alpha);
  registration.setTransformationEpsilon(1e-6);
  registration.setMaxCorrespondenceDistance(max_distance);
  registration.setPointRepresentation(pcl::make_shared<const CountingCurvature>(representation));
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setMaximumIterations(2);
  Eigen::Matrix4f total = Eigen::Matrix4f::Identity(), previous = total;
  CloudPtr<P> source = pair.source, result = source;
  for (int i = 0; i < 30; i++) {
    source = result;
    registration.setInputSource(source);
    result.reset(new pcl::PointCloud<P>);
    registration.align(*result);
    total = (registration.getFinalTransformation() * total).eval();
    if (std::abs((registration.getLastIncrementalTransformation() - previous).sum()) <
        registration.getTransformationEpsilon())
      registration.setMaxCorrespondenceDistance(registration.getMaxCorrespondenceDistance() - 0.001);
    previous = registration.getLastIncrementalTransformation();
  }
  return {rmsError(*pair.source, test::toPose(total), pair.truth), *representation.vectors};
}

inline void estimateCurvatures(pcl::PointCloud<pcl::PointNormal> &cloud) {
  pcl::NormalEstimation<pcl::PointNormal, pcl::PointNormal> estimation;
  estimation.setInputCloud(cloud.makeShared());
  estimation.setSearchMethod(pcl::make_shared<pcl::search::KdTree<pcl::PointNormal>>());
  estimation.setKSearch(30);
  pcl::PointCloud<pcl::PointNormal> normals;
  estimation.compute(normals);
  for (std::size_t i = 0; i < cloud.size(); i++) {
    cloud[i].getNormalVector3fMap() = normals[i].getNormalVector3fMap();
    cloud[i].curvature = normals[i].curvature;
  }
}

// No times: the searches are counted, and PCL's ICP makes two of each point a call. What one of ours costs is
// VectorTree's affair (pcl_shim/README.md has times).
template <class F> Outcome row43Pairwise() {
  scene_spec spec = {};
  spec.kind = SCENE_ROOM;
  spec.source_count = 4000;
  spec.seed = 4;
  spec.noise = 5e-4;
  spec.angle = 1.5;
  spec.shift[0] = 0.01;
  spec.shift[1] = -0.006;
  auto pair = makePair<pcl::PointNormal>(spec);
  estimateCurvatures(*pair.source);
  estimateCurvatures(*pair.target);
  const double max_distance = 0.3; // some three times the points' distance, as in the tutorial
  pcl::IterativeClosestPoint<pcl::PointNormal, pcl::PointNormal> icp;
  const Pairwise theirs = alignPairwise(icp, pair, max_distance);
  Subject<F, pcl::PointNormal> subject;
  const Pairwise ours = alignPairwise(*subject.base, pair, max_distance);
  REQUIRE(ours.error <= 1.01 * theirs.error, "%.4f off, ICP %.4f", ours.error, theirs.error);
  REQUIRE(ours.vectors <= 8 * theirs.vectors, "%ld searches, ICP %ld", ours.vectors, theirs.vectors);
  return "";
}

struct OpenScene {
  const char *name;
  int open; // directions of motion that it does not determine
  // A point at parameters u, v in (0, 1), off its surface by the noise.
  void (*place)(double u, double v, double noise, double point[3]);
};

inline void placeOnPipe(double u, double v, double noise, double p[3]) {
  const double angle = 2 * M_PI * v, radius = 1.5 + noise;
  p[0] = 20 * u;
  p[1] = radius * std::cos(angle);
  p[2] = radius * std::sin(angle);
}
inline void placeOnFloor(double u, double v, double noise, double p[3]) {
  p[0] = 10 * u;
  p[1] = 10 * v;
  p[2] = noise;
}
inline void placeInCorridor(double u, double v, double noise, double p[3]) {
  const int face = static_cast<int>(3 * v); // walls y = +-1 of height 2, floor z = 0
  const double across = 3 * v - face;
  p[0] = 20 * u;
  p[1] = face == 2 ? 2 * across - 1 : (face ? 1 : -1) + noise;
  p[2] = face == 2 ? noise : 2 * across;
}

template <class P> CloudPtr<P> sampleScene(const OpenScene &scene, double noise, unsigned seed) {
  std::mt19937 engine(seed);
  const auto uniform = [&] { return (engine() + 0.5) / 4294967296.0; };
  const CloudPtr<P> cloud(new pcl::PointCloud<P>);
  for (int i = 0; i < 4000; i++) {
    const double u = uniform(), v = uniform(), radius = std::sqrt(-2 * std::log(uniform()));
    double point[3];
    scene.place(u, v, noise * radius * std::cos(2 * M_PI * uniform()), point);
    P at = P();
    at.x = static_cast<float>(point[0]);
    at.y = static_cast<float>(point[1]);
    at.z = static_cast<float>(point[2]);
    cloud->push_back(at);
  }
  return cloud;
}

// Noise, two samples, no normals given. The true motion lies within what the scene leaves open, which nobody can see: a
// pose that keeps the guess there is right, and says how much is open.
template <class F> Outcome row44DegenerateNoisy() {
  using P = pcl::PointXYZ;
  if constexpr (!OffersResult<typename Subject<F, P>::Type>::value) {
    return "does not tell";
  } else {
    const OpenScene scenes[] = {{"pipe", 2, placeOnPipe}, {"floor", 3, placeOnFloor}, {"corridor", 1, placeInCorridor}};
    for (const OpenScene &scene : scenes)
      for (const double noise : {0.0, 0.003, 0.01}) {
        const auto target = sampleScene<P>(scene, noise, 1), source = sampleScene<P>(scene, noise, 2);
        Subject<F, P> subject(source, target);
        subject.align();
        const fricp_result &result = subject.probe->getResult();
        REQUIRE(result.undetermined == scene.open, "%s, noise %g: %d open directions, not %d", scene.name, noise,
                result.undetermined, scene.open);
        const fricp_pose pose = subject.pose();
        REQUIRE(verify_finite(&pose) && std::abs(pose.translation[0]) < 0.05, "%s, noise %g: slid by %g", scene.name,
                noise, pose.translation[0]);
      }
    return "";
  }
}

inline Outcome runProgram(const char *variable, const std::string &arguments) {
  const char *program = std::getenv(variable);
  REQUIRE(program && *program, "%s does not name the program", variable);
  const std::string command = "unset LD_LIBRARY_PATH; " + std::string(program) + " " + arguments + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ended with %d", status);
  return "";
}

// The program is consumer.cpp with a type of its own, linked with fricp::pcl and nothing else.
template <class F> Outcome row45OwnPointType() {
  if constexpr (!OffersResult<typename Subject<F>::Type>::value)
    return "not tried";
  else
    return runProgram("FRICP_CUSTOM_CONSUMER", F::consumer);
}

// The program installs this build into a new prefix and starts the tool there.
template <class F> Outcome row46Installed() {
  if constexpr (!OffersResult<typename Subject<F>::Type>::value)
    return "not tried";
  else
    return runProgram("FRICP_INSTALLED_TOOL", "--version");
}

} // namespace conformance

#endif
