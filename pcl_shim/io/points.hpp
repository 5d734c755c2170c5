// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file points.hpp
 * The points and normals in a cloud of any fields: what the core reads of it, and moving them.
 */
#ifndef FRICP_TOOL_POINTS_HPP
#define FRICP_TOOL_POINTS_HPP

#include "cloud_io.hpp"

#include "fricp/fricp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fricp::tool {

using Point = std::array<double, 3>;

/** Three fields that belong together, of any numeric type each. */
class Triple {
public:
  Triple() = default;
  /** @return the three fields, or nothing unless all are there with one number a point. */
  static std::optional<Triple> find(const pcl::PCLPointCloud2 &cloud, const std::array<const char *, 3> &names);

  Point load(const std::uint8_t *point) const;
  /** Rounds to the fields' types; those must be floating point. */
  void store(std::uint8_t *point, const Point &value) const;

  bool floating() const;
  /** @return the core's type if the three lie one after the other in one floating-point type, aligned; else -1. */
  int scalar_type(std::size_t step) const;

  std::array<std::size_t, 3> offset = {};
  std::array<std::uint8_t, 3> type = {};
};

Triple coordinates_of(const Cloud &cloud);
std::optional<Triple> normals_of(const Cloud &cloud);

bool is_finite(const Point &point);

/** Shape of the finite points. */
struct Bounds {
  Point low = {};
  Point high = {};
  Point centroid = {};
  std::size_t count = 0;

  double extent() const;
};
Bounds bounds_of(const Cloud &cloud);

/**
 * What the core reads: a view into the cloud's own data where the layout allows, else a copy in double. Coordinates
 * lose nothing either way. Throws an Error for an integer coordinate that a double cannot hold.
 */
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
  void copy_points(const Cloud &cloud, const Triple &coordinates);
  void copy_normals(const Cloud &cloud, const Triple &normals);

  fricp_cloud view_ = FRICP_CLOUD_INIT;
  std::vector<double> points_;
  std::vector<double> normals_;
  std::vector<float> float_normals_;
};

Point moved(const fricp_pose &pose, const Point &point);
Point rotated(const fricp_pose &pose, const Point &vector);

/** Integer coordinates become doubles, so that they can be moved. */
void widen_coordinates(Cloud &cloud);

/**
 * Moves the points and turns the normals; all else, points that are not finite included, keeps its bits.
 * @return the largest distance by which a coordinate was rounded to its field's type.
 */
double move(Cloud &cloud, const fricp_pose &pose);

} // namespace fricp::tool

#endif
