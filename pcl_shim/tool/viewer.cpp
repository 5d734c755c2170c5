// SPDX-License-Identifier: BSD-3-Clause
#include "viewer.hpp"

#include "file_bytes.hpp"
#include "text.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fricp::tool {

namespace {

namespace fs = std::filesystem;

/** Beside this program, else where PATH says. @return "" if it is nowhere. */
std::string find_viewer() {
  std::error_code fault;
  std::string folders = fs::path(this_program()).parent_path().string();
  if (const char *const path = std::getenv("PATH"))
    folders += ":" + std::string(path);
  for (const std::string_view folder : parts_of(folders, ':')) {
    const std::string program = std::string(folder) + "/fricp-view";
    if (!folder.empty() && fs::is_regular_file(program, fault) && ::access(program.c_str(), X_OK) == 0)
      return program;
  }
  return "";
}

/** In the child: only calls that are allowed between fork and exec. */
[[noreturn]] void become(const std::vector<char *> &words, int report, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent && ::dup2(report, STDIN_FILENO) == STDIN_FILENO &&
      ::dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO) // our output may be piped on
    ::execv(words[0], words.data());
  ::_exit(127);
}

} // namespace

void check_viewer(const Options &options) {
  for (const std::string &cloud : {options.source, options.target})
    if (std::error_code fault; fs::exists(cloud, fault) && !fs::is_regular_file(cloud, fault))
      throw UsageError("--view reads the clouds again: " + tool::quoted(cloud) + " needs to be a file");
  if (options.screenshot == "-")
    throw UsageError("--screenshot needs a file, not standard output");
  if (find_viewer().empty())
    throw Error("--view: there is no program fricp-view beside this one or in PATH. It is built where PCL has its "
                "visualization, and Debian's package is fricp-view. --compare DIR writes pictures for pcl_viewer");
}

void run_viewer(const Options &options, const std::string &report) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(report.data(), 1, report.size(), file.get()) != report.size() ||
      std::fflush(file.get()) != 0)
    throw Error("--view: cannot write a temporary file: " + std::generic_category().message(errno));
  std::vector<std::string> words = {find_viewer(), "--report", "/dev/stdin"};
  if (!options.screenshot.empty())
    words.insert(words.end(), {"--screenshot", options.screenshot});
  words.insert(words.end(), {"--", options.source, options.target});
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t viewer = ::fork();
  if (viewer == 0)
    become(pointers, ::fileno(file.get()), parent);
  int state = 0;
  while (viewer > 0 && ::waitpid(viewer, &state, 0) < 0 && errno == EINTR) {
  }
  if (viewer < 0 || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
    throw Error("--view: " + words[0] + " failed" +
                (viewer > 0 && WIFSIGNALED(state) ? " by signal " + std::to_string(WTERMSIG(state)) : ""));
}

} // namespace fricp::tool
