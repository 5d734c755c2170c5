// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_PRIOR_HPP
#define FRICP_TOOL_PRIOR_HPP

#include "fricp/fricp.h"

#include <string>

namespace fricp::tool {

/** What is known of the pose beforehand, as fricp_prior has it. */
struct Prior {
  fricp_pose pose;
  fricp_prior weight = FRICP_PRIOR_INIT; /**< without its pose */
};

/**
 * Reads a prior from text: four rows of four numbers, the pose target_from_source; a row of three, the point of the target's
 * frame about which it turns, or none: where the pose lays the source's origin, a sensor; six rows of six, the information.
 * Or from a report that --report wrote, whose information is about information_center. Throws an Error; whether the
 * numbers make sense, the core decides.
 */
Prior read_prior(const std::string &path);

} // namespace fricp::tool

#endif
