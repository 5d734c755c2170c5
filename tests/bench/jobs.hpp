// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work in forked processes: one-threaded runs on every core, and no allocator shared.
#ifndef FRICP_BENCH_JOBS_HPP
#define FRICP_BENCH_JOBS_HPP

#include <cstddef>
#include <functional>
#include <type_traits>

namespace bench {

/// Zeroed bytes that processes forked later share with this one.
class SharedMemory {
public:
  explicit SharedMemory(size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;
  void *get() const {
    return memory_;
  }

private:
  void *memory_;
  size_t bytes_;
};

/// Results that processes fill in: plain values only.
template <class T> class SharedArray {
  static_assert(std::is_trivially_copyable_v<T>, "another process has other pointers");

public:
  explicit SharedArray(size_t count) : memory_(count * sizeof(T)) {
  }
  T &operator[](size_t i) const {
    return static_cast<T *>(memory_.get())[i];
  }

private:
  SharedMemory memory_;
};

/// work(i) for every i < count, in that order as processes become free; in this process for one job. What work() is to
/// leave behind goes into a SharedArray. Throws if a process fails or dies. Progress goes to a terminal.
void run_jobs(size_t count, int jobs, const std::function<void(size_t)> &work);

} // namespace bench

#endif
