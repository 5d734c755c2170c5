// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <pcl/registration/icp.h>

namespace conformance {

namespace {
struct Family {
  template <class S, class T, class Scalar> using Type = pcl::IterativeClosestPoint<S, T, Scalar>;
  using Plain = pcl::PointXYZ;
  using Rich = pcl::PointXYZRGB;
  static constexpr bool has_double = true;
  static constexpr bool mixed_types = false;
  static constexpr bool plane = false;
  static constexpr const char *consumer_program = "FRICP_NATIVE_CONSUMER_PCL";
  static constexpr const char *consumer = "pcl-icp";
  template <class R> static void configure(R &) {
  }
};
} // namespace

std::vector<Row> rowsOfPclIcp() {
  return rows<Family>();
}

} // namespace conformance
