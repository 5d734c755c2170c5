// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "cloud_io.hpp"
#include "text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fricp::tool {

namespace {

struct Row;
using Setter = void (*)(Options &, const Row & /*row*/, const std::string & /*value*/);

struct Row {
  char letter;          /**< 0: none */
  const char *name;     /**< without the dashes */
  const char *argument; /**< null: takes none */
  const char *help;     /**< a second line after \n */
  double least;         /**< range of a number; a real number must be above it, a whole one may be equal */
  double most;
  Setter set;
};

// Of what the core takes (fricp_options).
constexpr double no_limit = std::numeric_limits<double>::max();
constexpr double number_limit = 1e9;
constexpr double int_limit = INT32_MAX - 1;

[[noreturn]] void refuse(const Row &row, const std::string &value, const std::string &needed) {
  throw UsageError(std::string("--") + row.name + " " + quoted(value) + ": " + needed);
}

double real(const Row &row, const std::string &value) {
  double number = 0;
  if (!parse(value, number) || !(number > row.least) || !(number <= row.most)) {
    refuse(row, value,
           "needs a number above " + shortest(row.least) +
               (row.most < no_limit ? " up to " + shortest(row.most) : std::string()));
  }
  return number;
}

std::int32_t whole(const Row &row, const std::string &value) {
  std::int64_t number = 0;
  if (!parse(value, number) || static_cast<double>(number) < row.least || static_cast<double>(number) > row.most) {
    refuse(row, value,
           "needs a whole number from " + shortest(row.least) +
               (row.most < int_limit ? " to " + shortest(row.most) : std::string(" up")));
  }
  return static_cast<std::int32_t>(number);
}

std::string method_names() {
  std::string names;
  for (std::int32_t k = 0; fricp_method_name(k) != nullptr; ++k) {
    names += (k > 0 ? ", " : "") + std::string(fricp_method_name(k));
  }
  return names;
}

void set_method(Options &options, const Row &row, const std::string &value) {
  if (fricp_method_from_name(value.c_str(), &options.solver.method) != FRICP_OK) {
    refuse(row, value, "needs one of " + method_names());
  }
}

void set_init(Options &options, const Row & /*row*/, const std::string &value) {
  options.solver.start = value == "centroid" ? FRICP_START_CENTROID : FRICP_START_GUESS;
  options.init = value == "centroid" || value == "identity" ? std::string() : value;
}

void set_search(Options &options, const Row &row, const std::string &value) {
  constexpr std::array<std::pair<std::string_view, fricp_search_type>, 3> types = {
      {{"tree", FRICP_SEARCH_TREE}, {"flann", FRICP_SEARCH_FLANN}, {"brute", FRICP_SEARCH_BRUTE}}};
  for (const auto &[name, type] : types) {
    if (value == name) {
      options.prepare.search_type = type;
      return;
    }
  }
  refuse(row, value, "needs tree, flann or brute");
}

template <std::string Options::*member> void set_path(Options &options, const Row &row, const std::string &value) {
  if (value.empty()) {
    refuse(row, value, "needs a name");
  }
  const bool standard = value == "/dev/stdout" || value == "/dev/fd/1" || value == "/proc/self/fd/1";
  options.*member = standard ? "-" : value;
}

void set_output(Options &options, const Row &row, const std::string &value) {
  set_path<&Options::output>(options, row, value);
  format_of(value);
}

template <bool Options::*member> void set_flag(Options &options, const Row & /*row*/, const std::string & /*value*/) {
  options.*member = true;
}

template <double fricp_options::*member> void set_real(Options &options, const Row &row, const std::string &value) {
  options.solver.*member = real(row, value);
}

template <std::int32_t fricp_options::*member>
void set_whole(Options &options, const Row &row, const std::string &value) {
  options.solver.*member = whole(row, value);
}

/** In the C API 0 is the method's own history and -1 none. */
void set_history(Options &options, const Row &row, const std::string &value) {
  const std::int32_t history = whole(row, value);
  options.solver.anderson_history = history == 0 ? -1 : history;
}

void set_threads(Options &options, const Row &row, const std::string &value) {
  options.solver.threads = whole(row, value);
  options.prepare.threads = options.solver.threads;
}

template <std::int32_t fricp_options::*member>
void set_switch(Options &options, const Row & /*row*/, const std::string & /*value*/) {
  options.solver.*member = 1;
}

constexpr Row rows[] = {
    {'m', "method", "NAME", "how to register, see below; default robust-icp", 0, 0, set_method},
    {'i', "init", "START",
     "identity, centroid or FILE: where to start; default identity.\nFILE holds a 4x4 matrix as text", 0, 0, set_init},
    {'o', "output", "FILE", "write the moved source (.pcd or .ply, binary), all fields\nkept, normals rotated", 0, 0,
     set_output},
    {'t', "transform", "FILE",
     "write the 4x4 matrix target_from_source as text,\n17 significant digits; - for standard output", 0, 0,
     set_path<&Options::transform>},
    {'r', "report", "FILE", "write what was found as JSON; - for standard output", 0, 0, set_path<&Options::report>},
    {0, "compare", "DIR",
     "run every method and PCL's ICP too, and write a coloured\nPCD of each into DIR for pcl_viewer", 0, 0,
     set_path<&Options::compare>},
    {0, "max-iterations", "N", "iterations over all levels, 1 or more; default the paper's", 1, int_limit,
     set_whole<&fricp_options::max_iterations>},
    {0, "max-distance", "D", "leave out source points farther than this from the target,\nabove 0; default no limit", 0,
     no_limit, set_real<&fricp_options::max_distance>},
    {0, "inlier-distance", "D", "what counts as an inlier in the report, above 0; default\nthe spacing of the target",
     0, no_limit, set_real<&fricp_options::inlier_distance>},
    {0, "nu-start-factor", "X", "first kernel width in median initial residuals, above 0;\ndefault 3", 0, number_limit,
     set_real<&fricp_options::nu_start_factor>},
    {0, "nu-end-factor", "X",
     "last kernel width in spacings of the target, above 0;\ndefault 1/(3 sqrt 3), to planes 1/6", 0, number_limit,
     set_real<&fricp_options::nu_end_factor>},
    {0, "history", "M", "iterates that Anderson acceleration uses, 0 (none) to 16;\ndefault the method's own", 0, 16,
     set_history},
    {0, "full-resolution", nullptr, "use every source point from the start, not only later", 0, 0,
     set_switch<&fricp_options::full_resolution>},
    {0, "reciprocal", nullptr, "count only pairs that are each other's nearest", 0, 0,
     set_switch<&fricp_options::reciprocal>},
    {0, "search", "NAME", "nearest neighbours by tree, flann or brute; default tree", 0, 0, set_search},
    {0, "time-limit", "S", "stop after so many seconds of work on the clouds, above 0;\ndefault none", 0, number_limit,
     set_real<&fricp_options::time_limit>},
    {0, "threads", "N", "1 or more; default as many as the machine has, fewer for\nsmall clouds", 1, 4096, set_threads},
    {'q', "quiet", nullptr, "print nothing but errors", 0, 0, set_flag<&Options::quiet>},
    {'v', "verbose", nullptr, "tell more, on standard error", 0, 0, set_flag<&Options::verbose>},
    {'h', "help", nullptr, "print this and exit", 0, 0, set_flag<&Options::help>},
    {0, "version", nullptr, "print the version and exit", 0, 0, set_flag<&Options::version>},
};

const Row *find_row(std::string_view name) {
  for (const Row &row : rows) {
    if (name == row.name) {
      return &row;
    }
  }
  return nullptr;
}

const Row *find_row(char letter) {
  for (const Row &row : rows) {
    if (letter == row.letter) {
      return &row;
    }
  }
  return nullptr;
}

/** Walks through the words of the command line. */
class Walk {
public:
  Walk(int count, char **words) : words_(words + 1, words + count) {
  }

  Options run() {
    std::vector<std::string> clouds;
    bool only_names = false;
    while (at_ < words_.size()) {
      const std::string word = words_[at_++];
      if (only_names || word.size() < 2 || word[0] != '-') {
        clouds.push_back(word);
      } else if (word == "--") {
        only_names = true;
      } else if (word[1] == '-') {
        long_option(word.substr(2));
      } else {
        letters(word.substr(1));
      }
    }
    take_clouds(clouds);
    return options_;
  }

private:
  void long_option(const std::string &word) {
    const std::size_t equals = word.find('=');
    const Row *const row = find_row(std::string_view(word).substr(0, equals));
    if (row == nullptr) {
      throw UsageError("unknown option " + quoted("--" + word.substr(0, equals)));
    }
    if (row->argument == nullptr && equals != std::string::npos) {
      throw UsageError(std::string("--") + row->name + " takes no value");
    }
    const bool inside = equals != std::string::npos;
    apply(*row, inside ? word.substr(equals + 1) : row->argument != nullptr ? next_for(*row) : std::string());
  }

  void letters(std::string_view word) {
    while (!word.empty()) {
      const Row *const row = find_row(word[0]);
      if (row == nullptr) {
        throw UsageError("unknown option " + quoted("-" + std::string(1, word[0])));
      }
      word.remove_prefix(1);
      if (row->argument == nullptr) {
        apply(*row, {});
      } else {
        apply(*row, word.empty() ? next_for(*row) : std::string(word));
        return;
      }
    }
  }

  std::string next_for(const Row &row) {
    if (at_ == words_.size()) {
      throw UsageError(std::string("--") + row.name + " needs a value: " + row.argument);
    }
    return words_[at_++];
  }

  void apply(const Row &row, const std::string &value) {
    row.set(options_, row, value);
  }

  void take_clouds(const std::vector<std::string> &clouds) {
    if (options_.help || options_.version) {
      return;
    }
    if (clouds.size() != 2) {
      throw UsageError("two clouds are needed, SOURCE and TARGET; got " + std::to_string(clouds.size()));
    }
    options_.source = clouds[0];
    options_.target = clouds[1];
    if (options_.quiet && options_.verbose) {
      throw UsageError("--quiet and --verbose exclude each other");
    }
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  Options options_;
};

std::string usage_of(const Row &row) {
  std::string text = row.letter != 0 ? std::string("  -") + row.letter + ", " : std::string("      ");
  text += std::string("--") + row.name;
  return row.argument != nullptr ? text + " " + row.argument : text;
}

} // namespace

Options parse_options(int count, char **words) {
  return Walk(count, words).run();
}

std::string help_text() {
  constexpr std::size_t column = 28;
  std::string text =
      "Usage: fricp [options] SOURCE TARGET\n\n"
      "Finds the rigid motion that lays the cloud SOURCE on the cloud TARGET, also where they overlap\n"
      "only in part. Reads PCD, PLY (text and binary) and rows of x y z, also CSV with a header\n"
      "line; rows of x y are planar: two such clouds are registered in 2-D. What a file is, its content says.\n\n"
      "Options:\n";
  for (const Row &row : rows) {
    std::string line = usage_of(row);
    line += line.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - line.size(), ' ');
    for (const char *c = row.help; *c != '\0'; ++c) {
      line += *c;
      line += *c == '\n' ? std::string(column, ' ') : std::string();
    }
    text += line + "\n";
  }
  return text + "\nMethods:\n"
                "  robust-icp        point to point, Welsch kernel: partial overlap and outliers\n"
                "  robust-icp-plane  point to plane, Welsch kernel: the same, faster and more exact on surfaces\n"
                "  fast-icp          point to point, least squares, accelerated: full overlap only\n"
                "  icp               classical ICP, for comparison\n"
                "  icp-plane         classical point-to-plane ICP, for comparison\n"
                "\nDistances are in the clouds' unit. Numbers are written with a point in every locale.\n"
                "Exit status: 0 the clouds are registered, 1 they are not, 2 the command line is wrong.\n";
}

} // namespace fricp::tool
