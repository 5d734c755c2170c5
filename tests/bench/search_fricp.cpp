// SPDX-License-Identifier: BSD-3-Clause
// Through the public API, and (where the build has the internal library) the back ends by themselves.
#include <cmath>

#include "search_engines.hpp"
#ifdef FRICP_BENCH_INTERNAL
#include "search_internal.h"
#endif

namespace bench {
namespace {

class FricpEngine : public Engine {
public:
  FricpEngine(int search_type, std::string name) : search_type_(search_type), name_(std::move(name)) {
  }
  std::string name() const override {
    return name_;
  }
  double build(const Cloud &target) override {
    fricp_target_options options = target_options(false, 1);
    options.search_type = search_type_;
    target_.reset();
    const Stopwatch watch;
    target_ = std::make_unique<Target>(target, false, options);
    return watch.seconds();
  }
  double bytes() const override {
    fricp_target_info info = FRICP_TARGET_INFO_INIT;
    fricp_target_get_info(target_->get(), &info);
    return static_cast<double>(info.bytes);
  }
  void take(const std::vector<double> &queries) override {
    queries_ = queries;
  }
  void search(std::vector<int32_t> &neighbour) override {
    double distance;
    for (size_t i = 0; i < neighbour.size(); ++i)
      if (fricp_target_nearest(target_->get(), &queries_[3 * i], 1, INFINITY, &neighbour[i], &distance) != 1)
        neighbour[i] = -1;
  }
  bool single_precision() const override {
    return false;
  }

private:
  int search_type_;
  std::string name_;
  std::unique_ptr<Target> target_;
  std::vector<double> queries_;
};

#ifdef FRICP_BENCH_INTERNAL
class InternalEngine : public Engine {
public:
  InternalEngine(int search_type, int kept, std::string name)
      : search_type_(search_type), kept_(kept), name_(std::move(name)) {
  }
  ~InternalEngine() override {
    search_internal_free(state_);
  }
  std::string name() const override {
    return name_;
  }
  double build(const Cloud &target) override {
    search_internal_free(state_);
    const fricp_cloud view = target.view(false);
    double seconds = 0.0;
    state_ = search_internal_build(&view, search_type_, &seconds);
    if (!state_)
      throw std::runtime_error(name_ + ": cannot be built");
    return seconds;
  }
  double bytes() const override {
    return static_cast<double>(search_internal_bytes(state_));
  }
  void take(const std::vector<double> &queries) override {
    queries_.resize(queries.size());
    for (size_t i = 0; i < queries.size(); i += 3)
      search_internal_normalize(state_, &queries[i], &queries_[i]);
  }
  void search(std::vector<int32_t> &neighbour) override {
    search_internal_run(state_, queries_.data(), neighbour.size(), kept_, neighbour.data());
  }
  bool single_precision() const override {
    return false;
  }

private:
  int search_type_, kept_;
  std::string name_;
  search_internal *state_ = nullptr;
  std::vector<double> queries_;
};
#endif

} // namespace

std::unique_ptr<Engine> make_fricp_engine(int search_type, const std::string &name) {
  return std::make_unique<FricpEngine>(search_type, name);
}

std::unique_ptr<Engine> make_internal_engine(int search_type, int kept, const std::string &name) {
#ifdef FRICP_BENCH_INTERNAL
  return std::make_unique<InternalEngine>(search_type, kept, name);
#else
  (void)search_type;
  (void)kept;
  (void)name;
  return nullptr;
#endif
}

} // namespace bench
