// SPDX-License-Identifier: BSD-3-Clause
#include "../instances.hpp"
#include "rows.hpp"

namespace conformance {

namespace {
struct Family {
  template <class S, class T, class Scalar> using Type = fricp::Registration<S, T, Scalar>;
  using Plain = pcl::PointXYZ;
  using Rich = pcl::PointXYZRGB;
  static constexpr bool has_double = true;
  static constexpr bool mixed_types = true;
  static constexpr bool plane = false;
  static constexpr const char *consumer_program = "FRICP_NATIVE_CONSUMER";
  static constexpr const char *consumer = "auto";
  template <class R> static void configure(R &registration) {
    registration.setMethod("auto");
  }
};
} // namespace

std::vector<Row> rowsOfAuto() {
  return rows<Family>();
}

} // namespace conformance
