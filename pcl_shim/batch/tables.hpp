// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file tables.hpp
 * What is made of the journal when all pairs are finished: a table, and a pose graph.
 */
#ifndef FRICP_BATCH_TABLES_HPP
#define FRICP_BATCH_TABLES_HPP

#include "journal.hpp"
#include "pair_list.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fricp::batch {

struct Totals {
  std::size_t registered = 0;
  std::size_t trusted = 0;
  std::size_t failed = 0;
  std::size_t edges = 0;
};

/**
 * Writes results.tsv, graph.g2o and vertices.tsv into a folder, in the order of the rows. A file is a vertex, a pair to be
 * trusted an edge from its target to its source: by method auto those reliable or partial, by others those that converged.
 * @param list  the table of the rows, to which their paths are relative.
 */
Totals write_tables(const std::string &folder, const Journal &journal, const std::vector<Row> &rows,
                    const std::string &list);

} // namespace fricp::batch

#endif
