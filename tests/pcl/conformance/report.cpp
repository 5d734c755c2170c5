// SPDX-License-Identifier: BSD-3-Clause
// Prints the drop-in contract as a table, a numbered line a row and a column a class; every cell in a process of its
// own, since some end in abort(). Ends with 0 if all of ours hold.
#include "row.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using conformance::Candidate;
using conformance::Outcome;
using conformance::Row;

constexpr unsigned TIME_LIMIT = 60; // seconds

// In the child: say how it went through the pipe.
[[noreturn]] void runRow(const Row &row, int pipe) {
  std::signal(SIGALRM, SIG_DFL);
  alarm(TIME_LIMIT);
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr))
    _exit(2);
  Outcome outcome;
  try {
    outcome = row.run();
  } catch (const std::exception &error) {
    outcome = std::string("threw: ") + error.what();
  }
  const std::string answer = "=" + outcome; // to be told from no answer
  const bool written = write(pipe, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
  _exit(written ? 0 : 2);
}

std::string readAll(int pipe) {
  std::string text;
  char buffer[256];
  for (ssize_t size = read(pipe, buffer, sizeof buffer); size > 0; size = read(pipe, buffer, sizeof buffer))
    text.append(buffer, static_cast<std::size_t>(size));
  return text;
}

Outcome judge(const Row &row) {
  int ends[2];
  if (pipe(ends) != 0)
    return "no pipe";
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runRow(row, ends[1]);
  }
  close(ends[1]);
  const std::string answer = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return "no child process";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGALRM ? "hangs" : signal == SIGABRT ? "aborts" : signal == SIGSEGV ? "segfaults" : "crashes";
  }
  return answer.empty() ? "no answer" : answer.substr(1);
}

} // namespace

int main(int count, char **arguments) {
  setenv("FRICP_NATIVE_CONSUMER", FRICP_NATIVE_CONSUMER, 0);
  setenv("FRICP_NATIVE_CONSUMER_PCL", FRICP_NATIVE_CONSUMER_PCL, 0);
  setenv("FRICP_CUSTOM_CONSUMER", FRICP_CUSTOM_CONSUMER, 0);
  setenv("FRICP_INSTALLED_TOOL", FRICP_INSTALLED_TOOL, 0);
  const bool only_ours = count > 1 && std::strcmp(arguments[1], "--ours") == 0;
  std::vector<Candidate> candidates = conformance::ours();
  const std::size_t our_count = candidates.size();
  if (!only_ours)
    for (const Candidate &peer : conformance::peers())
      candidates.push_back(peer);

  std::printf("| # | behaviour |");
  for (const Candidate &candidate : candidates)
    std::printf(" %s |", candidate.name);
  std::printf("\n|---|---|");
  for (std::size_t i = 0; i < candidates.size(); i++)
    std::printf("---|");
  std::printf("\n");
  std::vector<int> held(candidates.size());
  bool all_ours = true;
  for (std::size_t row = 0; row < candidates[0].rows.size(); row++) {
    std::printf("| %d | %s |", candidates[0].rows[row].number, candidates[0].rows[row].behaviour);
    for (std::size_t i = 0; i < candidates.size(); i++) {
      const Outcome outcome = judge(candidates[i].rows[row]);
      held[i] += outcome.empty();
      all_ours = all_ours && (outcome.empty() || i >= our_count);
      std::printf(" %s |", outcome.empty() ? "yes" : outcome.c_str());
    }
    std::printf("\n");
  }
  std::printf("| | rows that hold |");
  for (const int rows : held)
    std::printf(" %d of %zu |", rows, candidates[0].rows.size());
  std::printf("\n");
  return all_ours ? 0 : 1;
}
