// SPDX-License-Identifier: BSD-3-Clause
#include <nanoflann.hpp>

#include "search_engines.hpp"
#include "versions.hpp"

namespace bench {

std::string nanoflann_version() {
  return format("%d.%d.%d", NANOFLANN_VERSION / 0x100, NANOFLANN_VERSION / 0x10 % 0x10, NANOFLANN_VERSION % 0x10);
}

namespace {

template <typename Scalar> struct Points {
  std::vector<Scalar> xyz;
  size_t kdtree_get_point_count() const {
    return xyz.size() / 3;
  }
  Scalar kdtree_get_pt(size_t i, size_t axis) const {
    return xyz[3 * i + axis];
  }
  template <class Box> bool kdtree_get_bbox(Box &) const {
    return false;
  }
};

template <typename Scalar> class NanoflannEngine : public Engine {
public:
  std::string name() const override {
    return sizeof(Scalar) == sizeof(float) ? "nanoflann (float)" : "nanoflann (double)";
  }
  double build(const Cloud &target) override {
    tree_.reset();
    points_.xyz.assign(target.points.begin(), target.points.end());
    const Stopwatch watch;
    tree_ = std::make_unique<Tree>(3, points_); // its own default, ten points a leaf; builds at once
    return watch.seconds();
  }
  double bytes() const override {
    return static_cast<double>(tree_->usedMemory(*tree_) + points_.xyz.size() * sizeof(Scalar));
  }
  void take(const std::vector<double> &queries) override {
    queries_.assign(queries.begin(), queries.end());
  }
  void search(std::vector<int32_t> &neighbour) override {
    for (size_t i = 0; i < neighbour.size(); ++i) {
      uint32_t found = 0;
      Scalar distance = 0;
      tree_->knnSearch(&queries_[3 * i], 1, &found, &distance);
      neighbour[i] = static_cast<int32_t>(found);
    }
  }
  bool single_precision() const override {
    return sizeof(Scalar) == sizeof(float);
  }

private:
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<Scalar, Points<Scalar>>, Points<Scalar>,
                                                   3, uint32_t>;
  Points<Scalar> points_;
  std::unique_ptr<Tree> tree_;
  std::vector<Scalar> queries_;
};

} // namespace

std::unique_ptr<Engine> make_nanoflann_engine(bool single_precision) {
  if (single_precision)
    return std::make_unique<NanoflannEngine<float>>();
  return std::make_unique<NanoflannEngine<double>>();
}

} // namespace bench
