// SPDX-License-Identifier: BSD-3-Clause
// The generated partial scans of ../support/trial.h with every method: who is right, by kind and overlap, in what time.
#include <cstdio>
#include <map>

#include "jobs.hpp"
#include "runs.hpp"
#include "trial.h"

namespace bench {
namespace {

struct Sum {
  int right = 0, total = 0;
  double passes = 0.0, prepare = 0.0, solve = 0.0; // seconds; normals belong to preparing
};

void add(Sum &sum, const Run &run) {
  sum.right += run.error.passed;
  ++sum.total;
  sum.passes += run.result.correspondence_passes;
  sum.prepare += run.prepare + run.normals;
  sum.solve += run.solve;
}

/// A lidar's overlap follows from its motion: one group.
std::string overlap_of(const scene_spec &spec) {
  return spec.kind == SCENE_LIDAR ? "its own" : format("%.2f", spec.overlap);
}

void print_line(Table &table, const std::string &method, const std::string &kind, const std::string &overlap,
                const Sum &sum) {
  table.row({method, kind, overlap, std::to_string(sum.right), std::to_string(sum.total), format("%.0f", sum.passes),
             format("%.3f", sum.prepare), format("%.3f", sum.solve)});
  Json("scenes")
      .add("method", method)
      .add("kind", kind)
      .add("overlap", overlap)
      .add("right", static_cast<double>(sum.right))
      .add("scenes", static_cast<double>(sum.total))
      .add("passes", sum.passes)
      .add("prepare_seconds", sum.prepare)
      .add("solve_seconds", sum.solve)
      .print();
}

/// `runs` has the methods of a scene side by side.
void report(const std::vector<std::string> &methods, int count, const SharedArray<Run> &runs) {
  Table table({"method", "kind", "overlap", "right", "of", "passes", "prepare s", "solve s"});
  for (size_t m = 0; m < methods.size(); ++m) {
    std::map<std::pair<int, std::string>, Sum> groups;
    Sum all;
    for (int i = 0; i < count; ++i) {
      const scene_spec spec = trial_spec(i);
      const Run &run = runs[static_cast<size_t>(i) * methods.size() + m];
      add(groups[{spec.kind, overlap_of(spec)}], run);
      add(all, run);
    }
    for (const auto &[group, sum] : groups)
      print_line(table, methods[m], scene_kind_name(group.first), group.second, sum);
    print_line(table, methods[m], "all", "all", all);
  }
  table.print();
}

} // namespace

int run_scenes(int argc, char **argv) {
  const Arguments a(argc, argv, {"--method", "--count", "--jobs", "--poses", "--tsv"}, {"--cpu", "--full"});
  use_cpu_time(a.has("--cpu"));
  const int count = a.integer("--count", TRIAL_COUNT);
  if (!a.rest().empty() || count < 1 || count > TRIAL_COUNT)
    throw UsageError(format("scenes takes options only, and --count 1 to %d", TRIAL_COUNT));
  const std::vector<std::string> methods = fricp_methods(a);
  Settings settings;
  settings.full = a.has("--full");

  print_environment();
  const SharedArray<Run> runs(static_cast<size_t>(count) * methods.size());
  run_jobs(static_cast<size_t>(count), job_count(a), [&](size_t i) {
    const Pair pair = trial_pair(static_cast<int>(i));
    for (size_t m = 0; m < methods.size(); ++m)
      runs[i * methods.size() + m] = run_pair(pair, methods[m], settings);
  });

  Table rows({"scene", "method", "rmse/diameter", "passed", "passes", "seconds", "status"});
  PoseFile poses;
  for (int i = 0; i < count; ++i)
    for (size_t m = 0; m < methods.size(); ++m) {
      const Run &run = runs[static_cast<size_t>(i) * methods.size() + m];
      char name[64];
      trial_name(i, name);
      poses.add(name, methods[m], run);
      rows.row({name, methods[m], format("%.3e", run.error.rmse / run.diameter), run.error.passed ? "pass" : "FAIL",
                std::to_string(run.result.correspondence_passes), format("%.4f", run.total()), run.status});
    }
  poses.write(a);
  if (a.has("--tsv"))
    rows.write(a.text("--tsv", ""));
  report(methods, count, runs);
  return 0;
}

} // namespace bench
