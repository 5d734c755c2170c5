// SPDX-License-Identifier: BSD-3-Clause
// One nearest neighbour of each source point, from afar (before registration) and from near (at the true pose).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "prng.h"
#include "regions.hpp"
#include "search_engines.hpp"

namespace bench {
namespace {

struct Queries {
  std::string name;
  std::vector<double> points;
};

/// Every step-th point, or a random order of them: the same for every engine.
std::vector<double> choose(const std::vector<double> &points, size_t limit, bool shuffle) {
  const size_t count = points.size() / 3, step = std::max<size_t>(1, count / std::max<size_t>(1, limit));
  std::vector<double> chosen;
  for (size_t i = 0; i < count; i += step)
    if (std::isfinite(points[3 * i]) && std::isfinite(points[3 * i + 1]) && std::isfinite(points[3 * i + 2]))
      chosen.insert(chosen.end(), points.begin() + static_cast<std::ptrdiff_t>(3 * i),
                    points.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
  prng g = prng_seed(1, 0);
  for (size_t i = chosen.size() / 3; shuffle && i > 1; --i) {
    const size_t j = static_cast<size_t>(prng_below(&g, i));
    std::swap_ranges(chosen.begin() + static_cast<std::ptrdiff_t>(3 * (i - 1)),
                     chosen.begin() + static_cast<std::ptrdiff_t>(3 * i),
                     chosen.begin() + static_cast<std::ptrdiff_t>(3 * j));
  }
  return chosen;
}

/// Where the truth is not known, the pose that robust-icp finds from the start is near enough for near queries.
fricp_pose near_pose(const Pair &pair) {
  if (!pair.truths.empty())
    return pair.truths[0];
  const Target target(pair.target, false, target_options(false, 1));
  Solver solver;
  return solver.align(target, pair.source, pair.start, solve_options("robust-icp", 1)).target_from_source;
}

std::vector<Queries> make_queries(const Pair &pair, size_t limit, bool shuffle) {
  const std::vector<double> source = choose(pair.source.points, limit, shuffle);
  return {{"far (as given)", moved(pair.start, source)},
          {"far (centroids)", moved(centroid_start(pair.source, pair.target), source)},
          {"near", moved(near_pose(pair), source)}};
}

double distance2(const Pair &pair, const double *query, int32_t neighbour) {
  double sum = 0.0;
  for (size_t k = 0; k < 3; ++k) {
    const double d = query[k] - pair.target.points[3 * static_cast<size_t>(neighbour) + k];
    sum += d * d;
  }
  return sum;
}

struct Agreement {
  size_t other = 0; // a farther neighbour, but not by more than rounding
  size_t wrong = 0;
};

/// Compared by distance in double, since ties have no right index; up to the rounding of the engine's coordinates.
Agreement compare(const Pair &pair, const std::vector<double> &queries, const std::vector<int32_t> &reference,
                  const std::vector<int32_t> &found, bool single_precision) {
  const double unit = single_precision ? 6e-8 : 1.2e-16;
  Agreement agreement;
  double reach = 0.0;
  for (const double x : pair.target.points)
    if (std::isfinite(x))
      reach = std::max(reach, std::fabs(x));
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == reference[i])
      continue;
    if (found[i] < 0 || static_cast<size_t>(found[i]) >= pair.target.size()) {
      ++agreement.wrong;
      continue;
    }
    double far = std::fabs(queries[3 * i]) + std::fabs(queries[3 * i + 1]) + std::fabs(queries[3 * i + 2]);
    const double best = std::sqrt(distance2(pair, &queries[3 * i], reference[i]));
    const double got = std::sqrt(distance2(pair, &queries[3 * i], found[i]));
    const double rounding = 8.0 * unit * (reach + far);
    agreement.other += got > best && got <= best + rounding;
    agreement.wrong += got > best + rounding;
  }
  return agreement;
}

/// The reference itself, against every point looked at. @return how many of some hundred queries are not nearest.
size_t check_by_brute_force(const Pair &pair, const std::vector<double> &queries,
                            const std::vector<int32_t> &reference) {
  size_t wrong = 0;
  const size_t step = std::max<size_t>(1, reference.size() / 100);
  for (size_t i = 0; i < reference.size(); i += step) {
    double best = INFINITY;
    for (size_t j = 0; j < pair.target.size(); ++j) {
      const double d = distance2(pair, &queries[3 * i], static_cast<int32_t>(j));
      best = d < best ? d : best;
    }
    // The library measures in its own frame: equal up to the rounding of double.
    const double got = reference[i] < 0 ? INFINITY : distance2(pair, &queries[3 * i], reference[i]);
    wrong += !(std::sqrt(got) <= std::sqrt(best) * (1.0 + 1e-12) + 1e-14 * pair.diameter);
  }
  return wrong;
}

std::vector<std::unique_ptr<Engine>> make_engines() {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_fricp_engine(FRICP_SEARCH_TREE, "fricp tree"));
  if (auto engine = make_internal_engine(FRICP_SEARCH_TREE, 1, "fricp tree, packets"))
    engines.push_back(std::move(engine));
  if (auto engine = make_internal_engine(FRICP_SEARCH_TREE, 3, "fricp tree, packets of 3"))
    engines.push_back(std::move(engine));
  engines.push_back(make_fricp_engine(FRICP_SEARCH_FLANN, "fricp FLANN"));
  engines.push_back(make_flann_engine());
  engines.push_back(make_nanoflann_engine(true));
  engines.push_back(make_nanoflann_engine(false));
  return engines;
}

/// All engines in turn, `reps` times: seconds[engine][run].
std::vector<std::vector<double>> time_searches(const std::vector<std::unique_ptr<Engine>> &engines,
                                               const Queries &queries, int reps,
                                               std::vector<std::vector<int32_t>> &found) {
  std::vector<std::vector<double>> seconds(engines.size());
  for (size_t e = 0; e < engines.size(); ++e) {
    found[e].assign(queries.points.size() / 3, -1);
    engines[e]->take(queries.points);
  }
  for (int r = -1; r < reps; ++r) // a first round only warms up
    for (size_t e = 0; e < engines.size(); ++e) {
      const Stopwatch watch;
      engines[e]->search(found[e]);
      if (r >= 0)
        seconds[e].push_back(watch.seconds());
    }
  return seconds;
}

size_t measure(const Pair &pair, const Arguments &a) {
  const int reps = std::max(1, a.integer("--reps", 5));
  const auto limit = static_cast<size_t>(a.number("--queries", 200000));
  const std::vector<std::unique_ptr<Engine>> engines = make_engines();
  std::vector<std::vector<double>> builds(engines.size());
  for (int r = 0; r < reps; ++r)
    for (size_t e = 0; e < engines.size(); ++e)
      builds[e].push_back(engines[e]->build(pair.target));

  const auto points = static_cast<double>(pair.target.size());
  size_t faults = 0;
  std::printf("\n%s: %zu target points\n", pair.name.c_str(), pair.target.size());
  Table table({"queries", "engine", "ns/query", "times ours", "build ms", "bytes/point", "rounded", "wrong"});
  for (const Queries &queries : make_queries(pair, limit, a.has("--shuffle"))) {
    std::vector<std::vector<int32_t>> found(engines.size());
    const auto seconds = time_searches(engines, queries, reps, found);
    const auto count = static_cast<double>(found[0].size());
    faults += check_by_brute_force(pair, queries.points, found[0]);
    for (size_t e = 0; e < engines.size(); ++e) {
      const Agreement agreement = compare(pair, queries.points, found[0], found[e], engines[e]->single_precision());
      const double ns = 1e9 * median(seconds[e]) / count, ratio = median_ratio(seconds[e], seconds[0]);
      faults += agreement.wrong;
      table.row({queries.name, engines[e]->name(), format("%.0f", ns), format("%.2f", ratio),
                 format("%.2f", 1e3 * median(builds[e])), format("%.1f", engines[e]->bytes() / points),
                 std::to_string(agreement.other), std::to_string(agreement.wrong)});
      Json("search")
          .add("cloud", pair.name)
          .add("points", points)
          .add("queries", queries.name)
          .add("count", count)
          .add("engine", engines[e]->name())
          .add("ns_per_query", ns)
          .add("times_ours", ratio)
          .add("build_ms", 1e3 * median(builds[e]))
          .add("bytes_per_point", engines[e]->bytes() / points)
          .add("regions_skipped", !a.has("--keep-regions"))
          .add("wrong", static_cast<double>(agreement.wrong))
          .print();
    }
  }
  table.print();
  return faults;
}

} // namespace

int run_search(int argc, char **argv) {
  const Arguments a(argc, argv, {"--pair", "--points", "--queries", "--reps"},
                    {"--shuffle", "--keep-regions", "--cpu"});
  skip_one_thread_regions(!a.has("--keep-regions"));
  use_cpu_time(a.has("--cpu"));
  if (!a.rest().empty())
    throw UsageError("search takes --pair DIR");
  const std::vector<size_t> sizes =
      a.counts("--points", a.has("--pair") ? std::vector<size_t>{} : std::vector<size_t>{10000, 100000, 1000000});
  print_environment();
  size_t faults = 0;
  for (const std::string &folder : a.all("--pair"))
    faults += measure(load_pair(folder, false), a);
  for (const size_t points : sizes)
    faults += measure(generated_pair(points), a);
  if (faults > 0)
    std::printf("\n%zu neighbours are not the nearest\n", faults);
  return faults > 0 ? 1 : 0;
}

} // namespace bench
