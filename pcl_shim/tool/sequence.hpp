// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file sequence.hpp
 * Odometry over a directory of scans.
 *
 * Each scan is registered to a map, the window of the last key frames, from where constant velocity puts it. The map is
 * the key frames' points in the frame of the latest one, thinned by PCL's voxel grid. It is made anew for each key frame:
 * that costs less than a registration, and there are fewer of them than scans. A scan whose verdict is not to be trusted
 * gets the predicted pose, is told of, and does not enter the map.
 */
#ifndef FRICP_TOOL_SEQUENCE_HPP
#define FRICP_TOOL_SEQUENCE_HPP

#include "options.hpp"

namespace fricp::tool {

/**
 * Writes the trajectory, up to a scan that cannot be used if there is one: that throws an Error which names it.
 * @return whether every pose is to be trusted.
 */
bool run_sequence(const Options &options);

} // namespace fricp::tool

#endif
