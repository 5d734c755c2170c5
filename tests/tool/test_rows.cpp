// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every dialect and every trap of text clouds: the right cloud, or an error that names file and fault. Never half.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "verify.h"

#include <cmath>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

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
  expect_refusal("0\n", ":1: 1 numbers");
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

/** Leica's .pts begins with the number of its rows. One that is not so many is damaged, or of several scans. */
START_TEST(rows_behind_their_number) {
  const Points points = surface();
  expect_points("200\n" + framed_rows(points, "", " -1200 17 18 19"), points, "scan.pts");
  expect_points("\r\n# by a scanner\r\n 200 \r\n" + rows(points, " ", "\r\n"), points, "comment.pts");
  expect_points("200\nX,Y,Z\n" + rows(points, ","), points, "named.pts");
  expect_refusal("201\n" + rows(points), ":1: announces 201 rows, but 200 follow");
  expect_refusal("# two scans\n200\n" + rows(points) + "200\n" + rows(points),
                 ":2: announces 200 rows, but 401 follow");
  expect_refusal("200.5\n" + rows(points), ":1: 1 numbers");
  expect_refusal("x y z\n200\n" + rows(points), ":2: 1 numbers, but a row needs 3");
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
    expect_text(report_of({scratch / "s.csv", scratch / target})["dimension"], "2");
    const fricp_pose pose = pose_of({scratch / "s.csv", scratch / target});
    ck_assert_double_lt(verify_max_difference(&pose, &truth), 1e-6);
  }
  const Words mixed[] = {{scratch / "s.csv", scratch / "heights.xyz"}, {scratch / "heights.xyz", scratch / "s.csv"}};
  for (const Words &words : mixed) {
    expect_failure(run_tool(words), 1, "s.csv: has rows of x y, so it is registered in 2-D");
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
    expect_text(report_of({scratch / "s.xyz", scratch / "t.xyz"})["skipped_source"], "1");
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("rows", {rows_in_all_forms, rows_with_faults, rows_with_separators_and_header_lines,
                            rows_behind_their_number, rows_of_two_columns_are_planar, numbers_at_the_edges});
}
