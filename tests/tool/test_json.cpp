// SPDX-License-Identifier: BSD-3-Clause
/*
 * The report: its keys, its levels, where it says the motion is, and what options change in it.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "suite.h"

namespace fricp::test {

namespace {

START_TEST(report_has_its_keys) {
  const Example example;
  const Run run = run_tool(
      {"-q", "-t", example.outputs / "t.txt", "-r", example.outputs / "r.json", example.source, example.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  Report report;
  ck_assert(parse_json(read_file(example.outputs / "r.json"), &report));
  for (const char *const key : {"pose",
                                "converged",
                                "stop_reason",
                                "method",
                                "iterations",
                                "correspondence_passes",
                                "accelerated",
                                "rejected",
                                "levels",
                                "energy",
                                "nu_start",
                                "nu_end",
                                "inliers",
                                "inlier_share",
                                "inlier_rms",
                                "points_source",
                                "points_target",
                                "skipped_source",
                                "skipped_target",
                                "seconds",
                                "threads",
                                "version",
                                "undetermined",
                                "information",
                                "inlier_distance",
                                "dimension",
                                "verdict",
                                "overlap_source",
                                "overlap_target",
                                "agreement",
                                "agreement_least",
                                "through_source",
                                "through_target",
                                "rival",
                                "candidates",
                                "start",
                                "trace"}) {
    ck_assert_msg(report.count(key) == 1, "no key %s", key);
  }
  expect_text(report["converged"], "true");
  expect_text(report["stop_reason"], "\"converged\"");
  expect_text(report["method"], "\"auto\"");
  expect_text(report["threads"], "1");
  expect_text(report["points_source"], "400");
  expect_text(report["undetermined"], "0");
  Report seconds;
  ck_assert(parse_json(report["seconds"], &seconds));
  double sum = 0;
  for (const char *const key : {"read", "normals", "prepare", "solve"}) {
    ck_assert_msg(seconds.count(key) == 1, "no seconds of %s", key);
    sum += std::strtod(seconds[key].c_str(), nullptr);
  }
  ck_assert_double_le(sum, std::strtod(seconds["total"].c_str(), nullptr));
  ck_assert_uint_eq(numbers_of(report["information"]).size(), 36);

  // The pose of the report and of the matrix file: the same bits.
  fricp_pose pose = {};
  ck_assert(to_pose(read_file(example.outputs / "t.txt"), &pose));
  const std::vector<double> numbers = numbers_of(report["pose"]);
  ck_assert_uint_eq(numbers.size(), 16);
  for (std::size_t k = 0; k < 12; ++k) {
    ck_assert(numbers[k] == (k % 4 == 3 ? pose.translation[k / 4] : pose.rotation[k / 4][k % 4]));
  }
}
END_TEST

/** Levels narrow, and their iterations add up. */
START_TEST(report_of_levels) {
  const Example example;
  Report report = report_of({"-m", "robust-icp", "--full-resolution", example.source, example.target});
  const std::string levels = report["levels"];
  double before = HUGE_VAL;
  long iterations = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = levels.find('{', at)) != std::string::npos; ++at, ++count) {
    Report level;
    ck_assert(parse_json(levels.substr(at, levels.find('}', at) - at + 1), &level));
    const double nu = std::strtod(level["nu"].c_str(), nullptr);
    ck_assert_double_lt(nu, before);
    before = nu;
    iterations += std::strtol(level["iterations"].c_str(), nullptr, 10);
    expect_text(level["points"], "400"); // as asked: all points from the start
    ck_assert_uint_eq(level.count("energy"), 1);
  }
  ck_assert_uint_gt(count, 1);
  expect_text(report["iterations"], std::to_string(iterations));
  ck_assert_double_eq(std::strtod(report["nu_end"].c_str(), nullptr), before);
}
END_TEST

START_TEST(options_reach_the_solver) {
  const Example example;
  const auto report_with = [&](Words words) {
    words.insert(words.begin(), {"-m", "robust-icp"}); // a later one counts
    words.insert(words.end(), {example.source, example.target});
    return report_of(words);
  };
  const auto plain = report_with({});
  ck_assert_double_eq_tol(number_in(report_with({"--nu-start-factor", "6"}), "nu_start"),
                          2 * number_in(plain, "nu_start"), 1e-12);
  ck_assert_double_gt(number_in(report_with({"--nu-end-factor", "0.5"}), "nu_end"), 2 * number_in(plain, "nu_end"));
  ck_assert_double_eq(number_in(report_with({"--inlier-distance", "0.25"}), "inlier_distance"), 0.25);
  ck_assert_double_eq(number_in(report_with({"--history", "0"}), "accelerated"), 0);
  ck_assert_double_gt(number_in(plain, "accelerated"), 0);
  auto limited = report_with({"--max-iterations", "2", "-m", "icp"});
  expect_text(limited["stop_reason"], "\"iteration_limit\"");
  expect_text(limited["converged"], "false");
  ck_assert_double_le(number_in(limited, "iterations"), 2);
  expect_text(report_with({"--threads", "2"})["pose"], report_with({})["pose"]);
  // All searches are exact, so the poses are the same.
  expect_text(report_with({"--search", "brute"})["pose"], report_with({"--search", "tree"})["pose"]);
  expect_text(report_with({"--search", "flann"})["pose"], report_with({"--search", "tree"})["pose"]);
}
END_TEST

/** Of the members of an array of objects, the texts as they stand there. */
std::vector<Report> objects_of(const std::string &text) {
  std::vector<Report> objects;
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at) {
    objects.emplace_back();
    ck_assert(parse_json(text.substr(at, text.find('}', at) - at + 1), &objects.back()));
  }
  return objects;
}

/** The same surface twice, free of noise: all of it agrees. */
START_TEST(report_of_the_verdict) {
  const Example example(3000);
  Report report = report_of({example.source, example.target});
  expect_text(report["verdict"], "\"reliable\"");
  for (const char *const key : {"overlap_source", "overlap_target", "agreement", "agreement_least"}) {
    ck_assert_double_gt(number_in(report, key), 0.8);
    ck_assert_double_le(number_in(report, key), 1);
  }
  ck_assert_double_lt(number_in(report, "rival"), 0.7);
  std::size_t chosen = 0;
  double best = 0;
  double score = 0;
  const std::vector<Report> candidates = objects_of(report["candidates"]);
  ck_assert_uint_gt(candidates.size(), 1);
  for (Report candidate : candidates) {
    ck_assert_uint_gt(candidate["name"].size(), 2);
    expect_text(candidate["start"], "0"); // one start is asked for, and it convinces
    best = std::fmax(best, number_in(candidate, "score"));
    ck_assert_double_gt(number_in(candidate, "moved"), 0);
    ck_assert_uint_eq(numbers_of(candidate["pose"]).size(), 16);
    const std::vector<double> agree = numbers_of(candidate["agree"]);
    const std::vector<double> near = numbers_of(candidate["near"]);
    ck_assert_uint_eq(agree.size(), 2);
    ck_assert_uint_eq(near.size(), 2);
    ck_assert(agree[0] <= near[0] && agree[1] <= near[1]);
    if (candidate["chosen"] == "true") {
      ++chosen;
      score = number_in(candidate, "score");
    }
  }
  ck_assert_uint_eq(chosen, 1);
  ck_assert_double_eq(score, best);
  Report other = report_of({"-m", "icp", example.source, example.target}); // does not judge
  expect_text(other["verdict"], "\"none\"");
  expect_text(other["candidates"], "[]");
  ck_assert_double_eq(number_in(other, "overlap_source"), 0);
}
END_TEST

/** A row a pass: each level's first and each iteration; the safeguard lets no energy rise within a level. */
START_TEST(report_of_the_trace) {
  const Example example;
  write_file(example.outputs / "start.txt", "1 0 0 0.25\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
  Report report =
      report_of({"-m", "robust-icp", "--init", example.outputs / "start.txt", example.source, example.target});
  const std::vector<double> start = {1, 0, 0, 0.25, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  ck_assert(numbers_of(report["start"]) == start);
  double accepted = 0;
  std::string level;
  double energy = 0;
  for (Report row : objects_of(report["trace"])) {
    ck_assert_uint_eq(numbers_of(row["pose"]).size(), 16);
    if (row["accepted"] != "true") {
      continue;
    }
    ++accepted;
    ck_assert(row["level"] != level || number_in(row, "energy") <= energy);
    energy = number_in(row, "energy");
    level = row["level"];
    report["last"] = row["pose"];
  }
  const auto levels = static_cast<double>(objects_of(report["levels"]).size());
  ck_assert_double_eq(accepted, number_in(report, "iterations") + levels);
  expect_text(report["last"], report["pose"]);
}
END_TEST

/** Preparing counts, too; what there is then is the start. So many points that preparing takes far longer than the
 *  clock for time limits may be late. */
START_TEST(time_limit_that_has_passed) {
  const Example example(100000);
  for (const char *const method : {"auto", "robust-icp", "icp-plane"}) {
    Report timed = report_of({"--time-limit", "1e-9", "-m", method, example.source, example.target});
    expect_text(timed["stop_reason"], "\"time_limit\"");
    expect_text(timed["converged"], "false");
    ck_assert_double_eq(number_in(timed, "correspondence_passes"), 0);
    ck_assert_double_eq(number_in(timed, "moved_from_start"), 0);
  }
}
END_TEST

/** A turn by 3 degrees about a point far from the origin: the shift there is metres, at the source's centre little. */
START_TEST(report_of_shifts_at_the_center) {
  const Example example;
  Points points = surface(400);
  Point center = {};
  for (Point &point : points) {
    point[0] += 4096;
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] += point[k] / 400;
    }
  }
  fricp_pose turn = small_motion(3);
  const Point place = moved({{center}}, turn)[0];
  for (std::size_t k = 0; k < 3; ++k) {
    turn.translation[k] += center[k] - place[k] + (k == 0 ? 0.05 : 0); // the centre moves by 0.05
  }
  write_file(example.source, rows(points));
  write_file(example.target, rows(moved(points, turn)));
  const auto report = [&](Words words) {
    words.insert(words.end(), {example.source, example.target});
    return report_of(words);
  };
  const auto expect = [](const Report &values, const char *key, double wanted) {
    ck_assert_double_eq_tol(number_in(values, key), wanted, 1e-6);
  };
  const double radians = 3 * std::acos(-1.0) / 180;
  const auto plain = report({});
  expect(plain, "shift_at_center", 0.05);
  expect(plain, "moved_from_start", 0.05);
  expect(plain, "turned_from_start", radians);
  const auto centred = report({"-i", "centroid"}); // which lays the centres on each other before
  expect(centred, "shift_at_center", 0.05);
  expect(centred, "moved_from_start", 0);
  expect(centred, "turned_from_start", radians);
  write_file(example.scratch / "start.txt", run_tool({"-q", "-t", "-", example.source, example.target}).out);
  const auto again = report({"-i", example.scratch / "start.txt"});
  expect(again, "shift_at_center", 0.05);
  expect(again, "moved_from_start", 0);
  expect(again, "turned_from_start", 0);
  const std::string summary = run_tool({example.source, example.target}).out;
  ck_assert_msg(contains(summary, "from the start: turned by 3 degrees and moved by 0.05 at the source's centre"), "%s",
                summary.c_str());
  ck_assert_msg(contains(summary, "turns by 3 degrees and shifts the source's centre by 0.05:"), "%s", summary.c_str());
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("json", {report_has_its_keys, report_of_levels, options_reach_the_solver, report_of_the_verdict,
                            report_of_the_trace, time_limit_that_has_passed, report_of_shifts_at_the_center});
}
