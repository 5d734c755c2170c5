// SPDX-License-Identifier: BSD-3-Clause
#include "jobs.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <new>
#include <vector>

#include "bench.hpp"

namespace bench {

SharedMemory::SharedMemory(size_t bytes)
    : memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {
  if (memory_ == MAP_FAILED)
    throw std::bad_alloc();
}

SharedMemory::~SharedMemory() {
  munmap(memory_, bytes_);
}

namespace {

struct Progress {
  std::atomic<size_t> next, done; // zero bytes are zero
};
static_assert(std::atomic<size_t>::is_always_lock_free, "shared by processes");

void take_turns(Progress &progress, size_t count, const std::function<void(size_t)> &work) {
  for (size_t i = progress.next++; i < count; i = progress.next++) {
    work(i);
    const size_t done = ++progress.done;
    if (isatty(STDERR_FILENO))
      std::fprintf(stderr, "\r%zu of %zu%s", done, count, done == count ? "\n" : "");
  }
}

/// The child's whole life: never returns into the parent's code.
[[noreturn]] void child(Progress &progress, size_t count, const std::function<void(size_t)> &work) {
  int status = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    take_turns(progress, count, work);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fricp_bench: %s\n", e.what());
    progress.next = count; // the others need not go on
    status = 1;
  }
  _exit(status);
}

} // namespace

void run_jobs(size_t count, int jobs, const std::function<void(size_t)> &work) {
  const SharedMemory memory(sizeof(Progress));
  auto &progress = *static_cast<Progress *>(memory.get());
  if (jobs <= 1)
    return take_turns(progress, count, work);
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int j = 0; j < jobs; ++j) {
    const pid_t pid = fork();
    if (pid == 0)
      child(progress, count, work);
    if (pid > 0)
      children.push_back(pid);
  }
  bool failed = children.empty();
  for (const pid_t pid : children) {
    int status = 1;
    failed = waitpid(pid, &status, 0) != pid || status != 0 || failed;
  }
  if (failed || progress.done != count)
    throw std::runtime_error(format("a process of --jobs failed; %zu of %zu done", progress.done.load(), count));
}

} // namespace bench
