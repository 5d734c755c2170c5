// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file feature_start.hpp
 * The start that --init features asks for, by the module fricp-features.so, which is loaded for it: each start of a program
 * that is linked to libpcl_features takes several times as long.
 */
#ifndef FRICP_TOOL_FEATURE_START_HPP
#define FRICP_TOOL_FEATURE_START_HPP

#include "entry.hpp"
#include "points.hpp"

namespace fricp::tool {

/** Once for as long as the program runs. An Error names the module's file, what is wrong with it and what to do. */
void load_features();

/**
 * @param source_centre, target_centre  what the points are taken relative to.
 * @param threads  0: as many as the machine has.
 * @return a start between the clouds as they are relative to these centres. An Error as load_features().
 */
features::Start feature_start(const Cloud &source, const Point &source_centre, const Cloud &target,
                              const Point &target_centre, int threads);

} // namespace fricp::tool

#endif
