// SPDX-License-Identifier: BSD-3-Clause
#include "clouds.hpp"

#include "prng.h"
#include "verify.h"

#include <cmath>
#include <cstdio>

#include <check.h> // last: its macros have common names

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

Points times(const Points &points, double factor) {
  Points result = points;
  for (Point &point : result) {
    for (double &number : point) {
      number *= factor;
    }
  }
  return result;
}

Points moved(const Points &points, const fricp_pose &pose) {
  Points result = points;
  for (Point &point : result) {
    verify_apply(&pose, point.data(), point.data());
  }
  return result;
}

fricp_pose small_motion(double degrees) {
  const double axis[3] = {0.36, -0.48, 0.8};
  const double shift[3] = {0.03, -0.02, 0.01};
  return verify_pose(axis, degrees, shift);
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

std::string framed_rows(const Points &points, const std::string &before, const std::string &after) {
  std::string text;
  for (const Point &point : points) {
    std::string row = rows({point});
    row.pop_back();
    text += before + row + after + "\n";
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

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  ck_assert_msg(at != std::string::npos, "no %s to replace", from.c_str());
  return text.replace(at, from.size(), to);
}

} // namespace fricp::test
