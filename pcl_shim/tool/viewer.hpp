// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_VIEWER_HPP
#define FRICP_TOOL_VIEWER_HPP

#include "options.hpp"

#include <string>

namespace fricp::tool {

/**
 * Throws a UsageError or an Error, before the work, unless --view can do its part: the program fricp-view is there, and
 * the clouds are files, since it reads them again.
 */
void check_viewer(const Options &options);

/**
 * Runs fricp-view on the pair and waits for its end: it says itself what there is to say. It reads the report from a file
 * without a name, so that nothing is left behind, whatever ends us; it ends with us. Throws an Error.
 */
void run_viewer(const Options &options, const std::string &report);

} // namespace fricp::tool

#endif
