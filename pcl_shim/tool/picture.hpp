// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file picture.hpp
 * Clouds to look at: what --compare writes for pcl_viewer and what fricp-view shows, in the same colours.
 */
#ifndef FRICP_TOOL_PICTURE_HPP
#define FRICP_TOOL_PICTURE_HPP

#include "cloud_io.hpp"
#include "points.hpp"

#include "fricp/fricp.h"

#include <string>

namespace fricp::tool {

using Colour = Eigen::Vector3d; /**< red, green, blue, 0 to 255 */

inline const Colour source_colour(255, 160, 40); /**< where it starts */
inline const Colour target_colour(170, 170, 170);

/** Colours of distances to the target, on a logarithmic scale from a tenth of the target's spacing to a hundred. */
struct DistanceScale {
  double spacing; /**< of the target's points, in the clouds' unit */

  static constexpr double decades = 3;
  /** @param level  0, dark blue, over cyan, green and yellow to 1, red. @return the distance there. */
  double at(double level) const;
  static Colour colour_at(double level);
  Colour colour_of(double distance) const;
};

/** x y z rgb for pcl_viewer: float, so relative to a centre. */
class Picture {
public:
  explicit Picture(const Point &centre);

  void add(const Point &point, const Colour &colour);
  /** @return the cloud, complete: add() nothing after it. */
  const Cloud &finish();
  void write(const std::string &path);

private:
  Point centre_;
  Cloud cloud_;
};

/** Floats keep seven digits: four of them should be left for the shape. @return the origin, or the centroid far from it. */
Point centre_for(const Bounds &bounds);

/** All points in one colour. */
Picture plain_picture(const Cloud &cloud, const Motion &pose, const Colour &colour, const Point &centre);

/** How near a moved source comes to the target. */
struct Nearness {
  double within = 0; /**< share of its points within the target's spacing */
  double median = 0; /**< distance to the target */
};

/** The moved source, each point coloured by its distance to the target. */
Picture distance_picture(const Cloud &source, const Motion &pose, const fricp_target *target, const Point &centre,
                         Nearness &nearness);

/** @return a path as a shell takes it. */
std::string for_shell(const std::string &path);

} // namespace fricp::tool

#endif
