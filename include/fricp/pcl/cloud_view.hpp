// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file cloud_view.hpp
 * PCL clouds as the core's borrowed views: pointer and stride, no copy. Internal to the shim.
 */
#ifndef FRICP_PCL_CLOUD_VIEW_HPP
#define FRICP_PCL_CLOUD_VIEW_HPP

#include "fricp/fricp.h"

#include <pcl/pcl_base.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace fricp {
namespace detail {

template <class PointT, class First, class Second, class Third> struct FloatTriple {
  template <class Field> using Type = typename pcl::traits::datatype<PointT, Field>::type;
  static constexpr bool value =
      std::is_same<Type<First>, float>::value && std::is_same<Type<Second>, float>::value &&
      std::is_same<Type<Third>, float>::value &&
      pcl::traits::offset<PointT, Second>::value == pcl::traits::offset<PointT, First>::value + sizeof(float) &&
      pcl::traits::offset<PointT, Third>::value == pcl::traits::offset<PointT, First>::value + 2 * sizeof(float);
};

/** Where a registered point type keeps its coordinates and normal. */
template <class PointT, bool HasNormal = pcl::traits::has_normal<PointT>::value> struct PointLayout {
  static_assert(FloatTriple<PointT, pcl::fields::x, pcl::fields::y, pcl::fields::z>::value,
                "fricp: x, y and z of a point type must be floats that follow each other, as in PCL's own types");
  static constexpr bool has_normal = false;
  static float *xyz(PointT *point) {
    return point ? &point->x : nullptr;
  }
  static const float *xyz(const PointT *point) {
    return point ? &point->x : nullptr;
  }
  static float *normal(PointT *) {
    return nullptr;
  }
  static const float *normal(const PointT *) {
    return nullptr;
  }
};

template <class PointT> struct PointLayout<PointT, true> : PointLayout<PointT, false> {
  static_assert(FloatTriple<PointT, pcl::fields::normal_x, pcl::fields::normal_y, pcl::fields::normal_z>::value,
                "fricp: normal_x, normal_y and normal_z of a point type must be floats that follow each other");
  static constexpr bool has_normal = true;
  static float *normal(PointT *point) {
    return point ? &point->normal_x : nullptr;
  }
  static const float *normal(const PointT *point) {
    return point ? &point->normal_x : nullptr;
  }
};

/** A view of all points of a cloud; an empty cloud gives points == NULL. */
template <class PointT> fricp_cloud viewOf(const pcl::PointCloud<PointT> &cloud) {
  using Layout = PointLayout<PointT>;
  const PointT *first = cloud.empty() ? nullptr : cloud.points.data();
  fricp_cloud view = FRICP_CLOUD_INIT;
  view.points = Layout::xyz(first);
  view.count = cloud.size();
  view.stride = sizeof(PointT);
  view.scalar_type = FRICP_SCALAR_FLOAT;
  view.dimension = 3;
  view.normals = Layout::normal(first);
  view.normal_stride = Layout::has_normal ? sizeof(PointT) : 0;
  return view;
}

/** A cloud's coordinates, whatever its point type. */
struct Coordinates {
  const unsigned char *first;
  std::size_t stride;
  std::size_t count;
  bool doubles;

  static Coordinates of(const fricp_cloud &view) {
    const bool doubles = view.scalar_type == FRICP_SCALAR_DOUBLE;
    const std::size_t packed = 3 * (doubles ? sizeof(double) : sizeof(float));
    return {static_cast<const unsigned char *>(view.points), view.stride ? view.stride : packed, view.count, doubles};
  }
  template <class PointT> static Coordinates of(const pcl::PointCloud<PointT> &cloud) {
    return of(viewOf(cloud));
  }

  std::array<double, 3> at(std::size_t index) const {
    std::array<double, 3> point;
    float xyz[3];
    if (doubles) {
      std::memcpy(point.data(), first + index * stride, sizeof point);
      return point;
    }
    std::memcpy(xyz, first + index * stride, sizeof xyz);
    return {{xyz[0], xyz[1], xyz[2]}};
  }
};

inline bool isFinite(const std::array<double, 3> &point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

inline std::array<double, 3> apply(const fricp_pose &pose, const std::array<double, 3> &point) {
  std::array<double, 3> moved;
  for (std::size_t row = 0; row < 3; row++)
    moved[row] = pose.rotation[row][0] * point[0] + pose.rotation[row][1] * point[1] +
                 pose.rotation[row][2] * point[2] + pose.translation[row];
  return moved;
}

/**
 * to = pose * from, coordinates and normals, everything else of `to` left alone; non-finite points are copied. The
 * clouds have the same size and may be the same cloud.
 */
template <class PointT>
fricp_status moveCloud(const fricp_pose &pose, const pcl::PointCloud<PointT> &from, pcl::PointCloud<PointT> &to) {
  using Layout = PointLayout<PointT>;
  if (from.empty())
    return FRICP_OK;
  const fricp_cloud view = viewOf(from);
  PointT *first = to.points.data();
  return fricp_transform(&pose, &view, Layout::xyz(first), Layout::normal(first));
}

/** Of the points that are in use the finite ones. @param indices  null: all are in use. */
inline pcl::Indices finiteOf(const Coordinates &points, const pcl::IndicesConstPtr &indices) {
  const std::size_t selected = indices ? indices->size() : points.count;
  pcl::Indices finite;
  for (std::size_t i = 0; i < selected; i++) {
    const auto index = indices ? (*indices)[i] : static_cast<pcl::index_t>(i);
    const auto at = static_cast<std::size_t>(index);
    if (at < points.count && isFinite(points.at(at)))
      finite.push_back(index);
  }
  return finite;
}

/** The median of each coordinate of the selected points: none far off moves it. */
inline Eigen::Vector3d middleOf(const Coordinates &points, const pcl::Indices &selected) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  std::vector<double> values(selected.size());
  for (std::size_t axis = 0; axis < 3 && !values.empty(); axis++) {
    for (std::size_t i = 0; i < values.size(); i++)
      values[i] = points.at(static_cast<std::size_t>(selected[i]))[axis];
    const auto median = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), median, values.end());
    middle[static_cast<Eigen::Index>(axis)] = *median;
  }
  return middle;
}

/** The same but for points so far off that sums with them would leave no digits for the rest, such as a sensor's largest
 *  number for "no return": 1e5 times as far from the middle as nine of ten. */
inline pcl::Indices togetherOf(const Coordinates &points, const pcl::IndicesConstPtr &indices) {
  constexpr double farthest = 1e5;
  pcl::Indices together = finiteOf(points, indices);
  if (together.empty())
    return together;
  const Eigen::Vector3d middle = middleOf(points, together);
  const auto distance = [&](pcl::index_t index) {
    return (Eigen::Vector3d(points.at(static_cast<std::size_t>(index)).data()) - middle).stableNorm();
  };
  std::vector<double> distances(together.size());
  std::transform(together.begin(), together.end(), distances.begin(), distance);
  const auto most = distances.begin() + static_cast<std::ptrdiff_t>(9 * distances.size() / 10);
  std::nth_element(distances.begin(), most, distances.end());
  const double limit = *most > 0 ? farthest * *most : std::numeric_limits<double>::infinity();
  const auto is_far = [&](pcl::index_t index) { return distance(index) > limit; };
  together.erase(std::remove_if(together.begin(), together.end(), is_far), together.end());
  return together;
}

} // namespace detail
} // namespace fricp

#endif
