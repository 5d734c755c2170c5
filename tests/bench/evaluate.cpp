// SPDX-License-Identifier: BSD-3-Clause
// The paper's tables on a folder of pairs: mean time, mean and median RMSE, alpha-recall, fricp's methods beside PCL's.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "jobs.hpp"
#include "plot.hpp"
#include "regions.hpp"
#include "registrations.hpp"
#include "runs.hpp"

namespace bench {
namespace {

const double alphas[] = {0.001, 0.003, 0.01, 0.03, 0.1};

/// A plain value: it passes from a process to its parent.
struct Entry {
  double rmse, seconds; // of the diameter; without normals
  bool failed;          // no pose: the start's error counts
};

void evaluate_pair(const Pair &pair, const std::vector<std::string> &methods, Entry *entries) {
  const double start = judge(pair, pair.start).rmse / pair.diameter;
  for (size_t m = 0; m < methods.size(); ++m)
    entries[m] = {start, 0.0, true};
  const Contest contest(pair, 1);
  for (size_t m = 0; m < methods.size(); ++m) {
    const Outcome outcome = contest.run(methods[m]);
    const double rmse = judge(pair, outcome.pose).rmse / pair.diameter;
    const bool usable = outcome.available && outcome.trouble.empty() && std::isfinite(rmse);
    entries[m] = {usable ? rmse : start, outcome.seconds, !usable};
  }
}

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Series recall_curve(const std::string &method, const std::vector<double> &errors) {
  Series curve{method, {}, {}};
  for (int i = 0; i <= 60; ++i) {
    curve.x.push_back(std::pow(10.0, -4.0 + i / 20.0));
    curve.y.push_back(100.0 * alpha_recall(errors, curve.x.back()));
  }
  return curve;
}

/// One group's table; its curves go to `plot`.
Table summarize(const Suite &suite, const std::string &group, const std::vector<std::string> &methods,
                const SharedArray<Entry> &entries, Plot &plot) {
  Table table({"pairs", "method", "count", "failed", "mean s", "mean RMSE e-3", "median RMSE e-3", "recall 0.001",
               "recall 0.003", "recall 0.01", "recall 0.03", "recall 0.1"});
  for (size_t m = 0; m < methods.size(); ++m) {
    std::vector<double> errors, seconds;
    int failed = 0;
    for (size_t r = 0; r < suite.rows.size(); ++r)
      if (suite.rows[r].name.find(group) != std::string::npos) {
        const Entry &e = entries[r * methods.size() + m];
        errors.push_back(e.rmse);
        failed += e.failed;
        if (!e.failed)
          seconds.push_back(e.seconds);
      }
    std::vector<std::string> cells{group.empty() ? "all" : group,       methods[m],
                                   std::to_string(errors.size()),       std::to_string(failed),
                                   format("%.3f", mean(seconds)),       format("%.2f", 1e3 * mean(errors)),
                                   format("%.2f", 1e3 * median(errors))};
    Json json("evaluate");
    json.add("pairs", cells[0]).add("method", methods[m]).add("count", static_cast<double>(errors.size()));
    json.add("failed", static_cast<double>(failed)).add("mean_seconds", mean(seconds));
    json.add("mean_rmse", mean(errors)).add("median_rmse", median(errors));
    for (const double alpha : alphas) {
      cells.push_back(format("%.3f", alpha_recall(errors, alpha)));
      json.add(format("recall_%g", alpha), alpha_recall(errors, alpha));
    }
    json.print();
    table.row(cells);
    plot.series.push_back(recall_curve(methods[m], errors));
  }
  return table;
}

void write_rows(const std::string &path, const Suite &suite, const std::vector<std::string> &methods,
                const SharedArray<Entry> &entries) {
  Table rows({"pair", "method", "rmse/diameter", "seconds", "failed"});
  for (size_t i = 0; i < suite.rows.size() * methods.size(); ++i)
    rows.row({suite.rows[i / methods.size()].name, methods[i % methods.size()], format("%.4e", entries[i].rmse),
              format("%.4f", entries[i].seconds), entries[i].failed ? "1" : "0"});
  rows.write(path);
}

} // namespace

int run_evaluate(int argc, char **argv) {
  const Arguments a(argc, argv,
                    {"--method", "--only", "--without", "--group", "--jobs", "--markdown", "--svg", "--tsv"},
                    {"--cpu", "--keep-regions"});
  use_cpu_time(a.has("--cpu"));
  skip_one_thread_regions(!a.has("--keep-regions"));
  if (a.rest().size() != 1)
    throw UsageError("evaluate needs one directory");
  const std::vector<std::string> methods = contest_methods(a);
  Suite suite = load_suite(a.rest()[0], a.text("--only", "")), kept{suite.folder, {}};
  for (const Suite::Row &row : suite.rows)
    if (!a.has("--without") || row.name.find(a.text("--without", "")) == std::string::npos)
      kept.rows.push_back(row);
  if (kept.rows.empty())
    throw std::runtime_error(a.rest()[0] + ": no pair of that name");

  print_environment();
  const SharedArray<Entry> entries(kept.rows.size() * methods.size());
  run_jobs(kept.rows.size(), job_count(a), [&](size_t r) {
    const Pair pair = load_suite_pair(kept, r);
    try {
      evaluate_pair(pair, methods, &entries[r * methods.size()]);
    } catch (const std::exception &e) { // normals that cannot be estimated: every method has failed
      std::fprintf(stderr, "%s: %s\n", pair.name.c_str(), e.what());
    }
  });

  std::vector<std::string> groups{""};
  for (const std::string &group : a.all("--group"))
    groups.push_back(group);
  std::string markdown;
  for (const std::string &group : groups) {
    Plot plot{
        "Share of pairs with an RMSE below alpha", "alpha (share of the diameter)", "recall (%)", true, false, false};
    const Table table = summarize(kept, group, methods, entries, plot);
    table.print();
    markdown += table.markdown() + "\n";
    if (group.empty() && a.has("--svg"))
      write_text(a.text("--svg", ""), svg(plot));
  }
  if (a.has("--markdown"))
    write_text(a.text("--markdown", ""), markdown);
  if (a.has("--tsv"))
    write_rows(a.text("--tsv", ""), kept, methods, entries);
  return 0;
}

} // namespace bench
