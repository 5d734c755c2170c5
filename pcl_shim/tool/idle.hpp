// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file idle.hpp
 * Options that are given in vain.
 */
#ifndef FRICP_TOOL_IDLE_HPP
#define FRICP_TOOL_IDLE_HPP

#include "fricp/fricp.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace fricp::tool {

/**
 * @param app  has parsed the command line.
 * @return a line for each option of it that this method has no use for. No error: a script that goes through the methods
 *         is to go on, but somebody has to be told.
 */
std::vector<std::string> find_idle(const CLI::App &app, const fricp_options &solver);

} // namespace fricp::tool

#endif
