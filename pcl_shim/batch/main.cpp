// SPDX-License-Identifier: BSD-3-Clause
/*
 * fricp-batch: registers many pairs, by the processors of this machine or by those of many.
 */
#include "arguments.hpp"
#include "file_bytes.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "text.hpp"
#include "worker.hpp"

#include <pcl/console/print.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <locale>
#include <new>

#include <sched.h>

namespace fricp::batch {

namespace {

void complain(const std::string &text) {
  std::fputs(("fricp-batch: " + tool::printable(text) + "\n").c_str(), stderr);
}

/** Of those that this process may use. */
int processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::size_t worker_count(const Arguments &arguments) {
  const int threads = std::max(arguments.pair.solver.threads, 1);
  const int usual = is_launched() ? 1 : std::max(processors() / threads, 1);
  return static_cast<std::size_t>(arguments.workers > 0 ? arguments.workers : usual);
}

int run(const Arguments &arguments) {
  Crew crew(arguments, worker_count(arguments)); // before MPI, which is not to be forked
  tool::remove_unfinished_files_on_signals();
  Ranks ranks;
  if (ranks.rank() == 0) {
    return lead(arguments, crew, ranks);
  }
  try {
    follow(crew, ranks);
  } catch (const std::exception &fault) {
    complain(fault.what());
    ranks.abort(); // rank 0 would wait for the answers
  }
  return 0;
}

int guarded(int count, char **words) {
  try {
    const Arguments arguments = parse_arguments(count, words);
    if (!arguments.pair.answer.empty()) {
      std::fputs(arguments.pair.answer.c_str(), stdout);
      return std::fflush(stdout) == 0 ? 0 : 1;
    }
    return arguments.launch.empty() ? run(arguments) : supervise(arguments, count, words);
  } catch (const tool::UsageError &fault) {
    if (launched_rank() == 0) { // once is enough
      complain(std::string(fault.what()) + " (see fricp-batch --help)");
    }
    return 2;
  } catch (const std::bad_alloc &) {
    complain("out of memory");
  } catch (const std::exception &fault) {
    complain(fault.what());
  }
  return 1;
}

} // namespace

} // namespace fricp::batch

int main(int count, char **words) {
  std::locale::global(std::locale::classic());
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS); // faults are ours to tell, once
  return fricp::batch::guarded(count, words);
}
