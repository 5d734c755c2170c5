// SPDX-License-Identifier: BSD-3-Clause
#include "registrations.hpp"

namespace bench {

Contest::Contest(Pair pair, int threads, bool count_normals)
    : pair_(std::move(pair)), threads_(threads), count_normals_(count_normals) {
  const Stopwatch watch;
  for (Cloud *cloud : {&pair_.source, &pair_.target})
    if (cloud->normals.empty())
      cloud->normals = estimate_normals(*cloud, threads);
  normals_seconds_ = watch.seconds();
  if (!pcl_methods().empty())
    pcl_ = std::make_unique<PclPair>(pair_);
}

Outcome Contest::run(const std::string &method) const {
  Outcome outcome;
  if (method.rfind("pcl-", 0) == 0) {
    const PclRun run = pcl_ ? pcl_->run(method, count_normals_ ? threads_ : 0) : PclRun{};
    outcome.available = run.available;
    outcome.converged = run.converged;
    outcome.iterations = run.iterations;
    outcome.seconds = run.seconds;
    outcome.pose = run.pose;
    return outcome;
  }
  const fricp_options options = solve_options(method, threads_);
  const bool plane = fricp_method_uses_normals(options.method) != 0 && !count_normals_;
  const fricp_cloud source = pair_.source.view(false), target = pair_.target.view(plane);
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error{};
  const Stopwatch watch;
  const fricp_status status = fricp_register(&source, &target, &pair_.start, &options, &result, &error);
  outcome.seconds = watch.seconds();
  outcome.available = true;
  outcome.converged = result.converged != 0;
  outcome.iterations = result.iterations;
  outcome.pose = result.target_from_source;
  if (status != FRICP_OK)
    outcome.trouble = error.text;
  return outcome;
}

std::vector<std::string> contest_methods(const Arguments &a) {
  std::vector<std::string> methods = a.all("--method");
  const std::vector<std::string> peers = pcl_methods();
  if (methods.empty()) {
    methods = all_methods();
    methods.insert(methods.end(), peers.begin(), peers.end());
  }
  for (const std::string &method : methods)
    if (method.rfind("pcl-", 0) != 0)
      method_by_name(method);
  return methods;
}

Contestants::Contestants(const Arguments &a) : centroid_(a.text("--start", "") == "centroid") {
  if (a.has("--start") && !centroid_)
    throw UsageError("--start takes centroid; other starts come from init.txt");
  for (const std::string &folder : a.all("--pair"))
    loaders_.push_back({"--pair", folder});
  if (a.has("--pairs")) {
    suite_ = load_suite(a.text("--pairs", ""), a.text("--only", ""));
    for (const Suite::Row &row : suite_.rows)
      if (!a.has("--case") || row.name == a.text("--case", ""))
        loaders_.push_back({"--case", row.name});
  }
  for (const size_t points : a.counts("--lidar", {}))
    loaders_.push_back({"--lidar", std::to_string(points)});
  for (const size_t points :
       a.counts("--points", loaders_.empty() ? std::vector<size_t>{10000, 100000} : std::vector<size_t>{}))
    loaders_.push_back({"--points", std::to_string(points)});
}

std::vector<std::string> Contestants::arguments(size_t i) const {
  std::vector<std::string> list{loaders_[i].option, loaders_[i].value};
  if (loaders_[i].option == "--case")
    list.insert(list.begin(), {"--pairs", suite_.folder});
  if (centroid_)
    list.insert(list.end(), {"--start", "centroid"});
  return list;
}

Pair Contestants::load(size_t i) const {
  const Loader &loader = loaders_[i];
  if (loader.option == "--pair")
    return load_pair(loader.value, centroid_);
  if (loader.option == "--points")
    return generated_pair(std::stoul(loader.value));
  if (loader.option == "--lidar")
    return lidar_pair(std::stoul(loader.value));
  for (size_t r = 0; r < suite_.rows.size(); ++r)
    if (suite_.rows[r].name == loader.value)
      return load_suite_pair(suite_, r);
  throw std::runtime_error(loader.value + ": no such pair");
}

} // namespace bench
