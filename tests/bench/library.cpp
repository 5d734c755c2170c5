// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "bench.hpp"

namespace bench {

int method_by_name(const std::string &name) {
  int32_t method;
  if (fricp_method_from_name(name.c_str(), &method) != FRICP_OK)
    throw UsageError("no method " + name);
  return method;
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (int32_t m = 0; fricp_method_name(m); ++m)
    names.emplace_back(fricp_method_name(m));
  return names;
}

std::vector<double> estimate_normals(const Cloud &cloud, int threads) {
  std::vector<double> normals(cloud.points.size());
  const fricp_cloud view = cloud.view(false);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = threads;
  fricp_error error;
  if (fricp_estimate_normals(&view, &options, nullptr, normals.data(), &error) != FRICP_OK)
    throw std::runtime_error(std::string("normals: ") + error.text);
  return normals;
}

Target::Target(const Cloud &cloud, bool with_normals, fricp_target_options options) {
  const fricp_cloud view = cloud.view(with_normals);
  fricp_error error;
  if (fricp_target_create(&target_, &view, &options, &error) != FRICP_OK)
    throw std::runtime_error(std::string("target: ") + error.text);
}

Target::~Target() {
  fricp_target_destroy(target_);
}

Solver::Solver(const fricp_allocator *allocator) {
  if (fricp_solver_create(&solver_, allocator) != FRICP_OK)
    throw std::runtime_error("the solver cannot be created");
}

Solver::~Solver() {
  fricp_solver_destroy(solver_);
}

fricp_result Solver::align(const Target &target, const Cloud &source, const fricp_pose &start,
                           const fricp_options &options) {
  const fricp_cloud view = source.view(false);
  fricp_result result = FRICP_RESULT_INIT;
  if (fricp_solver_align(solver_, target.get(), &view, &start, &options, &result) != FRICP_OK)
    throw std::runtime_error(fricp_solver_last_error(solver_));
  return result;
}

fricp_target_options target_options(bool estimate, int threads) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = estimate ? 0 : 1;
  options.threads = threads;
  return options;
}

fricp_options solve_options(const std::string &method, int threads) {
  fricp_options options = FRICP_OPTIONS_INIT;
  options.method = method_by_name(method);
  options.threads = threads;
  return options;
}

} // namespace bench
