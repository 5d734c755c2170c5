// SPDX-License-Identifier: BSD-3-Clause
/*
 * --sequence: what becomes of scans that cannot be registered, in whole or for a point of theirs.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "drive.hpp"
#include "expect.hpp"
#include "verify.h"

#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

/** A scan of something else: told of, at the pose that constant velocity predicts, and the drive goes on behind it. */
START_TEST(lost_scan) {
  const Drive drive(8, 0.2);
  write_file(drive.file(5), ply(times(surface(3000), 3)));
  const Run run = drive.run();
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, "warning: " + drive.file(5) + ": "), "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, "8 of 8 scans, 1 predicted"), "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  ck_assert_uint_eq(lines.size(), 8);
  const fricp_pose back = pose_of_line(lines[3]);
  const fricp_pose last = pose_of_line(lines[4]);
  const fricp_pose inverse = verify_inverse(&back);
  const fricp_pose step = verify_multiply(&inverse, &last);
  const fricp_pose predicted = verify_multiply(&last, &step);
  const fricp_pose found = pose_of_line(lines[5]);
  ck_assert_double_lt(verify_max_difference(&found, &predicted), 1e-9);
  const fricp_pose end = pose_of_line(lines[7]);
  const fricp_pose truth = drive.truth(7);
  ck_assert_double_lt(verify_translation(&end, &truth), 0.03); // as on the loop
  expect_failure(drive.run({"--strict"}), 3, "1 predicted");
}
END_TEST

/** Three points lie on any map, in many ways: auto has no verdict on them, and they are no scan to go by. */
START_TEST(scan_of_three_points) {
  const Drive drive(5, 0.1);
  write_file(drive.file(3), ply({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  const Run run = drive.run();
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, drive.file(3) + ": it has too few points to be judged"), "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, "5 of 5 scans, 1 predicted"), "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  ck_assert_uint_eq(lines.size(), 5);
  const fricp_pose end = pose_of_line(lines[4]);
  const fricp_pose truth = drive.truth(4);
  ck_assert_double_lt(verify_translation(&end, &truth), 0.03); // as on the loop
}
END_TEST

/** The run ends at a file that is damaged or empty, names it, and keeps the poses up to it. */
START_TEST(unusable_scan) {
  const Drive drive(4, 0.1);
  const std::string way = drive.outputs / "way.txt";
  for (const std::string &bytes : {std::string("ply\nformat binary"), std::string()}) {
    write_file(drive.file(2), bytes);
    expect_failure(drive.run({"--trajectory", way}), 1, drive.file(2) + ":");
    ck_assert_uint_eq(lines_of(read_file(way)).size(), 2);
  }
  const Scratch none;
  expect_failure(run_tool({"--sequence", none.path()}), 1, none.path() + ": holds no scans");
  expect_failure(run_tool({"--sequence", none / "gone"}), 1, none / "gone: cannot be read");
  write_file(none / "a.xyz", "");
  expect_failure(run_tool({"--sequence", none.path(), "--trajectory", none / "way.txt"}), 1, none / "a.xyz:");
  ck_assert(none.names() == Words({"a.xyz"}));
}
END_TEST

/** The last pose is as right as on the loop. */
void expect_end(const Drive &drive, const Run &run, std::size_t scans) {
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  ck_assert_uint_eq(lines.size(), scans);
  const fricp_pose end = pose_of_line(lines.back());
  const fricp_pose truth = drive.truth(scans - 1);
  ck_assert_double_lt(verify_translation(&end, &truth), 0.03);
}

/** A sensor that saw nothing for a moment: told of, and the drive goes on. */
START_TEST(scans_without_points) {
  for (const Points &points : {Points(), Points{{0, 0, 0}}, Points(50, {1, 2, 3})}) {
    const Drive drive(5, 0.1);
    write_file(drive.file(2), ply(points));
    const Run run = drive.run();
    ck_assert_msg(contains(run.err, "warning: " + drive.file(2) + ": "), "%s", run.err.c_str());
    ck_assert_msg(contains(run.err, "5 of 5 scans, 1 predicted"), "%s", run.err.c_str());
    expect_end(drive, run, 5);
  }
}
END_TEST

/** The next one begins the map then; where none does, there is nothing to tell. */
START_TEST(first_scan_without_points) {
  const Drive drive(3, 0.1);
  write_file(drive.file(0), ply(Points()));
  const Run run = drive.run();
  ck_assert_msg(run.status == 0 && contains(run.err, "3 of 3 scans, 1 predicted"), "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  const fricp_pose second = pose_of_line(lines[1]);
  const fricp_pose start = identity();
  ck_assert_double_eq(verify_max_difference(&second, &start), 0);
  for (std::size_t k = 0; k < 3; ++k)
    write_file(drive.file(k), ply(Points()));
  expect_failure(drive.run({"--trajectory", drive.outputs / "way.txt"}), 1, "no scan has points");
  ck_assert(drive.outputs.names().empty());
}
END_TEST

/** One point far off, as sensors give for "no return": it moves neither the origin that floats are about nor the lengths of
 *  the map. The last one is beyond what a float holds. */
START_TEST(point_far_off) {
  for (const char *const far : {"1e6", "-1e13", "1e30", "3.4028235e38", "1e39"}) {
    const Drive drive(5, 0.15);
    const Scratch scans;
    for (std::size_t k = 0; k < 5; ++k) {
      write_file(scans / (std::to_string(k) + ".xyz"), drive.shifted(k, {}) + far + " 0 " + far + "\n");
    }
    const Run run = run_tool({"--sequence", scans.path()});
    ck_assert_msg(contains(run.err, "5 of 5 scans, 0 predicted"), "%s: %s", far, run.err.c_str());
    ck_assert_msg(!contains(run.err, ", 1 in the map"), "%s: %s", far, run.err.c_str());
    expect_end(drive, run, 5);
  }
}
END_TEST

/** A point far off makes more cells of the box than 32 bits count: the map is thinned all the same. (Cells larger than the
 *  hall leave next to nothing of it.) */
START_TEST(cells_beyond_32_bits) {
  const Drive drive(3, 0.1);
  const Scratch scans;
  for (std::size_t k = 0; k < 3; ++k) {
    write_file(scans / (std::to_string(k) + ".xyz"), drive.shifted(k, {}) + "1e15 1e15 1e15\n");
  }
  const Run run = run_tool({"--sequence", scans.path(), "--voxel", "1e6"});
  ck_assert_msg(contains(run.err, "3 of 3 scans, 2 predicted, 1 in the map"), "%s", run.err.c_str());
}
END_TEST

/** What a pair is told of its options and its files, a sequence is told, too. */
START_TEST(surplus_and_diagnostics_are_told) {
  const Drive drive(3, 0.1);
  write_file(drive.file(1), read_file(drive.file(1)) + "more");
  const Run run = drive.run({"-v"});
  ck_assert_msg(contains(run.err, "warning: " + drive.file(1) + ": 4 bytes behind the last point"), "%s",
                run.err.c_str());
  ck_assert_msg(contains(run.err, "iteration"), "%s", run.err.c_str());
  expect_text(drive.run({"-q"}).err, "");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("bad_scans",
                   {lost_scan, scan_of_three_points, unusable_scan, scans_without_points, first_scan_without_points,
                    point_far_off, cells_beyond_32_bits, surplus_and_diagnostics_are_told});
}
