// SPDX-License-Identifier: BSD-3-Clause
#include "ours.hpp"

namespace conformance {

namespace {
struct Family : OursToPoints {
  static constexpr const char *consumer = "auto";
  template <class R> static void configure(R &registration) {
    registration.setMethod(consumer);
  }
};
} // namespace

std::vector<Row> rowsOfAuto() {
  return rows<Family>();
}

} // namespace conformance
