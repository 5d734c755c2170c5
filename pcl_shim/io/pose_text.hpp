// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_POSE_TEXT_HPP
#define FRICP_TOOL_POSE_TEXT_HPP

#include "fricp/fricp.h"

#include <array>
#include <string>

namespace fricp::tool {

/** The 4x4 matrix of a pose, row by row. */
std::array<double, 16> matrix_of(const fricp_pose &pose);

/** Four rows of four numbers, 17 significant digits. */
std::string to_text(const fricp_pose &pose);

/**
 * Reads four rows of four numbers, separated by blanks, commas or semicolons; lines that are blank or begin with # do
 * not count. Throws an Error; whether the matrix is a rigid motion, the core decides.
 */
fricp_pose read_pose(const std::string &path);

} // namespace fricp::tool

#endif
