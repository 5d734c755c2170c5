// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pairs with a point far off, as sensors give for "no return", and targets with normals on some of their points: the rest is
 * registered as if there were no such thing. Expected: the pose that the example was made by.
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

/** Heights are heights, whatever lies beside them; a plane is a plane at any height, but for rounding. */
START_TEST(dimension_goes_by_z_alone) {
  const Scratch scratch;
  const Points points = surface(400);
  const auto dimension = [&scratch](const std::string &source, const std::string &target) {
    write_file(scratch / "s.xyz", source);
    write_file(scratch / "t.xyz", target);
    Report report = report_of({"-m", "robust-icp", scratch / "s.xyz", scratch / "t.xyz"});
    return report["dimension"];
  };
  const std::string text = rows(points);
  for (const char *const far : {"1e13 0 0", "0 -1e13 0", "3.4028235e38 3.4028235e38 0"}) {
    expect_text(dimension(text + far + "\n", text), "3");
    expect_text(dimension(text, text + far + "\n"), "3");
  }
  Points plane = points;
  for (const double height : {0.0, -7.25, 1e9}) {
    for (Point &point : plane) {
      point[2] = height;
    }
    plane[3][2] = std::nextafter(height, 2 * height);
    expect_text(dimension(rows(plane), rows(plane)), "2");
  }
  expect_text(dimension(rows(plane) + "1e13 0 1000000000\n", rows(plane)), "2");
  plane[3][2] += 0.01;
  expect_text(dimension(rows(plane), rows(plane)), "3");
}
END_TEST

START_TEST(pose_beside_a_point_far_off) {
  const Example example;
  const Points points = surface(400);
  for (const char *const far : {"1e13 0 0", "1e13 1e13 1e13", "3.4028235e38 3.4028235e38 3.4028235e38"}) {
    write_file(example.source, rows(points) + far + "\n");
    const fricp_pose spoiled = pose_of({"-m", "robust-icp", example.source, example.target});
    ck_assert_double_lt(verify_angle_degrees(&spoiled, &example.truth), 1e-5);
    write_file(example.source, rows(points));
    write_file(example.scratch / "far.xyz", rows(moved(points, example.truth)) + far + "\n");
    for (const char *const method : {"robust-icp", "robust-icp-plane", "auto"}) {
      for (const char *const who : {"pcl", "core"}) { // the normals are estimated
        const fricp_pose pose = pose_of({"-m", method, "--normals", who, example.source, example.scratch / "far.xyz"});
        ck_assert_msg(verify_angle_degrees(&pose, &example.truth) < 1e-4, "%s, %s, %s: %g degrees", far, method, who,
                      verify_angle_degrees(&pose, &example.truth));
      }
    }
  }
}
END_TEST

/** The surface of the other tests as its function, where points are too few for the normals to be exact. */
std::string with_normals(const Points &points, const fricp_pose &pose, std::size_t without) {
  fricp_pose turn = pose;
  turn.translation[0] = turn.translation[1] = turn.translation[2] = 0;
  std::string text = "x y z nx ny nz\n";
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double u = points[k][0], v = points[k][1];
    Point normal = {-0.84 * std::cos(2.1 * u + 0.3) * std::cos(1.7 * v) - 0.2 * v,
                    0.68 * std::sin(2.1 * u + 0.3) * std::sin(1.7 * v) - 0.2 * u - 0.15, 1};
    verify_apply(&turn, normal.data(), normal.data());
    Point moved = {};
    verify_apply(&pose, points[k].data(), moved.data());
    const std::string row = rows({moved}, " ", "");
    text += row + " " + (k < without ? (k % 2 == 0 ? "nan nan nan" : "0 0 0") : rows({normal}, " ", "")) + "\n";
  }
  return text;
}

/** From one missing to one there. */
START_TEST(missing_normals_are_filled_in) {
  const std::size_t count = 400;
  const Example example(count);
  for (const char *const who : {"pcl", "core"}) {
    for (const std::size_t without : {std::size_t{1}, count / 2, count - 1}) {
      write_file(example.target, with_normals(surface(count), example.truth, without));
      const Run run = run_tool(
          {"-v", "--normals", who, "-m", "robust-icp-plane", "-t", "/dev/null", example.source, example.target});
      ck_assert_msg(run.status == 0, "%s", run.err.c_str());
      for (const std::string &note : {std::to_string(count - without) + " from the file",
                                      std::to_string(without) + " estimated from 30 neighbours"})
        ck_assert_msg(contains(run.err, "normals of the target: " + note), "%s: %s", note.c_str(), run.err.c_str());
      const fricp_pose pose = pose_of({"--normals", who, "-m", "robust-icp-plane", example.source, example.target});
      ck_assert_msg(verify_angle_degrees(&pose, &example.truth) < 1e-4, "%zu without, by %s: %g degrees", without, who,
                    verify_angle_degrees(&pose, &example.truth));
    }
  }
}
END_TEST

/** All there: nothing is estimated, and nothing is said of it; nor where method auto does without. */
START_TEST(estimates_are_told_where_there_are_any) {
  const Example example;
  write_file(example.target, with_normals(surface(400), example.truth, 0));
  const Run given = run_tool({"-v", example.source, example.target});
  ck_assert_msg(contains(given.err, "400 from the file") && !contains(given.err, "estimated from"), "%s",
                given.err.c_str());
  Points plane = surface(400);
  for (Point &point : plane) {
    point[2] = 0.5 * point[0] - 0.25 * point[1]; // exact
  }
  write_file(example.source, rows(plane));
  const Run tilted = run_tool({"-v", example.source, example.source});
  ck_assert_msg(tilted.status == 0 && !contains(tilted.err, "estimated from"), "%s", tilted.err.c_str());
  const Run asked = run_tool({"-v", "-m", "robust-icp-plane", example.source, example.source});
  ck_assert_msg(contains(asked.err, "400 estimated from 30 neighbours"), "%s", asked.err.c_str());
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("spoiled", {dimension_goes_by_z_alone, pose_beside_a_point_far_off, missing_normals_are_filled_in,
                               estimates_are_told_where_there_are_any});
}
