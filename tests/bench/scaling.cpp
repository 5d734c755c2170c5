// SPDX-License-Identifier: BSD-3-Clause
// How time grows with the number of points: the slope of log time over log points, 1 for a linear method.
#include <cmath>
#include <cstdio>

#include "bench.hpp"

namespace bench {
namespace {

struct Sample {
  double points, prepare, solve, total;
};

double slope(const std::vector<Sample> &samples, double Sample::*phase) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(samples.size());
  for (const Sample &s : samples) {
    const double a = std::log(s.points), b = std::log(s.*phase);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Sample measure(const Pair &pair, const std::string &method, int threads, int reps, Table &table) {
  const bool plane = fricp_method_uses_normals(method_by_name(method)) != 0;
  std::vector<double> prepare, solve, total;
  fricp_result result{};
  for (int r = 0; r < reps; ++r) {
    const Stopwatch preparing;
    const Target target(pair.target, plane, target_options(false, threads));
    prepare.push_back(preparing.seconds());
    Solver solver;
    const Stopwatch solving;
    result = solver.align(target, pair.source, pair.start, solve_options(method, threads));
    solve.push_back(solving.seconds());
    total.push_back(prepare.back() + solve.back());
  }
  const Error error = judge(pair, result.target_from_source);
  const Sample s{static_cast<double>(pair.source.size()), median(prepare), median(solve), median(total)};
  table.row({method, std::to_string(pair.source.size()), format("%.5f", s.prepare), format("%.5f", s.solve),
             format("%.5f", s.total), format("%.0f", 1e9 * s.total / s.points), std::to_string(result.iterations),
             std::to_string(result.correspondence_passes), format("%.5f", error.degrees), error.passed ? "yes" : "NO"});
  Json("scaling")
      .add("method", method)
      .add("points", s.points)
      .add("prepare_seconds", s.prepare)
      .add("solve_seconds", s.solve)
      .add("seconds", s.total)
      .add("iterations", static_cast<double>(result.iterations))
      .add("right", error.passed)
      .print();
  return s;
}

} // namespace

int run_scaling(int argc, char **argv) {
  const Arguments a(argc, argv, {"--points", "--method", "--reps", "--threads"}, {"--cpu"});
  use_cpu_time(a.has("--cpu"));
  if (!a.rest().empty())
    throw UsageError("scaling takes options only");
  const std::vector<size_t> sizes = a.counts("--points", {10000, 30000, 100000, 300000, 1000000});
  const std::vector<std::string> methods =
      a.has("--method") ? a.all("--method") : std::vector<std::string>{"robust-icp", "robust-icp-plane"};
  const int reps = std::max(1, a.integer("--reps", 3)), threads = a.integer("--threads", 1);
  if (sizes.size() < 2)
    throw UsageError("a slope needs two sizes");
  print_environment();
  Table table({"method", "points", "prepare s", "solve s", "total s", "ns/point", "iterations", "passes",
               "rotation deg", "right"});
  std::vector<std::vector<Sample>> samples(methods.size());
  for (const size_t points : sizes) {
    const Pair pair = generated_pair(points);
    for (size_t m = 0; m < methods.size(); ++m)
      samples[m].push_back(measure(pair, methods[m], threads, reps, table));
  }
  table.print();
  for (size_t m = 0; m < methods.size(); ++m) {
    const double total = slope(samples[m], &Sample::total), prepare = slope(samples[m], &Sample::prepare),
                 solve = slope(samples[m], &Sample::solve);
    std::printf("%s: slope %.3f (prepare %.3f, solve %.3f)\n", methods[m].c_str(), total, prepare, solve);
    Json("scaling-slope")
        .add("method", methods[m])
        .add("slope", total)
        .add("prepare_slope", prepare)
        .add("solve_slope", solve)
        .print();
  }
  return 0;
}

} // namespace bench
