// SPDX-License-Identifier: BSD-3-Clause
/*
 * fricp: registers two clouds from the command line.
 */
#include "compare.hpp"
#include "file_bytes.hpp"
#include "options.hpp"
#include "pair.hpp"
#include "pose_text.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

#include <pcl/console/print.h>

#include <cstdio>
#include <exception>
#include <locale>
#include <memory>
#include <new>

namespace fricp::tool {

namespace {

void say(std::FILE *stream, const std::string &text) {
  std::fputs(text.c_str(), stream);
}

void complain(const std::string &text) {
  say(stderr, "fricp: " + text + "\n");
}

void log_line(void * /*context*/, const char *line) {
  say(stderr, std::string(line) + "\n");
}

/** Moves the source, so nothing may read it as it was afterwards. */
void write_moved(OutputFile &file, const Options &options, Pair &pair, const fricp_pose &pose) {
  Cloud &source = pair.source();
  for (const std::string &what : source.dropped) {
    if (!options.quiet) {
      complain("note: " + source.path + ": not in the output: " + what);
    }
  }
  widen_coordinates(source);
  const double rounding = move(source, pose);
  constexpr double noticeable = 0.01; // of the spacing
  if (!options.quiet && rounding > noticeable * pair.target_info().spacing) {
    complain("warning: the source has float coordinates; so far from the origin they are rounded by up to " +
             rounded(rounding, 3) + " in " + options.output);
  }
  write_cloud(file, format_of(options.output), source);
}

/** All files are complete before the first gets its name. */
void write_files(const Options &options, Pair &pair, Outcome &outcome, const Clock &clock, double comparing_seconds) {
  std::vector<std::unique_ptr<OutputFile>> files;
  const auto open = [&files](const std::string &path) -> OutputFile & {
    files.push_back(std::make_unique<OutputFile>(path));
    return *files.back();
  };
  if (!options.output.empty()) {
    write_moved(open(options.output), options, pair, outcome.result.target_from_source);
  }
  if (!options.transform.empty()) {
    open(options.transform).write(to_text(outcome.result.target_from_source));
  }
  outcome.total_seconds = clock.seconds() - comparing_seconds;
  if (!options.report.empty()) {
    open(options.report).write(to_json(outcome));
  }
  for (const auto &file : files) {
    file->close();
  }
  for (const auto &file : files) {
    file->commit();
  }
}

void check_files(const Options &options) {
  for (const std::string &path : {options.output, options.transform, options.report}) {
    if (!path.empty()) {
      OutputFile::check(path);
    }
  }
}

void run(Options options) {
  const Clock clock;
  check_files(options);
  Pair pair(options);
  if (options.verbose) {
    options.solver.log = log_line;
    for (const std::string &note : pair.notes()) {
      complain(note);
    }
  }
  Outcome outcome;
  {
    Progress progress(!options.quiet && !options.verbose);
    progress.attach(options.solver);
    outcome.result = pair.align(options.solver);
  }
  options.solver.progress = nullptr;
  outcome.method = options.solver.method;
  outcome.levels = pair.levels();
  outcome.dimension = pair.dimension();
  outcome.seconds = pair.seconds();
  std::string comparison;
  const Clock comparing;
  if (!options.compare.empty()) {
    comparison = compare(options, pair, outcome);
  }
  const double comparing_seconds = comparing.seconds(); // the other methods' time is not this one's
  write_files(options, pair, outcome, clock, comparing_seconds);
  if (options.quiet) {
    return;
  }
  for (const std::string &warning : warnings_of(outcome)) {
    complain("warning: " + warning);
  }
  const bool piped = options.transform == "-" || options.report == "-";
  say(piped ? stderr : stdout, summary_of(outcome, options.source, options.target) + comparison);
}

int guarded(int count, char **words) {
  try {
    const Options options = parse_options(count, words);
    if (options.help) {
      say(stdout, help_text());
    } else if (options.version) {
      say(stdout, std::string("fricp ") + fricp_version() + "\n");
    } else {
      run(options);
    }
    if (std::fflush(stdout) != 0) {
      throw Error("cannot write to standard output");
    }
    return 0;
  } catch (const UsageError &fault) {
    complain(std::string(fault.what()) + " (see fricp --help)");
    return 2;
  } catch (const std::bad_alloc &) {
    complain("out of memory");
  } catch (const std::exception &fault) {
    complain(fault.what());
  }
  return 1;
}

} // namespace

} // namespace fricp::tool

int main(int count, char **words) {
  std::locale::global(std::locale::classic());
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS); // faults are ours to tell, once
  return fricp::tool::guarded(count, words);
}
