// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file pair_list.hpp
 * The table of pairs, and in which order they are handed out.
 */
#ifndef FRICP_BATCH_PAIR_LIST_HPP
#define FRICP_BATCH_PAIR_LIST_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace fricp::batch {

struct Row {
  std::string name;
  std::string source; /**< paths as the table has them */
  std::string target;
  std::string init; /**< "": none */
  std::size_t line = 0;
};

/**
 * Lines of name, source, target and, if wanted, init, with tabs between; a first line of these words, blank lines and
 * those that begin with # do not count. Throws an Error that names line and column; names are unique.
 */
std::vector<Row> read_pairs(const std::string &path);

/** @return a path of a table, which is relative to the table's folder; "" stays "". */
std::string beside(const std::string &table, const std::string &path);

/** Throws a UsageError if a result in the folder would overwrite the table, a file that it names, or, there being no journal, a
 *  file of somebody else's. */
void check_apart(const std::string &folder, const std::vector<Row> &rows, const std::string &table);

/**
 * Hands out pairs: those of one target together, since it is prepared once then, and the longest work first, so that all
 * workers end together. Files' sizes stand for the work.
 */
class Schedule {
public:
  /** @param open  numbers of the rows that are to be done. */
  Schedule(const std::vector<Row> &rows, const std::vector<std::size_t> &open, const std::string &table);

  std::size_t left() const {
    return left_;
  }
  /**
   * The next pair for a worker; there must be one.
   * @param group  what the worker is at, -1 at first; gets what it is at now.
   */
  std::size_t next(std::ptrdiff_t &group);

private:
  std::ptrdiff_t choose();

  std::vector<std::vector<std::size_t>> groups_; /**< of one target each, the most work first; taken off the end */
  std::size_t fresh_ = 0;                        /**< the first that nobody is at */
  std::vector<std::size_t> shared_;              /**< begun, with pairs left */
  std::size_t left_ = 0;
};

} // namespace fricp::batch

#endif
