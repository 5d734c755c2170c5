// SPDX-License-Identifier: BSD-3-Clause
// The families of our methods: in one file, since most of what each instantiates is the same.
#include "../instances.hpp"
#include "rows.hpp"

namespace conformance {

namespace {

template <class PlainPoint, class RichPoint, bool is_plane, const char *method> struct Ours {
  template <class S, class T, class Scalar> using Type = fricp::Registration<S, T, Scalar>;
  using Plain = PlainPoint;
  using Rich = RichPoint;
  static constexpr bool has_double = true;
  static constexpr bool mixed_types = true;
  static constexpr bool plane = is_plane;
  static constexpr const char *consumer_program = "FRICP_NATIVE_CONSUMER";
  static constexpr const char *consumer = method;
  template <class R> static void configure(R &registration) {
    registration.setMethod(method);
  }
};

template <const char *method> using OursToPoints = Ours<pcl::PointXYZ, pcl::PointXYZRGB, false, method>;
template <const char *method> using OursToPlanes = Ours<pcl::PointNormal, pcl::PointXYZRGBNormal, true, method>;

constexpr char AUTO[] = "auto", ROBUST_ICP[] = "robust-icp", ROBUST_ICP_PLANE[] = "robust-icp-plane";

} // namespace

std::vector<Row> rowsOfAuto() {
  return rows<OursToPoints<AUTO>>();
}

std::vector<Row> rowsOfRobustIcp() {
  return rows<OursToPoints<ROBUST_ICP>>();
}

std::vector<Row> rowsOfRobustIcpPlane() {
  return rows<OursToPlanes<ROBUST_ICP_PLANE>>();
}

} // namespace conformance
