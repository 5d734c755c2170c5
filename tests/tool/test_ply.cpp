// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every dialect and every trap of PLY: the right cloud, or an error that names file and fault. Never half.
 */
#include "clouds.hpp"
#include "expect.hpp"

#include <cstdint>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

const char *const float_properties = "property float x\nproperty float y\nproperty float z\n";

START_TEST(ply_in_all_forms) {
  const Points points = surface();
  const std::size_t n = points.size();
  expect_points(ply(points), points, "plain.ply");
  expect_points(ply(points), points, "named.pcd");
  std::string crlf = ply(points);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2) {
    crlf.insert(at, "\r");
  }
  expect_points(crlf, points, "crlf.ply");
  expect_points(
      replaced(ply(points), "element vertex", "comment element vertex 99\nobj_info num_cols 8\nelement vertex"), points,
      "comments.ply");
  expect_points(
      ply_header(n, "ascii", "property uint8 flag\nproperty float32 x\nproperty double y\nproperty float64 z\n") +
          framed_rows(points, "255 ", ""),
      points, "types.ply");
  const std::string lists = std::string(float_properties) + "property list uint double d\n";
  expect_points(ply_header(n, "ascii", lists.c_str()) + framed_rows(points, "", " 2 0.5 1"), points, "vertex_list.ply");
  const std::string faces = "element face 2\nproperty list uchar int vertex_indices\n";
  expect_points(replaced(ply(points), "end_header\n", faces + "end_header\n") + "3 0 1 2\n4 0 1 2 3\n", points,
                "faces_after.ply");
  expect_points("ply\nformat ascii 1.0\n" + faces + "element vertex 200\n" + float_properties +
                    "end_header\n3 0 1 2\n4 0 1 2 3\n" + rows(points),
                points, "faces_before.ply");
  expect_points(
      replaced(ply(points), "end_header\n", "element camera 1\nproperty float a\nproperty float b\nend_header\n") +
          "5 6\n",
      points, "camera_after.ply");
  expect_points(ply_header(n) + rows(points, "\n"), points, "one_number_a_line.ply");
  expect_points(ply_header(n) + rows(points, " ", " "), points, "all_in_one_line.ply");
}
END_TEST

START_TEST(binary_ply) {
  const Points points = surface();
  const std::size_t n = points.size();
  const char *const doubles = "property double x\nproperty double y\nproperty double z\n";
  const char *const shorts = "property short x\nproperty short y\nproperty short z\n";
  expect_points(ply_header(n, "binary_little_endian") + binary<float>(points), points, "little.ply");
  expect_points(ply_header(n, "binary_big_endian") + binary<float>(points, true), points, "big.ply");
  expect_points(ply_header(n, "binary_little_endian", doubles) + binary<double>(points), points, "double.ply");
  expect_points(ply_header(n, "binary_big_endian", doubles) + binary<double>(points, true), points, "big_double.ply");
  const Points whole = times(points, 4096);
  expect_points(ply_header(n, "binary_little_endian", shorts) + binary<std::int16_t>(whole), whole, "short.ply");
  std::string mixed;
  for (const Point &point : points) {
    mixed += raw(static_cast<float>(point[0])) + raw(std::uint8_t{2}) + raw(std::int32_t{7}) + raw(std::int32_t{8}) +
             raw(point[1]) + raw(static_cast<float>(point[2]));
  }
  expect_points(ply_header(n, "binary_little_endian",
                           "property float x\nproperty list uchar int l\nproperty double y\nproperty float z\n") +
                    mixed,
                points, "list_between.ply");
  expect_points("ply\nformat binary_little_endian 1.0\nelement face 2\nproperty list uchar int vertex_indices\n"
                "element vertex 200\n" +
                    std::string(float_properties) + "end_header\n" + raw(std::uint8_t{1}) + raw(std::int32_t{7}) +
                    raw(std::uint8_t{0}) + binary<float>(points),
                points, "faces_before.ply");
}
END_TEST

START_TEST(ply_with_faults) {
  const Points points = surface();
  const std::string good = ply(points);
  const std::string header = ply_header(points.size());
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
  expect_refusal(replaced(good, "property float z\n", ""), "no property z");
  expect_refusal(replaced(good, "property float z", "property list uchar float z"), "no property z");
  expect_refusal(replaced(good, "property float z", "property float y"), "more than one property y");
  expect_refusal(replaced(good, "property float z", "property real z"), ":6: property \"z\" has an unknown type");
  expect_refusal(replaced(good, "property float z", "property list float float z"), ":6: property \"z\"");
  expect_refusal(replaced(good, "property float z", "property float"), ":6: a property line needs");
  expect_refusal(replaced(good, "element vertex 200", "element vertex many"), ":3: an element line needs");
  expect_refusal(replaced(good, "element vertex 200", "element point 200"), "no element vertex");
  expect_refusal(replaced(good, "format ascii 1.0", "format utf8 1.0"), ":2: the format must be");
  expect_refusal(replaced(good, "format ascii 1.0\n", ""), "no format line");
  expect_refusal(replaced(good, "end_header\n", ""), "in the PLY header");
  expect_refusal(header.substr(0, header.find("end_header")), "no end_header line");
  expect_refusal(replaced(good, "element vertex 200", "element vertex 99999999999"), "truncated");
  expect_refusal(replaced(good, "end_header\n", "element face 999999999999\nproperty int a\nend_header\n"),
                 "truncated");
  expect_refusal(replaced(good, "end_header\n", "element face 99999999999999\nend_header\n"), "no properties");
  expect_refusal(header + rows(surface(199)), "the data end after 199 of 200 (vertex)");
  expect_refusal(header + rows(surface(199)) + "1 2\n", ":207: the row ends before \"z\"");
  expect_refusal(header + "1 2\n" + rows(surface(199)), ":8: the row ends before \"z\"");
  expect_refusal(header + "1 0,5 3\n" + rows(surface(199)), ":8: bad number \"0,5\" for \"y\"");
  expect_refusal(good + "1 2 3\n", ":208: data beyond what the header announces");
  // The row that lost its z must not take the face's count for it.
  expect_refusal(replaced(header, "end_header\n", face + "end_header\n") + rows(surface(199)) + "1 2\n3 0 1 2\n",
                 ":209: the row ends before \"z\"");
  const std::string list = std::string(float_properties) + "property list char float w\n";
  expect_refusal(ply_header(200, "ascii", list.c_str()) + framed_rows(points, "", " -1"),
                 ":9: negative length of list property \"w\"");
  expect_refusal(ply_header(200, "ascii", list.c_str()) + framed_rows(points, "", " 3 1 2"),
                 ":9: the row ends before \"w\"");
  const std::string body = binary<float>(points);
  expect_refusal(ply_header(200, "binary_little_endian") + body.substr(0, body.size() - 1), "truncated");
  expect_refusal(ply_header(1, "binary_little_endian", list.c_str()) + body.substr(0, 12) + "\x7f" + body.substr(0, 8),
                 "truncated before \"w\"");
}
END_TEST

/** A list has no place in a record, also if it is called as the numbers of a camera are. */
START_TEST(ply_lists_with_names_that_mean_something) {
  const Points points = surface();
  const std::string camera = "element camera 1\nproperty list uchar int viewportx\nproperty list uchar int viewporty\n"
                             "property list uchar float view_px\n";
  expect_points(replaced(ply(points), "end_header\n", camera + "end_header\n") + "1 20 1 10 1 3\n", points,
                "camera.ply");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("ply", {ply_in_all_forms, binary_ply, ply_with_faults, ply_lists_with_names_that_mean_something});
}
