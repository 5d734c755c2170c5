// SPDX-License-Identifier: BSD-3-Clause
// What each rule and constant of the core is worth: every pair and scene with the defaults, then with one rule off or
// one constant halved or doubled, one after the other on the same prepared target.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "jobs.hpp"
#include "rules_internal.h"
#include "runs.hpp"
#include "text.h"
#include "trial.h"
#include "verify.h"

namespace bench {
namespace {

/// One change; the first two change nothing, so the second tells how far times differ by chance.
struct Variant {
  std::string rule, set_to, meaning;
  std::vector<double> rules; // all of the core's
  std::function<void(fricp_options &)> option;
};

/// What the public options can switch.
std::vector<Variant> option_variants(const std::vector<double> &rules) {
  return {
      {"anderson_history", "-1", "no acceleration, no preconditioner", rules,
       [](fricp_options &o) { o.anderson_history = -1; }},
      {"full_resolution", "1", "every level uses all points", rules, [](fricp_options &o) { o.full_resolution = 1; }},
      {"nu_end_factor", "paper's", "no floor of nu at the noise", rules,
       [](fricp_options &o) {
         o.nu_end_factor = fricp_method_needs_normals(o.method) ? 1.0 / 6.0 : 1.0 / (3.0 * std::sqrt(3.0));
       }},
      {"nu_start_factor", "1.5", "first nu half as wide", rules, [](fricp_options &o) { o.nu_start_factor = 1.5; }},
      {"nu_start_factor", "6", "first nu twice as wide", rules, [](fricp_options &o) { o.nu_start_factor = 6.0; }},
  };
}

/// A switch is a row whose default is 1 (or 0: off), and is turned over; any other row is a constant.
std::vector<double> other_values(double value) {
  if (value == 0.0 || value == 1.0)
    return {1.0 - value};
  return {0.5 * value, 2.0 * value};
}

std::vector<Variant> plan(const std::string &only) {
  const rule_row *rows;
  const size_t count = rules_internal_rows(&rows);
  std::vector<double> rules;
  for (size_t r = 0; r < count; ++r)
    rules.push_back(rows[r].value);
  const auto keep = [](fricp_options &) {};
  std::vector<Variant> variants{{"(defaults)", "", "", rules, keep},
                                {"(again)", "", "the same once more", rules, keep}};
  for (const Variant &v : option_variants(rules))
    if (v.rule.find(only) != std::string::npos)
      variants.push_back(v);
  for (size_t r = 0; r < count; ++r)
    for (const double value : other_values(rows[r].value))
      if (std::string(rows[r].name).find(only) != std::string::npos) {
        variants.push_back({rows[r].name, format("%.6g", value), rows[r].meaning, rules, keep});
        variants.back().rules[r] = value;
      }
  return variants;
}

/// A variant of the caller's own: `text` is "rule=value", or several with commas between them.
Variant variant_of(const std::string &text, const Variant &defaults) {
  const rule_row *rows;
  const size_t count = rules_internal_rows(&rows);
  Variant variant = defaults;
  variant.rule = text;
  variant.meaning = "as asked";
  for (size_t from = 0; from < text.size();) {
    const std::string part = text.substr(from, text.find(',', from) - from);
    const size_t equals = std::min(part.find('='), part.size());
    size_t r = 0;
    while (r < count && part.substr(0, equals) != rows[r].name)
      ++r;
    double value;
    if (r == count || equals == part.size() || text_number(part.substr(equals + 1).c_str(), &value) != 0)
      throw UsageError("--set " + text + ": not rule=value of a rule of the core");
    variant.rules[r] = value;
    from += part.size() + 1;
  }
  return variant;
}

/// One run; a plain value, for it comes from another process.
struct Cell {
  bool right, failed;
  int passes;
  double seconds;
  double rmse;
  fricp_pose pose;
};

Cell solve(const Pair &pair, const Target &target, const std::string &method, const Variant &variant) {
  Cell cell{};
  fricp_options options = solve_options(method, 1);
  variant.option(options);
  Solver solver;
  rules_internal_set(solver.get(), variant.rules.data());
  const Stopwatch watch;
  try {
    const fricp_result result = solver.align(target, pair.source, pair.start, options);
    cell.pose = result.target_from_source;
    const Error error = judge(pair, cell.pose);
    cell.right = error.passed;
    cell.rmse = error.rmse;
    cell.passes = result.correspondence_passes;
  } catch (const std::exception &) {
    cell.failed = true;
  }
  cell.seconds = watch.seconds();
  return cell;
}

struct Experiment {
  std::vector<std::string> methods;
  std::vector<Variant> variants;
  Suite pairs;             // the graded ones
  std::vector<int> trials; // of ../support/trial.h
  size_t items() const {
    return pairs.rows.size() + trials.size();
  }
  size_t cell(size_t item, size_t method, size_t variant) const {
    return (item * methods.size() + method) * variants.size() + variant;
  }
};

void run_item(const Experiment &e, size_t item, const SharedArray<Cell> &cells) {
  const size_t pairs = e.pairs.rows.size();
  const Pair pair = item < pairs ? load_suite_pair(e.pairs, item) : trial_pair(e.trials[item - pairs]);
  for (size_t m = 0; m < e.methods.size(); ++m) {
    const bool plane = fricp_method_needs_normals(method_by_name(e.methods[m])) != 0;
    try {
      const Target target(pair.target, false, target_options(plane, 1));
      solve(pair, target, e.methods[m], e.variants[0]); // the first run meets cold memory
      for (size_t v = 0; v < e.variants.size(); ++v)
        cells[e.cell(item, m, v)] = solve(pair, target, e.methods[m], e.variants[v]);
    } catch (const UsageError &) {
      throw;
    } catch (const std::exception &) { // no target, no runs
      for (size_t v = 0; v < e.variants.size(); ++v)
        cells[e.cell(item, m, v)].failed = true;
    }
  }
}

/// A variant against the defaults over the items [from, to).
struct Effect {
  int right = 0, gained = 0, lost = 0, changed = 0, failed = 0;
  double error = 1.0; ///< relative to the defaults: geometric mean over what both have right
  double passes = 0.0, seconds = 0.0, passes_before = 0.0, seconds_before = 0.0;
};

Effect compare(const Experiment &e, const SharedArray<Cell> &cells, size_t m, size_t v, size_t from, size_t to) {
  Effect sum;
  double logarithms = 0.0;
  int both = 0;
  for (size_t i = from; i < to; ++i) {
    const Cell &before = cells[e.cell(i, m, 0)], &now = cells[e.cell(i, m, v)];
    sum.right += now.right;
    sum.gained += now.right && !before.right;
    sum.lost += before.right && !now.right;
    sum.changed += !verify_same_bits(&now.pose, &before.pose);
    sum.failed += now.failed;
    sum.passes += now.passes;
    sum.seconds += now.seconds;
    sum.passes_before += before.passes;
    sum.seconds_before += before.seconds;
    if (before.right && now.right && before.rmse > 0.0 && now.rmse > 0.0) {
      logarithms += std::log(now.rmse / before.rmse);
      ++both;
    }
  }
  sum.error = both > 0 ? std::exp(logarithms / both) : 1.0;
  return sum;
}

/// Five cells of a row: right of all, poses that differ in any bit, error, passes and time relative to the defaults.
void add_cells(std::vector<std::string> &row, const Effect &x, size_t of, bool is_default) {
  row.push_back(is_default ? format("%d of %zu", x.right, of) : format("%d (+%d -%d)", x.right, x.gained, x.lost));
  if (x.failed > 0)
    row.back() += format(", %d errors", x.failed);
  row.push_back(is_default ? "" : std::to_string(x.changed));
  row.push_back(is_default ? "" : format("%.3f", x.error));
  row.push_back(is_default ? format("%.0f", x.passes) : format("%.3f", x.passes / x.passes_before));
  row.push_back(is_default ? format("%.2f s", x.seconds) : format("%.3f", x.seconds / x.seconds_before));
}

void add_json(const std::string &method, const Variant &v, const char *set, const Effect &x) {
  Json("ablation")
      .add("method", method)
      .add("rule", v.rule)
      .add("set_to", v.set_to)
      .add("on", set)
      .add("right", static_cast<double>(x.right))
      .add("gained", static_cast<double>(x.gained))
      .add("lost", static_cast<double>(x.lost))
      .add("changed", static_cast<double>(x.changed))
      .add("errors", static_cast<double>(x.failed))
      .add("error_ratio", x.error)
      .add("passes_ratio", x.passes / x.passes_before)
      .add("seconds_ratio", x.seconds / x.seconds_before)
      .print();
}

Table table_of(const Experiment &e, const SharedArray<Cell> &cells, size_t m) {
  const size_t pairs = e.pairs.rows.size(), scenes = e.trials.size();
  std::vector<std::string> header{"rule", "set to"};
  if (pairs > 0)
    header.insert(header.end(), {"pairs right", "changed", "error", "passes", "time"});
  if (scenes > 0)
    header.insert(header.end(), {"scenes right", "changed", "error", "passes", "time"});
  header.emplace_back("meaning");
  Table table(header);
  for (size_t v = 0; v < e.variants.size(); ++v) {
    std::vector<std::string> row{e.variants[v].rule, e.variants[v].set_to};
    const Effect on_pairs = compare(e, cells, m, v, 0, pairs), on_scenes = compare(e, cells, m, v, pairs, e.items());
    if (pairs > 0) {
      add_cells(row, on_pairs, pairs, v == 0);
      add_json(e.methods[m], e.variants[v], "pairs", on_pairs);
    }
    if (scenes > 0) {
      add_cells(row, on_scenes, scenes, v == 0);
      add_json(e.methods[m], e.variants[v], "scenes", on_scenes);
    }
    row.push_back(e.variants[v].meaning);
    table.row(row);
  }
  return table;
}

Experiment read_arguments(const Arguments &a) {
  Experiment e;
  const char *shared = std::getenv("FRICP_SHARED");
  const int every = a.integer("--every", 1);
  if (a.rest().size() > 1 || every < 1)
    throw UsageError("ablation takes at most one directory, and --every 1 or more");
  e.methods = a.has("--method") ? fricp_methods(a) : std::vector<std::string>{"robust-icp", "robust-icp-plane"};
  e.variants = plan(a.text("--rule", ""));
  if (a.has("--set"))
    e.variants.resize(2);
  for (const std::string &text : a.all("--set"))
    e.variants.push_back(variant_of(text, e.variants[0]));
  if (!a.rest().empty() || (shared && *shared))
    e.pairs = load_suite(a.rest().empty() ? std::string(shared) + "/cases/pairs" : a.rest()[0], a.text("--only", ""));
  e.pairs.rows.erase(
      std::remove_if(e.pairs.rows.begin(), e.pairs.rows.end(), [](const Suite::Row &r) { return !r.graded; }),
      e.pairs.rows.end());
  // 397 has no divisor in common with 640 and is near its golden section: any first part is spread over the list, where
  // each fourth scene itself would be of one kind.
  for (int i = 0; i < TRIAL_COUNT && !a.has("--pairs-only"); i += every)
    e.trials.push_back(i / every * 397 % TRIAL_COUNT);
  if (e.variants.size() == 2 || e.items() == 0)
    throw UsageError("nothing to measure: no such rule, or no pair");
  return e;
}

} // namespace

int run_ablation(int argc, char **argv) {
  const Arguments a(argc, argv, {"--method", "--rule", "--set", "--only", "--every", "--jobs", "--markdown"},
                    {"--pairs-only"});
  const Experiment e = read_arguments(a);
  use_cpu_time(true); // one thread a run; other processes, this program's own among them, do not count
  print_environment();
  const SharedArray<Cell> cells(e.items() * e.methods.size() * e.variants.size());
  run_jobs(e.items(), job_count(a), [&](size_t item) { run_item(e, item, cells); });
  std::string markdown;
  for (size_t m = 0; m < e.methods.size(); ++m) {
    const Table table = table_of(e, cells, m);
    std::printf("\n%s\n", e.methods[m].c_str());
    table.print();
    markdown += (m ? "\n" : "") + e.methods[m] + ":\n\n" + table.markdown();
  }
  if (a.has("--markdown"))
    write_text(a.text("--markdown", ""), markdown);
  return 0;
}

} // namespace bench
