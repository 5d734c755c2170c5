// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file report.hpp
 * What was found: as JSON for programs, as a few lines for people.
 */
#ifndef FRICP_TOOL_REPORT_HPP
#define FRICP_TOOL_REPORT_HPP

#include "pair.hpp"

#include "fricp/fricp.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

struct Outcome {
  fricp_options options = FRICP_OPTIONS_INIT;
  fricp_result result = {};
  std::vector<fricp_level> levels;
  std::vector<fricp_candidate> candidates;
  int dimension = 3;
  Motion start = Motion::Identity();
  Point source_center = Point::Zero();
  Seconds seconds;
  double total_seconds = 0;
  std::vector<fricp_trace_row> trace;
  bool prior = false; /**< one was weighed in */
};

/** Registers a pair, and keeps what is to be told of it but for the total time. Throws an Error. */
Outcome register_pair(Pair &pair, const fricp_options &options);

/** One object; the keys are described in the README and stay as they are. */
nlohmann::ordered_json report_of(const Outcome &outcome);

/** The same as text, a member a line. */
std::string to_json(const Outcome &outcome);

/** What stands in a report, read back: so many numbers, NaN for null; a pose. Throws an Error or an exception of the JSON's. */
std::vector<double> numbers_in(const nlohmann::ordered_json &list, std::size_t count);
Motion pose_in(const nlohmann::ordered_json &list);

/** @return whether a pose of that verdict (fricp_verdict_name) may be used: reliable, or so in all that the clouds determine. */
bool is_trusted(std::string_view verdict);
bool is_trusted(const fricp_result &result);

std::string summary_of(const Outcome &outcome, const std::string &source, const std::string &target);

/** @return the method, and what replaces its parts. */
std::string way_of(const fricp_options &options);

/** @return what a verdict says, in words. */
const char *meaning_of(std::int32_t verdict);

/** @return why the pose should be used with care, one line each. */
std::vector<std::string> warnings_of(const Outcome &outcome);

} // namespace fricp::tool

#endif
