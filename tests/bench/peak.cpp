// SPDX-License-Identifier: BSD-3-Clause
// Linux only: /proc/self/clear_refs sets the high-water mark of resident memory back. Counts whatever a library
// allocates and touches, by malloc or not; exact to pages, so of use from some megabytes on.
#include "peak.hpp"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "registrations.hpp"

namespace bench {
namespace {

/// A line such as "VmHWM:  1234 kB". @return bytes, or -1.
double memory_line(const std::string &name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0)
      return 1024.0 * std::stod(line.substr(name.size() + 1));
  return -1.0;
}

bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5";
  file.close();
  return static_cast<bool>(file);
}

std::vector<char *> pointers(std::vector<std::string> &words) {
  std::vector<char *> list;
  for (std::string &word : words)
    list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

} // namespace

int run_peak(int argc, char **argv) {
  const Arguments a(argc, argv, {"--pair", "--pairs", "--case", "--points", "--lidar", "--method", "--start"},
                    {"--count-normals"});
  mallopt(M_MMAP_THRESHOLD, 65536); // freed arrays leave the process: what stays would hide a later need
  const Contestants contestants(a);
  if (contestants.count() != 1 || a.all("--method").size() != 1)
    throw UsageError("peak takes one pair and one method");
  const Contest contest(contestants.load(0), 1, a.has("--count-normals"));
  if (!contest.run(a.text("--method", "")).available)
    throw std::runtime_error("no such method");
  malloc_trim(0);
  if (!reset_peak())
    throw std::runtime_error("the peak of resident memory cannot be reset here");
  const double before = memory_line("VmRSS");
  contest.run(a.text("--method", ""));
  const double peak = memory_line("VmHWM");
  if (before < 0 || peak < 0)
    throw std::runtime_error("resident memory cannot be read here");
  std::printf("%.0f\n", peak - before);
  return 0;
}

double peak_bytes_in_child(const std::vector<std::string> &pair_arguments, const std::string &method,
                           bool count_normals) {
  std::vector<std::string> words{"fricp_bench", "peak"};
  words.insert(words.end(), pair_arguments.begin(), pair_arguments.end());
  words.insert(words.end(), {"--method", method});
  if (count_normals)
    words.push_back("--count-normals");
  const std::vector<char *> list = pointers(words);
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0)
    return -1.0;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv("/proc/self/exe", list.data());
    _exit(127);
  }
  close(ends[1]);
  double bytes = -1.0;
  if (FILE *from = fdopen(ends[0], "r")) {
    if (std::fscanf(from, "%lf", &bytes) != 1)
      bytes = -1.0;
    std::fclose(from);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    return -1.0;
  return bytes;
}

} // namespace bench
