// SPDX-License-Identifier: BSD-3-Clause
// The families of our methods: in one file, since most of what each instantiates is the same.
#include "../instances.hpp"
#include "rows.hpp"

namespace conformance {

namespace {

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

struct Auto : OursToPoints {
  static constexpr const char *consumer = "auto";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};

struct RobustIcp : OursToPoints {
  static constexpr const char *consumer = "robust-icp";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};

struct RobustIcpPlane : OursToPlanes {
  static constexpr const char *consumer = "robust-icp-plane";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};

} // namespace

std::vector<Row> rowsOfAuto() {
  return rows<Auto>();
}

std::vector<Row> rowsOfRobustIcp() {
  return rows<RobustIcp>();
}

std::vector<Row> rowsOfRobustIcpPlane() {
  return rows<RobustIcpPlane>();
}

} // namespace conformance
