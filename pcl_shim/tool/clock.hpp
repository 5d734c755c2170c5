// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_CLOCK_HPP
#define FRICP_TOOL_CLOCK_HPP

#include <chrono>

namespace fricp::tool {

/** Time since it was made. */
class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace fricp::tool

#endif
