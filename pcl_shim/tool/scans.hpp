// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file scans.hpp
 * The scans of a directory in their order, and the trajectory through them as text.
 */
#ifndef FRICP_TOOL_SCANS_HPP
#define FRICP_TOOL_SCANS_HPP

#include "points.hpp"

#include <string>
#include <vector>

namespace fricp::tool {

/**
 * The files of a directory whose names end as clouds' do: .pcd, .ply, .xyz, .csv, .asc, .pts. (A .txt is as often poses
 * or times.) If all names are numbers they ascend as such, else in natural order: scan9 before scan10. Throws an Error if
 * there are none.
 */
std::vector<std::string> list_scans(const std::string &directory);

/**
 * Poses by their scans, first_from_scan. A file that is called .tum has lines of time, position and quaternion
 * (time tx ty tz qx qy qz qw), where time is the name of the scan if all names are numbers, else its number from 0;
 * any other is in KITTI's form, the upper three rows of the matrix in a line.
 * @param poses  of the first scans, not more than there are scans.
 */
std::string trajectory_text(const std::string &path, const std::vector<std::string> &scans,
                            const std::vector<Motion> &poses);

} // namespace fricp::tool

#endif
