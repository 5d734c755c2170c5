// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <cstdio>
#include <limits>
#include <memory>

#include "trial.h"

namespace bench {
namespace {

void register_pair(const Pair &pair, const std::string &method, const Settings &settings, Run &run) {
  fricp_target_options preparation = target_options(false, settings.threads);
  preparation.search_type = settings.search;
  const Stopwatch plain;
  auto target = std::make_unique<Target>(pair.target, false, preparation);
  run.prepare = plain.seconds();
  if (fricp_method_uses_normals(method_by_name(method))) { // what the creation takes longer is the normals' share
    preparation.given_normals_only = 0;
    const Stopwatch with_normals;
    target = std::make_unique<Target>(pair.target, false, preparation);
    run.normals = with_normals.seconds() - run.prepare;
  }
  fricp_options options = solve_options(method, settings.threads);
  options.full_resolution = settings.full ? 1 : 0;
  options.source_sensor = options.target_sensor = settings.sensor;
  Solver solver;
  const Stopwatch solving;
  run.result = solver.align(*target, pair.source, pair.start, options);
  run.solve = solving.seconds();
  run.error = judge(pair, run.result.target_from_source);
}

} // namespace

Run run_pair(const Pair &pair, const std::string &method, const Settings &settings) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Run run{};
  run.error = {nan, nan, false};
  run.diameter = pair.diameter;
  std::snprintf(run.status, sizeof run.status, "ok");
  try {
    register_pair(pair, method, settings, run);
  } catch (const UsageError &) {
    throw;
  } catch (const std::exception &e) {
    std::snprintf(run.status, sizeof run.status, "%s", e.what());
  }
  return run;
}

std::vector<std::string> fricp_methods(const Arguments &a) {
  const std::vector<std::string> methods = a.has("--method") ? a.all("--method") : all_methods();
  for (const std::string &method : methods)
    method_by_name(method);
  return methods;
}

int job_count(const Arguments &a) {
  const int jobs = a.integer("--jobs", 1);
  if (jobs < 1 || jobs > 1000)
    throw UsageError("--jobs takes 1 to 1000");
  return jobs;
}

Pair scene_pair(const scene_spec &spec, const std::string &name, bool clean_target) {
  scene s;
  if (const char *problem = scene_make(&spec, &s))
    throw std::runtime_error(name + ": " + problem);
  Pair pair;
  pair.name = name;
  pair.source.points.assign(s.source, s.source + 3 * s.source_count);
  for (size_t i = 0; i < s.target_count; ++i)
    if (!clean_target || !s.target_outlier[i])
      pair.target.points.insert(pair.target.points.end(), s.target + 3 * i, s.target + 3 * i + 3);
  pair.start = fricp_pose_identity();
  pair.truths = {s.target_from_source};
  pair.diameter = s.diameter;
  pair.pass_rmse = trial_pass_rmse(&spec, &s);
  scene_free(&s);
  return pair;
}

Pair trial_pair(int number) {
  char name[64];
  trial_name(number, name);
  return scene_pair(trial_spec(number), name, false);
}

PoseFile::PoseFile()
    : table_({"pair", "method", "status", "r00", "r01", "r02", "t0", "r10", "r11", "r12", "t1", "r20", "r21", "r22",
              "t2"}) {
}

void PoseFile::add(const std::string &pair, const std::string &method, const Run &run) {
  const fricp_pose &pose = run.result.target_from_source;
  std::vector<std::string> cells{pair, method, run.status};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      cells.push_back(format("%a", pose.rotation[i][j]));
    cells.push_back(format("%a", pose.translation[i]));
  }
  table_.row(std::move(cells));
}

void PoseFile::write(const Arguments &a) const {
  if (a.has("--poses"))
    table_.write(a.text("--poses", ""));
}

} // namespace bench
