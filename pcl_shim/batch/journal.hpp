// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file journal.hpp
 * results.jsonl: a line for each finished pair, appended as they come. What it holds is finished, whatever happens next.
 */
#ifndef FRICP_BATCH_JOURNAL_HPP
#define FRICP_BATCH_JOURNAL_HPP

#include "pair_list.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fricp::batch {

class Journal {
public:
  /**
   * Opens or makes the file and learns which rows are finished; half a line at its end, which a killed run leaves, is
   * cut off. Throws an Error if another run writes it or it is no journal, a UsageError if it is of other options or of
   * other files.
   */
  Journal(const std::string &path, const std::string &options, const std::vector<Row> &rows);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /** @return the rows without a result. @param retry  those that failed count as such. */
  std::vector<std::size_t> open_rows(bool retry) const;
  bool failed(std::size_t row) const {
    return failed_[row];
  }
  /** @param json  an object; its result is complete in the file on return, on the disk after sync(). */
  void append(std::size_t row, const std::string &json);
  void sync();
  /** @return the line of a row that is finished. */
  std::string line(std::size_t row) const;

private:
  void read(const std::string &header);

  std::string path_;
  const std::vector<Row> &rows_;
  int file_ = -1;
  off_t end_ = 0;
  std::vector<off_t> at_; /**< of the row's last line; -1: none */
  std::vector<bool> failed_;
  std::vector<std::uint32_t> size_;
};

} // namespace fricp::batch

#endif
