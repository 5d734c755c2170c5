// SPDX-License-Identifier: BSD-3-Clause
// The program's own GOMP_parallel goes before that of libgomp for all shared libraries. A region's body called outside
// of any team sees one thread, number 0, and its loops and barriers do as in a team of one.
#include "regions.hpp"

#include <dlfcn.h>

#include <atomic>

namespace {

using Parallel = void (*)(void (*)(void *), void *, unsigned, unsigned);

std::atomic<bool> skip{false};

Parallel original() {
  static const auto function = reinterpret_cast<Parallel>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  return function;
}

} // namespace

// Exported although the program is not a library: see CMakeLists.txt.
extern "C" __attribute__((visibility("default"))) void GOMP_parallel(void (*body)(void *), void *data,
                                                                     unsigned num_threads, unsigned flags);

extern "C" void GOMP_parallel(void (*body)(void *), void *data, unsigned num_threads, unsigned flags) {
  const Parallel run = original();
  if (!run || (num_threads == 1 && skip.load(std::memory_order_relaxed)))
    body(data);
  else
    run(body, data, num_threads, flags);
}

namespace bench {

void skip_one_thread_regions(bool on) {
  skip = on;
}

} // namespace bench
