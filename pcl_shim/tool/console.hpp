// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file console.hpp
 * What the tool says to people.
 */
#ifndef FRICP_TOOL_CONSOLE_HPP
#define FRICP_TOOL_CONSOLE_HPP

#include "text.hpp"

#include <cstdio>
#include <string>

namespace fricp::tool {

inline void say(std::FILE *stream, const std::string &text) {
  std::fputs(text.c_str(), stream);
}

inline void complain(const std::string &text) {
  say(stderr, "fricp: " + printable(text) + "\n");
}

} // namespace fricp::tool

#endif
