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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace fs = std::filesystem;

void expect_text(const std::string &found, const std::string &expected) {
  ck_assert_msg(found == expected, "\"%s\" instead of \"%s\"", found.c_str(), expected.c_str());
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

/** In the child: only calls that are allowed between fork and exec. */
[[noreturn]] void become(const std::vector<char *> &words, const std::vector<char *> &environment, const char *out,
                         const char *err) {
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

namespace {

/** JSON by its grammar (RFC 8259), without escapes other than the short ones. */
class Json {
public:
  explicit Json(std::string_view text) : rest_(text) {
  }

  bool whole(std::map<std::string, std::string> *values) {
    blanks();
    const bool good = object(values);
    blanks();
    return good && rest_.empty();
  }

private:
  void blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  bool take(char c) {
    blanks();
    const bool there = !rest_.empty() && rest_[0] == c;
    rest_.remove_prefix(there ? 1 : 0);
    return there;
  }
  bool string(std::string *text) {
    if (!take('"')) {
      return false;
    }
    while (!rest_.empty() && rest_[0] != '"') {
      const std::size_t size = rest_[0] == '\\' ? 2 : 1;
      if (static_cast<unsigned char>(rest_[0]) < 0x20 || rest_.size() < size) {
        return false;
      }
      text->append(rest_.substr(0, size));
      rest_.remove_prefix(size);
    }
    return take('"');
  }
  bool number() {
    double value = 0;
    const std::string_view start = rest_;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const std::size_t size = static_cast<std::size_t>(result.ptr - rest_.data());
    rest_.remove_prefix(size);
    const std::string_view text = start.substr(0, size);
    return result.ec == std::errc() && text.find_first_not_of("+-0123456789.eE") == std::string_view::npos;
  }
  bool word(std::string_view expected) {
    const bool there = rest_.substr(0, expected.size()) == expected;
    rest_.remove_prefix(there ? expected.size() : 0);
    return there;
  }
  bool array() {
    if (!take('[')) {
      return false;
    }
    if (take(']')) {
      return true;
    }
    do {
      if (!value()) {
        return false;
      }
    } while (take(','));
    return take(']');
  }
  bool object(std::map<std::string, std::string> *values) {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return true;
    }
    do {
      std::string key;
      if (!string(&key) || !take(':')) {
        return false;
      }
      blanks();
      const std::string_view start = rest_;
      if (!value()) {
        return false;
      }
      if (values != nullptr && !values->emplace(key, start.substr(0, start.size() - rest_.size())).second) {
        return false;
      }
    } while (take(','));
    return take('}');
  }
  bool value() {
    blanks();
    if (rest_.empty()) {
      return false;
    }
    std::string text;
    switch (rest_[0]) {
    case '{':
      return object(nullptr);
    case '[':
      return array();
    case '"':
      return string(&text);
    default:
      return word("true") || word("false") || word("null") || number();
    }
  }

  std::string_view rest_;
};

} // namespace

bool parse_json(const std::string &text, std::map<std::string, std::string> *values) {
  return Json(text).whole(values);
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

std::string reports_folder() {
  const char *const shared = std::getenv("FRICP_SHARED");
  const std::string folder = shared == nullptr ? std::string() : std::string(shared) + "/cases/reports";
  if (shared == nullptr || !exists(folder)) {
    std::puts("SKIPPED: FRICP_SHARED names no folder with cases/reports");
    return {};
  }
  return folder;
}

} // namespace fricp::test
