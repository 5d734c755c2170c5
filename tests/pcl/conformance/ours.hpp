// SPDX-License-Identifier: BSD-3-Clause
// What the families of our methods have in common.
#pragma once

#include "../instances.hpp"
#include "rows.hpp"

namespace conformance {

template <class PlainPoint, class RichPoint, bool is_plane> struct Ours {
  template <class S, class T, class Scalar> using Type = fricp::Registration<S, T, Scalar>;
  using Plain = PlainPoint;
  using Rich = RichPoint;
  static constexpr bool has_double = true;
  static constexpr bool mixed_types = true;
  static constexpr bool plane = is_plane;
  static constexpr const char *consumer_program = "FRICP_NATIVE_CONSUMER";
};

using OursToPoints = Ours<pcl::PointXYZ, pcl::PointXYZRGB, false>;
using OursToPlanes = Ours<pcl::PointNormal, pcl::PointXYZRGBNormal, true>;

} // namespace conformance
