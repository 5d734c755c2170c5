// SPDX-License-Identifier: BSD-3-Clause
#include "clouds.hpp"

#include "prng.h"
#include "verify.h"

#include <cmath>
#include <cstdio>

namespace fricp::test {

Points surface(std::size_t count) {
  prng g = prng_seed(7, 1);
  Points points;
  for (std::size_t k = 0; k < count; ++k) {
    const double u = prng_range(&g, -1, 1);
    const double v = prng_range(&g, -1, 1);
    const double w = 0.4 * std::sin(2.1 * u + 0.3) * std::cos(1.7 * v) + 0.2 * u * v + 0.15 * v;
    points.push_back({std::round(u * 4096) / 4096, std::round(v * 4096) / 4096, std::round(w * 4096) / 4096});
  }
  return points;
}

Points moved(const Points &points, const fricp_pose &pose) {
  Points result = points;
  for (Point &point : result) {
    verify_apply(&pose, point.data(), point.data());
  }
  return result;
}

fricp_pose small_motion(double degrees) {
  fricp_pose pose = {};
  const double axis[3] = {0.36, -0.48, 0.8};
  verify_rotation(axis, degrees, pose.rotation);
  pose.translation[0] = 0.03;
  pose.translation[1] = -0.02;
  pose.translation[2] = 0.01;
  return pose;
}

std::string rows(const Points &points, const char *separator, const char *line_end) {
  std::string text;
  for (const Point &point : points) {
    char line[128];
    std::snprintf(line, sizeof line, "%.17g%s%.17g%s%.17g%s", point[0], separator, point[1], separator, point[2],
                  line_end);
    text += line;
  }
  return text;
}

std::string pcd_header(std::size_t count, const char *fields, const char *data) {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n" + std::string(fields) + "WIDTH " +
         std::to_string(count) + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + std::to_string(count) + "\nDATA " +
         data + "\n";
}

std::string pcd(const Points &points) {
  return pcd_header(points.size()) + rows(points);
}

std::string ply_header(std::size_t count, const char *format, const char *properties) {
  return "ply\nformat " + std::string(format) + " 1.0\nelement vertex " + std::to_string(count) + "\n" + properties +
         "end_header\n";
}

std::string ply(const Points &points) {
  return ply_header(points.size()) + rows(points);
}

} // namespace fricp::test
