// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_PROGRESS_HPP
#define FRICP_TOOL_PROGRESS_HPP

#include "fricp/fricp.h"

namespace fricp::tool {

/** One line on standard error that follows long work, if that is a terminal; wiped at the end. */
class Progress {
public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void attach(fricp_options &options);

private:
  static int follow(void *context, const fricp_progress *progress);

  bool active_;
  bool shown_ = false;
  double last_ = 0; /**< seconds */
};

} // namespace fricp::tool

#endif
