// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file options.hpp
 * The command line, by CLI11; ranges, defaults and help of the core's options come from the core's option table.
 */
#ifndef FRICP_TOOL_OPTIONS_HPP
#define FRICP_TOOL_OPTIONS_HPP

#include "fricp/fricp.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace fricp::tool {

struct Options {
  std::string source;
  std::string target;
  std::string sequence;     /**< directory of scans, instead of source and target */
  std::string trajectory;   /**< file for its poses */
  std::int32_t window = 10; /**< key frames in its map */
  double voxel = 0;         /**< of its map, in the clouds' unit; 0: a thirtieth of the first scan's radius */
  std::string init;         /**< file with the start; "": none */
  std::string prior;        /**< file with what is known of the pose; "": nothing */
  std::string output;
  std::string transform;
  std::string report;
  std::string compare;                  /**< directory */
  std::string screenshot;               /**< file for the viewer's picture, instead of its window */
  std::string sensor;                   /**< "viewpoint", or where both clouds were seen from; "": not known */
  std::array<double, 3> sensor_at = {}; /**< the latter */
  std::string free;                     /**< names of free directions; "": all */
  fricp_options solver = FRICP_OPTIONS_INIT;
  fricp_target_options prepare = FRICP_TARGET_OPTIONS_INIT;
  std::int32_t core_normals = 0; /**< 1: normals that are missing by the core, not by PCL */
  bool features = false;         /**< start where features put it */
  bool start_at_prior = false;   /**< no start was asked for */
  bool view = false;             /**< show the result in fricp-view */
  bool strict = false;           /**< a pose that is not to be trusted is a failure */
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> idle; /**< of each option that was given in vain, what a user wants to know */
  std::string answer;            /**< what --help or --version prints; "": neither is asked for */
};

/** Throws a UsageError. */
Options parse_options(int count, char **words);

/** A program that has the tool's options of a registration, and arguments of its own. */
struct Program {
  const char *name;
  const char *description;
  const char *ending; /**< of its help */
  const char *strict; /**< help of --strict */
  std::function<void(CLI::App &, Options &)> add_arguments;
};

/** The same for such a program. */
Options parse_options(int count, char **words, const Program &program);

/** @return a check that there is a value. */
CLI::Validator value_check();

/** @return a check that a value is positive, in our own notation of numbers, whatever the locale. */
CLI::Validator positive_check(bool whole);

} // namespace fricp::tool

#endif
