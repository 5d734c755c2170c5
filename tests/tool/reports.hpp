// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file reports.hpp
 * The shared failure reports through the tool.
 */
#ifndef FRICP_TEST_REPORTS_HPP
#define FRICP_TEST_REPORTS_HPP

#include "child.hpp"
#include "clouds.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "suite.h"

namespace fricp::test {

/** Runs the tests in the folder of the shared reports, none after saying so where there is none. */
int run_reports(const char *name, std::initializer_list<const TTest *> tests);

/** A file of a report. */
std::string in(const std::string &report, const std::string &file);

fricp_pose truth_of(const std::string &report, const char *file = "truth.txt");

/** The rows of a text cloud as numbers. */
std::vector<std::vector<double>> table_of(const std::string &path);

Points points_of(const std::string &path);

/** The 32-bit words behind the header of a binary PCD that the tool wrote; the header too. */
std::vector<std::uint32_t> words_of(const std::string &path, std::string *header);

float as_float(std::uint32_t word);

struct Answer {
  fricp_pose pose = {};
  Report report;
};

/** Registers and checks what every report asks of a matrix. */
Answer answer_of(Words words, const Environment &environment = {});

void expect_pose(const fricp_pose &pose, const fricp_pose &truth, double angle, double shift, const Point &at = {});

/** An error that names the file, and no file written. @return its text. */
std::string refusal_of(Words words, const std::string &culprit);

extern const char *const both_methods[2];

} // namespace fricp::test

#endif
