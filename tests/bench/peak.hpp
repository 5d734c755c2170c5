// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_BENCH_PEAK_HPP
#define FRICP_BENCH_PEAK_HPP

#include <string>
#include <vector>

namespace bench {

/**
 * Peak memory of one registration beyond the clouds, measured by this program in a process of its own, with one thread:
 * resident pages, after a first run has brought in code and libraries. @return bytes, or -1 if it cannot be measured.
 */
double peak_bytes_in_child(const std::vector<std::string> &pair_arguments, const std::string &method,
                           bool count_normals);

} // namespace bench

#endif
