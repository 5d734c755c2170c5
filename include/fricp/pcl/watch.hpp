// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file watch.hpp
 * What may end an align() early: the time limit, cancel() and the progress callback, from the target's index on.
 * Internal to the shim.
 */
#ifndef FRICP_PCL_WATCH_HPP
#define FRICP_PCL_WATCH_HPP

#include "fricp/fricp.h"

#include <pcl/console/print.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

namespace fricp {
namespace detail {

using ProgressFunction = std::function<bool(const fricp_progress &)>;

/** Calls of the user's functions: what they throw must not unwind through the core. @return false if something was. */
template <class Call> bool guarded(const char *name, Call call) noexcept {
  try {
    return call();
  } catch (const std::exception &error) {
    PCL_ERROR("[%s::align] a callback threw: %s; stopping.\n", name, error.what());
  } catch (...) {
    PCL_ERROR("[%s::align] a callback threw; stopping.\n", name);
  }
  return false;
}

/** Of one call, asked on the thread that makes it. */
class Watch {
public:
  /**
   * @param limit     seconds; 0 or no number above it: none.
   * @param spent     seconds of it that are gone already.
   * @param cancelled may be null; so may progress.
   */
  explicit Watch(double limit = 0, double spent = 0, const std::atomic<bool> *cancelled = nullptr,
                 ProgressFunction progress = nullptr)
      : limit_(limit > 0 ? limit : 0), spent_(spent), cancelled_(cancelled), progress_(std::move(progress)) {
  }
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  double seconds() const {
    return spent_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  /** Seconds that are left, never 0; 0: there is no limit. */
  double left() const {
    constexpr double least = 1e-9;
    return limit_ > 0 ? std::max(limit_ - seconds(), least) : 0;
  }

  /** For the core, which asks while it prepares; must outlive the call. */
  void attach(fricp_target_options &options) {
    options.time_limit = left();
    options.progress = &Watch::poll;
    options.progress_context = this;
  }

  /** @return why to stop; FRICP_STOP_NONE: go on. */
  fricp_stop_reason ask() {
    fricp_progress progress = {};
    progress.struct_size = sizeof progress;
    progress.target_from_source = fricp_pose_identity();
    progress.seconds = seconds();
    (void)poll(this, &progress);
    return reason();
  }

  /** The same, without asking the user once more. */
  fricp_stop_reason reason() const {
    if (refused_ || (cancelled_ && *cancelled_))
      return FRICP_STOP_CANCELLED;
    return limit_ > 0 && seconds() >= limit_ ? FRICP_STOP_TIME_LIMIT : FRICP_STOP_NONE;
  }

  /** Why it has stopped. */
  fricp_stop_reason why() const {
    return reason() == FRICP_STOP_CANCELLED ? FRICP_STOP_CANCELLED : FRICP_STOP_TIME_LIMIT;
  }

private:
  static int poll(void *context, const fricp_progress *progress) noexcept {
    Watch &watch = *static_cast<Watch *>(context);
    if (watch.progress_ && !watch.refused_)
      watch.refused_ = !guarded("fricp", [&] { return watch.progress_(*progress); });
    return watch.refused_ || (watch.cancelled_ && *watch.cancelled_) ? 1 : 0;
  }

  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double limit_;
  double spent_;
  const std::atomic<bool> *cancelled_;
  ProgressFunction progress_;
  bool refused_ = false;
};

} // namespace detail
} // namespace fricp

#endif
