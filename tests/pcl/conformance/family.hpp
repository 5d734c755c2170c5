// SPDX-License-Identifier: BSD-3-Clause
// What the rows need to know about a class under test, and the tools they share.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_FAMILY_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_FAMILY_HPP

#include "../clouds.hpp"
#include "row.hpp"

#include "fricp/pcl/compat.hpp"

#include <pcl/memory.h>
#include <pcl/registration/registration.h>
#include <pcl/search/kdtree.h>

namespace conformance {

using namespace test;

// A family names a class template and the point types it works on:
//   template <class S, class T, class Scalar> using Type;  Plain, Rich (colour);  has_double;  configure(registration).

// Opens what the base class keeps protected. Everything public is done through the base class's pointer.
template <class R> struct Probe : R {
  using R::correspondences_;
  using R::nr_iterations_;
  using R::previous_transformation_;
};

template <class F, class S, class T, class Scalar> using TypeOf = Probe<typename F::template Type<S, T, Scalar>>;

template <class F, class S = typename F::Plain, class T = S, class Scalar = float> struct Subject {
  using Type = TypeOf<F, S, T, Scalar>;
  using Base = pcl::Registration<S, T, Scalar>;
  using Matrix = typename Base::Matrix4;
  pcl::shared_ptr<Type> probe;
  typename Base::Ptr base;
  pcl::PointCloud<S> output;

  Subject() : probe(pcl::make_shared<Type>()), base(probe) {
    F::configure(*probe);
    base->setMaximumIterations(100);
    base->setTransformationEpsilon(1e-10);
  }
  Subject(const CloudPtr<S> &source, const CloudPtr<T> &target) : Subject() {
    base->setInputSource(source);
    base->setInputTarget(target);
  }
  void align() {
    base->align(output);
  }
  void align(const Matrix &guess) {
    base->align(output, guess);
  }
  fricp_pose pose() {
    return test::toPose(base->getFinalTransformation());
  }
};

// Some tenths of the clouds' point distance: far more than rounding, far less than any wrong answer here.
inline bool isRight(const fricp_pose &pose, const fricp_pose &truth) {
  return verify_finite(&pose) && verify_angle_degrees(&pose, &truth) < 0.1 && verify_translation(&pose, &truth) < 4e-3;
}

inline bool isRigid(const fricp_pose &pose) {
  return verify_orthonormality(&pose) < 1e-5;
}

#define OFFERS(Name, expression)                                                                                       \
  template <class R, class = void> struct Name : std::false_type {};                                                   \
  template <class R> struct Name<R, std::void_t<decltype(std::declval<R &>().expression)>> : std::true_type {}
OFFERS(OffersReciprocal, setUseReciprocalCorrespondences(true));
OFFERS(OffersState, getConvergeCriteria());
OFFERS(OffersStopReason, getStopReason());
OFFERS(OffersLevels, getLevels());
OFFERS(OffersResult, getResult());

// A search object of the user's that counts what is asked of it.
template <class PointT> struct CountingTree : pcl::search::KdTree<PointT> {
  using Base = pcl::search::KdTree<PointT>;
  using Base::nearestKSearch;
  fricp::detail::SetInputCloudResult<PointT>
  setInputCloud(const typename Base::PointCloudConstPtr &cloud,
                const typename pcl::search::Search<PointT>::IndicesConstPtr &indices = {}) override {
    builds++;
    return Base::setInputCloud(cloud, indices);
  }
  int nearestKSearch(const PointT &point, int k, pcl::Indices &indices, std::vector<float> &distances) const override {
    queries++;
    return Base::nearestKSearch(point, k, indices, distances);
  }
  int builds = 0;
  mutable int queries = 0;
};

} // namespace conformance

#endif
