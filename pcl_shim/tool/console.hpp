// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file console.hpp
 * What the programs say to people, and how they end.
 */
#ifndef FRICP_TOOL_CONSOLE_HPP
#define FRICP_TOOL_CONSOLE_HPP

#include "clock.hpp"

#include <cstdio>
#include <functional>
#include <string>

namespace fricp::tool {

inline void say(std::FILE *stream, const std::string &text) {
  std::fputs(text.c_str(), stream);
}

/** A line on standard error. */
void complain(const std::string &text, const char *program = "fricp");

/** One line on standard error that follows long work, if that is a terminal; wiped at the end. */
class LiveLine {
public:
  /** @param patience  seconds before the first text. */
  explicit LiveLine(bool wanted, double patience = 0);
  ~LiveLine() {
    wipe();
  }
  LiveLine(const LiveLine &) = delete;
  LiveLine &operator=(const LiveLine &) = delete;

  /** @return whether somebody looks, and the last text has been there for long enough to be read. */
  bool is_due() const {
    return active_ && clock_.seconds() >= next_;
  }
  void show(const std::string &text);
  /** Before any other line. */
  void wipe();

private:
  bool active_;
  bool shown_ = false;
  double next_; /**< seconds */
  Clock clock_;
};

/** Throws an Error unless all that was printed has left. */
void flush_output();

/**
 * Does a program's work in the classic locale, with PCL silent: faults are ours to tell, once.
 * @param tells_usage  false: another process tells what is wrong with the command line.
 * @return the exit status: that of the work, 2 after a UsageError, 1 after any other fault.
 */
int guarded(const char *program, const std::function<int()> &work, bool tells_usage = true);

} // namespace fricp::tool

#endif
