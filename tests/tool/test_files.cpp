// SPDX-License-Identifier: BSD-3-Clause
/*
 * Which files are read and written: together or not at all, devices, links, pipes, and the memory they take.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "verify.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

namespace fricp::test {

namespace {

START_TEST(files_that_cannot_be_read) {
  const Scratch scratch;
  write_file(scratch / "good.xyz", rows(surface()));
  expect_failure(run_tool({scratch / "absent.pcd", scratch / "good.xyz"}), 1,
                 "absent.pcd: cannot be opened: No such file");
  expect_failure(run_tool({scratch / "good.xyz", scratch.path()}), 1, "is a directory");
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
  const fricp_pose none = identity();
  ck_assert_double_le(verify_max_difference(&pose, &none), 1e-12);
}
END_TEST

START_TEST(files_appear_together_or_not_at_all) {
  const Example example;
  const std::string names[] = {example.outputs / "o.ply", example.outputs / "t.txt", example.outputs / "r.json"};
  for (const std::string &name : names) {
    write_file(name, "old");
  }
  const auto words = [&](const std::string &source) {
    return Words{"-q", "-o", names[0], "-t", names[1], "-r", names[2], source, example.target};
  };
  write_file(example.scratch / "one.xyz", "1 2 3\n");
  ck_assert_int_eq(run_tool(words(example.scratch / "one.xyz")).status, 1);
  for (const std::string &name : names) {
    expect_text(read_file(name), "old");
  }
  ck_assert_int_eq(chmod(names[1].c_str(), 0640), 0);
  ck_assert_int_eq(run_tool(words(example.source)).status, 0);
  ck_assert_uint_eq(example.outputs.names().size(), 3); // nothing temporary is left
  for (const std::string &name : names) {
    ck_assert(read_file(name) != "old");
  }
  struct stat status = {};
  ck_assert_int_eq(stat(names[1].c_str(), &status), 0);
  ck_assert_uint_eq(status.st_mode & 0777U, 0640U);
}
END_TEST

START_TEST(outputs_that_cannot_be_written) {
  const Example example;
  expect_failure(run_tool({"-t", example.outputs / "absent/t.txt", example.source, example.target}), 1,
                 "absent/t.txt: cannot be written: No such file");
  expect_failure(run_tool({"-r", example.outputs.path(), example.source, example.target}), 1,
                 "cannot be written: is a directory");
  // Told before the work: the source is not even read.
  const std::string gone = example.scratch / "gone.xyz";
  const std::string longest = example.outputs / std::string(255, 'n'); // but a longer one while it is written
  expect_failure(run_tool({"-t", longest, gone, example.target}), 1, "cannot be written: File name too long");
  for (const std::string &folder : {example.target, example.target + "/pictures"}) {
    expect_failure(run_tool({"--compare", folder, gone, example.target}), 1, "target.xyz is not a directory");
  }
  if (exists("/dev/full")) {
    expect_failure(run_tool({"-t", "/dev/full", "-r", example.outputs / "r.json", example.source, example.target}), 1,
                   "/dev/full: cannot be written: No space left");
    ck_assert_uint_eq(example.outputs.names().size(), 0);
  }
}
END_TEST

/** Devices are written to, not replaced; links are followed. */
START_TEST(outputs_that_are_not_plain_files) {
  const Example example;
  const Run run = run_tool({"-q", "-t", "/dev/null", "-r", "/dev/stdout", example.source, example.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  struct stat status = {};
  ck_assert_int_eq(stat("/dev/null", &status), 0);
  ck_assert(S_ISCHR(status.st_mode));
  ck_assert(contains(run.out, "\"pose\""));
  write_file(example.outputs / "real.txt", "old");
  ck_assert_int_eq(symlink("real.txt", (example.outputs / "link.txt").c_str()), 0);
  ck_assert_int_eq(run_tool({"-q", "-t", example.outputs / "link.txt", example.source, example.target}).status, 0);
  ck_assert(std::filesystem::is_symlink(example.outputs / "link.txt"));
  fricp_pose pose = {};
  ck_assert(to_pose(read_file(example.outputs / "real.txt"), &pose));
}
END_TEST

/** Against the bar of 120 bytes a point beyond what the files hold, 200 thousand points in each cloud. */
START_TEST(peak_memory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::puts("the peak of memory is not measured under a sanitizer");
#else
  const std::size_t count = 200000;
  const Example small(100);
  const Scratch scratch;
  std::string bytes[2];
  const Points points = surface(count);
  const Points target = moved(points, small.truth);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      bytes[0] += raw(static_cast<float>(points[k][c]));
      bytes[1] += raw(static_cast<float>(target[k][c]));
    }
  }
  const char *const fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n";
  write_file(scratch / "s.pcd", pcd_header(count, fields, "binary") + bytes[0]);
  write_file(scratch / "t.pcd", pcd_header(count, fields, "binary") + bytes[1]);
  const double before = run_tool({"-q", small.source, small.target}).peak;
  const Run run = run_tool({"-q", "-o", scratch / "o.pcd", scratch / "s.pcd", scratch / "t.pcd"});
  ck_assert_int_eq(run.status, 0);
  const double readers = static_cast<double>(bytes[0].size() + bytes[1].size());
  const double a_point = (run.peak - before - readers) / (2.0 * static_cast<double>(count));
  std::printf("peak of memory beyond the clouds' own data: %.0f bytes a point\n", a_point);
  ck_assert_double_lt(a_point, 120);
#endif
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("files", {files_that_cannot_be_read, clouds_through_a_pipe, files_appear_together_or_not_at_all,
                             outputs_that_cannot_be_written, outputs_that_are_not_plain_files, peak_memory});
}
