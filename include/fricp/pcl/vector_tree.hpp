// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file vector_tree.hpp
 * Exact nearest neighbours among vectors of any number of dimensions: what a point representation of the user's makes
 * of a cloud. Internal to the shim.
 *
 * PCL's own tree is FLANN's, which opens a parallel region for every query (of one thread, or of all if OpenMP is set
 * so): many times the work of the query itself, and far more where queries come from several threads.
 */
#ifndef FRICP_PCL_VECTOR_TREE_HPP
#define FRICP_PCL_VECTOR_TREE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace fricp {
namespace detail {

/** Immutable once built; any number of threads may ask it. */
class VectorTree {
public:
  /** Squared distance and index; ordered by both, so that of equal distances the lower index comes first. */
  using Neighbor = std::pair<double, std::int32_t>;

  /** @param values finite numbers, `dimensions` for each entry of `indices`, which is what queries answer. */
  VectorTree(std::size_t dimensions, const std::vector<float> &values, const std::vector<std::int32_t> &indices)
      : dimensions_(dimensions) {
    std::vector<std::size_t> order(indices.size());
    for (std::size_t i = 0; i < order.size(); i++)
      order[i] = i;
    if (!order.empty())
      split(values, order, 0, order.size());
    values_.reserve(values.size());
    indices_.reserve(indices.size());
    for (const std::size_t i : order) { // leaf by leaf, for the cache
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * dimensions);
      values_.insert(values_.end(), first, first + static_cast<std::ptrdiff_t>(dimensions));
      indices_.push_back(indices[i]);
    }
  }

  std::size_t size() const {
    return indices_.size();
  }

  std::size_t dimensions() const {
    return dimensions_;
  }

  /** The k nearest, nearest first; fewer if there are no more. */
  void nearest(const float *query, std::size_t k, std::vector<Neighbor> &found) const {
    found.clear();
    KNearest visitor = {std::min(k, size()), std::numeric_limits<double>::infinity(), found, indices_};
    if (visitor.k > 0)
      ask(query, visitor);
    std::sort_heap(found.begin(), found.end());
  }

  /** All within a squared distance, in no particular order. */
  void within(const float *query, double squared_radius, std::vector<Neighbor> &found) const {
    found.clear();
    Within visitor = {squared_radius, found, indices_};
    ask(query, visitor);
  }

  /** The nearest entry to a vector, and how far the vector may go before another one can be nearer. */
  struct Nearest {
    std::int32_t index = -1; ///< as queries answer it; -1: none
    std::size_t entry = 0;
    double squared = 0;
    double runner_up = 0; ///< distance to the second nearest, not squared
  };

  Nearest nearestOne(const float *query) const {
    const double infinity = std::numeric_limits<double>::infinity();
    Two visitor = {infinity, infinity, 0, false, indices_};
    ask(query, visitor);
    Nearest found;
    if (!visitor.any)
      return found;
    found.index = indices_[visitor.entry];
    found.entry = visitor.entry;
    found.squared = visitor.least;
    found.runner_up = std::sqrt(visitor.limit);
    return found;
  }

  /**
   * The same for a vector that was at `before` when `known` was found: without a search where the triangle inequality
   * tells that the others are still farther.
   */
  Nearest nearestOne(const float *query, const float *before, const Nearest &known) const {
    const double moved2 = squaredDistance(query, before);
    if (known.index < 0 || !(moved2 >= 0))
      return nearestOne(query);
    if (moved2 == 0)
      return known;
    Nearest found = known;
    found.squared = squaredDistance(query, &values_[known.entry * dimensions_]);
    found.runner_up = known.runner_up * (1 - 1e-12) - std::sqrt(moved2) * (1 + 1e-12); // rounding is on the safe side
    return std::sqrt(found.squared) < found.runner_up ? found : nearestOne(query);
  }

private:
  static constexpr std::size_t LEAF = 12;

  struct Node {
    std::size_t first, last; ///< entries
    std::size_t right;       ///< the left child is the next node; 0: a leaf
    std::size_t axis;
    float low, high; ///< where the left child ends and the right one begins
  };

  // What a query collects: `limit` is the squared distance that still counts.
  struct KNearest {
    std::size_t k;
    double limit;
    std::vector<Neighbor> &found; ///< a heap, the farthest first
    const std::vector<std::int32_t> &indices;
    void take(double squared, std::size_t entry) {
      const Neighbor neighbor(squared, indices[entry]);
      if (found.size() == k) {
        if (!(neighbor < found.front()))
          return;
        std::pop_heap(found.begin(), found.end());
        found.pop_back();
      }
      found.push_back(neighbor);
      std::push_heap(found.begin(), found.end());
      if (found.size() == k)
        limit = found.front().first;
    }
  };
  struct Within {
    double limit;
    std::vector<Neighbor> &found;
    const std::vector<std::int32_t> &indices;
    void take(double squared, std::size_t entry) {
      found.emplace_back(squared, indices[entry]);
    }
  };
  struct Two {
    double limit; ///< of the second nearest
    double least;
    std::size_t entry;
    bool any;
    const std::vector<std::int32_t> &indices;
    void take(double squared, std::size_t at) {
      if (!any || squared < least || (squared == least && indices[at] < indices[entry])) {
        limit = any ? least : limit;
        least = squared;
        entry = at;
        any = true;
      } else {
        limit = squared;
      }
    }
  };

  double squaredDistance(const float *a, const float *b) const {
    double squared = 0;
    for (std::size_t d = 0; d < dimensions_; d++) {
      const double difference = static_cast<double>(a[d]) - static_cast<double>(b[d]);
      squared += difference * difference;
    }
    return squared;
  }

  /** The axis along which the entries spread most. @return its spread. */
  float widest(const std::vector<float> &values, const std::vector<std::size_t> &order, std::size_t first,
               std::size_t last, std::size_t &axis) const {
    float most = -1;
    for (std::size_t d = 0; d < dimensions_; d++) {
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (std::size_t i = first; i < last; i++) {
        const float value = values[order[i] * dimensions_ + d];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (high - low > most) {
        most = high - low;
        axis = d;
      }
    }
    return most;
  }

  void split(const std::vector<float> &values, std::vector<std::size_t> &order, std::size_t first, std::size_t last) {
    const std::size_t at = nodes_.size();
    nodes_.push_back({first, last, 0, 0, 0, 0});
    std::size_t axis = 0;
    if (last - first <= LEAF || !(widest(values, order, first, last, axis) > 0))
      return; // also: all entries are the same
    const auto coordinate = [&](std::size_t i) { return values[i * dimensions_ + axis]; };
    const auto less = [&](std::size_t a, std::size_t b) { return coordinate(a) < coordinate(b); };
    const std::size_t middle = first + (last - first) / 2;
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(middle);
    std::nth_element(begin, half, order.begin() + static_cast<std::ptrdiff_t>(last), less);
    nodes_[at].axis = axis;
    nodes_[at].low = coordinate(*std::max_element(begin, half, less));
    nodes_[at].high = coordinate(*half);
    split(values, order, first, middle);
    nodes_[at].right = nodes_.size();
    split(values, order, middle, last);
  }

  template <class Visitor> void ask(const float *query, Visitor &visitor) const {
    if (nodes_.empty())
      return;
    // How far the query lies outside the node on each axis; on the stack for the usual few.
    double few[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::vector<double> many;
    double *outside = few;
    if (dimensions_ > 8) {
      many.assign(dimensions_, 0);
      outside = many.data();
    }
    descend(query, visitor, 0, 0, outside);
  }

  template <class Visitor>
  void descend(const float *query, Visitor &visitor, std::size_t at, double squared, double *outside) const {
    const Node &node = nodes_[at];
    if (node.right == 0) {
      for (std::size_t i = node.first; i < node.last; i++) {
        const double distance = squaredDistance(query, &values_[i * dimensions_]);
        if (distance <= visitor.limit)
          visitor.take(distance, i);
      }
      return;
    }
    const double value = static_cast<double>(query[node.axis]);
    const double to_left = value - static_cast<double>(node.low), to_right = static_cast<double>(node.high) - value;
    const bool left_first = to_left < to_right;
    descend(query, visitor, left_first ? at + 1 : node.right, squared, outside);
    const double gap = std::max(0.0, left_first ? to_right : to_left);
    const double before = outside[node.axis];
    const double farther = std::max(before, gap);
    const double bound = squared - before * before + farther * farther;
    if (bound * (1 - 1e-12) > visitor.limit) // rounding must not cut off a neighbour
      return;
    outside[node.axis] = farther;
    descend(query, visitor, left_first ? node.right : at + 1, bound, outside);
    outside[node.axis] = before;
  }

  std::size_t dimensions_;
  std::vector<float> values_;
  std::vector<std::int32_t> indices_;
  std::vector<Node> nodes_;
};

} // namespace detail
} // namespace fricp

#endif
