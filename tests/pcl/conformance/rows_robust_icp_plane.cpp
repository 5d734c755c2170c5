// SPDX-License-Identifier: BSD-3-Clause
#include "ours.hpp"

namespace conformance {

namespace {
struct Family : OursToPlanes {
  static constexpr const char *consumer = "robust-icp-plane";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};
} // namespace

std::vector<Row> rowsOfRobustIcpPlane() {
  return rows<Family>();
}

} // namespace conformance
