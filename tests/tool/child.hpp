// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file child.hpp
 * Runs the tool as users do, as a program of its own, in a scratch folder.
 */
#ifndef FRICP_TEST_CHILD_HPP
#define FRICP_TEST_CHILD_HPP

#include "fricp/fricp.h"

#include <map>
#include <string>
#include <vector>

namespace fricp::test {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

/** Fails the test unless the texts are the same. (Check's own macro keeps pointers into temporaries.) */
void expect_text(const std::string &found, const std::string &expected);

/** A folder of its own, deleted with all that is in it. */
class Scratch {
public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  const std::string &path() const {
    return path_;
  }
  std::string operator/(const std::string &name) const {
    return path_ + "/" + name;
  }
  /** @return the names of all that is in it, sorted. */
  Words names() const;

private:
  std::string path_;
};

void write_file(const std::string &path, const std::string &bytes);
/** @return the content, "" if there is no such file. */
std::string read_file(const std::string &path);
bool exists(const std::string &path);

struct Run {
  int status = -1; /**< exit status; -1: ended by a signal or by the time limit */
  double peak = 0; /**< bytes of memory at most */
  std::string out;
  std::string err;
};

/** Runs a program with an environment added to ours. @param limit  seconds after which it is killed. */
Run run_program(const Words &words, const Environment &environment = {}, int limit = 120);
/** @return the tool, as FRICP_TOOL names it. */
std::string tool_path();
/** The same for the tool, with --threads 1 so that small clouds do not wait for other processes. */
Run run_tool(Words words, const Environment &environment = {}, int limit = 120);

/** Starts a program; its standard output and error go to /dev/null. @return its process id. */
int start_program(const Words &words, const Environment &environment = {});
void stop_program(int process);

/** @return whether a text is four rows of four numbers, the last 0 0 0 1. */
bool to_pose(const std::string &text, fricp_pose *pose);

/** @return whether a text has that part. */
bool contains(const std::string &text, const std::string &part);

/** The pose that the tool prints for these arguments; fails the test if it does not exit with 0. */
fricp_pose pose_of(Words words, const Environment &environment = {});

fricp_pose identity();

/** A pose by its matrix, rows from the top. */
fricp_pose pose_from(const double (&matrix)[12]);

/**
 * Reads a JSON text strictly. @return whether it is one object and nothing else; values gets the text of each member of
 * the outermost object, as it stands there.
 */
bool parse_json(const std::string &text, std::map<std::string, std::string> *values);

using Report = std::map<std::string, std::string>;

/** The report of the tool for these arguments; fails the test if it does not exit with 0. */
Report report_of(Words words, const Environment &environment = {});

/** The numbers of a JSON array of numbers; fails the test if it is none. */
std::vector<double> numbers_of(const std::string &text);

/** A number of the report's; fails the test if it has no such key. */
double number_in(const Report &report, const char *key);

/**
 * Makes a locale with a decimal comma in a folder. @return what a program needs in its environment to run in it; empty,
 * after saying so, where the system cannot make one.
 */
Environment german_locale(const std::string &folder);

} // namespace fricp::test

#endif
