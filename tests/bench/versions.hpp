// SPDX-License-Identifier: BSD-3-Clause
// Each is defined by the one file that includes that library.
#ifndef FRICP_BENCH_VERSIONS_HPP
#define FRICP_BENCH_VERSIONS_HPP

#include <string>

namespace bench {
std::string pcl_version(); // "none" if built without
std::string flann_version();
std::string nanoflann_version();
} // namespace bench

#endif
