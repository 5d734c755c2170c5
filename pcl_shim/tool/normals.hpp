// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_NORMALS_HPP
#define FRICP_TOOL_NORMALS_HPP

#include "cloud_io.hpp"

#include <vector>

namespace fricp::tool {

/** Neighbours that a normal is fitted to, the point included. */
constexpr int normal_neighbors = 30;

/**
 * Normals by pcl::NormalEstimationOMP. PCL computes in float, so it gets the points relative to their centroid.
 * @param threads  0: as many as the machine has.
 * @return 3 floats a point, NaN where there is none. Throws an Error if all points lie on one line.
 */
std::vector<float> estimate_normals(const Cloud &cloud, int threads);

} // namespace fricp::tool

#endif
