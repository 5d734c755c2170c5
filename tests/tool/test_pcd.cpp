// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every dialect and every trap of PCD: the right cloud, or an error that names file and fault. Never half.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "verify.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

START_TEST(pcd_in_all_forms) {
  const Points points = surface();
  const std::size_t n = points.size();
  expect_points(pcd(points), points, "plain.pcd");
  expect_points(pcd(points), points, "named.ply");
  expect_points(pcd(points), points, "named.xyz");
  std::string crlf = pcd(points);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2) {
    crlf.insert(at, "\r");
  }
  expect_points(crlf, points, "crlf.pcd");
  expect_points(replaced(pcd(points), "COUNT 1 1 1\n", ""), points, "no_count.pcd");
  expect_points(replaced(pcd(points), "VIEWPOINT 0 0 0 1 0 0 0\n", ""), points, "no_viewpoint.pcd");
  expect_points(replaced(pcd(points), "# .PCD v0.7 - Point Cloud Data file format\n", "\n# other\n\n"), points,
                "comments.pcd");
  expect_points(replaced(pcd(points), "TYPE F F F", "TYPE\tf  f f "), points, "lower_case.pcd");
  expect_points(replaced(pcd(points), "WIDTH 200\nHEIGHT 1", "WIDTH 20\nHEIGHT 10"), points, "organised.pcd");
  expect_points(pcd_header(n, "FIELDS label x y z d\nSIZE 2 4 4 4 4\nTYPE I F F F F\nCOUNT 1 1 1 1 2\n") +
                    framed_rows(points, "-3 ", " 4 5 "),
                points, "more_fields.pcd");
  expect_points(pcd_header(n, "FIELDS x y z _\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 0\n") + rows(points), points,
                "zero_count_padding.pcd");
  expect_points(pcd_header(n, "FIELDS x y z n\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\n") +
                    framed_rows(points, "", " nan"),
                points, "nan_in_another_field.pcd");
}
END_TEST

START_TEST(pcd_of_every_type) {
  const Points points = surface();
  const Points whole = times(points, 4096);
  const std::size_t n = points.size();
  expect_points(pcd_header(n, "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n") + rows(points), points, "doubles.pcd");
  expect_points(pcd_header(n, "FIELDS x y z\nSIZE 4 4 8\nTYPE F F F\n") + rows(points), points, "mixed.pcd");
  expect_points(pcd_header(n, "FIELDS x y z\nSIZE 2 4 8\nTYPE I I I\n") + rows(whole), whole, "integers.pcd");
  const char *const float_fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n";
  const char *const double_fields = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n";
  const char *const int_fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE I I I\n";
  expect_points(pcd_header(n, float_fields, "binary") + binary<float>(points), points, "float.pcd");
  expect_points(pcd_header(n, double_fields, "binary") + binary<double>(points), points, "double.pcd");
  expect_points(pcd_header(n, int_fields, "binary") + binary<std::int32_t>(whole), whole, "int.pcd");
  expect_points(pcd_header(n, "FIELDS x y z\nSIZE 2 2 2\nTYPE I I I\n", "binary") + binary<std::int16_t>(whole), whole,
                "short.pcd");
  std::string packed;
  for (const Point &point : points) {
    packed += "?" + raw(static_cast<float>(point[0])) + raw(point[1]) + "??" + raw(static_cast<float>(point[2])) + "?";
  }
  expect_points(pcd_header(n, "FIELDS a x y _ z b\nSIZE 1 4 8 1 4 1\nTYPE U F F U F U\nCOUNT 1 1 1 2 1 1\n", "binary") +
                    packed,
                points, "misaligned_and_mixed.pcd");
}
END_TEST

/** Doubles far from the origin: as floats they would be off by centimetres. */
START_TEST(doubles_lose_nothing) {
  Points points = surface();
  for (Point &point : points) {
    point[0] += 539715.25;
    point[1] += 4065760.5;
  }
  expect_points(rows(points), points, "map.xyz");
  expect_points(pcd_header(points.size(), "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n") + rows(points), points, "map.pcd");
  const char *const properties = "property double x\nproperty double y\nproperty double z\n";
  expect_points(ply_header(points.size(), "ascii", properties) + rows(points), points, "map.ply");
}
END_TEST

/** PCL's reader goes on with the header where a binary body begins with these letters. */
START_TEST(pcd_body_that_spells_data) {
  Points points = surface();
  const std::string word = "DATA";
  float first = 0;
  std::memcpy(&first, word.data(), sizeof first);
  points[0][0] = static_cast<double>(first);
  expect_points(pcd_header(points.size(), "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n", "binary") + binary<float>(points),
                points, "data.pcd");
}
END_TEST

START_TEST(pcd_with_faults) {
  const Points points = surface();
  const std::string good = pcd(points);
  const std::string header = pcd_header(points.size());
  expect_refusal(replaced(good, "FIELDS x y z", "FIELDS x y w"), "no field z");
  expect_refusal(replaced(good, "FIELDS x y z", "FIELDS x y y"), "more than one field y");
  expect_refusal(replaced(good, "COUNT 1 1 1", "COUNT 1 1 2"), "field z has 2 numbers");
  expect_refusal(replaced(good, "COUNT 1 1 1", "COUNT 1 1 0"), ":6: field \"z\" has COUNT 0");
  expect_refusal(replaced(good, "COUNT 1 1 1", "COUNT 1 1 -1"), "bad COUNT");
  expect_refusal(replaced(good, "SIZE 4 4 4", "SIZE 4 4 3"), "field \"z\": no type \"F\" of size \"3\"");
  expect_refusal(replaced(good, "TYPE F F F", "TYPE F F Q"), "field \"z\": no type \"Q\"");
  expect_refusal(replaced(good, "SIZE 4 4 4", "SIZE 4 4"), ":4: 2 entries for 3 fields");
  expect_refusal(replaced(good, "SIZE 4 4 4\n", ""), "no SIZE line");
  expect_refusal(replaced(good, "POINTS 200", "POINTS 199"), "POINTS 199, but WIDTH x HEIGHT is 200");
  expect_refusal(replaced(good, "WIDTH 200", "WIDTH 2e2"), "WIDTH needs one whole number");
  expect_refusal(replaced(good, "WIDTH 200", "WIDTH -200"), "WIDTH needs one whole number");
  expect_refusal(replaced(good, "WIDTH 200", "WIDTH 99999999999"), "more than 2147483647 points");
  expect_refusal(replaced(good, "DATA ascii", "DATA octal"), ":11: DATA must be");
  expect_refusal(replaced(good, "DATA ascii\n", ""), "unknown entry");
  expect_refusal(replaced(good, "WIDTH 200", "WIDTH 200\nWIDTH 200"), "a second WIDTH");
  expect_refusal(replaced(good, "VIEWPOINT 0 0 0 1", "VIEWPOINT 0,5 0 0 1"), "bad number \"0,5\" in VIEWPOINT");
  expect_refusal(replaced(good, "VIEWPOINT 0 0 0 1 0", "VIEWPOINT 0 0 0 1"), "VIEWPOINT needs 7 numbers");
  expect_refusal(header.substr(0, 40), "no DATA line", "cut.pcd");
  expect_refusal(header + rows(surface(199)), "the data end after 199 of 200 (point)");
  expect_refusal(good + "1 2 3\n", ":212: data beyond what the header announces");
  expect_refusal(header + "1 2\n" + rows(surface(199)), ":12: the row ends before \"z\"");
  expect_refusal(header + "1 2 3 4\n" + rows(surface(199)), ":12: more numbers than \"point\" has");
  expect_refusal(header + "1 0,5 3\n" + rows(surface(199)), ":12: bad number \"0,5\" for \"y\"");
  expect_refusal(header + "1 1e39 3\n" + rows(surface(199)), ":12: bad number \"1e39\" for \"y\"");
  const std::string huge =
      replaced(replaced(header, "WIDTH 200", "WIDTH 2000000000"), "POINTS 200", "POINTS 2000000000");
  expect_refusal(huge + rows(points), "truncated");
}
END_TEST

START_TEST(binary_pcd_with_faults) {
  const Points points = surface();
  const char *const fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n";
  const std::string body = binary<float>(points);
  const std::string header = pcd_header(points.size(), fields, "binary");
  expect_refusal(header + body.substr(0, body.size() - 1), "truncated");
  expect_refusal(header, "truncated");
  expect_refusal(pcd_header(points.size(), "FIELDS x y z\nSIZE 8 8 8\nTYPE I I I\n", "binary") +
                     std::string(24 * points.size(), '\x7f'),
                 "beyond 2^53");
  const std::string compressed = pcd_header(points.size(), fields, "binary_compressed");
  expect_refusal(compressed + "abc", "truncated");
  const auto size = static_cast<std::uint32_t>(body.size());
  // An LZF literal run of 32 bytes, over and over: a valid stream of the right length, then one damaged in its lengths.
  std::string stream;
  for (std::size_t at = 0; at < body.size(); at += 32) {
    const std::string run = body.substr(at, 32);
    stream += static_cast<char>(run.size() - 1) + run;
  }
  const auto packed = static_cast<std::uint32_t>(stream.size());
  expect_refusal(compressed + raw(packed + 1) + raw(size) + stream, "truncated");
  expect_refusal(compressed + raw(packed) + raw(size - 4) + stream, "damaged");
  std::string broken = stream;
  broken[33] = '\x05';
  expect_refusal(compressed + raw(packed) + raw(size) + broken, "damaged");
  broken = stream;
  broken[0] = '\xff'; // a back reference before the beginning
  expect_refusal(compressed + raw(packed) + raw(size) + broken, "damaged");
}
END_TEST

/** x x x ... y y y ... z z z, as literal LZF runs; padding is left out, as PCL does. */
START_TEST(compressed_pcd) {
  const Points points = surface();
  std::string planes;
  for (std::size_t k = 0; k < 3; ++k) {
    for (const Point &point : points) {
      planes += raw(static_cast<float>(point[k]));
    }
  }
  std::string stream;
  for (std::size_t at = 0; at < planes.size(); at += 32) {
    const std::string run = planes.substr(at, 32);
    stream += static_cast<char>(run.size() - 1) + run;
  }
  const std::string sizes =
      raw(static_cast<std::uint32_t>(stream.size())) + raw(static_cast<std::uint32_t>(planes.size()));
  const char *const plain = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n";
  const char *const padded = "FIELDS x y _ z\nSIZE 4 4 1 4\nTYPE F F U F\nCOUNT 1 1 3 1\n";
  expect_points(pcd_header(points.size(), plain, "binary_compressed") + sizes + stream, points, "compressed.pcd");
  expect_points(pcd_header(points.size(), padded, "binary_compressed") + sizes + stream, points, "padded.pcd");
}
END_TEST

/** Older headers: COLUMNS for FIELDS; without SIZE and TYPE all is float, as PCL has it. */
START_TEST(pcd_with_the_older_key_columns) {
  const Points points = surface();
  const std::string good = pcd(points);
  expect_points(replaced(good, "FIELDS", "COLUMNS"), points, "columns.pcd");
  expect_points(replaced(replaced(good, "FIELDS", "COLUMNS"), "# .PCD v0.7 - Point Cloud Data file format\n", ""),
                points, "columns_without_comment.pcd");
  expect_points(replaced(good, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n", "COLUMNS x y z\n"), points,
                "all_floats.pcd");
  expect_refusal(replaced(good, "FIELDS x y z", "FIELDS x y z\nCOLUMNS x y z"), "a second FIELDS line");
  expect_refusal(replaced(good, "TYPE F F F\n", ""), "no TYPE line");
}
END_TEST

/** A plane of zeros packs 88 times: what is really there is read, whatever its ratio. */
START_TEST(compressed_pcd_that_packs_well) {
  const std::size_t n = 1 << 16; // 768 KiB
  Points points(n);
  std::string stream(2, '\0');
  for (std::size_t left = 12 * n - 1; left > 0;) {
    const std::size_t length = left > 264 + 2 ? 264 : left > 264 ? 132 : left;
    ck_assert_uint_ge(length, 9);
    stream += "\xE0" + std::string(1, static_cast<char>(length - 9)) + std::string(1, '\0');
    left -= length;
  }
  const std::string bytes = pcd_header(n, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n", "binary_compressed") +
                            raw(static_cast<std::uint32_t>(stream.size())) + raw(static_cast<std::uint32_t>(12 * n)) +
                            stream;
  const Scratch scratch;
  write_file(scratch / "zeros.pcd", bytes);
  const Run run = run_tool({scratch / "zeros.pcd", scratch / "zeros.pcd"});
  ck_assert_int_eq(run.status, 1); // all points are one, which the core says
  ck_assert_msg(run.err.find("damaged") == std::string::npos && run.err.find("truncated") == std::string::npos, "%s",
                run.err.c_str());
}
END_TEST

/** More bytes than the header announces: read, but not in silence. */
START_TEST(binary_bodies_that_go_on) {
  const Points points = surface();
  const Scratch scratch;
  write_file(scratch / "long.pcd", pcd_header(points.size(), "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n", "binary") +
                                       binary<float>(points) + "more");
  write_file(scratch / "long.ply", ply_header(points.size(), "binary_little_endian") + binary<float>(points) + "more");
  for (const char *const name : {"long.pcd", "long.ply"}) {
    const Run run = run_tool({"-t", "-", scratch / name, scratch / name});
    ck_assert_int_eq(run.status, 0);
    ck_assert_msg(run.err.find(std::string(name) + ": 4 bytes behind the last point") != std::string::npos, "%s",
                  run.err.c_str());
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("pcd", {pcd_in_all_forms, pcd_of_every_type, doubles_lose_nothing, pcd_body_that_spells_data,
                           pcd_with_faults, binary_pcd_with_faults, compressed_pcd, pcd_with_the_older_key_columns,
                           compressed_pcd_that_packs_well, binary_bodies_that_go_on});
}
