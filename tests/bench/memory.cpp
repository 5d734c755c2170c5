// SPDX-License-Identifier: BSD-3-Clause
// Bytes through the library's own allocator hook: peak a target point while preparing, peak a source point while
// solving, and what a second scan on the same target allocates (nothing).
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "bench.hpp"

namespace bench {
namespace {

/// Called by one thread only, as the library promises.
class Counter {
public:
  Counter() {
    hook_.context = this;
    hook_.allocate = allocate;
    hook_.release = release;
  }
  Counter(const Counter &) = delete;
  Counter &operator=(const Counter &) = delete;
  const fricp_allocator *hook() const {
    return &hook_;
  }
  double peak() const {
    return static_cast<double>(peak_);
  }
  double held() const {
    return static_cast<double>(held_);
  }
  double calls() const {
    return static_cast<double>(calls_);
  }

private:
  // The size stands before the block, at the distance that keeps the block aligned.
  static constexpr size_t margin = alignof(std::max_align_t) > sizeof(size_t) ? alignof(std::max_align_t)
                                                                              : sizeof(size_t);

  static void *allocate(void *context, size_t size) {
    auto *self = static_cast<Counter *>(context);
    auto *block = static_cast<unsigned char *>(std::malloc(size + margin));
    if (!block)
      return nullptr;
    *reinterpret_cast<size_t *>(block) = size;
    self->held_ += size;
    self->peak_ = std::max(self->peak_, self->held_);
    ++self->calls_;
    return block + margin;
  }
  static void release(void *context, void *memory) {
    if (!memory)
      return;
    unsigned char *block = static_cast<unsigned char *>(memory) - margin;
    static_cast<Counter *>(context)->held_ -= *reinterpret_cast<size_t *>(block);
    std::free(block);
  }

  fricp_allocator hook_ = FRICP_ALLOCATOR_INIT;
  size_t held_ = 0, peak_ = 0, calls_ = 0;
};

/// Bytes a point, at most; and besides, of buffers whose size does not depend on the points (the trace, say).
struct Bars {
  double target = 60.0;
  double source = 100.0;
};
constexpr double fixed_bytes = 200000.0;

/// What a method keeps more of a point: a normal of the target (three floats); the multiplier of l_p (three doubles, and
/// the sums of blocks); normals of the source, and the index of it that they are estimated by.
Bars bars_of(const fricp_options &options) {
  Bars bars;
  const int normals = fricp_options_normals(&options);
  const bool sparse = options.method == FRICP_METHOD_SPARSE_ICP || options.method == FRICP_METHOD_SPARSE_ICP_PLANE;
  bars.target += normals & FRICP_NORMALS_TARGET_USED ? 12.0 : 0.0;
  bars.source += sparse ? 28.0 : 0.0;
  bars.source += normals & FRICP_NORMALS_SOURCE ? 100.0 : 0.0;
  return bars;
}

/// @return true if the bars hold and the second time nothing is allocated; method auto, which takes memory for cells in
/// each call, has only the target's bar.
bool measure(const Pair &pair, const std::string &method, int threads, Table &table) {
  const bool plane = fricp_method_uses_normals(method_by_name(method)) != 0;
  Counter for_target, for_solver;
  fricp_target_options preparation = target_options(plane, threads);
  preparation.allocator = for_target.hook();
  const Target target(pair.target, false, preparation);
  Solver solver(for_solver.hook());
  const fricp_options options = solve_options(method, threads);
  solver.align(target, pair.source, pair.start, options);
  const double first = for_solver.calls(), target_calls = for_target.calls();
  solver.align(target, pair.source, pair.start, options);
  const double second = for_solver.calls() - first + for_target.calls() - target_calls;
  const Bars bars = bars_of(options);
  const auto sources = static_cast<double>(pair.source.size()), targets = static_cast<double>(pair.target.size());
  const double peak_target = for_target.peak() / targets, peak_source = for_solver.peak() / sources;
  table.row({method, std::to_string(pair.source.size()), format("%.1f", peak_target),
             format("%.1f", for_target.held() / targets), format("%.1f", peak_source), format("%.0f", first),
             format("%.0f", second)});
  Json("memory")
      .add("method", method)
      .add("points", sources)
      .add("target_peak_bytes_per_point", peak_target)
      .add("target_held_bytes_per_point", for_target.held() / targets)
      .add("source_peak_bytes_per_point", peak_source)
      .add("first_align_allocations", first)
      .add("second_align_allocations", second)
      .print();
  const bool keeps = method != "auto";
  return for_target.peak() <= bars.target * targets + fixed_bytes &&
         (!keeps || (for_solver.peak() <= bars.source * sources + fixed_bytes && second == 0.0));
}

} // namespace

int run_memory(int argc, char **argv) {
  const Arguments a(argc, argv, {"--points", "--method", "--threads"}, {});
  if (!a.rest().empty())
    throw UsageError("memory takes options only");
  const std::vector<std::string> methods = a.has("--method") ? a.all("--method") : all_methods();
  print_environment();
  Table table({"method", "points", "target peak B/point", "target held B/point", "source peak B/point",
               "allocations 1st align", "2nd align"});
  bool held = true;
  for (const size_t points : a.counts("--points", {10000, 200000}))
    for (const std::string &method : methods)
      held = measure(generated_pair(points), method, a.integer("--threads", 1), table) && held;
  table.print();
  std::printf("bars (60 a target point and 12 its normal, 100 a source point, 128 sparse, 200 symmetric; no second "
              "allocation): %s\n",
              held ? "held" : "NOT held");
  return held ? 0 : 1;
}

} // namespace bench
