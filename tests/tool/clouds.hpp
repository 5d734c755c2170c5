// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file clouds.hpp
 * Inputs for the tool, written here byte by byte: what the readers make of a file must not depend on the tool's own
 * writers, nor on PCL's.
 */
#ifndef FRICP_TEST_CLOUDS_HPP
#define FRICP_TEST_CLOUDS_HPP

#include "fricp/fricp.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace fricp::test {

using Point = std::array<double, 3>;
using Points = std::vector<Point>;

/**
 * A curved surface without symmetry, sampled at random but the same every time. Coordinates are multiples of 2^-12
 * below 2: exact as text with 12 decimals, as float and as double.
 */
Points surface(std::size_t count = 200);

/** The same points times a number. */
Points times(const Points &points, double factor);

/** The same points moved. */
Points moved(const Points &points, const fricp_pose &pose);

/** The rotation by so many degrees about (0.36, -0.48, 0.8), and a shift of a few hundredths. */
fricp_pose small_motion(double degrees);

/** Rows of x y z, 17 digits. */
std::string rows(const Points &points, const char *separator = " ", const char *line_end = "\n");

/** The same, with something before and after each. */
std::string framed_rows(const Points &points, const std::string &before, const std::string &after);

/** Header and body of a PCD of x y z. */
std::string pcd_header(std::size_t count, const char *fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n",
                       const char *data = "ascii");
std::string pcd(const Points &points);

/** Header and body of a PLY of x y z. @param properties  replaces the three float ones. */
std::string ply_header(std::size_t count, const char *format = "ascii",
                       const char *properties = "property float x\nproperty float y\nproperty float z\n");
std::string ply(const Points &points);

/** The bytes of a number as this machine stores it, or reversed. */
template <typename T> std::string raw(T value, bool reversed = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return reversed ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

/** Three numbers a point. */
template <typename T> std::string binary(const Points &points, bool reversed = false) {
  std::string bytes;
  for (const Point &point : points) {
    for (const double number : point) {
      bytes += raw(static_cast<T>(number), reversed);
    }
  }
  return bytes;
}

/** A text with something in it replaced; fails the test if it is not there. */
std::string replaced(std::string text, const std::string &from, const std::string &to);

} // namespace fricp::test

#endif
