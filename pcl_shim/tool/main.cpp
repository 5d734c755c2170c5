// SPDX-License-Identifier: BSD-3-Clause
/*
 * fricp: registers two clouds from the command line.
 */
#include "compare.hpp"
#include "console.hpp"
#include "feature_start.hpp"
#include "file_bytes.hpp"
#include "options.hpp"
#include "pair.hpp"
#include "report.hpp"
#include "sequence.hpp"
#include "text.hpp"
#include "viewer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

namespace fricp::tool {

namespace {

void log_line(void * /*context*/, const char *line) {
  say(stderr, printable(line) + "\n");
}

/**
 * Without a standard stream, the next file that is opened would take its place and get what is meant for the stream.
 * Reading from what stands in for it, or printing to it, is an error; messages have nowhere to go.
 */
void provide_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != stream)
      std::_Exit(1);
}

/** The progress function of a registration; the context is a LiveLine. */
int follow(void *context, const fricp_progress *progress) {
  auto &line = *static_cast<LiveLine *>(context);
  if (!line.is_due())
    return 0;
  const std::string level = progress->levels == 0 // before the first correspondences are known
                                ? std::string("starting")
                                : "level " + std::to_string(progress->level + 1) + " of " +
                                      std::to_string(progress->levels) + ", iteration " +
                                      std::to_string(progress->iteration) + ", energy " + rounded(progress->energy);
  line.show(level + ", " + rounded(progress->seconds, 3) + " s");
  return 0;
}

/** Moves the source, so nothing may read it as it was afterwards. */
void write_moved(OutputFile &file, const Options &options, Pair &pair, const fricp_pose &pose) {
  Cloud &source = pair.source;
  for (const std::string &what : source.dropped)
    if (!options.quiet)
      complain("note: " + source.path + ": not in the output: " + what);
  const double rounding = move(source, pose);
  constexpr double noticeable = 0.01;                // of the spacing
  const double spacing = pair.target_info().spacing; // 0: the time limit came before it was known
  if (!options.quiet && spacing > 0 && rounding > noticeable * spacing)
    complain("warning: the source has float coordinates; so far from the origin they are rounded by up to " +
             rounded(rounding, 3) + " in " + options.output);
  writer_of(options.output)(file, source);
}

void tell(const Options &options, const Outcome &outcome, const std::string &comparison) {
  for (const std::string &warning : warnings_of(outcome))
    complain("warning: " + warning);
  const bool piped = options.transform == "-" || options.report == "-";
  say(piped ? stderr : stdout, summary_of(outcome, options.source, options.target) + comparison);
  flush_output();
}

/** All files are complete, and the user has been told, before the first gets its name. */
void write_files(const Options &options, Pair &pair, Outcome &outcome, const Clock &clock,
                 const std::string &comparison, double comparing_seconds) {
  std::vector<std::unique_ptr<OutputFile>> files;
  const auto open = [&files](const std::string &path) -> OutputFile & {
    files.push_back(std::make_unique<OutputFile>(path));
    return *files.back();
  };
  if (!options.output.empty())
    write_moved(open(options.output), options, pair, outcome.result.target_from_source);
  if (!options.transform.empty())
    open(options.transform).write(to_text(outcome.result.target_from_source));
  outcome.total_seconds = clock.seconds() - comparing_seconds;
  if (!options.report.empty())
    open(options.report).write(to_json(outcome));
  for (const auto &file : files)
    file->close();
  if (!options.quiet)
    tell(options, outcome, comparison);
  for (const auto &file : files)
    file->commit();
}

void check_files(const Options &options) {
  std::vector<std::string> inputs = {options.source, options.target};
  for (const std::string &path : {options.init, options.prior})
    if (!path.empty())
      inputs.push_back(path);
  std::vector<std::string> outputs = {options.output, options.transform, options.report, options.screenshot};
  outputs.erase(std::remove(outputs.begin(), outputs.end(), ""), outputs.end());
  const std::size_t own = outputs.size();
  if (!options.compare.empty()) {
    const std::vector<std::string> pictures = compare_files(options.compare);
    outputs.insert(outputs.end(), pictures.begin(), pictures.end());
  }
  check_distinct(inputs, outputs);
  std::for_each_n(outputs.begin(), own, OutputFile::check);
  if (!options.compare.empty())
    OutputFile::check_folder(options.compare);
}

/** @return whether the pose may be trusted. */
bool run(Options options) {
  const Clock clock;
  check_files(options);
  if (options.view)
    check_viewer(options);
  if (options.features)
    load_features();
  Pair pair(options);
  for (const Cloud *const cloud : {&pair.source, &pair.target}) {
    const std::string doubt = doubt_about(*cloud);
    if (!doubt.empty() && !options.quiet)
      complain("warning: " + doubt);
  }
  if (options.verbose)
    for (const std::string &note : pair.notes)
      complain(note);
  Outcome outcome;
  {
    constexpr double patience = 1.0; // seconds, most registrations take less
    LiveLine line(!options.quiet && !options.verbose, patience);
    options.solver.progress = follow;
    options.solver.progress_context = &line;
    outcome = register_pair(pair, options.solver);
  }
  options.solver.progress = nullptr;
  std::string comparison;
  const Clock comparing;
  if (!options.compare.empty())
    comparison = compare(options, pair, outcome);
  const double comparing_seconds = comparing.seconds(); // the other methods' time is not this one's
  write_files(options, pair, outcome, clock, comparison, comparing_seconds);
  if (options.view)
    run_viewer(options, to_json(outcome));
  return is_trusted(outcome.result);
}

int work(int count, char **words) {
  Options options = parse_options(count, words);
  if (options.verbose)
    options.solver.log = log_line;
  say(stdout, options.answer);
  if (!options.quiet && options.compare.empty()) // other methods may have a use for it
    for (const std::string &note : options.idle)
      complain("note: " + note);
  const bool trusted = !options.answer.empty() || (options.sequence.empty() ? run(options) : run_sequence(options));
  flush_output();
  return options.strict && !trusted ? 3 : 0;
}

} // namespace

} // namespace fricp::tool

int main(int count, char **words) {
  fricp::tool::provide_standard_streams();
  fricp::tool::remove_unfinished_files_on_signals();
  return fricp::tool::guarded("fricp", [=] { return fricp::tool::work(count, words); });
}
