// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file arguments.hpp
 * The command line of fricp-batch: the tool's options of a registration, and its own.
 */
#ifndef FRICP_BATCH_ARGUMENTS_HPP
#define FRICP_BATCH_ARGUMENTS_HPP

#include "options.hpp"

#include <string>
#include <vector>

namespace fricp::batch {

constexpr const char *program_name = "fricp-batch";

struct Arguments {
  tool::Options pair;       /**< of every pair; its output is the folder */
  std::string list;         /**< of pairs */
  std::string launch;       /**< what starts the ranks; "": nobody does */
  int workers = 0;          /**< of each rank; 0: one, without MPI as many as there are processors */
  double pair_limit = 3600; /**< seconds */
  double memory_limit = 0;  /**< MiB; 0: none */
  bool retry = false;
};

/** Throws a UsageError. */
Arguments parse_arguments(int count, char **words);

/** @return the words without --launch, for the ranks. */
std::vector<std::string> words_for_ranks(int count, char **words);

/** What decides of the poses, as text: results of other options do not belong into the same folder. */
std::string fingerprint(const tool::Options &options);

} // namespace fricp::batch

#endif
