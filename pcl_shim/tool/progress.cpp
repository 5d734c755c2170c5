// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include "text.hpp"

#include <cstdio>

#include <unistd.h>

namespace fricp::tool {

Progress::Progress(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) != 0) {
}

Progress::~Progress() {
  if (shown_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::attach(fricp_options &options) {
  if (active_) {
    options.progress = follow;
    options.progress_context = this;
  }
}

int Progress::follow(void *context, const fricp_progress *progress) {
  constexpr double patience = 1.0; // seconds before the first line
  constexpr double pause = 0.1;    // between lines
  auto *const self = static_cast<Progress *>(context);
  if (progress->seconds < (self->shown_ ? self->last_ + pause : patience)) {
    return 0;
  }
  self->shown_ = true;
  self->last_ = progress->seconds;
  const std::string level = progress->levels == 0 // before the first correspondences are known
                                ? std::string("starting")
                                : "level " + std::to_string(progress->level + 1) + " of " +
                                      std::to_string(progress->levels) + ", iteration " +
                                      std::to_string(progress->iteration) + ", energy " + rounded(progress->energy);
  const std::string line = "\r\033[K" + level + ", " + rounded(progress->seconds, 3) + " s";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  return 0;
}

} // namespace fricp::tool
