// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "cloud_io.hpp"
#include "idle.hpp"
#include "text.hpp"

#include "api/option_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

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
                            {"--starts", "N", "starts"},
                            {"--time-limit", "S", "time_limit"},
                            {"--threads", "N", "threads"},
                            {"--full-resolution", nullptr, "full_resolution"},
                            {"--reciprocal", nullptr, "reciprocal"},
                            {"--kernel-shape", "X", "kernel_shape"},
                            {"--fixed-width", nullptr, "fixed_width"},
                            {"--max-normal-angle", "A", "max_normal_angle"}};

constexpr const char *description =
    "Finds the rigid motion that lays the cloud SOURCE on the cloud TARGET, also where they overlap\n"
    "only in part. Reads PCD, PLY (text and binary) and rows of x y z, also CSV with a header\n"
    "line; rows of x y are planar: two such clouds are registered in 2-D. What a file is, its content says.\n";

constexpr const char *methods_text =
    "Methods:\n"
    "  auto                  tries several ways, refines the best, and says whether to trust it\n"
    "  robust-icp            point to point, Welsch kernel: partial overlap and outliers\n"
    "  robust-icp-plane      point to plane, Welsch kernel: the same, faster and more exact on surfaces\n"
    "  fast-icp              point to point, least squares, accelerated: full overlap only\n"
    "  icp                   classical ICP, for comparison\n"
    "  icp-plane             classical point-to-plane ICP, for comparison\n"
    "  symmetric-icp         along the normals of both clouds, least squares\n"
    "  robust-symmetric-icp  along the normals of both clouds, Welsch kernel\n"
    "  aa-icp                point to point, Anderson acceleration of angles, for comparison\n"
    "  sparse-icp            point to point, kernel lp by ADMM, for comparison\n"
    "  sparse-icp-plane      point to plane, kernel lp by ADMM, for comparison\n"
    "\nDistances are in the clouds' unit. Numbers are written with a point in every locale.\n";

constexpr const char *exit_text =
    "Exit status: 0 the clouds are registered, 1 they are not, 2 the command line is wrong;\n"
    "with --strict 3 if they are registered, but not to be trusted.";

/** The row of the option table. The tool says 0 for no history, and nothing for a default. */
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

/** A value in a row's range, in our own notation of numbers, whatever the locale. */
CLI::Validator range_check(const fr_option &row) {
  const auto check = [row](std::string &value) {
    std::int64_t whole = 0;
    double number = 0;
    const bool real = row.kind == FR_REAL;
    const bool sound = real ? parse(value, number) : parse(value, whole);
    number = real ? number : static_cast<double>(whole);
    const bool enough = real ? number > row.least : number >= row.least;
    value = sound && !real ? std::to_string(whole) : value; // CLI11 takes 010 for 8
    return sound && enough && number <= row.most
               ? std::string()
               : tool::quoted(value) + " needs a " + (real ? "number " : "whole number ") + range_of(row);
  };
  return {check, "", ""};
}

/** What is numbered from `first` without gaps, by name. */
std::map<std::string, std::int32_t> numbers_of(const char *(*name_of)(std::int32_t), std::int32_t first) {
  std::map<std::string, std::int32_t> numbers;
  for (std::int32_t k = first; name_of(k) != nullptr; ++k) {
    numbers[name_of(k)] = k;
  }
  return numbers;
}

std::string names_of(const char *(*name_of)(std::int32_t)) {
  std::string names;
  for (std::int32_t k = 1; name_of(k) != nullptr; ++k) {
    names += (k > 1 ? ", " : "") + std::string(name_of(k));
  }
  return names;
}

/** One of these names. */
CLI::Validator name_check(const std::map<std::string, std::int32_t> &numbers) {
  const auto check = [numbers](std::string &value) {
    std::string names;
    for (const auto &[name, number] : numbers) {
      if (name == value) {
        value = std::to_string(number);
        return std::string();
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    return tool::quoted(value) + " needs one of " + names;
  };
  return {check, "", ""};
}

/** Names of directions that are free, in any order. @return what is locked; throws a UsageError. */
std::int32_t locked_but(const std::string &free) {
  const std::map<std::string, std::int32_t> directions = {
      {"roll", FRICP_TURN_X},         {"pitch", FRICP_TURN_Y},      {"yaw", FRICP_TURN_Z},
      {"x", FRICP_SHIFT_X},           {"y", FRICP_SHIFT_Y},         {"z", FRICP_SHIFT_Z},
      {"planar", ~FRICP_ONLY_PLANAR}, {"shift", ~FRICP_ONLY_SHIFT}, {"rotation", ~FRICP_ONLY_ROTATION}};
  constexpr std::int32_t all = 63;
  std::int32_t locked = all;
  for (const std::string_view name : parts_of(free, ',')) {
    const auto found = directions.find(std::string(name));
    if (found == directions.end()) {
      throw UsageError("--free " + tool::quoted(free) +
                       " needs some of roll, pitch, yaw, x, y, z, planar, shift, rotation, with commas between");
    }
    locked &= ~found->second;
  }
  return locked;
}

/** X,Y,Z. @return whether it is. */
bool parse_place(std::string_view text, std::array<double, 3> &place) {
  const std::vector<std::string_view> numbers = parts_of(text, ',');
  bool sound = numbers.size() == place.size();
  for (std::size_t k = 0; sound && k < place.size(); ++k) {
    sound = parse(numbers[k], place[k]);
  }
  return sound;
}

std::string check_sensor(std::string &value) {
  std::array<double, 3> place = {};
  return value == "viewpoint" || parse_place(value, place) ? "" : tool::quoted(value) + " needs viewpoint or X,Y,Z";
}

/** A name of a file; those of standard output become "-". */
std::string check_path(std::string &value) {
  value = value == "/dev/stdout" || value == "/dev/fd/1" || value == "/proc/self/fd/1" ? "-" : value;
  return value.empty() ? "\"\" needs a name" : "";
}

/** CLI11 takes the next word for the value of "--name=", which an empty variable of a script leaves. */
void refuse_empty_values(int count, char **words) {
  for (int k = 1; k < count && std::string_view(words[k]) != "--"; ++k) {
    const std::string_view word = words[k];
    if (word.substr(0, 2) == "--" && word.back() == '=') {
      throw UsageError(std::string(word) + " needs a value");
    }
  }
}

/** What CLI11 is told of the options; of one that is given again the last one counts. */
class Parser {
public:
  Parser(Options &options, const Program &program) : options_(options), app_(program.description, program.name) {
    app_.get_formatter()->column_width(28);
    app_.option_defaults()->take_last();
    app_.set_help_flag("-h,--help", "print this and exit");
    app_.set_version_flag("--version", std::string(program.name) + " " + fricp_version(), "print the version and exit");
    app_.footer(std::string(methods_text) + program.ending);
    program.add_arguments(app_, options_);
    add("-m,--method", "NAME", options_.solver.method, "how to register, see below; default auto")
        ->transform(name_check(numbers_of(fricp_method_name, 0)));
    add("-i,--init", "START", options_.init,
        "identity, centroid, features or FILE: where to start; default identity.\n"
        "features: where PCL's feature matching puts it; FILE holds a 4x4 matrix as text")
        ->transform(value_check());
    add("--search", "NAME", options_.prepare.search_type, "nearest neighbours by tree, flann or brute; default tree")
        ->transform(
            name_check({{"tree", FRICP_SEARCH_TREE}, {"flann", FRICP_SEARCH_FLANN}, {"brute", FRICP_SEARCH_BRUTE}}));
    add("--free", "LIST", options_.free,
        "what may move, with commas between: roll, pitch, yaw, x, y, z,\nplanar (x,y,yaw), shift (x,y,z), rotation; "
        "default all.\nThe rest stays as the start has it, along the target's axes;\nin a sequence those of the latest "
        "key frame")
        ->transform(value_check());
    add("--sensor", "PLACE", options_.sensor,
        "X,Y,Z where all points of either cloud were seen from, in its\nown frame; viewpoint: as its PCD file says. "
        "Method auto then\n"
        "knows what space was seen through")
        ->transform(CLI::Validator(check_sensor, "", ""));
    add("--normals", "NAME", options_.core_normals,
        "who estimates normals that a target lacks: pcl or core, which is\nfaster; default pcl")
        ->transform(name_check({{"pcl", 0}, {"core", 1}}));
    add_part("--metric", options_.solver.metric, "the residual of a pair", fricp_metric_name);
    add_part("--kernel", options_.solver.kernel, "the robust function", fricp_kernel_name);
    add_part("--acceleration", options_.solver.acceleration, "of the iterates", fricp_acceleration_name);
    std::for_each(std::begin(offers), std::end(offers), [this](const Offer &offer) { add_offer(offer); });
    add_switch("--strict", options_.strict, program.strict);
    CLI::Option *const quiet = add_switch("-q,--quiet", options_.quiet, "print nothing but errors");
    quiet->excludes(add_switch("-v,--verbose", options_.verbose, "tell more, on standard error"));
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
      constexpr std::size_t longest = 240; // of the words it repeats
      throw UsageError(std::string(fault.what()).substr(0, longest));
    }
    options_.idle = find_idle(app_, options_.solver);
  }

private:
  template <typename T>
  CLI::Option *add(const std::string &names, const char *argument, T &value, const std::string &help) {
    return app_.add_option(names, value, help)->type_name(argument);
  }

  template <typename T> CLI::Option *add_switch(const std::string &names, T &value, const std::string &help) {
    const auto set = [&value] { value = true; };
    return app_.add_flag_callback(names, set, help)->disable_flag_override();
  }

  /** What replaces a part of the method. */
  void add_part(const char *name, std::int32_t &value, const std::string &what, const char *(*name_of)(std::int32_t)) {
    add(name, "NAME", value, what + ":\n" + names_of(name_of) + ";\ndefault the method's own")
        ->transform(name_check(numbers_of(name_of, 1)));
  }

  void add_offer(const Offer &offer) {
    const fr_option row = row_of(offer.field);
    char *const field = reinterpret_cast<char *>(&options_.solver) + row.offset;
    auto &whole = *reinterpret_cast<std::int32_t *>(field);
    auto &real = *reinterpret_cast<double *>(field);
    if (offer.argument == nullptr) {
      add_switch(offer.name, whole, row.help);
      return;
    }
    const std::string help = std::string(row.help) + ",\n" + range_of(row) + "; default " + row.default_text;
    CLI::Option *const option = row.kind == FR_REAL ? add(offer.name, offer.argument, real, help)
                                                    : add(offer.name, offer.argument, whole, help);
    option->transform(range_check(row));
  }

  Options &options_;
  CLI::App app_;
};

/** What belongs to a pair has no meaning with a sequence. */
void check_mode(const CLI::App &app) {
  const bool sequence = app.count("--sequence") > 0;
  for (const char *const name : {"SOURCE", "TARGET"})
    if (!sequence && app.count(name) == 0)
      throw UsageError(std::string(name) + " is required");
  for (const char *const name : {"SOURCE", "TARGET", "--init", "--prior", "--sensor", "--normals", "--output",
                                 "--transform", "--report", "--compare", "--view"})
    if (sequence && app.count(name) > 0)
      throw UsageError(std::string("--sequence excludes ") + name);
  for (const char *const name : {"--trajectory", "--window", "--voxel"})
    if (!sequence && app.count(name) > 0)
      throw UsageError(std::string(name) + " requires --sequence");
  if (app.count("--view") == 0 && app.count("--screenshot") > 0)
    throw UsageError("--screenshot requires --view");
}

/** What the tool has besides: one pair or a sequence, and what becomes of it. */
void add_clouds_and_paths(CLI::App &app, Options &options) {
  app.add_option("SOURCE", options.source, "the cloud to move")->option_text(" ");
  app.add_option("TARGET", options.target, "the cloud to lie on")->option_text(" ");
  const auto add = [&app](const char *names, const char *argument, std::string &value, const char *help) {
    app.add_option(names, value, help)->type_name(argument)->transform(CLI::Validator(check_path, "", ""));
  };
  add("--prior", "FILE", options.prior,
      "what is known of the pose, weighed against the clouds; without\n"
      "--init the start, too. FILE holds as text a 4x4 matrix, a row\n"
      "of 3 numbers, the point it turns about (without that the\n"
      "source's origin), and the 6x6 information of turns (radians)\n"
      "and shifts; or it is the report of another run");
  add("-o,--output", "FILE", options.output,
      "write the moved source (.pcd or .ply, binary), all fields\nkept, normals rotated");
  add("-t,--transform", "FILE", options.transform,
      "write the 4x4 matrix target_from_source as text,\n17 significant digits; - for standard output");
  add("-r,--report", "FILE", options.report, "write what was found as JSON; - for standard output");
  add("--compare", "DIR", options.compare,
      "run every method and PCL's ICP too, and write a coloured\nPCD of each into DIR for pcl_viewer");
  app.add_flag_callback(
         "--view", [&options] { options.view = true; },
         "show the result in PCL's viewer, by fricp-view; without a\ndisplay write pictures and print the lines that "
         "show them")
      ->disable_flag_override();
  add("--screenshot", "FILE", options.screenshot, "of --view the picture as PNG, in place of the window");
  add("--sequence", "DIR", options.sequence,
      "odometry over the scans in DIR, in the order of their names,\nin place of SOURCE and TARGET");
  add("--trajectory", "FILE", options.trajectory,
      "of a sequence: its poses, in TUM's form if FILE ends in .tum,\nelse in KITTI's; default - for standard output");
  app.add_option("--window", options.window, "of a sequence: key frames that its map is made of; default 10")
      ->type_name("N")
      ->transform(positive_check(true));
  app.add_option(
         "--voxel", options.voxel,
         "of a sequence: edge of the cells that thin its map; default\na thirtieth of the first scan's median radius")
      ->type_name("D")
      ->transform(positive_check(false));
  app.final_callback([&app] { check_mode(app); });
}

} // namespace

CLI::Validator value_check() {
  return {[](std::string &value) { return std::string(value.empty() ? "\"\" needs a value" : ""); }, "", ""};
}

CLI::Validator positive_check(bool whole) {
  fr_option row = {};
  row.kind = whole ? FR_WHOLE : FR_REAL;
  row.least = whole ? 1 : 0;
  row.most = whole ? INT32_MAX : 1e9;
  return range_check(row);
}

Options parse_options(int count, char **words) {
  Options options = parse_options(
      count, words,
      {"fricp", description, exit_text, "exit with 3 unless the verdict is reliable or partial", add_clouds_and_paths});
  if (!options.output.empty()) {
    writer_of(options.output);
  }
  return options;
}

Options parse_options(int count, char **words, const Program &program) {
  Options options;
  constexpr std::int32_t unset = -1; // in the C API 0 is the method's own history and -1 none
  options.solver.anderson_history = unset;
  Parser(options, program).parse(count, words);
  std::int32_t &history = options.solver.anderson_history;
  history = history == unset ? 0 : history == 0 ? -1 : history;
  if (!options.free.empty()) {
    options.solver.locked = locked_but(options.free);
  }
  (void)parse_place(options.sensor, options.sensor_at); // or it is the viewpoint
  options.prepare.threads = options.solver.threads;
  options.solver.start = options.init == "centroid" ? FRICP_START_CENTROID : FRICP_START_GUESS;
  options.features = options.init == "features";
  options.start_at_prior = options.init.empty();
  if (options.init == "centroid" || options.init == "identity" || options.features) {
    options.init.clear();
  }
  return options;
}

} // namespace fricp::tool
