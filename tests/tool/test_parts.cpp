// SPDX-License-Identifier: BSD-3-Clause
/*
 * Metric, kernel and acceleration as options of the tool, and the gate on normals. Expected: the same bits by another way,
 * the pose that the example was made by.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "verify.h"

#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

/** A cloud with an outlier far away. */
struct Spoiled : Example {
  Spoiled() {
    Points points = surface(400);
    points.push_back({0, 0, 40});
    write_file(source, rows(points));
  }

  fricp_pose by(Words words) const {
    words.insert(words.end(), {source, target});
    return pose_of(words);
  }
};

START_TEST(help_names_them) {
  const Run help = run_tool({"--help"});
  for (const char *const name :
       {"--metric NAME", "--kernel NAME", "--acceleration NAME", "--kernel-shape X", "--fixed-width",
        "--max-normal-angle A", "point-to-plane, symmetric", "lp, trimmed", "robust-symmetric"}) {
    ck_assert_msg(contains(help.out, name), "--help does not name %s", name);
  }
}
END_TEST

START_TEST(wrong_parts_are_refused) {
  const auto expect = [](const Words &words, const char *fault) { expect_failure(run_tool(words), 2, fault); };
  expect({"--metric", "line", "a", "b"}, "--metric: \"line\" needs one of point-to-plane, point-to-point, symmetric");
  expect({"--kernel", "tuckey", "a", "b"}, "--kernel: \"tuckey\" needs one of cauchy, geman-mcclure, huber, ");
  expect({"--acceleration", "", "a", "b"}, "--acceleration: \"\" needs one of anderson, none");
  expect({"--kernel-shape", "1.1", "a", "b"}, "needs a number above 0 up to 1");
  expect({"--max-normal-angle", "90", "a", "b"}, "needs a number above 0 up to 1.57");
  const Spoiled example;
  expect_failure(run_tool({"--kernel", "huber", example.source, example.target}), 1, "kernel = huber with method auto");
}
END_TEST

START_TEST(a_method_is_its_parts) {
  const Spoiled example;
  const fricp_pose planes = example.by({"-m", "robust-icp-plane"});
  const fricp_pose parts =
      example.by({"-m", "icp", "--metric", "point-to-plane", "--kernel", "welsch", "--acceleration", "anderson"});
  ck_assert(verify_same_bits(&planes, &parts));
  const fricp_pose gated = example.by({"-m", "robust-icp-plane", "--max-normal-angle", "1.57079632679"});
  ck_assert(verify_same_bits(&planes, &gated));
}
END_TEST

/** The report and the summary say what replaced the method's parts, the report null where nothing did. */
START_TEST(replaced_parts_are_told) {
  const Spoiled example;
  const auto expect = [&example](Words words, const char *metric, const char *kernel, const char *acceleration) {
    words.insert(words.end(), {example.source, example.target});
    Report report = report_of(words);
    expect_text(report["method"], "\"robust-icp\"");
    expect_text(report["metric"], metric);
    expect_text(report["kernel"], kernel);
    expect_text(report["acceleration"], acceleration);
  };
  expect({"-m", "robust-icp"}, "null", "null", "null");
  expect({"-m", "robust-icp", "--kernel", "tukey"}, "null", "\"tukey\"", "null");
  expect({"-m", "robust-icp", "--metric", "point-to-plane", "--kernel", "huber", "--acceleration", "none"},
         "\"point-to-plane\"", "\"huber\"", "\"none\"");
  const Run run = run_tool({"-m", "icp", "--metric", "symmetric", "--kernel", "lp", example.source, example.target});
  ck_assert_msg(contains(run.out, " by icp, symmetric, lp\n"), "%s", run.out.c_str());
}
END_TEST

/** The share without the outlier is registered as if it were not there. */
START_TEST(robust_parts_find_the_truth) {
  const Spoiled example;
  const auto off = [&example](const Words &words) {
    const fricp_pose pose = example.by(words);
    return verify_angle_degrees(&pose, &example.truth);
  };
  ck_assert_double_gt(off({"-m", "icp"}), 0.1);
  ck_assert_double_lt(off({"-m", "icp", "--kernel", "trimmed", "--kernel-shape", "0.9"}), 1e-5);
  ck_assert_double_lt(off({"-m", "robust-icp", "--kernel", "tukey"}), 1e-5);
  ck_assert_double_lt(off({"-m", "robust-icp", "--metric", "symmetric", "--max-normal-angle", "0.5"}), 1e-5);
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("parts", {help_names_them, wrong_parts_are_refused, a_method_is_its_parts, replaced_parts_are_told,
                             robust_parts_find_the_truth});
}
