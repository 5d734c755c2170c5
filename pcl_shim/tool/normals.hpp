// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_NORMALS_HPP
#define FRICP_TOOL_NORMALS_HPP

#include "cloud_io.hpp"

#include "fricp/pcl/normals.hpp"

#include <vector>

namespace fricp::tool {

/** Neighbours that a normal is fitted to, the point included: as the shim has it. */
constexpr int normal_neighbors = detail::NORMAL_NEIGHBORS;

/**
 * Normals by pcl::NormalEstimationOMP, in the shim's way: both give a pair without normals the same pose.
 * @param threads  0: as many as the machine has.
 * @return 3 floats a point, NaN where there is none. Throws an Error if all points lie on one line.
 */
std::vector<float> estimate_normals(const Cloud &cloud, int threads);

} // namespace fricp::tool

#endif
