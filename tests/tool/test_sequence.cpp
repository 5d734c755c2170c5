// SPDX-License-Identifier: BSD-3-Clause
/*
 * --sequence: odometry over generated scans whose poses are known exactly. (Bad ones: test_bad_scans.cpp)
 */
#include "cases.h"
#include "child.hpp"
#include "clouds.hpp"
#include "drive.hpp"
#include "expect.hpp"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "suite.h"

namespace fricp::test {

namespace {

/**
 * The bound is 0.1 % of what is driven, 30 mm: three times the noise of one range. (The error of one scan is the noise over
 * the root of some thousand points, and 24 of them add up.)
 */
START_TEST(loop_closes) {
  constexpr std::size_t scans = 24;
  const Drive drive(scans, 1);
  const Run run = drive.run({"--strict"});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, "24 of 24 scans, 0 predicted"), "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  ck_assert_uint_eq(lines.size(), scans);
  double length = 0;
  double worst = 0;
  for (std::size_t k = 0; k < scans; ++k) {
    const fricp_pose truth = drive.truth(k);
    const fricp_pose before = drive.truth(k > 0 ? k - 1 : 0);
    const fricp_pose found = pose_of_line(lines[k]);
    length += verify_translation(&truth, &before);
    worst = std::max(worst, verify_translation(&found, &truth));
    ck_assert_double_le(verify_orthonormality(&found), 1e-12);
  }
  ck_assert_msg(worst < 0.001 * length, "%g of %g", worst, length);
}
END_TEST

/** The last scan's error in place. */
double end_error(const Drive &drive, std::size_t scans, const Run &run) {
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  ck_assert_uint_eq(lines.size(), scans);
  const fricp_pose found = pose_of_line(lines.back());
  const fricp_pose truth = drive.truth(scans - 1);
  return verify_translation(&found, &truth);
}

/** The map's size: what is said to be the default is; a scan registered to all before it is as right as on the loop; one
 *  frame and cells of another size give other poses, and cells larger than the hall leave no map to be judged by. */
START_TEST(size_of_the_map) {
  constexpr std::size_t scans = 8;
  const Drive drive(scans, 0.3);
  const Run plain = drive.run();
  expect_text(drive.run({"--window", "10"}).out, plain.out);
  const Run all = drive.run({"--window", "1000"});
  ck_assert_double_lt(end_error(drive, scans, all), 0.03); // as on the loop
  const Run one = drive.run({"--window", "1"});
  ck_assert_double_lt(end_error(drive, scans, one), 0.03 * scans); // each step adds its own
  ck_assert(one.out != plain.out);
  const Run fine = drive.run({"--voxel", "0.1"});
  ck_assert_double_lt(end_error(drive, scans, fine), 0.03);
  ck_assert(fine.out != plain.out);
  const Run none = drive.run({"--voxel", "1e6"}); // at most eight points, of the cells that meet at the origin
  ck_assert_msg(contains(none.err, "8 of 8 scans, 7 predicted, 1 in the map"), "%s", none.err.c_str());
}
END_TEST

/** Target and source of a real pair in turn, twice: the bound is what the pair states of a pose. */
void go_there_and_back(const std::string &folder, const case_row &row) {
  case_pair pair;
  const char *const problem = cases_load(folder.c_str(), &row, &pair);
  ck_assert_msg(problem == nullptr, "%s: %s", row.name, problem);
  const Scratch scans;
  for (int k = 0; k < 4; ++k)
    std::filesystem::create_symlink(folder + "/" + row.name + "/" + (k % 2 == 0 ? row.target : row.source),
                                    scans / (std::to_string(k) + ".ply"));
  const Run run = run_tool({"--sequence", scans.path()});
  ck_assert_msg(run.status == 0 && contains(run.err, "4 of 4 scans, 0 predicted"), "%s", run.err.c_str());
  const auto lines = lines_of(run.out);
  for (std::size_t k = 0; k < 4; ++k) {
    const fricp_pose found = pose_of_line(lines[k]);
    const fricp_pose start = identity();
    const double off = k % 2 == 0 ? verify_rmse(&found, &start, pair.target.points, pair.target.count)
                                  : cases_judge(&row, &pair, &found).rmse;
    ck_assert_msg(off <= row.pass_rmse, "%s, scan %zu: %g of %g", row.name, k, off, row.pass_rmse);
  }
  cases_free(&pair);
}

/** Real scans there and back: those that are the first again are where that was, the others where the truth says. */
START_TEST(real_scans_there_and_back) {
  if (cases_shared_folder() == nullptr) {
    std::puts("SKIPPED real scans: FRICP_SHARED is not set");
    return;
  }
  const std::string folder = std::string(cases_shared_folder()) + "/cases/pairs";
  case_row *rows = nullptr;
  std::size_t count = 0;
  const char *const problem = cases_read_index(folder.c_str(), &rows, &count);
  ck_assert_msg(problem == nullptr, "%s", problem);
  std::size_t found = 0;
  for (const char *const name : {"lidar_kitti07_3_to_2", "3dtk_1_to_0", "pcl_capture_3_to_2"})
    for (std::size_t k = 0; k < count; ++k)
      if (std::string(rows[k].name) == name) {
        go_there_and_back(folder, rows[k]);
        ++found;
      }
  ck_assert_uint_eq(found, 3);
  std::free(rows);
}
END_TEST

/** Both forms tell the same poses; a file appears, complete, and nothing besides. */
START_TEST(forms) {
  const Drive drive(5, 0.2);
  const Run kitti = drive.run({"-q", "--trajectory", drive.outputs / "way.txt"});
  ck_assert_int_eq(kitti.status, 0);
  expect_text(kitti.out + kitti.err, "");
  ck_assert_int_eq(drive.run({"-q", "--trajectory", drive.outputs / "way.tum"}).status, 0);
  ck_assert(drive.outputs.names() == Words({"way.tum", "way.txt"}));
  const auto rows = lines_of(read_file(drive.outputs / "way.txt"));
  const auto tum = lines_of(read_file(drive.outputs / "way.tum"));
  ck_assert_uint_eq(rows.size(), 5);
  ck_assert_uint_eq(tum.size(), 5);
  for (std::size_t k = 0; k < 5; ++k) {
    const std::vector<double> &t = tum[k];
    ck_assert_uint_eq(t.size(), 8);
    ck_assert_double_eq(t[0], static_cast<double>(k));
    const fricp_pose pose = pose_of_line(rows[k]);
    const double x = t[4], y = t[5], z = t[6], w = t[7]; // the rotation of a unit quaternion
    const double matrix[12] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),     t[1],
                               2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),     t[2],
                               2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y), t[3]};
    const fricp_pose same = pose_from(matrix);
    ck_assert_double_lt(verify_max_difference(&pose, &same), 1e-12);
  }
}
END_TEST

/** Map coordinates: the poses are about the files' origin, and as exact. */
START_TEST(far_from_the_origin) {
  const Drive drive(4, 0.1);
  const Point origin = {539715, 4065760, 0};
  const Scratch scans;
  for (std::size_t k = 0; k < 4; ++k) {
    write_file(scans / (std::to_string(k) + ".xyz"), drive.shifted(k, origin));
  }
  const Run run = run_tool({"--sequence", scans.path()});
  ck_assert_int_eq(run.status, 0);
  const fricp_pose pose = pose_of_line(lines_of(run.out).back());
  const fricp_pose truth = drive.truth(3);
  double sensor[3];
  verify_apply(&pose, origin.data(), sensor); // where the last one stands
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ck_assert_double_eq_tol(sensor[axis] - origin[axis], truth.translation[axis], 0.03); // as on the loop
  }
}
END_TEST

/** Names that are numbers are times, digit by digit, and ascend as numbers; files of other kinds are not scans. */
START_TEST(names_are_times) {
  const Drive drive(1, 1);
  const Scratch scans;
  const std::string bytes = read_file(drive.file(0));
  for (const char *const name : {"10.ply", "9.5.ply", "9.25.ply", "1403636579763555584.ply"}) {
    write_file(scans / name, bytes);
  }
  write_file(scans / "pose.txt", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
  write_file(scans / ".11.ply", "hidden");
  ck_assert_int_eq(run_tool({"-q", "--sequence", scans.path(), "--trajectory", drive.outputs / "way.tum"}).status, 0);
  std::istringstream text(read_file(drive.outputs / "way.tum"));
  std::string times;
  for (std::string line; std::getline(text, line);) {
    times += line.substr(0, line.find(' ')) + "\n";
  }
  expect_text(times, "9.25\n9.5\n10\n1403636579763555584\n");
}
END_TEST

START_TEST(wrong_usage) {
  expect_failure(run_tool({"--sequence", "d", "a"}), 2, "--sequence excludes SOURCE");
  expect_failure(run_tool({"--sequence", "d", "-o", "a.ply"}), 2, "--sequence excludes --output");
  expect_failure(run_tool({"--trajectory", "t", "a", "b"}), 2, "--trajectory requires --sequence");
  expect_failure(run_tool({"--window", "3", "a", "b"}), 2, "--window requires --sequence");
  expect_failure(run_tool({"--voxel", "3", "a", "b"}), 2, "--voxel requires --sequence");
  expect_failure(run_tool({"--sequence", "d", "--window", "0"}), 2, "\"0\" needs a whole number from 1 up");
  expect_failure(run_tool({"--sequence", "d", "--voxel", "0"}), 2, "\"0\" needs a number above 0");
  const Drive drive(1, 1);
  expect_failure(drive.run({"--trajectory", drive.file(0)}), 2, "would overwrite the input");
  expect_failure(drive.run({"--trajectory", drive.scratch / "none/way"}), 1, "cannot be written");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("sequence", {loop_closes, size_of_the_map, real_scans_there_and_back, forms, far_from_the_origin,
                                names_are_times, wrong_usage});
}
