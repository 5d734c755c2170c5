// SPDX-License-Identifier: BSD-3-Clause
// One thread against several: the same bits, and how much faster. --busy N occupies the machine with N spinning threads
// meanwhile: more threads must not be slower then either.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "registrations.hpp"

namespace bench {
namespace {

class Busy {
public:
  explicit Busy(int count) {
    for (int i = 0; i < count; ++i)
      spinners_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~Busy() {
    stop_ = true;
    for (std::thread &spinner : spinners_)
      spinner.join();
  }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> spinners_;
};

struct Timing {
  int threads;
  std::vector<double> prepare, solve, total;
  fricp_result result;
};

void run_pair(const Pair &pair, const std::string &method, Timing &timing) {
  const bool plane = fricp_method_uses_normals(method_by_name(method)) != 0;
  const Stopwatch preparing;
  const Target target(pair.target, plane, target_options(plane, timing.threads));
  const double prepared = preparing.seconds();
  Solver solver;
  const Stopwatch solving;
  timing.result = solver.align(target, pair.source, pair.start, solve_options(method, timing.threads));
  const double solved = solving.seconds();
  timing.prepare.push_back(prepared);
  timing.solve.push_back(solved);
  timing.total.push_back(prepared + solved);
}

bool same_bits(const fricp_result &a, const fricp_result &b) {
  return std::memcmp(&a.target_from_source, &b.target_from_source, sizeof a.target_from_source) == 0 &&
         std::memcmp(&a.energy, &b.energy, sizeof a.energy) == 0 &&
         std::memcmp(a.information, b.information, sizeof a.information) == 0 && a.iterations == b.iterations &&
         a.inliers == b.inliers;
}

bool measure(const Pair &pair, const std::string &method, const std::vector<size_t> &counts, int reps, Table &table) {
  std::vector<Timing> timings;
  for (const size_t count : counts)
    timings.push_back({static_cast<int>(count), {}, {}, {}, {}});
  for (int r = 0; r < reps; ++r)
    for (Timing &timing : timings)
      run_pair(pair, method, timing);
  bool all_same = true;
  const Timing &one = timings[0];
  for (const Timing &t : timings) {
    const bool same = same_bits(one.result, t.result);
    all_same = all_same && same;
    const double prepare = median_ratio(one.prepare, t.prepare), solve = median_ratio(one.solve, t.solve),
                 total = median_ratio(one.total, t.total);
    table.row({pair.name, method, std::to_string(t.threads), format("%d", t.result.threads),
               format("%.5f", median(t.prepare)), format("%.5f", median(t.solve)), format("%.2f", prepare),
               format("%.2f", solve), format("%.2f", total), same ? "yes" : "NO"});
    Json("threads")
        .add("pair", pair.name)
        .add("points", static_cast<double>(pair.source.size()))
        .add("method", method)
        .add("threads", static_cast<double>(t.threads))
        .add("prepare_seconds", median(t.prepare))
        .add("solve_seconds", median(t.solve))
        .add("prepare_speedup", prepare)
        .add("solve_speedup", solve)
        .add("speedup", total)
        .add("same_bits", same)
        .print();
  }
  return all_same;
}

} // namespace

int run_threads(int argc, char **argv) {
  const Arguments a(argc, argv, {"--pair", "--points", "--threads", "--method", "--reps", "--busy", "--start"}, {});
  if (!a.rest().empty())
    throw UsageError("threads takes --pair DIR");
  const std::vector<std::string> methods =
      a.has("--method") ? a.all("--method") : std::vector<std::string>{"robust-icp", "robust-icp-plane"};
  const std::vector<size_t> counts =
      a.counts("--threads", {1, std::max<size_t>(2, std::thread::hardware_concurrency())});
  const Contestants contestants(a);
  print_environment();
  const Busy busy(a.integer("--busy", 0));
  Table table(
      {"pair", "method", "threads", "used", "prepare s", "solve s", "prepare x", "solve x", "total x", "same bits"});
  bool same = true;
  for (size_t i = 0; i < contestants.count(); ++i) {
    const Pair pair = contestants.load(i);
    for (const std::string &method : methods)
      same = measure(pair, method, counts, std::max(1, a.integer("--reps", 5)), table) && same;
  }
  table.print();
  return same ? 0 : 1;
}

} // namespace bench
