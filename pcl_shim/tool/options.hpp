// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file options.hpp
 * The command line. One table gives each option its name, argument, range and help; parsing, --help and the README
 * all come from it.
 */
#ifndef FRICP_TOOL_OPTIONS_HPP
#define FRICP_TOOL_OPTIONS_HPP

#include "fricp/fricp.h"

#include <string>

namespace fricp::tool {

struct Options {
  std::string source;
  std::string target;
  std::string init; /**< file with the start; "": none */
  std::string output;
  std::string transform;
  std::string report;
  std::string compare; /**< directory */
  fricp_options solver = FRICP_OPTIONS_INIT;
  fricp_target_options prepare = FRICP_TARGET_OPTIONS_INIT;
  bool quiet = false;
  bool verbose = false;
  bool help = false;
  bool version = false;
};

/** Throws a UsageError. */
Options parse_options(int count, char **words);

/** What --help prints. */
std::string help_text();

} // namespace fricp::tool

#endif
