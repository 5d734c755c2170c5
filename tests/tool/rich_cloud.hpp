// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file rich_cloud.hpp
 * A cloud with all that a point can carry, and the fields of one as PCL reads them.
 */
#ifndef FRICP_TEST_RICH_CLOUD_HPP
#define FRICP_TEST_RICH_CLOUD_HPP

#include "child.hpp"
#include "clouds.hpp"

#include <pcl/io/pcd_io.h>
#include <pcl/point_types.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "suite.h"

namespace fricp::test {

constexpr std::size_t rich_points = 200;

/** Everything a point can carry, of all types; one point is not finite; one normal is not. */
struct Rich {
  Rich() : truth(small_motion(4)) {
    const Points points = surface(rich_points);
    write_file(target, rows(moved(points, truth)));
    for (std::size_t k = 0; k < rich_points; ++k) {
      fill(points[k], k);
    }
    write_file(source, header() + body);
  }

  std::string header() const {
    return "VERSION 0.7\nFIELDS time x y z normal_x normal_y normal_z rgb label hist _ intensity b\n"
           "SIZE 8 4 4 4 4 4 4 4 2 4 1 8 1\nTYPE U F F F F F F F I F U F I\nCOUNT 1 1 1 1 1 1 1 1 1 3 2 1 1\n"
           "WIDTH 20\nHEIGHT 10\nVIEWPOINT 539715.25 -2.5 0.125 0.5 0.5 -0.5 0.5\nPOINTS 200\nDATA binary\n";
  }

  void fill(Point point, std::size_t k) {
    const double length = std::hypot(1.0, point[0], point[1]);
    Point normal = {point[0] / length, point[1] / length, 1 / length};
    if (k == 7) {
      point[1] = std::numeric_limits<double>::quiet_NaN();
    }
    if (k == 9) {
      normal[2] = std::numeric_limits<double>::quiet_NaN();
    }
    body += raw(std::uint64_t{1} << 63U | k);
    for (const double number : point) {
      body += raw(static_cast<float>(number));
    }
    for (const double number : normal) {
      body += raw(static_cast<float>(number));
    }
    body += raw(static_cast<std::uint32_t>(k * 65793 % 16777216)); // as float: tiny denormal numbers
    body += raw(static_cast<std::int16_t>(-static_cast<int>(k)));
    for (const float number : {0.5F, -static_cast<float>(k), 1e-42F}) {
      body += raw(number);
    }
    body += "#%" + raw(0.1 * static_cast<double>(k)) + std::string(1, static_cast<char>(k % 100));
  }

  Scratch scratch;
  std::string source = scratch / "source.pcd";
  std::string target = scratch / "target.xyz";
  std::string body;
  fricp_pose truth;
};

struct Loaded {
  pcl::PCLPointCloud2 cloud;
  Eigen::Vector4f origin;
  Eigen::Quaternionf orientation;
};

inline Loaded load_pcd(const std::string &path) {
  Loaded loaded;
  int version = 0;
  ck_assert_int_eq(pcl::PCDReader().read(path, loaded.cloud, loaded.origin, loaded.orientation, version), 0);
  return loaded;
}

inline const pcl::PCLPointField &field_of(const pcl::PCLPointCloud2 &cloud, const std::string &name) {
  for (const pcl::PCLPointField &field : cloud.fields) {
    if (field.name == name) {
      return field;
    }
  }
  ck_abort_msg("no field %s", name.c_str());
}

template <typename T> T value_of(const pcl::PCLPointCloud2 &cloud, const std::string &name, std::size_t k) {
  const pcl::PCLPointField &field = field_of(cloud, name);
  ck_assert_int_eq(field.datatype, static_cast<int>(pcl::traits::asEnum_v<T>));
  T value;
  std::memcpy(&value, cloud.data.data() + k * cloud.point_step + field.offset, sizeof value);
  return value;
}

template <typename T>
Point triple_of(const pcl::PCLPointCloud2 &cloud, const char *x, const char *y, const char *z, std::size_t k) {
  return {static_cast<double>(value_of<T>(cloud, x, k)), static_cast<double>(value_of<T>(cloud, y, k)),
          static_cast<double>(value_of<T>(cloud, z, k))};
}

inline bool same_bits(const Point &a, const Point &b) {
  return std::memcmp(a.data(), b.data(), sizeof a) == 0;
}

inline double distance(const Point &a, const Point &b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

inline bool finite(const Point &p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

} // namespace fricp::test

#endif
