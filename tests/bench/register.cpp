// SPDX-License-Identifier: BSD-3-Clause
// Whole registrations: all methods in turn, several times, so that what disturbs the machine disturbs all alike.
#include <cstdio>

#include "peak.hpp"
#include "regions.hpp"
#include "registrations.hpp"

namespace bench {
namespace {

struct Record {
  std::string method;
  std::vector<double> seconds;
  Outcome last;
  double total = 0.0;
  double peak_bytes = -1.0;
};

/// Everyone's runs, until `reps` or (each for itself) the budget is used up; the first round always counts.
std::vector<Record> compete(const Contest &contest, const std::vector<std::string> &methods, int reps, double budget) {
  std::vector<Record> records;
  for (const std::string &method : methods) {
    records.push_back({method, {}, {}, 0.0, -1.0});
    if (contest.pair().source.size() <= 200000) // warm up; on large clouds one run more or less does not matter
      contest.run(method);
  }
  for (int r = 0; r < reps; ++r)
    for (Record &record : records) {
      if (r > 0 && (!record.last.available || record.total > budget))
        continue;
      record.last = contest.run(record.method);
      record.seconds.push_back(record.last.seconds);
      record.total += record.last.seconds;
    }
  return records;
}

const Record *find(const std::vector<Record> &records, const std::string &method) {
  for (const Record &record : records)
    if (record.method == method && record.last.available)
      return &record;
  return nullptr;
}

void report(const Contest &contest, const std::vector<Record> &records, bool skipped, bool count_normals) {
  const Pair &pair = contest.pair();
  const Record *icp = find(records, "pcl-icp"), *plane = find(records, "pcl-icp-normals");
  Table table({"method", "seconds", "PCL ICP/this", "PCL normals/this", "rotation deg", "rmse/diameter", "right",
               "says converged", "iterations", "peak MB", "runs", "trouble"});
  for (const Record &record : records) {
    if (!record.last.available)
      continue;
    const Error error = judge(pair, record.last.pose);
    const double nan = median({}), against_icp = icp ? median_ratio(icp->seconds, record.seconds) : nan,
                 against_plane = plane ? median_ratio(plane->seconds, record.seconds) : nan;
    table.row({record.method, format("%.5f", median(record.seconds)), format("%.2f", against_icp),
               format("%.2f", against_plane), format("%.4f", error.degrees), format("%.2e", error.rmse / pair.diameter),
               pair.truths.empty() ? "unknown"
               : error.passed      ? "yes"
                                   : "NO",
               record.last.converged ? "yes" : "no", std::to_string(record.last.iterations),
               record.peak_bytes >= 0 ? format("%.2f", record.peak_bytes / 1e6) : "nan",
               std::to_string(record.seconds.size()), record.last.trouble});
    Json("register")
        .add("pair", pair.name)
        .add("points_source", static_cast<double>(pair.source.size()))
        .add("points_target", static_cast<double>(pair.target.size()))
        .add("method", record.method)
        .add("seconds", median(record.seconds))
        .add("pcl_icp_over_this", against_icp)
        .add("pcl_icp_normals_over_this", against_plane)
        .add("rotation_degrees", error.degrees)
        .add("rmse_of_diameter", error.rmse / pair.diameter)
        .add("right", pair.truths.empty() ? nan
                      : error.passed      ? 1.0
                                          : 0.0)
        .add("converged", record.last.converged)
        .add("iterations", static_cast<double>(record.last.iterations))
        .add("peak_bytes", record.peak_bytes >= 0 ? record.peak_bytes : nan)
        .add("regions_skipped", skipped)
        .add("normals_counted", count_normals)
        .add("runs", static_cast<double>(record.seconds.size()))
        .print();
  }
  table.print();
}

/// Over all pairs: what the bars are about.
struct Summary {
  std::vector<double> seconds, against_icp;
  int right = 0, judged = 0;
};

void summarize(const std::vector<std::string> &methods, const std::vector<Summary> &sums) {
  Table table({"method", "pairs", "right", "median seconds", "median PCL ICP/this"});
  for (size_t m = 0; m < methods.size(); ++m) {
    const Summary &s = sums[m];
    table.row({methods[m], std::to_string(s.seconds.size()), format("%d of %d", s.right, s.judged),
               format("%.5f", median(s.seconds)), format("%.2f", median(s.against_icp))});
    Json("register-summary")
        .add("method", methods[m])
        .add("pairs", static_cast<double>(s.seconds.size()))
        .add("right", static_cast<double>(s.right))
        .add("judged", static_cast<double>(s.judged))
        .add("median_seconds", median(s.seconds))
        .add("median_pcl_icp_over_this", median(s.against_icp))
        .print();
  }
  std::printf("\nall pairs\n");
  table.print();
}

void add_to(std::vector<Summary> &sums, const Pair &pair, const std::vector<Record> &records) {
  const Record *icp = find(records, "pcl-icp");
  for (size_t m = 0; m < records.size(); ++m) {
    if (!records[m].last.available)
      continue;
    sums[m].seconds.push_back(median(records[m].seconds));
    if (icp)
      sums[m].against_icp.push_back(median_ratio(icp->seconds, records[m].seconds));
    sums[m].judged += !pair.truths.empty();
    sums[m].right += judge(pair, records[m].last.pose).passed;
  }
}

} // namespace

int run_register(int argc, char **argv) {
  const Arguments a(argc, argv,
                    {"--pair", "--pairs", "--only", "--case", "--points", "--lidar", "--method", "--reps", "--budget",
                     "--threads", "--start"},
                    {"--count-normals", "--no-memory", "--keep-regions", "--cpu"});
  if (!a.rest().empty())
    throw UsageError("register takes --pair DIR, --pairs DIR, --points N or --lidar N");
  skip_one_thread_regions(!a.has("--keep-regions"));
  use_cpu_time(a.has("--cpu"));
  const std::vector<std::string> methods = contest_methods(a);
  const Contestants contestants(a);
  const bool count_normals = a.has("--count-normals");
  const int threads = a.integer("--threads", 1), reps = std::max(1, a.integer("--reps", 5));
  print_environment();
  std::vector<Summary> sums(methods.size());
  for (size_t i = 0; i < contestants.count(); ++i) {
    const Contest contest(contestants.load(i), threads, count_normals);
    std::printf("\n%s: %zu against %zu points, %d thread(s); normals ", contest.pair().name.c_str(),
                contest.pair().source.size(), contest.pair().target.size(), threads);
    if (count_normals)
      std::printf("within the time\n");
    else
      std::printf("(not counted) %.3f s\n", contest.normals_seconds());
    std::vector<Record> records = compete(contest, methods, reps, a.number("--budget", 60.0));
    for (Record &record : records)
      if (!a.has("--no-memory") && record.last.available)
        record.peak_bytes = peak_bytes_in_child(contestants.arguments(i), record.method, count_normals);
    report(contest, records, !a.has("--keep-regions"), count_normals);
    add_to(sums, contest.pair(), records);
  }
  if (contestants.count() > 1)
    summarize(methods, sums);
  return 0;
}

} // namespace bench
