// SPDX-License-Identifier: BSD-3-Clause
// Every pair of a folder with an index, with every method, from its own start: who is right, and in what time.
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <memory>

#include "bench.hpp"

namespace bench {
namespace {

struct Run {
  std::string status = "ok";
  Error error{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), false};
  fricp_result result{};
  double prepare = 0.0, normals = 0.0, solve = 0.0; // seconds
  double total() const {
    return prepare + normals + solve;
  }
};

struct Settings {
  int threads = 1;
  int search = FRICP_SEARCH_DEFAULT;
  bool full = false;
};

Run run_one(const Pair &pair, const std::string &method, const Settings &settings) {
  Run run;
  const bool plane = fricp_method_needs_normals(method_by_name(method)) != 0;
  try {
    fricp_target_options preparation = target_options(false, settings.threads);
    preparation.search_type = settings.search;
    Stopwatch plain;
    auto target = std::make_unique<Target>(pair.target, false, preparation);
    run.prepare = plain.seconds();
    if (plane) { // what the creation takes longer is the normals' share
      preparation.estimate_normals = 1;
      Stopwatch with_normals;
      target = std::make_unique<Target>(pair.target, false, preparation);
      run.normals = with_normals.seconds() - run.prepare;
    }
    fricp_options options = solve_options(method, settings.threads);
    options.full_resolution = settings.full ? 1 : 0;
    Solver solver;
    Stopwatch solving;
    run.result = solver.align(*target, pair.source, pair.start, options);
    run.solve = solving.seconds();
    run.error = judge(pair, run.result.target_from_source);
  } catch (const UsageError &) {
    throw;
  } catch (const std::exception &e) {
    run.status = e.what();
  }
  return run;
}

struct Score {
  int passed[2] = {0, 0}, graded[2] = {0, 0}; // by dimension: 3-D, 2-D
  std::vector<double> of_diameter, seconds;
  double total = 0.0;
  std::string failed;
};

void count(Score &score, const Suite::Row &row, const Pair &pair, const Run &run) {
  score.seconds.push_back(run.total());
  score.total += run.total();
  if (!row.graded)
    return;
  const int two = row.dimension == 2 ? 1 : 0;
  ++score.graded[two];
  score.passed[two] += run.error.passed;
  const double share = run.error.rmse / pair.diameter;
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
  const Arguments a(argc, argv, {"--method", "--only", "--threads", "--tsv", "--search"}, {"--full", "--cpu"});
  use_cpu_time(a.has("--cpu"));
  if (a.rest().size() != 1)
    throw UsageError("pairs needs one directory");
  Settings settings;
  settings.threads = a.integer("--threads", 1);
  settings.full = a.has("--full");
  if (a.has("--search"))
    settings.search = search_by_name(a.text("--search", ""));
  const std::vector<std::string> methods = a.has("--method") ? a.all("--method") : all_methods();
  for (const std::string &method : methods)
    method_by_name(method);
  const Suite suite = load_suite(a.rest()[0], a.text("--only", ""));
  if (suite.rows.empty())
    throw std::runtime_error(a.rest()[0] + ": no pair of that name");

  print_environment();
  Table table({"pair", "graded", "method", "rotation deg", "rmse/diameter", "passed", "iterations", "passes",
               "prepare s", "normals s", "solve s", "seconds", "status"});
  std::vector<Score> scores(methods.size());
  for (size_t r = 0; r < suite.rows.size(); ++r) {
    const Pair pair = load_suite_pair(suite, r);
    for (size_t m = 0; m < methods.size(); ++m) {
      const Run run = run_one(pair, methods[m], settings);
      count(scores[m], suite.rows[r], pair, run);
      table.row({pair.name, suite.rows[r].graded ? "1" : "0", methods[m], format("%.5f", run.error.degrees),
                 format("%.3e", run.error.rmse / pair.diameter), run.error.passed ? "pass" : "FAIL",
                 std::to_string(run.result.iterations), std::to_string(run.result.correspondence_passes),
                 format("%.4f", run.prepare), format("%.4f", run.normals), format("%.4f", run.solve),
                 format("%.4f", run.total()), run.status});
    }
    if (isatty(STDERR_FILENO))
      std::fprintf(stderr, "\r%zu of %zu%s", r + 1, suite.rows.size(), r + 1 == suite.rows.size() ? "\n" : "");
  }
  table.print();
  if (a.has("--tsv"))
    table.write(a.text("--tsv", ""));
  for (size_t m = 0; m < methods.size(); ++m)
    report(methods[m], scores[m]);
  return 0;
}

} // namespace bench
