// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file conversions.hpp
 * Between PCL's matrices, thresholds and states and the core's. Internal to the shim.
 */
#ifndef FRICP_PCL_CONVERSIONS_HPP
#define FRICP_PCL_CONVERSIONS_HPP

#include "fricp/fricp.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fricp {

namespace detail {

/** A matrix as the core keeps it. */
template <int Size> using RowMajor = Eigen::Matrix<double, Size, Size, Eigen::RowMajor>;

template <class Scalar> Eigen::Matrix<Scalar, 4, 4> toMatrix(const fricp_pose &pose) {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() = Eigen::Map<const RowMajor<3>>(&pose.rotation[0][0]);
  matrix.topRightCorner<3, 1>() = Eigen::Map<const Eigen::Vector3d>(pose.translation);
  return matrix.cast<Scalar>();
}

template <class Scalar> fricp_pose toPose(const Eigen::Matrix<Scalar, 4, 4> &matrix) {
  fricp_pose pose;
  Eigen::Map<RowMajor<3>>(&pose.rotation[0][0]) = matrix.template topLeftCorner<3, 3>().template cast<double>();
  Eigen::Map<Eigen::Vector3d>(pose.translation) = matrix.template topRightCorner<3, 1>().template cast<double>();
  return pose;
}

/**
 * Put the nearest rotation in the place of the matrix's, as the core does with a guess: an align() may end before it
 * comes to the core. @return why the core would refuse it; null: it would not.
 */
template <class Scalar> const char *mendGuess(Eigen::Matrix<Scalar, 4, 4> &guess) {
  constexpr double tolerance = 1e-3, farthest = 1e75; // the core's
  const Eigen::Matrix4d given = guess.template cast<double>();
  if (!given.allFinite())
    return "the guess holds numbers that are not finite";
  if ((given.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() > tolerance)
    return "the guess is no rigid motion: its last row is not 0 0 0 1";
  if (given.col(3).cwiseAbs().maxCoeff() > farthest)
    return "the guess is no rigid motion: it moves by more than 1e75";
  const Eigen::Matrix3d rotation = Eigen::Affine3d(given).rotation();
  const double moved = (rotation - given.topLeftCorner<3, 3>()).norm();
  if (!(moved <= tolerance))
    return "the guess is no rigid motion: its 3x3 part is not a rotation; a scale must go to the cloud";
  if (moved > 8 * static_cast<double>(std::numeric_limits<Scalar>::epsilon())) // but for rounding it is kept to the bit
    guess.template topLeftCorner<3, 3>() = rotation.template cast<Scalar>();
  return nullptr;
}

/** PCL's limit on distances; its default is the square root of the largest double: none. */
inline double toMaxDistance(double threshold) {
  return threshold < 1e150 ? threshold : 0;
}

/** PCL stops when translation^2 <= epsilon and cos(angle) >= 1 - epsilon, or >= rotation_epsilon if that is set;
 * without a translation epsilon it never does. */
inline void setEpsilons(fricp_options &options, double translation_epsilon, double rotation_epsilon) {
  options.translation_epsilon = options.rotation_epsilon = 0;
  if (!(translation_epsilon > 0))
    return;
  const double cosine = rotation_epsilon > 0 ? rotation_epsilon : 1 - translation_epsilon;
  options.translation_epsilon = std::min(std::sqrt(translation_epsilon), 1e150); // infinite: any translation will do
  // 0 would mean "not asked for".
  options.rotation_epsilon =
      std::max(std::acos(std::max(-1.0, std::min(1.0, cosine))), std::numeric_limits<double>::min());
}

} // namespace detail
} // namespace fricp

#endif
