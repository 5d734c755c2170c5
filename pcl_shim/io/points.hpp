// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file points.hpp
 * The points and normals in a cloud of any fields: what the core reads of it, and moving them. Poses as text.
 */
#ifndef FRICP_TOOL_POINTS_HPP
#define FRICP_TOOL_POINTS_HPP

#include "cloud_io.hpp"

#include "fricp/fricp.h"

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <Eigen/Geometry>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fricp::tool {

using Point = Eigen::Vector3d;
/** A pose to compute with. It holds what it is given, a rotation or not. */
using Motion = Eigen::Isometry3d;

Motion to_motion(const fricp_pose &pose);
fricp_pose to_pose(const Motion &motion);

/** @return the shift x y z and the unit quaternion x y z w of a rotation, of the two that with w >= 0. */
std::array<double, 7> shift_and_quaternion(const Motion &motion);

/** Four rows of four numbers, 17 significant digits. */
std::string to_text(const fricp_pose &pose);

/** Three floating-point fields that belong together. */
class Triple {
public:
  /** @return the three fields, or nothing unless all are there, float or double, with one number a point. */
  static std::optional<Triple> find(const pcl::PCLPointCloud2 &cloud, const std::array<const char *, 3> &names);

  Point load(const std::uint8_t *point) const;
  /** Rounds to the fields' types. */
  void store(std::uint8_t *point, const Point &value) const;
  /** @return the core's type if the three lie one after the other in one type, aligned; else -1. */
  int scalar_type(std::size_t step) const;

  std::array<std::size_t, 3> offset = {};
  std::array<std::uint8_t, 3> type = {};
};

Triple coordinates_of(const Cloud &cloud);
std::optional<Triple> normals_of(const Cloud &cloud);

/** Calls visit with each finite point. */
template <typename Visit> void for_each_finite(const Cloud &cloud, const Visit &visit) {
  const Triple coordinates = coordinates_of(cloud);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    if (const Point point = coordinates.load(cloud.point(i)); point.allFinite())
      visit(point);
}

using Points = pcl::PointCloud<pcl::PointXYZ>;

/** @return the finite points relative to a centre, since PCL computes in float, without those that float cannot hold; the
 *  sensor goes with them. */
Points::Ptr relative_to(const Cloud &cloud, const Point &centre);

/** Shape of the finite points. */
struct Bounds {
  Eigen::AlignedBox3d box;
  Point centroid = Point::Zero();
  std::size_t count = 0;

  double extent() const {
    return box.sizes().stableNorm();
  }
};
Bounds bounds_of(const Cloud &cloud);

/** @return the median of each coordinate of the finite points: no point far off moves it. */
Point middle_of(const Cloud &cloud);

/** @return whether all is at one z but for rounding. Judged by z alone: a point far off in x says nothing of heights. */
bool is_flat(const Eigen::AlignedBox3d &box);

/** What the core reads: a view into the cloud's own data where the layout allows, else a copy in double. */
class View {
public:
  /** @param cloud  must stay as it is while the view is used. */
  View(const Cloud &cloud, bool with_normals);
  /** Normals from elsewhere: 3 floats a point, NaN for none. */
  void set_normals(std::vector<float> normals);

  const fricp_cloud &get() const {
    return view_;
  }
  void set_dimension(int dimension) {
    view_.dimension = dimension;
  }

private:
  fricp_cloud view_ = FRICP_CLOUD_INIT;
  std::vector<double> points_;
  std::vector<double> normals_;
  std::vector<float> float_normals_;
};

/**
 * Moves the points and turns the normals; all else, points that are not finite included, keeps its bits.
 * @return the largest distance by which a coordinate was rounded to its field's type.
 */
double move(Cloud &cloud, const fricp_pose &pose);

} // namespace fricp::tool

#endif
