// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file scene.hpp
 * What fricp-view shows, without the window: the two clouds, the poses that the tool's report names, words and keys.
 */
#ifndef FRICP_VIEW_SCENE_HPP
#define FRICP_VIEW_SCENE_HPP

#include "picture.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fricp::view {

/** A pose of the source, and what is said of it. */
struct Stand {
  std::string caption;
  tool::Motion pose;
};

/** What the tool's JSON report says, as far as it is shown. */
struct Report {
  std::string text; /**< all of it */
  std::string method;
  std::string verdict;
  int dimension = 3;
  std::size_t points_source = 0;
  std::size_t points_target = 0;
  std::vector<Stand> steps;      /**< the start, the pose after each pass, the result */
  std::vector<Stand> candidates; /**< of method auto */
};

/** Throws an Error that names the file and what it lacks. */
Report read_report(const std::string &path);

class Scene {
public:
  /** Reads the clouds. Throws an Error, also where they are not those of the report. */
  Scene(Report report, const std::string &source, const std::string &target);

  /**
   * Chooses what is shown: Left or comma, Right or point for the passes, n, p, 1 to 9 for the candidates, r for the result.
   * @param key  a letter, or X's name of it. @return false if it means nothing here.
   */
  bool press(const std::string &key);

  tool::Picture target() const;
  tool::Picture before() const; /**< the source at the start, in one colour */
  tool::Picture after();        /**< the source at the chosen pose, coloured by distance */

  std::string title() const;
  tool::Colour title_colour() const;
  std::string subtitle() const;
  std::string caption() const; /**< of what after() gave last */
  std::string keys() const;
  const Report &report() const {
    return report_;
  }
  tool::DistanceScale scale() const;
  /** Axes of the picture, so that the target is seen at its broadest: right, up, towards the eye. */
  Eigen::Matrix3d axes() const;

private:
  const Stand &chosen() const;

  Report report_;
  tool::Cloud source_;
  tool::Cloud target_;
  tool::Point centre_;
  std::unique_ptr<fricp_target, void (*)(fricp_target *)> prepared_ = {nullptr, fricp_target_destroy};
  bool among_candidates_ = false;
  std::size_t step_ = 0;
  std::size_t candidate_ = 0;
  tool::Nearness nearness_;
};

} // namespace fricp::view

#endif
