// SPDX-License-Identifier: BSD-3-Clause
// Every pair of a folder with an index, with every method, from its own start: who is right, and in what time.
#include <cstdio>
#include <limits>

#include "jobs.hpp"
#include "runs.hpp"

namespace bench {
namespace {

struct Score {
  int passed[2] = {0, 0}, graded[2] = {0, 0}; // by dimension: 3-D, 2-D
  std::vector<double> of_diameter, seconds;
  double total = 0.0;
  std::string failed;
};

void count(Score &score, const Suite::Row &row, const Run &run) {
  score.seconds.push_back(run.total());
  score.total += run.total();
  if (!row.graded)
    return;
  const int two = row.dimension == 2 ? 1 : 0;
  ++score.graded[two];
  score.passed[two] += run.error.passed;
  const double share = run.error.rmse / run.diameter;
  score.of_diameter.push_back(share == share ? share : std::numeric_limits<double>::infinity());
  if (!run.error.passed)
    score.failed += " " + row.name;
}

void report(const std::string &method, const Score &s) {
  std::printf(
      "== %s: %d of %d graded pairs pass (3-D %d of %d, 2-D %d of %d); median rmse/diameter %.2e; median %.3f s, "
      "total %.1f s\n   not passed:%s\n",
      method.c_str(), s.passed[0] + s.passed[1], s.graded[0] + s.graded[1], s.passed[0], s.graded[0], s.passed[1],
      s.graded[1], median(s.of_diameter), median(s.seconds), s.total, s.failed.empty() ? " none" : s.failed.c_str());
  Json("pairs")
      .add("method", method)
      .add("graded", static_cast<double>(s.graded[0] + s.graded[1]))
      .add("passed", static_cast<double>(s.passed[0] + s.passed[1]))
      .add("passed_3d", static_cast<double>(s.passed[0]))
      .add("passed_2d", static_cast<double>(s.passed[1]))
      .add("median_rmse_of_diameter", median(s.of_diameter))
      .add("median_seconds", median(s.seconds))
      .add("total_seconds", s.total)
      .print();
}

int search_by_name(const std::string &name) {
  if (name == "tree")
    return FRICP_SEARCH_TREE;
  if (name == "flann")
    return FRICP_SEARCH_FLANN;
  if (name == "brute")
    return FRICP_SEARCH_BRUTE;
  throw UsageError("no search " + name);
}

} // namespace

int run_pairs(int argc, char **argv) {
  const Arguments a(argc, argv, {"--method", "--only", "--threads", "--tsv", "--search", "--jobs", "--poses"},
                    {"--full", "--cpu"});
  use_cpu_time(a.has("--cpu"));
  if (a.rest().size() != 1)
    throw UsageError("pairs needs one directory");
  Settings settings;
  settings.threads = a.integer("--threads", 1);
  settings.full = a.has("--full");
  if (a.has("--search"))
    settings.search = search_by_name(a.text("--search", ""));
  const std::vector<std::string> methods = fricp_methods(a);
  const Suite suite = load_suite(a.rest()[0], a.text("--only", ""));
  if (suite.rows.empty())
    throw std::runtime_error(a.rest()[0] + ": no pair of that name");

  print_environment();
  const SharedArray<Run> runs(suite.rows.size() * methods.size());
  run_jobs(suite.rows.size(), job_count(a), [&](size_t r) {
    const Pair pair = load_suite_pair(suite, r);
    for (size_t m = 0; m < methods.size(); ++m)
      runs[r * methods.size() + m] = run_pair(pair, methods[m], settings);
  });

  Table table({"pair", "graded", "method", "rotation deg", "rmse/diameter", "passed", "iterations", "passes",
               "prepare s", "normals s", "solve s", "seconds", "status"});
  PoseFile poses;
  std::vector<Score> scores(methods.size());
  for (size_t r = 0; r < suite.rows.size(); ++r)
    for (size_t m = 0; m < methods.size(); ++m) {
      const Run &run = runs[r * methods.size() + m];
      count(scores[m], suite.rows[r], run);
      poses.add(suite.rows[r].name, methods[m], run);
      table.row({suite.rows[r].name, suite.rows[r].graded ? "1" : "0", methods[m], format("%.5f", run.error.degrees),
                 format("%.3e", run.error.rmse / run.diameter), run.error.passed ? "pass" : "FAIL",
                 std::to_string(run.result.iterations), std::to_string(run.result.correspondence_passes),
                 format("%.4f", run.prepare), format("%.4f", run.normals), format("%.4f", run.solve),
                 format("%.4f", run.total()), run.status});
    }
  poses.write(a);
  table.print();
  if (a.has("--tsv"))
    table.write(a.text("--tsv", ""));
  for (size_t m = 0; m < methods.size(); ++m)
    report(methods[m], scores[m]);
  return 0;
}

} // namespace bench
