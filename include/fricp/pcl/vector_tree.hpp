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

  /** The k nearest, nearest first; fewer if there are no more. */
  void nearest(const float *query, std::size_t k, std::vector<Neighbor> &found) const {
    Search search = {query, std::min(k, size()), std::numeric_limits<double>::infinity(), found, true};
    ask(search);
    std::sort_heap(found.begin(), found.end());
  }

  /** All within a squared distance, in no particular order. */
  void within(const float *query, double squared_radius, std::vector<Neighbor> &found) const {
    Search search = {query, size(), squared_radius, found, false};
    ask(search);
  }

private:
  static constexpr std::size_t LEAF = 12;

  struct Node {
    std::size_t first, last; ///< entries
    std::size_t right;       ///< the left child is the next node; 0: a leaf
    std::size_t axis;
    float low, high; ///< where the left child ends and the right one begins
  };
  struct Search {
    const float *query;
    std::size_t k;
    double limit; ///< squared distance that still counts
    std::vector<Neighbor> &found;
    bool nearest;
  };

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

  void ask(Search &search) const {
    search.found.clear();
    if (nodes_.empty() || search.k == 0)
      return;
    // How far the query lies outside the node on each axis; on the stack for the usual few.
    double few[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::vector<double> many;
    double *outside = few;
    if (dimensions_ > 8) {
      many.assign(dimensions_, 0);
      outside = many.data();
    }
    descend(search, 0, 0, outside);
  }

  void descend(Search &search, std::size_t at, double squared, double *outside) const {
    const Node &node = nodes_[at];
    if (node.right == 0) {
      scan(search, node);
      return;
    }
    const double value = static_cast<double>(search.query[node.axis]);
    const double to_left = value - static_cast<double>(node.low), to_right = static_cast<double>(node.high) - value;
    const bool left_first = to_left < to_right;
    descend(search, left_first ? at + 1 : node.right, squared, outside);
    const double gap = std::max(0.0, left_first ? to_right : to_left);
    const double before = outside[node.axis];
    const double farther = std::max(before, gap);
    const double bound = squared - before * before + farther * farther;
    if (bound * (1 - 1e-12) > search.limit) // rounding must not cut off a neighbour
      return;
    outside[node.axis] = farther;
    descend(search, left_first ? node.right : at + 1, bound, outside);
    outside[node.axis] = before;
  }

  void scan(Search &search, const Node &node) const {
    for (std::size_t i = node.first; i < node.last; i++) {
      double squared = 0;
      for (std::size_t d = 0; d < dimensions_; d++) {
        const double difference =
            static_cast<double>(search.query[d]) - static_cast<double>(values_[i * dimensions_ + d]);
        squared += difference * difference;
      }
      if (squared <= search.limit)
        take(search, Neighbor(squared, indices_[i]));
    }
  }

  static void take(Search &search, const Neighbor &neighbor) {
    std::vector<Neighbor> &found = search.found;
    if (!search.nearest) {
      found.push_back(neighbor);
      return;
    }
    if (found.size() == search.k) {
      if (!(neighbor < found.front()))
        return;
      std::pop_heap(found.begin(), found.end());
      found.pop_back();
    }
    found.push_back(neighbor);
    std::push_heap(found.begin(), found.end());
    if (found.size() == search.k)
      search.limit = found.front().first;
  }

  std::size_t dimensions_;
  std::vector<float> values_;
  std::vector<std::int32_t> indices_;
  std::vector<Node> nodes_;
};

} // namespace detail
} // namespace fricp

#endif
