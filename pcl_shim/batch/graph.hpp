// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file graph.hpp
 * A pose graph in the text form of g2o: VERTEX_SE3:QUAT and EDGE_SE3:QUAT, or VERTEX_SE2 and EDGE_SE2 if all is planar.
 */
#ifndef FRICP_BATCH_GRAPH_HPP
#define FRICP_BATCH_GRAPH_HPP

#include "file_bytes.hpp"
#include "points.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fricp::batch {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/**
 * The information of an edge of g2o from that of fricp_result, about its centre in the target's frame: true = measured *
 * D, with the error (shift of D, vector part of D's quaternion), which is half of its rotation vector.
 */
Matrix6 edge_information(const tool::Motion &pose, const Matrix6 &information, const tool::Point &center);

class Graph {
public:
  /** @param table  to whose folder the paths are relative. */
  explicit Graph(std::string table) : table_(std::move(table)) {
  }

  /** Files as the table names them. @param pose  target_from_source. */
  void add(const std::string &target, const std::string &source, const tool::Motion &pose, const Matrix6 &information,
           int dimension);
  std::size_t edges() const {
    return edges_.size();
  }
  /** Vertices get the poses that the first edges to reach them give, from the first vertex of each part. */
  void write(tool::OutputFile &graph, tool::OutputFile &vertices) const;

private:
  struct Edge {
    std::size_t target;
    std::size_t source;
    tool::Motion pose;
    Matrix6 information;
  };
  std::size_t vertex_of(const std::string &file);
  std::vector<tool::Motion> place(std::vector<std::size_t> &part) const;

  std::string table_;
  std::unordered_map<std::string, std::size_t> numbers_;    /**< by each name */
  std::unordered_map<std::string, std::size_t> identities_; /**< by the one path behind all names of a file */
  std::vector<std::string> files_;                          /**< by the first name */
  std::vector<Edge> edges_;
  bool planar_ = true;
};

} // namespace fricp::batch

#endif
