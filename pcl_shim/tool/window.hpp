// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file window.hpp
 * The map of an odometry: the last key frames, thinned.
 */
#ifndef FRICP_TOOL_WINDOW_HPP
#define FRICP_TOOL_WINDOW_HPP

#include "options.hpp"
#include "points.hpp"
#include "text.hpp"

#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace fricp::tool {

/** @return whether a status of the core's says that a cloud's points are not such that they can be registered. */
bool is_fault_of_points(fricp_status status);

/** The window of key frames, and the target made of it, in the frame of the latest: near the origin on any journey. */
class Map {
public:
  /** Nothing can be registered to these points. The text does not name their scan. */
  class Unusable : public Error {
  public:
    using Error::Error;
  };

  Map(const Options &options, int dimension);

  const fricp_target *target() const {
    return target_.get();
  }
  const Motion &frame() const {
    return keys_.back().first;
  }

  /** @return whether a scan from this pose shows enough that the map has not. */
  bool lacks(const Motion &pose) const;

  /** Throws an Error, of the points an Unusable. @param name  for messages. */
  void add(const Motion &pose, const Points::Ptr &points, const std::string &name);

private:
  Points::Ptr joined() const;
  void prepare(const std::string &name);

  int dimension_;
  std::size_t window_; /**< key frames at most */
  double voxel_;       /**< edge of a cell; 0 before the first key frame, which may give it */
  fricp_target_options how_;
  double radius_ = 0; /**< of the first key frame */
  std::deque<std::pair<Motion, Points::Ptr>> keys_;
  std::unique_ptr<fricp_target, void (*)(fricp_target *)> target_ = {nullptr, fricp_target_destroy};
};

} // namespace fricp::tool

#endif
