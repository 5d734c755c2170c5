// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <pcl/registration/icp.h>

namespace conformance {

namespace {
struct Family {
  template <class S, class T, class Scalar> using Type = pcl::IterativeClosestPointWithNormals<S, T, Scalar>;
  using Plain = pcl::PointNormal;
  using Rich = pcl::PointXYZRGBNormal;
  static constexpr bool has_double = true;
  static constexpr bool mixed_types = false;
  static constexpr bool plane = true;
  static constexpr const char *consumer_program = "FRICP_NATIVE_CONSUMER_PCL";
  static constexpr const char *consumer = "pcl-icp-with-normals";
  template <class R> static void configure(R &) {
  }
};
} // namespace

std::vector<Row> rowsOfPclIcpWithNormals() {
  return rows<Family>();
}

} // namespace conformance
