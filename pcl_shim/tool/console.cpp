// SPDX-License-Identifier: BSD-3-Clause
#include "console.hpp"

#include "text.hpp"

#include <pcl/console/print.h>

#include <exception>
#include <locale>
#include <new>

#include <unistd.h>

namespace fricp::tool {

void complain(const std::string &text, const char *program) {
  say(stderr, std::string(program) + ": " + printable(text) + "\n");
}

LiveLine::LiveLine(bool wanted, double patience) : active_(wanted && ::isatty(STDERR_FILENO) != 0), next_(patience) {
}

void LiveLine::show(const std::string &text) {
  constexpr double pause = 0.1; // seconds between texts
  say(stderr, "\r\033[K" + text);
  shown_ = true;
  next_ = clock_.seconds() + pause;
}

void LiveLine::wipe() {
  say(stderr, shown_ ? "\r\033[K" : "");
  shown_ = false;
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("cannot write to standard output");
}

int guarded(const char *program, const std::function<int()> &work, bool tells_usage) {
  std::locale::global(std::locale::classic());
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);
  try {
    return work();
  } catch (const UsageError &fault) {
    if (tells_usage)
      complain(std::string(fault.what()) + " (see " + program + " --help)", program);
    return 2;
  } catch (const std::bad_alloc &) {
    complain("out of memory", program);
  } catch (const std::exception &fault) {
    complain(fault.what(), program);
  }
  return 1;
}

} // namespace fricp::tool
