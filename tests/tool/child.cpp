// SPDX-License-Identifier: BSD-3-Clause
#include "child.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace fs = std::filesystem;

void expect_text(const std::string &found, const std::string &expected) {
  ck_assert_msg(found == expected, "\"%s\" instead of \"%s\"", found.c_str(), expected.c_str());
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "fricp-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no scratch folder");
  }
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code fault;
  fs::remove_all(path_, fault);
}

Words Scratch::names() const {
  Words names;
  for (const fs::directory_entry &entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  ck_assert_msg(file.good(), "cannot write %s", path.c_str());
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

bool exists(const std::string &path) {
  return fs::exists(path);
}

namespace {

/** In the child: only calls that are allowed between fork and exec. It ends with a test that fails. */
[[noreturn]] void become(const std::vector<char *> &words, const std::vector<char *> &environment, const char *out,
                         const char *err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = open("/dev/null", O_RDONLY);
  const int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (input >= 0 && output >= 0 && error >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(error, 2) == 2) {
    execvpe(words[0], words.data(), environment.data());
  }
  _exit(127);
}

int start(Words words, const Environment &added, const std::string &out, const std::string &err) {
  Words variables;
  for (char **variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (added.count(text.substr(0, text.find('='))) == 0) {
      variables.push_back(text);
    }
  }
  for (const auto &[name, value] : added) {
    variables.push_back(name + "=" + value);
  }
  const auto pointers = [](Words &texts) {
    std::vector<char *> result;
    for (std::string &text : texts) {
      result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
  };
  const std::vector<char *> argv = pointers(words);
  const std::vector<char *> envp = pointers(variables);
  const pid_t process = fork();
  if (process == 0) {
    become(argv, envp, out.c_str(), err.c_str());
  }
  ck_assert_int_gt(process, 0);
  return process;
}

} // namespace

Run run_program(const Words &words, const Environment &environment, int limit) {
  const Scratch scratch;
  const int process = start(words, environment, scratch / "out", scratch / "err");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit);
  int state = 0;
  rusage usage = {};
  while (wait4(process, &state, WNOHANG, &usage) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(process, SIGKILL);
      wait4(process, &state, 0, &usage);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  Run run;
  run.status = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  run.peak = 1024.0 * static_cast<double>(usage.ru_maxrss);
  run.out = read_file(scratch / "out");
  run.err = read_file(scratch / "err");
  return run;
}

std::string tool_path() {
  const char *const tool = std::getenv("FRICP_TOOL");
  ck_assert_msg(tool != nullptr, "FRICP_TOOL must name the tool");
  return tool == nullptr ? std::string() : tool;
}

Run run_tool(Words words, const Environment &environment, int limit) {
  words.insert(words.begin(), {tool_path(), "--threads", "1"});
  return run_program(words, environment, limit);
}

int start_program(const Words &words, const Environment &environment) {
  return start(words, environment, "/dev/null", "/dev/null");
}

void stop_program(int process) {
  int state = 0;
  kill(process, SIGTERM);
  for (int k = 0; k < 500 && waitpid(process, &state, WNOHANG) == 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(process, SIGKILL);
  waitpid(process, &state, 0);
}

bool to_pose(const std::string &text, fricp_pose *pose) {
  std::array<double, 16> matrix = {};
  const char *at = text.data();
  const char *const end = at + text.size();
  for (double &number : matrix) {
    const auto result = std::from_chars(at, end, number);
    if (result.ec != std::errc() || result.ptr == end || (*result.ptr != ' ' && *result.ptr != '\n')) {
      return false;
    }
    at = result.ptr + 1;
  }
  if (at != end || matrix[12] != 0 || matrix[13] != 0 || matrix[14] != 0 || matrix[15] != 1) {
    return false;
  }
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      pose->rotation[row][column] = matrix[4 * row + column];
    }
    pose->translation[row] = matrix[4 * row + 3];
  }
  return true;
}

fricp_pose pose_of(Words words, const Environment &environment) {
  words.insert(words.begin(), {"-q", "-t", "-"});
  const Run run = run_tool(words, environment);
  ck_assert_msg(run.status == 0, "%s: status %d, %s", words.back().c_str(), run.status, run.err.c_str());
  fricp_pose pose = {};
  ck_assert_msg(to_pose(run.out, &pose), "not a matrix: %s", run.out.c_str());
  return pose;
}

fricp_pose identity() {
  return pose_from({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
}

fricp_pose pose_from(const double (&matrix)[12]) {
  fricp_pose pose = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      pose.rotation[row][column] = matrix[4 * row + column];
    }
    pose.translation[row] = matrix[4 * row + 3];
  }
  return pose;
}

Environment german_locale(const std::string &folder) {
  const Environment environment = {{"LOCPATH", folder}, {"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}};
  const Run made = run_program({"localedef", "-i", "de_DE", "-f", "UTF-8", folder + "/de_DE.UTF-8"});
  const Run asked = run_program({"locale", "-k", "decimal_point"}, environment);
  if (asked.out != "decimal_point=\",\"\n") {
    std::printf("SKIPPED: no locale with a decimal comma: %s\n", made.err.c_str());
    return {};
  }
  return environment;
}

} // namespace fricp::test
