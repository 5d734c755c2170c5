// SPDX-License-Identifier: BSD-3-Clause
// The paper's studies on generated scenes: how the error grows with what makes a pair hard, and what acceleration saves.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "jobs.hpp"
#include "plot.hpp"
#include "prng.h"
#include "runs.hpp"

namespace bench {
namespace {

struct Study {
  std::string name, title, x_label;
  std::vector<double> x;
  void (*set)(scene_spec &spec, double x);
  double overlap;
};

/// About the median distance of neighbours: the blob's area is some 4 pi, a diameter some 3.6, half of it is seen.
double spacing_of_diameter(size_t points) {
  return 0.5 * std::sqrt(6.3 / static_cast<double>(points)) / 3.6;
}

std::vector<Study> studies() {
  const auto set_angle = [](scene_spec &s, double x) { s.angle = x; };
  std::vector<Study> list{{"overlap",
                           "Overlap",
                           "overlap (share of the source)",
                           {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9},
                           [](scene_spec &s, double x) { s.overlap = x; },
                           0.6},
                          {"noise",
                           "Noise",
                           "standard deviation (spacings)",
                           {0, 0.25, 0.5, 1, 2},
                           [](scene_spec &s, double x) { s.noise = x * spacing_of_diameter(s.source_count); },
                           0.6},
                          {"outliers",
                           "Outliers in the source",
                           "outliers added (% of the source)",
                           {1, 3, 5, 10, 20, 50},
                           [](scene_spec &s, double x) { // added to the surface's points, whose number stays
                             s.outliers = x / (100 + x);
                             s.source_count += s.source_count * static_cast<size_t>(x) / 100;
                           },
                           0.6},
                          {"starts",
                           "Random starts, 50 % outliers added",
                           "start angle (degrees)",
                           {5, 10, 20, 30, 50},
                           [](scene_spec &s, double x) {
                             s.outliers = 1.0 / 3.0;
                             s.source_count += s.source_count / 2;
                             s.angle = x;
                           },
                           0.6}};
  for (const double overlap : {0.8, 0.6, 0.4})
    list.push_back({format("angle-%.0f", 100 * overlap),
                    format("Start angle, overlap %.0f %%", 100 * overlap),
                    "start angle (degrees)",
                    {10, 20, 50, 60, 80, 100},
                    set_angle,
                    overlap});
  return list;
}

/// Scene `i` of a setting: its own shape, samples and axis of rotation.
scene_spec spec_of(const Study &study, double x, int i, size_t points) {
  scene_spec spec{};
  spec.kind = SCENE_BLOB;
  spec.source_count = points;
  spec.target_count = points;
  spec.seed = static_cast<uint64_t>(i) + 1;
  spec.overlap = study.overlap;
  spec.noise = 0.001;
  spec.angle = 10.0;
  prng random = prng_seed(spec.seed, 77);
  prng_direction(&random, spec.axis);
  study.set(spec, x);
  if (spec.outliers > 0) // of the target they are left out again
    spec.target_count = static_cast<size_t>(std::lround(static_cast<double>(points) / (1 - spec.outliers)));
  return spec;
}

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Work {
  std::vector<std::string> methods;
  int count, jobs;
  size_t points;
  std::string folder, markdown; // of the plots; "" for none
};

/// A run that failed has moved nothing.
double rmse_of(const Run &run, const Pair &pair) {
  return (std::isfinite(run.error.rmse) ? run.error.rmse : judge(pair, pair.start).rmse) / pair.diameter;
}

struct Point {
  double rmse, seconds;
};

void run_study(const Study &study, Work &work) {
  const size_t methods = work.methods.size(), count = static_cast<size_t>(work.count);
  const SharedArray<Point> points(study.x.size() * count * methods);
  run_jobs(study.x.size() * count, work.jobs, [&](size_t i) {
    const Pair pair =
        scene_pair(spec_of(study, study.x[i / count], static_cast<int>(i % count), work.points), study.name, true);
    for (size_t m = 0; m < methods; ++m) {
      const Run run = run_pair(pair, work.methods[m], Settings{});
      points[i * methods + m] = {rmse_of(run, pair), run.total()};
    }
  });
  Table table({study.x_label, "method", "mean RMSE", "median RMSE", "below 0.001", "of", "median s"});
  Plot plot{study.title, study.x_label, "median RMSE (share of the diameter)", false, true, true};
  for (size_t m = 0; m < methods; ++m) {
    plot.series.push_back({work.methods[m], study.x, {}});
    for (size_t k = 0; k < study.x.size(); ++k) {
      std::vector<double> errors, seconds;
      for (size_t i = 0; i < count; ++i) {
        errors.push_back(points[(k * count + i) * methods + m].rmse);
        seconds.push_back(points[(k * count + i) * methods + m].seconds);
      }
      const double right = alpha_recall(errors, 1e-3) * work.count;
      table.row({format("%g", study.x[k]), work.methods[m], format("%.2e", mean(errors)),
                 format("%.2e", median(errors)), format("%.0f", right), std::to_string(work.count),
                 format("%.3f", median(seconds))});
      Json json("synthetic");
      json.add("study", study.name).add("x", study.x[k]).add("method", work.methods[m]).add("mean_rmse", mean(errors));
      json.add("median_rmse", median(errors)).add("right", right).add("scenes", static_cast<double>(work.count));
      json.add("median_seconds", median(seconds)).print();
      plot.series.back().y.push_back(median(errors));
    }
  }
  std::printf("\n%s\n", study.title.c_str());
  table.print();
  work.markdown += "### " + study.title + "\n\n" + table.markdown() + "\n";
  if (!work.folder.empty())
    write_text(work.folder + "/" + study.name + ".svg", svg(plot));
}

// ---- The accelerations ----------------------------------------------------------------------------------------------

struct Way {
  fricp_pose pose;
  double energy, seconds;
  int passes, rises; // rises: accepted poses of higher energy than the one before
  Series energies, errors, times;
  std::vector<int32_t> correspondences; // at the end: the minimum is the same if they are
};

/// To the end, by the trace. Its clock is the wall's, so the processor's time is shared out among the poses tried alike.
Way walk(const Pair &pair, const std::string &method) {
  const Target target(pair.target, false, target_options(false, 1));
  const fricp_options options = solve_options(method, 1);
  Solver solver;
  const Stopwatch watch;
  const fricp_result result = solver.align(target, pair.source, pair.start, options);
  Way way{result.target_from_source, result.energy, watch.seconds(), result.correspondence_passes, 0, {}, {}, {}, {}};
  way.correspondences.resize(pair.source.size());
  if (fricp_solver_get_points(solver.get(), way.correspondences.size(), way.correspondences.data(), nullptr, nullptr,
                              nullptr) != FRICP_OK)
    throw std::runtime_error(method + ": no correspondences");
  const fricp_trace_row *rows;
  const size_t count = fricp_solver_get_trace(solver.get(), &rows);
  way.energies.name = way.errors.name = way.times.name = method;
  double last = INFINITY;
  for (size_t i = 0; i < count; ++i) {
    if (!rows[i].accepted)
      continue;
    way.rises += rows[i].energy > last;
    last = rows[i].energy;
    way.energies.x.push_back(static_cast<double>(i + 1));
    way.energies.y.push_back(rows[i].energy);
    way.times.x.push_back(1e3 * way.seconds * static_cast<double>(i + 1) / static_cast<double>(count));
    way.times.y.push_back(judge(pair, rows[i].target_from_source).rmse / pair.diameter);
  }
  way.errors.x = way.times.x;
  way.errors.y = way.energies.y;
  return way;
}

/// Two kinds of pairs: scans of a scene, and two noisy measurements of the same points, where the end is one minimum.
const std::vector<Study> &pairs_to_accelerate() {
  static const auto set_angle = [](scene_spec &s, double x) { s.angle = x; };
  static const std::vector<Study> list{{"scans", "overlap 0.75", "", {}, set_angle, 0.75},
                                       {"twice",
                                        "the same points twice",
                                        "",
                                        {},
                                        [](scene_spec &s, double x) {
                                          s.angle = x;
                                          s.overlap = 1;
                                          s.same_sample = 1;
                                        },
                                        1}};
  return list;
}

/// Against icp from the same start.
struct Comparison {
  double passes, ratio, seconds, energy; // energy: relative difference
  int rises;
  bool same; // minimum: the same correspondences
};

/// Of `kind`, scene i.
Pair pair_to_accelerate(const Study &kind, size_t i, size_t points) {
  return scene_pair(spec_of(kind, 5.0 + 5.0 * static_cast<double>(i % 4), static_cast<int>(i), points), "", true);
}

void compare_accelerations(const Study &kind, const std::vector<std::string> &methods, Work &work, Table &table) {
  const size_t scenes = 4 * static_cast<size_t>(work.count);
  const SharedArray<Comparison> rows(scenes * methods.size());
  run_jobs(scenes, work.jobs, [&](size_t i) {
    const Pair pair = pair_to_accelerate(kind, i, work.points);
    const Way icp = walk(pair, "icp");
    for (size_t m = 0; m < methods.size(); ++m) {
      const Way way = walk(pair, methods[m]);
      rows[i * methods.size() + m] = {static_cast<double>(way.passes),
                                      static_cast<double>(way.passes) / icp.passes,
                                      way.seconds,
                                      way.energy / icp.energy - 1,
                                      way.rises,
                                      way.correspondences == icp.correspondences};
    }
  });
  for (size_t m = 0; m < methods.size(); ++m) {
    std::vector<double> passes, ratios, seconds;
    double same = 0, lower = 0, largest = 0, rises = 0;
    for (size_t i = 0; i < scenes; ++i) {
      const Comparison &c = rows[i * methods.size() + m];
      passes.push_back(c.passes), ratios.push_back(c.ratio), seconds.push_back(c.seconds);
      rises += c.rises;
      same += c.same;
      lower += !c.same && c.energy < 0;
      if (c.same)
        largest = std::max(largest, std::fabs(c.energy));
    }
    table.row({kind.title, methods[m], std::to_string(scenes), format("%.1f", median(passes)),
               format("%.2f", median(ratios)), format("%.0f", same), format("%.1e", largest), format("%.0f", lower),
               format("%.0f", rises), format("%.4f", median(seconds))});
    Json json("accelerations");
    json.add("pairs", kind.title).add("method", methods[m]).add("scenes", static_cast<double>(scenes));
    json.add("median_passes", median(passes)).add("median_ratio", median(ratios)).add("same_minimum", same);
    json.add("largest_difference", largest).add("lower_elsewhere", lower).add("rises", rises);
    json.add("median_seconds", median(seconds)).print();
  }
}

void run_accelerations(Work &work) {
  std::vector<std::string> methods;
  for (const std::string &name : all_methods())
    if (name == "icp" || name == "fast-icp" || name == "aa-icp")
      methods.push_back(name);
  std::sort(methods.rbegin(), methods.rend()); // icp first: the measure of the others
  Table table({"pairs", "method", "scenes", "median passes", "median ratio to icp", "same minimum",
               "energy there differs by", "lower elsewhere", "rises", "median s"});
  for (const Study &kind : pairs_to_accelerate())
    compare_accelerations(kind, methods, work, table);
  std::printf("\nAccelerations\n");
  table.print();
  work.markdown += "### Accelerations\n\n" + table.markdown() + "\n";
  if (work.folder.empty())
    return;
  Plot passes{"Energy over poses", "poses tried", "energy (squared extents)", false, true, false};
  Plot energy{"Energy over time", "processor time (ms)", "energy (squared extents)", false, true, false};
  Plot error{"RMSE over time", "processor time (ms)", "RMSE (share of the diameter)", false, true, false};
  const Pair pair = pair_to_accelerate(pairs_to_accelerate().front(), 1, work.points);
  for (const std::string &method : methods) {
    const Way way = walk(pair, method);
    passes.series.push_back(way.energies);
    energy.series.push_back(way.errors);
    error.series.push_back(way.times);
  }
  write_text(work.folder + "/energy-passes.svg", svg(passes));
  write_text(work.folder + "/energy-time.svg", svg(energy));
  write_text(work.folder + "/rmse-time.svg", svg(error));
}

} // namespace

int run_synthetic(int argc, char **argv) {
  const Arguments a(argc, argv, {"--study", "--method", "--count", "--points", "--jobs", "--markdown", "--svg"}, {});
  use_cpu_time(true);
  Work work{fricp_methods(a),    a.integer("--count", 10),
            job_count(a),        a.counts("--points", {5000})[0],
            a.text("--svg", ""), ""};
  if (!a.rest().empty() || work.count < 1 || work.points < 100)
    throw UsageError("synthetic takes options only, --count from 1 and --points from 100 on");
  if (!work.folder.empty())
    std::filesystem::create_directories(work.folder);
  const std::string wanted = a.text("--study", "");
  print_environment();
  bool found = false;
  for (const Study &study : studies())
    if (study.name.find(wanted) != std::string::npos) {
      run_study(study, work);
      found = true;
    }
  if (std::string("accelerations").find(wanted) != std::string::npos) {
    run_accelerations(work);
    found = true;
  }
  if (!found)
    throw UsageError("no study " + wanted);
  if (a.has("--markdown"))
    write_text(a.text("--markdown", ""), work.markdown);
  return 0;
}

} // namespace bench
