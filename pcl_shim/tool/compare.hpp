// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_TOOL_COMPARE_HPP
#define FRICP_TOOL_COMPARE_HPP

#include "options.hpp"
#include "pair.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace fricp::tool {

/** @return what compare() writes into a directory. */
std::vector<std::string> compare_files(const std::string &directory);

/**
 * Runs the other methods and, for reference, PCL's ICP on the pair, and writes coloured PCD files into the directory
 * options.compare, made if need be: target.pcd, source.pcd (before), and one a method with the moved source, each point
 * coloured by its distance to the target on a logarithmic scale.
 * @param done  what options.solver.method found already.
 * @return a table for people, with the lines that show each result in pcl_viewer. Throws an Error.
 */
std::string compare(const Options &options, Pair &pair, const Outcome &done);

} // namespace fricp::tool

#endif
