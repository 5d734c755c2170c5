// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every dialect and every trap of the readers: the right cloud, or an error that names file and fault. Never half.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"

#include "verify.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace {

template <typename T> std::string binary(const Points &points, bool reversed = false) {
  std::string bytes;
  for (const Point &point : points) {
    for (const double number : point) {
      bytes += raw(static_cast<T>(number), reversed);
    }
  }
  return bytes;
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

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  ck_assert_msg(at != std::string::npos, "no %s to replace", from.c_str());
  return text.replace(at, from.size(), to);
}

/** Rows with something before and after each. */
std::string framed_rows(const Points &points, const std::string &before, const std::string &after) {
  std::string text;
  for (const Point &point : points) {
    std::string row = rows({point});
    row.pop_back();
    text += before + row + after + "\n";
  }
  return text;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

START_TEST(rows_in_all_forms) {
  const Points points = surface();
  expect_points(rows(points), points, "plain.xyz");
  expect_points(rows(points, "\t", "\r\n"), points, "tabs_crlf.txt");
  expect_points("# comment\n// another\n\n" + rows(points, "  ", " \n\n"), points, "comments.xyz");
  expect_points(framed_rows(points, "", " 7 8.5 -9"), points, "more_columns.xyz");
  expect_points(framed_rows(points, "  ", ""), points, "no_ending");
  expect_points("\xEF\xBB\xBF" + rows(points), points, "byte_order_mark.xyz");
  expect_points(
      "+1 2.0e+0 30e-1\n" + rows(points).substr(0, rows(points).size() - 1),
      [&] {
        Points more = points;
        more.push_back({1, 2, 3});
        return more;
      }(),
      "plus_signs.xyz");
}
END_TEST

START_TEST(rows_with_faults) {
  const std::string good = rows(surface(5));
  expect_refusal("0,5 1 2\n" + good, ":1: bad number \"0,5\"");
  expect_refusal("0,5;1,5;2,5\n" + good, ":1: bad number \"0,5\"");
  expect_refusal(good + "1 2\n", ":6: 2 numbers");
  expect_refusal(good + "1 2 3 4\n", ":6: 4 numbers");
  expect_refusal("1\n2\n", ":1: 1 numbers");
  expect_refusal("1 2 0x10\n" + good, ":1: bad number");
  expect_refusal("1 2 3.5.1\n" + good, ":1: bad number");
  expect_refusal("1 2 1e999\n" + good, ":1: bad number");
  expect_refusal("", "empty");
  expect_refusal("\n\n# nothing\n", "empty");
  expect_refusal("solid cube\nfacet normal 0 0 1\n", "not PCD or PLY");
  expect_refusal(std::string("\x00\x01\x02\xff", 4), "not PCD or PLY");
}
END_TEST

/** Exports of spreadsheets and of programs for points: separators, quotes, headers that name columns in any order. */
START_TEST(rows_with_separators_and_header_lines) {
  const Points points = surface();
  expect_points(rows(points, ","), points, "commas.csv");
  expect_points(rows(points, ", ", ",\r\n"), points, "comma_at_the_end.csv");
  expect_points(rows(points, ";"), points, "semicolons.csv");
  expect_points("x,y,z\n" + rows(points, ","), points, "header.csv");
  expect_points("\xEF\xBB\xBF\"X\";\"Y\";\"Z\"\r\n" + rows(points, ";", "\r\n"), points, "quoted_header.csv");
  expect_points("//X Y Z\n" + rows(points), points, "comment_header.asc");
  expect_points("# made on x y z\n# x y z\n" + rows(points, "\t"), points, "last_comment.txt");
  expect_points("# x y\n" + rows(points), points, "comment_about_something_else.txt");
  expect_points("x y z\n" + rows(points), points, "blanks.xyz");
  expect_points(
      "id;y;x;Z [m];Nx;Ny;Nz\n" +
          [&] {
            std::string text;
            for (const Point &p : points) {
              text += "7;" + rows({{p[1], p[0], p[2]}}, ";", "") + ";0;0;1\n";
            }
            return text;
          }(),
      points, "any_order.csv");
  expect_refusal("a,b,c\n" + rows(points, ","), ":1: bad number \"a\" for \"x\" (not PCD or PLY");
  expect_refusal("x,y,z\n1,2\n", ":2: 2 numbers, but a row needs 3");
  expect_refusal("x,y,x,z\n1,2,3,4\n", "more than one column x");
  expect_refusal("x,y,z\n1,,3\n", ":2: bad number \"\"");
}
END_TEST

/** A text of two columns is a plane: both clouds in 2-D, never mixed with heights. */
START_TEST(rows_of_two_columns_are_planar) {
  const Scratch scratch;
  const fricp_pose truth = pose_from({0.96, -0.28, 0, 0.1, 0.28, 0.96, 0, -0.2, 0, 0, 1, 0}); // 16.3 degrees about z
  Points plane = surface();
  for (Point &point : plane) {
    point[2] = 0;
  }
  const auto two = [](const Points &points) {
    std::string text;
    for (const Point &p : points) {
      const std::string row = rows({p}, ",", "");
      text += row.substr(0, row.rfind(',')) + "\n";
    }
    return text;
  };
  write_file(scratch / "s.csv", two(plane));
  write_file(scratch / "t.csv", "X,Y\n" + two(moved(plane, truth)));
  write_file(scratch / "t3.xyz", rows(moved(plane, truth)));
  write_file(scratch / "heights.xyz", rows(surface()));
  for (const char *const target : {"t.csv", "t3.xyz"}) { // the second holds z = 0 throughout
    const Run run = run_tool({"-q", "-r", "-", scratch / "s.csv", scratch / target});
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    std::map<std::string, std::string> report;
    ck_assert(parse_json(run.out, &report));
    expect_text(report["dimension"], "2");
    const fricp_pose pose = pose_of({scratch / "s.csv", scratch / target});
    ck_assert_double_lt(verify_max_difference(&pose, &truth), 1e-6);
  }
  const Words mixed[] = {{scratch / "s.csv", scratch / "heights.xyz"}, {scratch / "heights.xyz", scratch / "s.csv"}};
  for (const Words &words : mixed) {
    const Run run = run_tool(words);
    ck_assert_int_eq(run.status, 1);
    ck_assert_msg(run.err.find("s.csv: has rows of x y, so it is registered in 2-D") != std::string::npos, "%s",
                  run.err.c_str());
  }
}
END_TEST

/** Too large is a fault, never an infinity that is left out in silence; too small is zero; what is no number is told.
 */
START_TEST(numbers_at_the_edges) {
  const std::string good = rows(surface(5));
  const std::string zeros(400, '0');
  for (const std::string &number :
       Words{"1e309", "-1e309", "1" + zeros, "1" + zeros + "e-1", "1e99999999999999999999"}) {
    expect_refusal("1 2 " + number + "\n" + good, ":1: bad number");
  }
  Points points = surface(5);
  points.push_back({0, 0, 0});
  for (const std::string &number :
       Words{"1e-400", "0." + zeros + "1", "0." + zeros + "1e9", "-0", "+0.0", "-1e-99999999999999999999"}) {
    expect_points(good + "0 0 " + number + "\n", points, "tiny.xyz");
  }
  points.back() = {0, 0, 1};
  expect_points(good + "0 0 1" + zeros + "e-400\n", points, "long.xyz");
  for (const char *const spelling : {"nan", "NaN", "-nan", "nan(0x1)", "inf", "-Inf", "INFINITY"}) {
    const Scratch scratch;
    write_file(scratch / "s.xyz", good + "1 2 " + spelling + "\n");
    write_file(scratch / "t.xyz", good);
    const Run run = run_tool({"-q", "-r", "-", scratch / "s.xyz", scratch / "t.xyz"});
    std::map<std::string, std::string> report;
    ck_assert_msg(parse_json(run.out, &report), "%s: %s", spelling, run.err.c_str());
    expect_text(report["skipped_source"], "1");
  }
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

/** A list has no place in a record, also if it is called as the numbers of a camera are. */
START_TEST(ply_lists_with_names_that_mean_something) {
  const Points points = surface();
  const std::string camera = "element camera 1\nproperty list uchar int viewportx\nproperty list uchar int viewporty\n"
                             "property list uchar float view_px\n";
  expect_points(replaced(ply(points), "end_header\n", camera + "end_header\n") + "1 20 1 10 1 3\n", points,
                "camera.ply");
}
END_TEST

/* ---- PCD -------------------------------------------------------------------------------------------------------- */

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

/* ---- PLY -------------------------------------------------------------------------------------------------------- */

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

/* ---- Files ------------------------------------------------------------------------------------------------------ */

START_TEST(files_that_cannot_be_read) {
  const Scratch scratch;
  write_file(scratch / "good.xyz", rows(surface()));
  Run run = run_tool({scratch / "absent.pcd", scratch / "good.xyz"});
  ck_assert_int_eq(run.status, 1);
  ck_assert_ptr_nonnull(strstr(run.err.c_str(), "absent.pcd: cannot be opened: No such file"));
  run = run_tool({scratch / "good.xyz", scratch.path()});
  ck_assert_int_eq(run.status, 1);
  ck_assert_ptr_nonnull(strstr(run.err.c_str(), "is a directory"));
}
END_TEST

/** A pipe has no size and cannot be mapped. */
START_TEST(clouds_through_a_pipe) {
  const Scratch scratch;
  const Points points = surface(20000); // more than a pipe holds at a time
  write_file(scratch / "cloud.pcd", pcd(points));
  const std::string tool = tool_path();
  const Run run = run_program(
      {"sh", "-c",
       "cat '" + (scratch / "cloud.pcd") + "' | '" + tool + "' -q -t - /dev/stdin '" + (scratch / "cloud.pcd") + "'"});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  fricp_pose pose = {};
  ck_assert(to_pose(run.out, &pose));
  const fricp_pose identity = pose_from({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  ck_assert_double_le(verify_max_difference(&pose, &identity), 1e-12);
}
END_TEST

Suite *readers_suite() {
  Suite *const suite = suite_create("readers");
  TCase *const text = tcase_create("rows");
  tcase_set_timeout(text, 120);
  tcase_add_test(text, rows_in_all_forms);
  tcase_add_test(text, rows_with_faults);
  tcase_add_test(text, rows_with_separators_and_header_lines);
  tcase_add_test(text, rows_of_two_columns_are_planar);
  tcase_add_test(text, numbers_at_the_edges);
  suite_add_tcase(suite, text);
  TCase *const pcd_case = tcase_create("pcd");
  tcase_set_timeout(pcd_case, 120);
  tcase_add_test(pcd_case, pcd_in_all_forms);
  tcase_add_test(pcd_case, pcd_of_every_type);
  tcase_add_test(pcd_case, doubles_lose_nothing);
  tcase_add_test(pcd_case, pcd_body_that_spells_data);
  tcase_add_test(pcd_case, pcd_with_faults);
  tcase_add_test(pcd_case, binary_pcd_with_faults);
  tcase_add_test(pcd_case, compressed_pcd);
  tcase_add_test(pcd_case, pcd_with_the_older_key_columns);
  tcase_add_test(pcd_case, compressed_pcd_that_packs_well);
  tcase_add_test(pcd_case, binary_bodies_that_go_on);
  suite_add_tcase(suite, pcd_case);
  TCase *const ply_case = tcase_create("ply");
  tcase_set_timeout(ply_case, 120);
  tcase_add_test(ply_case, ply_in_all_forms);
  tcase_add_test(ply_case, binary_ply);
  tcase_add_test(ply_case, ply_with_faults);
  tcase_add_test(ply_case, ply_lists_with_names_that_mean_something);
  suite_add_tcase(suite, ply_case);
  TCase *const files = tcase_create("files");
  tcase_add_test(files, files_that_cannot_be_read);
  tcase_add_test(files, clouds_through_a_pipe);
  suite_add_tcase(suite, files);
  return suite;
}

} // namespace

} // namespace fricp::test

int main() {
  SRunner *const runner = srunner_create(fricp::test::readers_suite());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
