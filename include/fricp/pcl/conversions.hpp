// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file conversions.hpp
 * Between PCL's matrices, thresholds and states and the core's. Internal to the shim.
 */
#ifndef FRICP_PCL_CONVERSIONS_HPP
#define FRICP_PCL_CONVERSIONS_HPP

#include "fricp/fricp.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fricp {

namespace detail {

template <class Scalar> Eigen::Matrix<Scalar, 4, 4> toMatrix(const fricp_pose &pose) {
  Eigen::Matrix<Scalar, 4, 4> matrix = Eigen::Matrix<Scalar, 4, 4>::Identity();
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++)
      matrix(row, column) = static_cast<Scalar>(pose.rotation[row][column]);
    matrix(row, 3) = static_cast<Scalar>(pose.translation[row]);
  }
  return matrix;
}

template <class Scalar> fricp_pose toPose(const Eigen::Matrix<Scalar, 4, 4> &matrix) {
  fricp_pose pose;
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++)
      pose.rotation[row][column] = static_cast<double>(matrix(row, column));
    pose.translation[row] = static_cast<double>(matrix(row, 3));
  }
  return pose;
}

/** Could the matrix be a rigid motion, roughly? The core decides in the end; this picks what a failed run leaves. */
template <class Scalar> bool looksRigid(const Eigen::Matrix<Scalar, 4, 4> &matrix) {
  const Eigen::Matrix<double, 4, 4> m = matrix.template cast<double>();
  const Eigen::Matrix<double, 3, 3> rotation = m.template topLeftCorner<3, 3>();
  const double skew = (rotation.transpose() * rotation - Eigen::Matrix<double, 3, 3>::Identity()).cwiseAbs().maxCoeff();
  const double mirror = rotation.col(0).cross(rotation.col(1)).dot(rotation.col(2));
  const double last = (m.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff();
  return m.allFinite() && skew < 1e-2 && mirror > 0 && last < 1e-3;
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
