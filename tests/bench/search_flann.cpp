// SPDX-License-Identifier: BSD-3-Clause
// FLANN by its C binding: the exact single tree, in float, as PCL uses it; all queries in one call, one core.
#include <flann/config.h>
#include <flann/flann.h>

#include "search_engines.hpp"
#include "versions.hpp"

namespace bench {

std::string flann_version() {
  return FLANN_VERSION_;
}

namespace {

class FlannEngine : public Engine {
public:
  FlannEngine() : parameters_(DEFAULT_FLANN_PARAMETERS) {
    parameters_.algorithm = FLANN_INDEX_KDTREE_SINGLE;
    parameters_.leaf_max_size = 15; // PCL's
    parameters_.checks = FLANN_CHECKS_UNLIMITED;
    parameters_.eps = 0.0F;
    parameters_.sorted = 1;
    parameters_.cores = 1;
    parameters_.log_level = FLANN_LOG_NONE;
  }
  ~FlannEngine() override {
    release();
  }
  std::string name() const override {
    return "FLANN (float)";
  }
  double build(const Cloud &target) override {
    release();
    points_.assign(target.points.begin(), target.points.end());
    float speedup = 0.0F;
    const Stopwatch watch;
    index_ = flann_build_index_float(points_.data(), static_cast<int>(target.size()), 3, &speedup, &parameters_);
    const double seconds = watch.seconds();
    if (!index_)
      throw std::runtime_error("FLANN: cannot be built");
    return seconds;
  }
  double bytes() const override {
    return flann_used_memory_float(index_) + static_cast<double>(points_.size() * sizeof(float));
  }
  void take(const std::vector<double> &queries) override {
    queries_.assign(queries.begin(), queries.end());
    distances_.resize(queries.size() / 3);
  }
  void search(std::vector<int32_t> &neighbour) override {
    if (flann_find_nearest_neighbors_index_float(index_, queries_.data(), static_cast<int>(neighbour.size()),
                                                 neighbour.data(), distances_.data(), 1, &parameters_) != 0)
      throw std::runtime_error("FLANN: the search failed");
  }
  bool single_precision() const override {
    return true;
  }

private:
  void release() {
    if (index_)
      flann_free_index_float(index_, &parameters_);
    index_ = nullptr;
  }
  FLANNParameters parameters_;
  flann_index_t index_ = nullptr;
  std::vector<float> points_, queries_, distances_;
};

} // namespace

std::unique_ptr<Engine> make_flann_engine() {
  return std::make_unique<FlannEngine>();
}

} // namespace bench
