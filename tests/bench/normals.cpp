// SPDX-License-Identifier: BSD-3-Clause
// Normals of 30 neighbours: the core's, PCL's estimation on the core's search, and PCL's with its own, in turn.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "regions.hpp"
#include "registrations.hpp"

namespace bench {
namespace {

struct Estimation {
  const char *name;
  std::vector<double> seconds;
  std::vector<double> normals;
};

/// Of points where both are defined: the angle in degrees that 99 % of them stay below.
double apart(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> angles;
  for (size_t i = 0; i + 2 < a.size() && i + 2 < b.size(); i += 3) {
    const double x = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1], y = a[i + 2] * b[i] - a[i] * b[i + 2],
                 z = a[i] * b[i + 1] - a[i + 1] * b[i], sine = std::sqrt(x * x + y * y + z * z);
    if (std::isfinite(sine))
      angles.push_back(std::asin(std::min(sine, 1.0)) * 180.0 / M_PI);
  }
  if (angles.empty())
    return median({});
  const auto at = angles.begin() + static_cast<std::ptrdiff_t>(angles.size() * 99 / 100);
  std::nth_element(angles.begin(), at, angles.end());
  return *at;
}

bool estimate(Estimation &e, const Cloud &cloud, int threads) {
  const Stopwatch watch;
  if (e.name == std::string("core"))
    e.normals = estimate_normals(cloud, threads);
  else if (!pcl_normals(cloud, e.name == std::string("pcl"), threads, e.normals))
    return false;
  e.seconds.push_back(watch.seconds());
  return true;
}

void report(const std::string &name, const Cloud &cloud, int threads, const std::vector<Estimation> &all) {
  std::printf("\n%s: %zu points, %d thread(s)\n", name.c_str(), cloud.size(), threads);
  Table table({"normals", "seconds", "PCL/this", "degrees from PCL's", "runs"});
  const Estimation &pcl = all.back();
  for (const Estimation &e : all) {
    if (e.seconds.empty())
      continue;
    const double ratio = median_ratio(pcl.seconds, e.seconds), angle = apart(e.normals, pcl.normals);
    table.row({e.name, format("%.5f", median(e.seconds)), format("%.2f", ratio), format("%.1e", angle),
               std::to_string(e.seconds.size())});
    Json("normals")
        .add("pair", name)
        .add("points", static_cast<double>(cloud.size()))
        .add("estimation", std::string(e.name))
        .add("seconds", median(e.seconds))
        .add("pcl_over_this", ratio)
        .add("degrees_from_pcl", angle)
        .print();
  }
  table.print();
}

} // namespace

int run_normals(int argc, char **argv) {
  const Arguments a(argc, argv, {"--pair", "--pairs", "--only", "--case", "--points", "--reps", "--threads", "--start"},
                    {"--keep-regions", "--cpu"});
  if (!a.rest().empty())
    throw UsageError("normals takes --pair DIR, --pairs DIR or --points N");
  skip_one_thread_regions(!a.has("--keep-regions"));
  use_cpu_time(a.has("--cpu"));
  const Contestants contestants(a);
  const int threads = a.integer("--threads", 1), reps = std::max(1, a.integer("--reps", 9));
  print_environment();
  for (size_t i = 0; i < contestants.count(); ++i) {
    const Pair pair = contestants.load(i);
    std::vector<Estimation> all = {{"core", {}, {}}, {"pcl-on-core-search", {}, {}}, {"pcl", {}, {}}};
    for (int r = -1; r < reps; ++r)
      for (Estimation &e : all) {
        (void)estimate(e, pair.target, threads);
        if (r < 0)
          e.seconds.clear(); // to warm up
      }
    report(pair.name, pair.target, threads, all);
  }
  return 0;
}

} // namespace bench
