// SPDX-License-Identifier: BSD-3-Clause
/*
 * The command line: options, exit statuses, the report, and which files appear when.
 */
#include "child.hpp"
#include "clouds.hpp"

#include "api/option_table.h"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/** A source, the target it came from, and where it must go. */
struct Example {
  explicit Example(std::size_t count = 400) : truth(small_motion(3)) {
    const Points points = surface(count);
    write_file(source, rows(points));
    write_file(target, rows(moved(points, truth)));
  }

  Scratch scratch;
  Scratch outputs;
  std::string source = scratch / "source.xyz";
  std::string target = scratch / "target.xyz";
  fricp_pose truth;
};

void expect_usage_error(const Words &words, const std::string &fault) {
  const Run run = run_tool(words);
  ck_assert_msg(run.status == 2, "%s: status %d", fault.c_str(), run.status);
  ck_assert_msg(contains(run.err, fault), "no \"%s\" in: %s", fault.c_str(), run.err.c_str());
  expect_text(run.out, "");
}

START_TEST(help_and_version) {
  const Run help = run_tool({"--help"});
  ck_assert_int_eq(help.status, 0);
  for (const char *const name :
       {"-m,--method NAME",    "-i,--init",           "-o,--output FILE",   "-t,--transform FILE",
        "-r,--report FILE",    "--compare DIR",       "--max-iterations N", "--max-distance D",
        "--inlier-distance D", "--nu-start-factor X", "--nu-end-factor X",  "--history M",
        "--full-resolution",   "--reciprocal",        "--search NAME",      "--time-limit S",
        "--threads N",         "-q,--quiet",          "-v,--verbose",       "--help",
        "--version",           "robust-icp-plane",    "fast-icp",           "icp-plane"}) {
    ck_assert_msg(contains(help.out, name), "--help does not name %s", name);
  }
  const Run version = run_tool({"--version"});
  ck_assert_int_eq(version.status, 0);
  expect_text(version.out, ("fricp " + std::string(FRICP_VERSION_STRING) + "\n"));
}
END_TEST

/** The README leaves no option and no report key out. */
START_TEST(readme_follows) {
  const std::string readme = read_file(FRICP_README);
  ck_assert_msg(!readme.empty(), "no " FRICP_README);
  const std::string help = run_tool({"--help"}).out;
  std::size_t options = 0;
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos; at += 2, ++options) {
    const std::string name = help.substr(at, help.find_first_of(" \n", at) - at);
    ck_assert_msg(contains(readme, name), "the README does not name %s", name.c_str());
  }
  ck_assert_uint_ge(options, 20);
  const Example example;
  std::map<std::string, std::string> report;
  ck_assert(parse_json(run_tool({"-q", "-r", "-", example.source, example.target}).out, &report));
  for (const auto &member : report) {
    ck_assert_msg(contains(readme, "`" + member.first + "`"), "the README does not name %s", member.first.c_str());
  }
}
END_TEST

/** Every field of fricp_options and fricp_target_options that is a number has its row in the option table, in order. */
START_TEST(option_table_follows_the_header) {
  const std::string header = read_file(FRICP_HEADER);
  ck_assert_msg(!header.empty(), "no " FRICP_HEADER);
  const auto expect_rows = [&](const char *begin, const char *end, const fr_option *rows, std::size_t count) {
    std::size_t at = header.find(begin);
    const std::size_t stop = header.find(end, at);
    ck_assert(at != std::string::npos && stop != std::string::npos);
    std::size_t found = 0;
    while ((at = std::min(header.find("\n  int32_t ", at + 1), header.find("\n  double ", at + 1))) < stop) {
      const std::size_t name = header.find(' ', at + 3) + 1;
      ck_assert_msg(found < count, "no row for %s", header.substr(name, 30).c_str());
      const fr_option &row = rows[found++];
      expect_text(header.substr(name, header.find(';', name) - name), row.name);
      ck_assert_msg(header.find("/**<", name) < header.find('\n', name), "%s is not documented", row.name);
      ck_assert_int_eq(header[at + 3] == 'd' ? FR_REAL : FR_WHOLE, row.kind);
    }
    ck_assert_uint_eq(found, count);
  };
  expect_rows("\nstruct fricp_options {", "\n};", fr_option_rows, FR_OPTION_COUNT);
  expect_rows("\ntypedef struct fricp_target_options {", "\n}", fr_target_option_rows, FR_TARGET_OPTION_COUNT);
}
END_TEST

/** A right command line, wrong files. */
void expect_failure_to_read(const Words &words, const std::string &fault) {
  const Run run = run_tool(words);
  ck_assert_msg(run.status == 1, "%s: status %d", run.err.c_str(), run.status);
  ck_assert_msg(contains(run.err, fault), "no \"%s\" in: %s", fault.c_str(), run.err.c_str());
}

START_TEST(wrong_command_lines) {
  expect_usage_error({}, "SOURCE is required");
  expect_usage_error({"one.pcd"}, "TARGET is required");
  expect_usage_error({"one.pcd", "two.pcd", "three.pcd"}, "not expected: three.pcd");
  expect_usage_error({"--colour", "a", "b"}, "not expected: --colour");
  expect_usage_error({"-x", "a", "b"}, "not expected: -x");
  expect_usage_error({"a", "b", "-m"}, "--method: 1 required NAME missing");
  expect_usage_error({"--transform=", "-q", "a", "b"}, "--transform= needs a value");
  expect_usage_error({"-m", "magic", "a", "b"}, "--method: \"magic\" needs one of fast-icp, icp, ");
  expect_usage_error({"--quiet=yes", "a", "b"}, "quiet was given a disallowed flag override; an option needs");
  expect_usage_error({"-q", "-v", "a", "b"}, "--quiet excludes --verbose");
  expect_usage_error({"-o", "out.xyz", "a", "b"}, "cannot tell the format of \"out.xyz\"");
  expect_usage_error({"-o", "", "a", "b"}, "--output");
  expect_usage_error({"-t", "same", "-r", "same", "a", "b"}, "two outputs to \"same\"");
  expect_usage_error({"--search", "fast", "a", "b"}, "--search: \"fast\" needs one of brute, flann, tree");
  for (const char *const name :
       {"--max-distance", "--inlier-distance", "--nu-start-factor", "--nu-end-factor", "--time-limit"}) {
    for (const char *const value : {"0", "-1", "nan", "inf", "0,05", "1e", "", "1 "}) {
      expect_usage_error({name, value, "a", "b"}, std::string(name) + ": ");
    }
  }
  for (const char *const name : {"--nu-start-factor", "--nu-end-factor", "--time-limit"}) { // the core's own bounds
    expect_usage_error({name, "1.1e9", "a", "b"}, "needs a number above 0 up to 1e+09");
    expect_failure_to_read({name, "1e9", "a", "b"}, "a: cannot be opened");
  }
  expect_usage_error({"--max-iterations", "2147483647", "a", "b"}, "--max-iterations");
  expect_failure_to_read({"--max-iterations", "2147483646", "-", "b"}, "standard input is /dev/stdin");
  for (const char *const value : {"0", "-1", "1.5", "99999999999", "x"}) {
    expect_usage_error({"--max-iterations", value, "a", "b"}, "--max-iterations");
    expect_usage_error({"--threads", value, "a", "b"}, "--threads");
  }
  expect_usage_error({"--history", "17", "a", "b"}, "needs a whole number from 0 to 16");
}
END_TEST

START_TEST(all_ways_to_write_an_option) {
  const Example example;
  const Words ways[] = {{"-micp", "-q"},        {"-m", "icp", "-q"}, {"--method", "icp", "--quiet"},
                        {"--method=icp", "-q"}, {"-qm", "icp"},      {"-q", "-m", "robust-icp", "-m", "icp"}};
  for (const Words &way : ways) {
    Words words = way;
    words.insert(words.end(), {"-r", "-", "--", example.source, example.target});
    const Run run = run_tool(words);
    std::map<std::string, std::string> report;
    ck_assert(parse_json(run.out, &report));
    expect_text(report["method"], "\"icp\"");
  }
}
END_TEST

/** Noise-free points against themselves moved: the truth is the optimum of every method. */
START_TEST(every_method_finds_the_truth) {
  const Example example;
  for (int method = 0; fricp_method_name(method) != nullptr; ++method) {
    const fricp_pose pose = pose_of({"-m", fricp_method_name(method), example.source, example.target});
    ck_assert_msg(verify_angle_degrees(&pose, &example.truth) < 1e-5, "%s is off by %g degrees",
                  fricp_method_name(method), verify_angle_degrees(&pose, &example.truth));
    ck_assert_double_lt(verify_translation(&pose, &example.truth), 1e-6);
    ck_assert_double_lt(verify_orthonormality(&pose), 1e-12);
  }
}
END_TEST

START_TEST(output_streams) {
  const Example example;
  const Run plain = run_tool({example.source, example.target});
  ck_assert_int_eq(plain.status, 0);
  ck_assert(contains(plain.out, "converged after"));
  ck_assert(contains(plain.out, "robust-icp"));
  expect_text(plain.err, ""); // no progress line: not a terminal
  const Run quiet = run_tool({"-q", example.source, example.target});
  ck_assert_int_eq(quiet.status, 0);
  expect_text(quiet.out, "");
  expect_text(quiet.err, "");
  const Run piped = run_tool({"-t", "-", example.source, example.target});
  fricp_pose pose = {};
  ck_assert_msg(to_pose(piped.out, &pose), "not only the matrix: %s", piped.out.c_str());
  ck_assert(contains(piped.err, "converged after"));
  const Run verbose = run_tool({"-v", example.source, example.target});
  ck_assert(contains(verbose.err, "registered in 3-D"));
  ck_assert(contains(verbose.err, "iteration"));
}
END_TEST

/** @return the numbers of a JSON array of numbers. */
std::vector<double> numbers_of(const std::string &text) {
  std::vector<double> numbers;
  for (const char *at = text.c_str(); *at != '\0';) {
    if (std::strchr("[], ", *at) != nullptr) {
      ++at;
      continue;
    }
    char *end = nullptr;
    numbers.push_back(std::strtod(at, &end));
    ck_assert_ptr_ne(at, end);
    at = end;
  }
  return numbers;
}

START_TEST(report_has_its_keys) {
  const Example example;
  const Run run = run_tool(
      {"-q", "-t", example.outputs / "t.txt", "-r", example.outputs / "r.json", example.source, example.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  std::map<std::string, std::string> report;
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
                                "dimension"}) {
    ck_assert_msg(report.count(key) == 1, "no key %s", key);
  }
  expect_text(report["converged"], "true");
  expect_text(report["stop_reason"], "\"converged\"");
  expect_text(report["method"], "\"robust-icp\"");
  expect_text(report["threads"], "1");
  expect_text(report["points_source"], "400");
  expect_text(report["undetermined"], "0");
  std::map<std::string, std::string> seconds;
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
  const Run run = run_tool({"-q", "--full-resolution", "-r", "-", example.source, example.target});
  std::map<std::string, std::string> report;
  ck_assert(parse_json(run.out, &report));
  const std::string levels = report["levels"];
  double before = HUGE_VAL;
  long iterations = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = levels.find('{', at)) != std::string::npos; ++at, ++count) {
    std::map<std::string, std::string> level;
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
    words.insert(words.end(), {"-q", "-r", "-", example.source, example.target});
    const Run run = run_tool(words);
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    std::map<std::string, std::string> report;
    ck_assert(parse_json(run.out, &report));
    return report;
  };
  const auto number = [](std::map<std::string, std::string> report, const char *key) {
    return std::strtod(report[key].c_str(), nullptr);
  };
  const auto plain = report_with({});
  ck_assert_double_eq_tol(number(report_with({"--nu-start-factor", "6"}), "nu_start"), 2 * number(plain, "nu_start"),
                          1e-12);
  ck_assert_double_gt(number(report_with({"--nu-end-factor", "0.5"}), "nu_end"), 2 * number(plain, "nu_end"));
  ck_assert_double_eq(number(report_with({"--inlier-distance", "0.25"}), "inlier_distance"), 0.25);
  ck_assert_double_eq(number(report_with({"--history", "0"}), "accelerated"), 0);
  ck_assert_double_gt(number(plain, "accelerated"), 0);
  auto limited = report_with({"--max-iterations", "2", "-m", "icp"});
  expect_text(limited["stop_reason"], "\"iteration_limit\"");
  expect_text(limited["converged"], "false");
  ck_assert_double_le(number(limited, "iterations"), 2);
  for (const char *const method :
       {"robust-icp", "icp-plane"}) { // preparing counts, too; what there is then is the start
    auto timed = report_with({"--time-limit", "1e-9", "-m", method});
    expect_text(timed["stop_reason"], "\"time_limit\"");
    expect_text(timed["converged"], "false");
    ck_assert_double_eq(number(timed, "correspondence_passes"), 0);
    ck_assert_double_eq(number(timed, "moved_from_start"), 0);
  }
  expect_text(report_with({"--threads", "2"})["pose"], report_with({})["pose"]);
  // All searches are exact, so the poses are the same.
  expect_text(report_with({"--search", "brute"})["pose"], report_with({"--search", "tree"})["pose"]);
  expect_text(report_with({"--search", "flann"})["pose"], report_with({"--search", "tree"})["pose"]);
}
END_TEST

/** An outlier far away: without a limit it counts in least squares, beyond the limit or without its like it does not.
 */
START_TEST(gates_on_pairs) {
  Example example;
  Points points = surface(400);
  points.push_back({0, 0, 40});
  write_file(example.source, rows(points));
  const fricp_pose plain = pose_of({"-m", "icp", example.source, example.target});
  ck_assert_double_gt(verify_angle_degrees(&plain, &example.truth), 0.1);
  const fricp_pose limited = pose_of({"-m", "icp", "--max-distance", "1", example.source, example.target});
  ck_assert_double_lt(verify_angle_degrees(&limited, &example.truth), 1e-5);
  const fricp_pose mutual = pose_of({"-m", "icp", "--reciprocal", example.source, example.target});
  ck_assert_double_lt(verify_angle_degrees(&mutual, &example.truth), 1e-5);
}
END_TEST

/** All that is read and written, in a locale with a decimal comma: the same bytes. */
START_TEST(same_in_a_comma_locale) {
  Example example;
  const Scratch locales;
  const Environment german = german_locale(locales.path());
  if (german.empty()) {
    return;
  }
  const Points points = surface(400);
  write_file(example.scratch / "source.pcd", pcd(points));
  write_file(example.scratch / "source.ply", ply(points));
  write_file(example.scratch / "start.txt", "1 0 0 0.0625\n0 1 0 -0.03125\n0 0 1 0.5e-2\n0 0 0 1\n");
  for (const char *const name : {"source.xyz", "source.pcd", "source.ply"}) {
    std::string bytes[2];
    for (int k = 0; k < 2; ++k) {
      const Run run = run_tool({"-q", "-m", "icp", "-i", example.scratch / "start.txt", "--max-distance", "0.75", "-o",
                                example.outputs / "o.pcd", "-t", example.outputs / "t.txt", "-r",
                                example.outputs / "r.json", example.scratch / name, example.target},
                               k == 0 ? Environment() : german);
      ck_assert_msg(run.status == 0, "%s: %s", name, run.err.c_str());
      std::map<std::string, std::string> report;
      ck_assert(parse_json(read_file(example.outputs / "r.json"), &report));
      bytes[k] = read_file(example.outputs / "o.pcd") + read_file(example.outputs / "t.txt") + report["levels"] +
                 report["information"];
    }
    ck_assert(bytes[0] == bytes[1]);
  }
  write_file(example.source, "0,5 1,5 2,5\n");
  ck_assert_int_eq(run_tool({example.source, example.target}, german).status, 1);
  ck_assert_int_eq(run_tool({"--max-distance", "0,5", example.target, example.target}, german).status, 2);
  const Run shown = run_tool({example.target, example.target}, german);
  ck_assert(contains(shown.out, "turns by 0 degrees"));
  ck_assert_ptr_null(std::strchr(shown.out.substr(shown.out.find("degrees")).c_str(), ','));
}
END_TEST

/** @return what the tool writes to a terminal that is its standard error. */
std::string on_a_terminal(Words words) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ck_assert_int_ge(terminal, 0);
  ck_assert_int_eq(grantpt(terminal), 0);
  ck_assert_int_eq(unlockpt(terminal), 0);
  const std::string name = ptsname(terminal);
  const int kept = open(name.c_str(), O_RDWR | O_NOCTTY); // so that what was written outlives the program
  std::string line = "exec \"$0\" \"$@\" 2>'" + name + "'";
  words.insert(words.begin(), {"sh", "-c", line, tool_path()});
  ck_assert_int_eq(run_program(words).status, 0);
  std::string text(1 << 16, '\0');
  ck_assert_int_eq(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
  const ssize_t size = read(terminal, text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  close(kept);
  close(terminal);
  return text;
}

/** Work of some seconds: every point of 40 thousand against every other. */
START_TEST(progress_on_a_terminal) {
  const Example example(20000);
  const Words words = {"--threads",
                       "1",
                       "--search",
                       "brute",
                       "--max-iterations",
                       "12",
                       "-m",
                       "icp",
                       "--full-resolution",
                       "--time-limit",
                       "15",
                       "-t",
                       "/dev/null",
                       example.source,
                       example.target};
  const std::string text = on_a_terminal(words);
  ck_assert_msg(contains(text, "\r\033[Klevel 1 of 1, iteration "), "no progress line in: %s", text.c_str());
  ck_assert_msg(!contains(text, "of 0"), "a plan that there is not yet: %s", text.c_str());
  const std::size_t last = text.rfind("\033[Klevel");
  ck_assert_msg(text.find("\r\033[K", last + 1) != std::string::npos, "the line is not wiped in: %s", text.c_str());
  Words quiet = words;
  quiet.insert(quiet.begin(), "-q");
  expect_text(on_a_terminal(quiet), "");
}
END_TEST

/* ---- Where to start --------------------------------------------------------------------------------------------- */

START_TEST(start_from_a_file) {
  const Points points = surface(400);
  const Example example;
  fricp_pose half_turn = {};
  const double axis[3] = {1, 2, 3};
  verify_rotation(axis, 177, half_turn.rotation);
  half_turn.translation[0] = 5;
  const fricp_pose truth = verify_multiply(&half_turn, &example.truth);
  write_file(example.target, rows(moved(points, truth)));
  const auto matrix_text = [&](const char *separator) {
    std::string text = "# start\n\n";
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        char number[40];
        std::snprintf(number, sizeof number, "%.17g%s", half_turn.rotation[row][column], separator);
        text += number;
      }
      char number[40];
      std::snprintf(number, sizeof number, "%.17g\n", half_turn.translation[row]);
      text += number;
    }
    return text + "0" + separator + "0" + separator + "0" + separator + "1\n";
  };
  for (const char *const separator : {" ", "\t", ",", ", ", "  "}) {
    write_file(example.scratch / "start.txt", matrix_text(separator));
    const fricp_pose pose = pose_of({"--init", example.scratch / "start.txt", example.source, example.target});
    ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 1e-5);
    ck_assert_double_lt(verify_translation(&pose, &truth), 1e-6);
  }
}
END_TEST

/** A shift by 20 diameters, which centroids undo; the file keeps it. */
START_TEST(start_from_centroids) {
  const Points points = surface(400);
  const Example example;
  fricp_pose truth = example.truth;
  truth.translation[0] += 40;
  write_file(example.target, rows(moved(points, truth)));
  const fricp_pose pose = pose_of({"--init", "centroid", example.source, example.target});
  ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 1e-5);
  ck_assert_double_lt(verify_translation(&pose, &truth), 1e-5);
}
END_TEST

START_TEST(starts_that_are_refused) {
  const Example example;
  struct Row {
    const char *text;
    const char *fault;
  };
  const Row cases[] = {
      {"1 0 0 0\n0 1 0 0\n0 0 -1 0\n0 0 0 1\n", "mirror"},
      {"2 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", "rotation"},
      {"0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 1\n", "singular"},
      {"1 0 0 nan\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", ":1: bad number \"nan\""},
      {"1 0 0 0\n0 1 0 0\n0 0 1 inf\n0 0 0 1\n", ":3: bad number \"inf\""},
      {"1 0 0 0\n0 1 0 0\n0 0 1 0\n5 6 7 1\n", "last row"},
      {"1 0 0 0\n0 1 0 0\n0 0 1 0\n", "not a 4x4 matrix"},
      {"1 0 0\n0 1 0\n0 0 1\n", ":1: not a 4x4 matrix"},
      {"1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 1\n", ":5: not a 4x4 matrix"},
      {"1 0 0 0,5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", ":1: bad number \"0,5\""},
      {"1,0 0,0 0,0 0,5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", ":1: bad number \"1,0\""},
      {"1,5 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", ":1: not a 4x4 matrix"},
      {"", "not a 4x4 matrix"},
  };
  for (const Row &row : cases) {
    write_file(example.scratch / "start.txt", row.text);
    const Run run = run_tool(
        {"-i", example.scratch / "start.txt", "-t", example.outputs / "t.txt", example.source, example.target});
    ck_assert_msg(run.status == 1, "status %d for %s", run.status, row.text);
    ck_assert_msg(contains(run.err, row.fault), "no \"%s\" in: %s", row.fault, run.err.c_str());
    ck_assert_uint_eq(example.outputs.names().size(), 0);
  }
  const Run run = run_tool({"-i", "centriod", example.source, example.target});
  ck_assert_int_eq(run.status, 1);
  ck_assert(contains(run.err, "centriod: cannot be opened"));
}
END_TEST

/* ---- Files ------------------------------------------------------------------------------------------------------ */

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
  Run run = run_tool({"-t", example.outputs / "absent/t.txt", example.source, example.target});
  ck_assert_int_eq(run.status, 1);
  ck_assert(contains(run.err, "absent/t.txt: cannot be written: No such file"));
  run = run_tool({"-r", example.outputs.path(), example.source, example.target});
  ck_assert_int_eq(run.status, 1);
  ck_assert(contains(run.err, "cannot be written: is a directory"));
  if (exists("/dev/full")) {
    run = run_tool({"-t", "/dev/full", "-r", example.outputs / "r.json", example.source, example.target});
    ck_assert_int_eq(run.status, 1);
    ck_assert(contains(run.err, "/dev/full: cannot be written: No space left"));
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

Suite *command_suite() {
  Suite *const suite = suite_create("command");
  TCase *const line = tcase_create("line");
  tcase_set_timeout(line, 120);
  tcase_add_test(line, help_and_version);
  tcase_add_test(line, readme_follows);
  tcase_add_test(line, option_table_follows_the_header);
  tcase_add_test(line, wrong_command_lines);
  tcase_add_test(line, all_ways_to_write_an_option);
  tcase_add_test(line, every_method_finds_the_truth);
  tcase_add_test(line, output_streams);
  tcase_add_test(line, report_has_its_keys);
  tcase_add_test(line, report_of_levels);
  tcase_add_test(line, options_reach_the_solver);
  tcase_add_test(line, gates_on_pairs);
  tcase_add_test(line, same_in_a_comma_locale);
  tcase_add_test(line, progress_on_a_terminal);
  suite_add_tcase(suite, line);
  TCase *const start = tcase_create("start");
  tcase_set_timeout(start, 120);
  tcase_add_test(start, start_from_a_file);
  tcase_add_test(start, start_from_centroids);
  tcase_add_test(start, starts_that_are_refused);
  suite_add_tcase(suite, start);
  TCase *const files = tcase_create("files");
  tcase_set_timeout(files, 120);
  tcase_add_test(files, files_appear_together_or_not_at_all);
  tcase_add_test(files, outputs_that_cannot_be_written);
  tcase_add_test(files, outputs_that_are_not_plain_files);
  tcase_add_test(files, peak_memory);
  suite_add_tcase(suite, files);
  return suite;
}

} // namespace

} // namespace fricp::test

int main() {
  SRunner *const runner = srunner_create(fricp::test::command_suite());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
