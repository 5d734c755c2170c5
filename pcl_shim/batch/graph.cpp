// SPDX-License-Identifier: BSD-3-Clause
#include "graph.hpp"

#include "pair_list.hpp"
#include "text.hpp"

#include <cmath>
#include <filesystem>
#include <system_error>

namespace fricp::batch {

namespace {

using tool::Motion;

Eigen::Matrix3d cross(const Eigen::Vector3d &v) {
  Eigen::Matrix3d matrix;
  matrix << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return matrix;
}

std::string text_of(const double *values, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    text += " " + tool::shortest(values[k]);
  }
  return text;
}

std::string pose_text(const Motion &pose, bool planar) {
  if (planar) {
    const double values[] = {pose.translation().x(), pose.translation().y(),
                             std::atan2(pose.matrix()(1, 0), pose.matrix()(0, 0))};
    return text_of(values, 3);
  }
  return text_of(tool::shift_and_quaternion(pose).data(), 7);
}

/** The upper triangle. In the plane the third error is the angle itself, twice the quaternion's part. */
std::string information_text(const Matrix6 &full, bool planar) {
  std::string text;
  if (!planar) {
    for (int row = 0; row < 6; ++row) {
      const Eigen::VectorXd rest = full.row(row).tail(6 - row);
      text += text_of(rest.data(), static_cast<std::size_t>(rest.size()));
    }
    return text;
  }
  const double values[] = {full(0, 0), full(0, 1), full(0, 5) / 2, full(1, 1), full(1, 5) / 2, full(5, 5) / 4};
  return text_of(values, 6);
}

} // namespace

Matrix6 edge_information(const Motion &pose, const Matrix6 &information, const tool::Point &center) {
  const Eigen::Matrix3d turn = pose.linear();
  Matrix6 jacobian = Matrix6::Zero(); // of (a, v) by (shift, half a turn)
  jacobian.topRightCorner<3, 3>() = 2 * turn;
  jacobian.bottomLeftCorner<3, 3>() = turn;
  jacobian.bottomRightCorner<3, 3>() = 2 * cross(pose.translation() - center) * turn;
  const Matrix6 moved = jacobian.transpose() * information * jacobian;
  return (moved + moved.transpose()) / 2;
}

/** A file has many names, of which the first one is told. */
std::size_t Graph::vertex_of(const std::string &file) {
  const auto [name, is_new_name] = numbers_.try_emplace(file, files_.size());
  if (is_new_name) {
    namespace fs = std::filesystem;
    std::error_code fault;
    const fs::path path = fs::weakly_canonical(fs::absolute(beside(table_, file)), fault);
    const auto [place, is_new] = identities_.try_emplace(fault ? file : path.string(), files_.size());
    if (is_new) {
      files_.push_back(fs::path(file).lexically_normal().string());
    }
    name->second = place->second;
  }
  return name->second;
}

void Graph::add(const std::string &target, const std::string &source, const Motion &pose, const Matrix6 &information,
                int dimension) {
  const std::size_t from = vertex_of(target);
  const std::size_t to = vertex_of(source);
  planar_ = planar_ && dimension == 2;
  if (from != to) { // a file lies on itself anyway
    edges_.push_back({from, to, pose, information});
  }
}

std::vector<Motion> Graph::place(std::vector<std::size_t> &part) const {
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<std::vector<std::size_t>> edges_of(files_.size());
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    edges_of[edges_[k].target].push_back(k);
    edges_of[edges_[k].source].push_back(k);
  }
  std::vector<Motion> places(files_.size(), Motion::Identity());
  part.assign(files_.size(), nowhere);
  std::size_t parts = 0;
  for (std::size_t first = 0; first < files_.size(); ++first) {
    if (part[first] != nowhere) {
      continue;
    }
    part[first] = parts;
    std::vector<std::size_t> queue = {first};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t here = queue[head];
      for (const std::size_t k : edges_of[here]) {
        const Edge &edge = edges_[k];
        const std::size_t there = edge.target == here ? edge.source : edge.target;
        if (part[there] == nowhere) {
          part[there] = parts;
          places[there] = places[here] * (edge.target == here ? edge.pose : edge.pose.inverse());
          queue.push_back(there);
        }
      }
    }
    ++parts;
  }
  return places;
}

void Graph::write(tool::OutputFile &graph, tool::OutputFile &vertices) const {
  std::vector<std::size_t> part;
  const std::vector<Motion> places = place(part);
  vertices.write("id\tfile\tpart\n");
  for (std::size_t k = 0; k < files_.size(); ++k) {
    const std::string number = std::to_string(k);
    graph.write((planar_ ? "VERTEX_SE2 " : "VERTEX_SE3:QUAT ") + number + pose_text(places[k], planar_) + "\n");
    vertices.write(number + "\t" + tool::printable(files_[k]) + "\t" + std::to_string(part[k]) + "\n");
  }
  for (const Edge &edge : edges_) {
    graph.write((planar_ ? "EDGE_SE2 " : "EDGE_SE3:QUAT ") + std::to_string(edge.target) + " " +
                std::to_string(edge.source) + pose_text(edge.pose, planar_) +
                information_text(edge.information, planar_) + "\n");
  }
}

} // namespace fricp::batch
