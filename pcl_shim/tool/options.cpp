// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "cloud_io.hpp"
#include "text.hpp"

#include "api/option_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace fricp::tool {

namespace {

/** An option of the core that the tool offers. */
struct Offer {
  const char *name;
  const char *argument; /**< null: a switch */
  const char *field;
};

constexpr Offer offers[] = {{"--max-iterations", "N", "max_iterations"},
                            {"--max-distance", "D", "max_distance"},
                            {"--inlier-distance", "D", "inlier_distance"},
                            {"--nu-start-factor", "X", "nu_start_factor"},
                            {"--nu-end-factor", "X", "nu_end_factor"},
                            {"--history", "M", "anderson_history"},
                            {"--time-limit", "S", "time_limit"},
                            {"--threads", "N", "threads"},
                            {"--full-resolution", nullptr, "full_resolution"},
                            {"--reciprocal", nullptr, "reciprocal"}};

constexpr const char *methods_text =
    "Methods:\n"
    "  robust-icp        point to point, Welsch kernel: partial overlap and outliers\n"
    "  robust-icp-plane  point to plane, Welsch kernel: the same, faster and more exact on surfaces\n"
    "  fast-icp          point to point, least squares, accelerated: full overlap only\n"
    "  icp               classical ICP, for comparison\n"
    "  icp-plane         classical point-to-plane ICP, for comparison\n"
    "\nDistances are in the clouds' unit. Numbers are written with a point in every locale.\n"
    "Exit status: 0 the clouds are registered, 1 they are not, 2 the command line is wrong.";

/** The row of the option table; of the history the tool says 0, not -1, for none, and nothing for the default. */
fr_option row_of(std::string_view field) {
  fr_option row = *std::find_if(std::begin(fr_option_rows), std::end(fr_option_rows),
                                [field](const fr_option &candidate) { return candidate.name == field; });
  row.least = std::max(row.least, 0.0);
  return row;
}

std::string range_of(const fr_option &row) {
  const bool bounded = row.most < (row.kind == FR_REAL ? DBL_MAX : INT32_MAX - 1);
  return row.kind == FR_REAL ? "above " + shortest(row.least) + (bounded ? " up to " + shortest(row.most) : "")
                             : "from " + shortest(row.least) + (bounded ? " to " + shortest(row.most) : " up");
}

[[noreturn]] void refuse(const std::string &name, const std::string &value, const std::string &needed) {
  throw UsageError(name + " " + tool::quoted(value) + ": needs " + needed);
}

/** Into the field of the row; 0, which is the default, only where it is in the range. */
void set_number(fricp_options &options, const fr_option &row, const std::string &name, const std::string &value) {
  std::int64_t whole = 0;
  double number = 0;
  const bool real = row.kind == FR_REAL;
  const bool sound = real ? parse(value, number) : parse(value, whole);
  number = real ? number : static_cast<double>(whole);
  if (!sound || !(real ? number > row.least : number >= row.least) || number > row.most) {
    refuse(name, value, (real ? "a number " : "a whole number ") + range_of(row));
  }
  const auto narrow = static_cast<std::int32_t>(whole);
  char *const field = reinterpret_cast<char *>(&options) + row.offset;
  std::memcpy(field, real ? static_cast<const void *>(&number) : &narrow, real ? sizeof number : sizeof narrow);
}

std::string method_names() {
  std::string names;
  for (std::int32_t k = 0; fricp_method_name(k) != nullptr; ++k) {
    names += (k > 0 ? ", " : "") + std::string(fricp_method_name(k));
  }
  return names;
}

void set_search(std::int32_t &search, const std::string &name, const std::string &value) {
  constexpr std::array<std::pair<std::string_view, fricp_search_type>, 3> types = {
      {{"tree", FRICP_SEARCH_TREE}, {"flann", FRICP_SEARCH_FLANN}, {"brute", FRICP_SEARCH_BRUTE}}};
  const auto found = std::find_if(types.begin(), types.end(), [&](const auto &type) { return type.first == value; });
  if (found == types.end()) {
    refuse(name, value, "tree, flann or brute");
  }
  search = found->second;
}

std::string path_from(const std::string &name, const std::string &value) {
  if (value.empty()) {
    refuse(name, value, "a name");
  }
  const bool standard = value == "/dev/stdout" || value == "/dev/fd/1" || value == "/proc/self/fd/1";
  return standard ? "-" : value;
}

/** What CLI11 is told of the options. */
class Parser {
public:
  explicit Parser(Options &options) : options_(options) {
    app_.get_formatter()->column_width(28);
    app_.set_help_flag("-h,--help", "print this and exit");
    app_.set_version_flag("--version", std::string("fricp ") + fricp_version(), "print the version and exit");
    app_.footer(methods_text);
    app_.add_option("SOURCE", options_.source, "the cloud to move")->option_text(" ")->required();
    app_.add_option("TARGET", options_.target, "the cloud to lie on")->option_text(" ")->required();
    add_own();
    add_paths();
    std::for_each(std::begin(offers), std::end(offers), [this](const Offer &offer) { add_offer(offer); });
    CLI::Option *const quiet = add_flag("-q,--quiet", "print nothing but errors", [this] { options_.quiet = true; });
    quiet->excludes(add_flag("-v,--verbose", "tell more, on standard error", [this] { options_.verbose = true; }));
  }

  void parse(int count, char **words) {
    refuse_empty_values(count, words);
    try {
      app_.parse(count, words);
    } catch (const CLI::CallForHelp &) {
      options_.answer = app_.help();
    } catch (const CLI::CallForVersion &version) {
      options_.answer = version.what() + std::string("\n");
    } catch (const CLI::ArgumentMismatch &fault) {
      throw UsageError(std::string(fault.what()) + "; an option needs the value that --help names, a switch has none");
    } catch (const CLI::ParseError &fault) {
      throw UsageError(fault.what());
    }
  }

private:
  using Setter = std::function<void(const std::string &name, const std::string &value)>;

  /** CLI11 takes the next word for the value of "--name=", which an empty variable of a script leaves. */
  static void refuse_empty_values(int count, char **words) {
    for (int k = 1; k < count && std::string_view(words[k]) != "--"; ++k) {
      const std::string_view word = words[k];
      if (word.substr(0, 2) == "--" && word.back() == '=') {
        throw UsageError(std::string(word) + " needs a value");
      }
    }
  }

  /** Of an option that is given again the last one counts. */
  void add(const std::string &names, const char *argument, const std::string &help, const Setter &set) {
    const std::string name = names.substr(names.find("--"));
    const auto take = [name, set](const std::string &value) { set(name, value); };
    app_.add_option_function<std::string>(names, take, help)->type_name(argument)->take_last();
  }

  CLI::Option *add_flag(const std::string &names, const std::string &help, const std::function<void()> &set) {
    return app_.add_flag_callback(names, set, help)->disable_flag_override();
  }

  void add_own() {
    add("-m,--method", "NAME", "how to register, see below; default robust-icp",
        [this](const std::string &name, const std::string &value) {
          if (fricp_method_from_name(value.c_str(), &options_.solver.method) != FRICP_OK) {
            refuse(name, value, "one of " + method_names());
          }
        });
    add("-i,--init", "START",
        "identity, centroid or FILE: where to start; default identity.\nFILE holds a 4x4 matrix as text",
        [this](const std::string & /*name*/, const std::string &value) {
          options_.solver.start = value == "centroid" ? FRICP_START_CENTROID : FRICP_START_GUESS;
          options_.init = value == "centroid" || value == "identity" ? std::string() : value;
        });
    add("--search", "NAME", "nearest neighbours by tree, flann or brute; default tree",
        [this](const std::string &name, const std::string &value) {
          set_search(options_.prepare.search_type, name, value);
        });
  }

  void add_paths() {
    const auto into = [](std::string &path) -> Setter {
      return [&path](const std::string &name, const std::string &value) { path = path_from(name, value); };
    };
    add("-o,--output", "FILE", "write the moved source (.pcd or .ply, binary), all fields\nkept, normals rotated",
        [this](const std::string &name, const std::string &value) {
          options_.output = path_from(name, value);
          format_of(value);
        });
    add("-t,--transform", "FILE",
        "write the 4x4 matrix target_from_source as text,\n17 significant digits; - for standard output",
        into(options_.transform));
    add("-r,--report", "FILE", "write what was found as JSON; - for standard output", into(options_.report));
    add("--compare", "DIR",
        "run every method and PCL's ICP too, and write a coloured\nPCD of each into DIR for pcl_viewer",
        into(options_.compare));
  }

  void add_offer(const Offer &offer) {
    const fr_option row = row_of(offer.field);
    if (offer.argument == nullptr) {
      add_flag(offer.name, row.help, [this, row] { set_number(options_.solver, row, {}, "1"); });
      return;
    }
    add(offer.name, offer.argument, std::string(row.help) + ",\n" + range_of(row) + "; default " + row.default_text,
        [this, row](const std::string &name, const std::string &value) {
          set_number(options_.solver, row, name, value);
          options_.prepare.threads = options_.solver.threads;
          // In the C API 0 is the method's own history and -1 none.
          if (std::string_view(row.name) == "anderson_history" && options_.solver.anderson_history == 0) {
            options_.solver.anderson_history = -1;
          }
        });
  }

  Options &options_;
  CLI::App app_{
      "Finds the rigid motion that lays the cloud SOURCE on the cloud TARGET, also where they overlap\n"
      "only in part. Reads PCD, PLY (text and binary) and rows of x y z, also CSV with a header\n"
      "line; rows of x y are planar: two such clouds are registered in 2-D. What a file is, its content says.\n",
      "fricp"};
};

} // namespace

Options parse_options(int count, char **words) {
  Options options;
  Parser(options).parse(count, words);
  return options;
}

} // namespace fricp::tool
