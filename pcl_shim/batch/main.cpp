// SPDX-License-Identifier: BSD-3-Clause
/*
 * fricp-batch: registers many pairs, by the processors of this machine or by those of many.
 */
#include "arguments.hpp"
#include "console.hpp"
#include "feature_start.hpp"
#include "file_bytes.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "worker.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <sched.h>

namespace fricp::batch {

namespace {

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
  if (arguments.pair.features) {
    tool::load_features(); // once for all workers; without it no pair would do
  }
  Crew crew(arguments, worker_count(arguments)); // before MPI, which is not to be forked
  tool::remove_unfinished_files_on_signals();
  Ranks ranks;
  if (ranks.rank() == 0) {
    if (!arguments.pair.quiet) {
      for (const std::string &note : arguments.pair.idle) {
        tool::complain("note: " + note, program_name);
      }
    }
    return lead(arguments, crew, ranks);
  }
  try {
    follow(crew, ranks);
  } catch (const std::exception &fault) {
    tool::complain(fault.what(), program_name);
    ranks.abort(); // rank 0 would wait for the answers
  }
  return 0;
}

int work(int count, char **words) {
  const Arguments arguments = parse_arguments(count, words);
  if (!arguments.pair.answer.empty()) {
    tool::say(stdout, arguments.pair.answer);
    tool::flush_output();
    return 0;
  }
  return arguments.launch.empty() ? run(arguments) : supervise(arguments, count, words);
}

} // namespace

} // namespace fricp::batch

int main(int count, char **words) {
  using namespace fricp;
  return tool::guarded(
      batch::program_name, [=] { return batch::work(count, words); }, batch::launched_rank() == 0); // once is enough
}
