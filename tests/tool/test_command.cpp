// SPDX-License-Identifier: BSD-3-Clause
/*
 * The command line: options, exit statuses, streams, where a registration starts.
 */
#include "api/option_table.h"
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "suite.h"

namespace fricp::test {

namespace {

void expect_usage_error(const Words &words, const std::string &fault) {
  const Run run = run_tool(words);
  expect_failure(run, 2, fault);
  expect_text(run.out, "");
}

START_TEST(help_and_version) {
  const Run help = run_tool({"--help"});
  ck_assert_int_eq(help.status, 0);
  for (const char *const name :
       {"-m,--method NAME",  "-i,--init",          "-o,--output FILE",  "-t,--transform FILE", "-r,--report FILE",
        "--compare DIR",     "--max-iterations N", "--max-distance D",  "--inlier-distance D", "--nu-start-factor X",
        "--nu-end-factor X", "--history M",        "--full-resolution", "--reciprocal",        "--search NAME",
        "--time-limit S",    "--threads N",        "-q,--quiet",        "-v,--verbose",        "--help",
        "--version",         "robust-icp-plane",   "fast-icp",          "icp-plane",           "--starts N",
        "--strict",          "--free LIST",        "features",          "default auto",        "--normals NAME"}) {
    ck_assert_msg(contains(help.out, name), "--help does not name %s", name);
  }
  const Run version = run_tool({"--version"});
  ck_assert_int_eq(version.status, 0);
  expect_text(version.out, ("fricp " + std::string(FRICP_VERSION_STRING) + "\n"));
}
END_TEST

/** The tool's README leaves no option and no report key out. */
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
  for (const auto &member : report_of({example.source, example.target})) {
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
      if (header.compare(name, 9, "reserved;") == 0) {
        continue;
      }
      ck_assert_msg(found < count, "no row for %s", header.substr(name, 30).c_str());
      const fr_option &row = rows[found++];
      expect_text(header.substr(name, header.find(';', name) - name), row.name);
      ck_assert_msg(header.find("/**<", name) < header.find('\n', name), "%s is not documented", row.name);
      ck_assert_int_eq(header[at + 3] == 'd' ? FR_REAL : FR_WHOLE, row.kind);
    }
    ck_assert_uint_eq(found, count);
  };
  expect_rows("\nstruct fricp_options {", "\n};", fr_option_rows, FR_OPTION_COUNT);
  expect_rows("\nstruct fricp_target_options {", "\n};", fr_target_option_rows, FR_TARGET_OPTION_COUNT);
}
END_TEST

START_TEST(wrong_command_lines) {
  expect_usage_error({}, "SOURCE is required");
  expect_usage_error({"one.pcd"}, "TARGET is required");
  expect_usage_error({"one.pcd", "two.pcd", "three.pcd"}, "not expected: three.pcd");
  expect_usage_error({"--colour", "a", "b"}, "not expected: --colour");
  expect_usage_error({"-x", "a", "b"}, "not expected: -x");
  expect_usage_error({"a", "b", "-m"}, "--method: 1 required NAME missing");
  expect_usage_error({"--transform=", "-q", "a", "b"}, "--transform= needs a value");
  expect_usage_error({"-m", "magic", "a", "b"}, "--method: \"magic\" needs one of aa-icp, auto, fast-icp, icp, ");
  expect_usage_error({"--quiet=yes", "a", "b"}, "quiet was given a disallowed flag override; an option needs");
  expect_usage_error({"-q", "-v", "a", "b"}, "--quiet excludes --verbose");
  expect_usage_error({"-o", "out.xyz", "a", "b"}, "cannot tell the format of \"out.xyz\"");
  expect_usage_error({"-o", "", "a", "b"}, "--output");
  expect_usage_error({"-t", "same", "-r", "same", "a", "b"}, "two outputs to \"same\"");
  expect_usage_error({"--search", "fast", "a", "b"}, "--search: \"fast\" needs one of brute, flann, tree");
  for (const char *const value : {"0", "-1", "nan", "inf", "0,05", "1e", "", "1 "}) {
    expect_usage_error({"--max-distance", value, "a", "b"}, "--max-distance: ");
  }
  for (const char *const name : {"--inlier-distance", "--nu-start-factor", "--nu-end-factor", "--time-limit"}) {
    for (const char *const value : {"0", "1e"}) { // numbers are read in one way, ranges are each option's own
      expect_usage_error({name, value, "a", "b"}, std::string(name) + ": ");
    }
  }
  for (const char *const name : {"--nu-start-factor", "--nu-end-factor", "--time-limit"}) { // the core's own bounds
    expect_usage_error({name, "1.1e9", "a", "b"}, "needs a number above 0 up to 1e+09");
    expect_failure(run_tool({name, "1e9", "a", "b"}), 1, "a: cannot be opened");
  }
  expect_usage_error({"--max-iterations", "2147483647", "a", "b"}, "--max-iterations");
  expect_failure(run_tool({"--max-iterations", "2147483646", "-", "b"}), 1, "standard input is /dev/stdin");
  for (const char *const value : {"0", "-1", "1.5", "99999999999", "x"}) {
    expect_usage_error({"--max-iterations", value, "a", "b"}, "--max-iterations");
    expect_usage_error({"--threads", value, "a", "b"}, "--threads");
  }
  for (const char *const value : {"up", "x,", ",x", "x y", "x,,y", "X"}) {
    expect_usage_error({"--free", value, "a", "b"}, "needs some of roll, pitch, yaw, x, y, z");
  }
  expect_usage_error({"--history", "17", "a", "b"}, "needs a whole number from 0 to 16");
  for (const char *const value : {"0", "1001", "-1", "many"}) {
    expect_usage_error({"--starts", value, "a", "b"}, "needs a whole number from 1 to 1000");
  }
}
END_TEST

START_TEST(all_ways_to_write_an_option) {
  const Example example;
  const Words ways[] = {{"-micp", "-q"},        {"-m", "icp", "-q"}, {"--method", "icp", "--quiet"},
                        {"--method=icp", "-q"}, {"-qm", "icp"},      {"-q", "-m", "robust-icp", "-m", "icp"}};
  for (const Words &way : ways) {
    Words words = way;
    words.insert(words.end(), {"--", example.source, example.target});
    expect_text(report_of(words)["method"], "\"icp\"");
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
  ck_assert(contains(plain.out, "by auto"));
  ck_assert(contains(plain.out, "reliable: "));
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
/** What is not free is as the start has it: the pose's own numbers. The target is turned about z and shifted along x, y. */
START_TEST(free_directions) {
  const Example example;
  const double z[3] = {0, 0, 1};
  const double shift[3] = {0.03, -0.02, 0};
  const fricp_pose truth = verify_pose(z, 3, shift);
  write_file(example.target, rows(moved(surface(400), truth)));
  for (const char *const list : {"planar", "x,y,yaw", "yaw,y,x,x"}) {
    const fricp_pose pose = pose_of({"--free", list, example.source, example.target});
    ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 1e-5);
    ck_assert_double_le(std::abs(pose.rotation[2][2] - 1), 1e-12);
    ck_assert_double_le(std::abs(pose.translation[2]), 1e-12);
  }
  const fricp_pose shifted = pose_of({"--free", "shift", example.source, example.target});
  const fricp_pose still = fricp_pose_identity();
  ck_assert_double_le(verify_angle_degrees(&shifted, &still), 1e-10);
}
END_TEST

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
      Report report;
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

START_TEST(start_from_a_file) {
  const Points points = surface(400);
  const Example example;
  const double axis[3] = {1, 2, 3};
  const double shift[3] = {5, 0, 0};
  const fricp_pose half_turn = verify_pose(axis, 177, shift);
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
    const char *const mark = separator[0] == '\t' ? "\xEF\xBB\xBF" : ""; // which some editors put before text
    write_file(example.scratch / "start.txt", mark + matrix_text(separator));
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

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("command", {help_and_version, readme_follows, option_table_follows_the_header, wrong_command_lines,
                               all_ways_to_write_an_option, every_method_finds_the_truth, output_streams,
                               gates_on_pairs, free_directions, same_in_a_comma_locale, progress_on_a_terminal,
                               start_from_a_file, start_from_centroids, starts_that_are_refused});
}
