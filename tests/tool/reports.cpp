// SPDX-License-Identifier: BSD-3-Clause
#include "reports.hpp"

#include "cases.h"
#include "text.h"
#include "verify.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace fricp::test {

const char *const both_methods[2] = {"robust-icp", "robust-icp-plane"};

namespace {

std::string folder;

} // namespace

int run_reports(const char *name, std::initializer_list<const TTest *> tests) {
  const char *const shared = cases_shared_folder();
  folder = shared == nullptr ? std::string() : std::string(shared) + "/cases/reports";
  if (shared == nullptr || !exists(folder)) {
    std::puts("SKIPPED: FRICP_SHARED names no folder with cases/reports");
    std::fflush(stdout);
    return run_suite(name, {});
  }
  return run_suite(name, tests);
}

std::string in(const std::string &report, const std::string &file) {
  return folder + "/" + report + "/" + file;
}

fricp_pose truth_of(const std::string &report, const char *file) {
  fricp_pose pose = {};
  const char *const problem = text_read_pose(in(report, file).c_str(), &pose);
  ck_assert_msg(problem == nullptr, "%s: %s", file, problem);
  return pose;
}

std::vector<std::vector<double>> table_of(const std::string &path) {
  const std::string bytes = read_file(path);
  std::size_t begin = 0;
  for (const std::string end : {"DATA ascii\n", "end_header\n"}) {
    const std::size_t at = bytes.find(end);
    begin = at == std::string::npos ? begin : at + end.size();
  }
  std::istringstream lines(bytes.substr(begin));
  std::vector<std::vector<double>> table;
  for (std::string line; std::getline(lines, line);) {
    table.emplace_back();
    const char *at = line.c_str();
    for (char *end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) {
        break;
      }
      table.back().push_back(number);
    }
  }
  return table;
}

Points points_of(const std::string &path) {
  Points points;
  for (const std::vector<double> &row : table_of(path)) {
    ck_assert_uint_ge(row.size(), 3);
    points.push_back({row[0], row[1], row[2]});
  }
  return points;
}

std::vector<std::uint32_t> words_of(const std::string &path, std::string *header) {
  const std::string bytes = read_file(path);
  const std::string end = "DATA binary\n";
  const std::size_t at = bytes.find(end);
  ck_assert_uint_ne(at, std::string::npos);
  *header = bytes.substr(0, at);
  std::vector<std::uint32_t> words((bytes.size() - at - end.size()) / 4);
  std::memcpy(words.data(), bytes.data() + at + end.size(), 4 * words.size());
  return words;
}

float as_float(std::uint32_t word) {
  float number = 0;
  std::memcpy(&number, &word, sizeof number);
  return number;
}

Answer answer_of(Words words, const Environment &environment) {
  const Scratch scratch;
  const std::string label = words[words.size() - 2];
  words.insert(words.begin(), {"-q", "-t", "-", "-r", scratch / "r.json"});
  const Run run = run_tool(words, environment);
  ck_assert_msg(run.status == 0, "%s: status %d: %s", label.c_str(), run.status, run.err.c_str());
  Answer answer;
  ck_assert(to_pose(run.out, &answer.pose));
  ck_assert(parse_json(read_file(scratch / "r.json"), &answer.report));
  ck_assert_msg(verify_finite(&answer.pose) && verify_orthonormality(&answer.pose) <= 1e-6, "%s: not a rigid motion",
                label.c_str());
  return answer;
}

void expect_pose(const fricp_pose &pose, const fricp_pose &truth, double angle, double shift, const Point &at) {
  ck_assert_double_le(verify_angle_degrees(&pose, &truth), angle);
  ck_assert_double_le(verify_error_at(&pose, &truth, at.data()), shift);
}

std::string refusal_of(Words words, const std::string &culprit) {
  const Scratch outputs;
  words.insert(words.begin(), {"-o", outputs / "o.pcd", "-t", outputs / "t.txt", "-r", outputs / "r.json"});
  const Run run = run_tool(words);
  ck_assert_msg(run.status == 1, "%s: status %d: %s", culprit.c_str(), run.status, run.err.c_str());
  ck_assert_msg(run.err.find(culprit) != std::string::npos, "no %s in: %s", culprit.c_str(), run.err.c_str());
  ck_assert_uint_eq(outputs.names().size(), 0);
  return run.err;
}

} // namespace fricp::test
