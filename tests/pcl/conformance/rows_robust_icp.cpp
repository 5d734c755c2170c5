// SPDX-License-Identifier: BSD-3-Clause
#include "ours.hpp"

namespace conformance {

namespace {
struct Family : OursToPoints {
  static constexpr const char *consumer = "robust-icp";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};
} // namespace

std::vector<Row> rowsOfRobustIcp() {
  return rows<Family>();
}

} // namespace conformance
