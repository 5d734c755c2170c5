// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "text.hpp"

#include "api/option_table.h"

#include <CLI/CLI.hpp>

#include <cstring>
#include <string_view>

namespace fricp::batch {

namespace {

constexpr const char *description =
    "Registers the pairs of clouds that the table PAIRS names: lines of NAME, SOURCE, TARGET and, if wanted,\n"
    "INIT (a file with a 4x4 matrix), with tabs between; relative paths are relative to the table. A pair that\n"
    "fails or crashes costs its own line; started again, the same command goes on where it was.\n"
    "Under mpirun or srun the ranks share the pairs; without, the processors of this machine do.\n";

constexpr const char *ending = "--threads is 1 here unless it is given.\n\n"
                               "Exit status: 0 all pairs are registered, 1 some are not, 2 the command line is wrong;\n"
                               "with --strict 3 if all are registered, but some not to be trusted.";

void add_arguments(CLI::App &app, Arguments &arguments) {
  app.add_option("PAIRS", arguments.list, "the table of pairs")->option_text(" ")->required();
  app.add_option("-o,--output", arguments.pair.output,
                 "folder of the results, made if need be: results.jsonl, results.tsv,\ngraph.g2o, vertices.tsv")
      ->type_name("DIR")
      ->transform(tool::value_check())
      ->required();
  app.add_option("--workers", arguments.workers,
                 "processes of each rank that register pairs; default 1, without MPI\nas many as there are processors")
      ->type_name("N")
      ->transform(tool::positive_check(true));
  app.add_option("--pair-limit", arguments.pair_limit,
                 "give a pair up that takes longer than so many seconds, reading included;\ndefault 3600")
      ->type_name("S")
      ->transform(tool::positive_check(false));
  app.add_option("--memory-limit", arguments.memory_limit, "MiB that a pair may need; default no limit")
      ->type_name("M")
      ->transform(tool::positive_check(false));
  app.add_flag_callback(
      "--retry", [&arguments] { arguments.retry = true; }, "try pairs again that failed before");
  app.add_option("--launch", arguments.launch,
                 "start the ranks by this, and again where a rank was killed:\n\"mpirun -n 4\", \"srun --mpi=pmix\"")
      ->type_name("COMMAND")
      ->transform(tool::value_check());
}

template <typename T> T load(const void *base, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(base) + offset, sizeof value);
  return value;
}

} // namespace

Arguments parse_arguments(int count, char **words) {
  Arguments arguments;
  const auto add = [&](CLI::App &app, tool::Options &options) {
    options.solver.threads = 1; // a worker has one processor
    add_arguments(app, arguments);
  };
  tool::Options options = tool::parse_options(
      count, words,
      {program_name, description, ending, "exit with 3 unless every verdict is reliable or partial", add});
  options.output = arguments.pair.output;
  arguments.pair = options;
  return arguments;
}

std::vector<std::string> words_for_ranks(int count, char **words) {
  std::vector<std::string> kept;
  for (int k = 1; k < count; ++k) {
    const std::string_view word = words[k];
    if (word == "--launch") {
      ++k;
    } else if (word.substr(0, 9) != "--launch=") {
      kept.emplace_back(word);
    }
  }
  return kept;
}

std::string fingerprint(const tool::Options &options) {
  std::string text;
  const auto add = [&text](const char *name, double value) {
    if (value != 0) {
      text += (text.empty() ? "" : " ") + std::string(name) + "=" + tool::shortest(value);
    }
  };
  for (const fr_option &row : fr_option_rows) {
    if (std::strcmp(row.name, "threads") != 0) { // the same bits for any number
      add(row.name, row.kind == FR_REAL ? load<double>(&options.solver, row.offset)
                                        : load<std::int32_t>(&options.solver, row.offset));
    }
  }
  add("search", options.prepare.search_type);
  add("core_normals", options.core_normals);
  add("features", options.features ? 1 : 0);
  text += options.sensor.empty() ? "" : " sensor=" + tool::printable(options.sensor);
  return text + (options.init.empty() ? "" : " init=" + tool::printable(options.init));
}

} // namespace fricp::batch
