// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file pose_file.hpp
 * Matrices in text files: poses, and what stands with them.
 */
#ifndef FRICP_TOOL_POSE_FILE_HPP
#define FRICP_TOOL_POSE_FILE_HPP

#include "points.hpp"
#include "text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

/** The rows of numbers of a text, one after the other: blanks, commas or semicolons separate them; lines that are blank or
 *  begin with # do not count. */
class NumberRows {
public:
  /** @param text  must stay. @param path  for messages. */
  NumberRows(std::string_view text, const std::string &path);

  /** @return whether there is a row, of so many numbers. */
  bool has(std::size_t size) const {
    return !over_ && cells_.size() == size;
  }
  bool is_over() const {
    return over_;
  }
  /** The numbers of this row; then the next one has its turn. Throws an Error unless there are so many, finite ones.
   *  @param needed  what the text would have to hold. */
  void take(double *numbers, std::size_t count, const char *needed);
  /** Throws an Error that names the row. */
  [[noreturn]] void fail(const std::string &what) const;
  const std::string &path() const {
    return path_;
  }

private:
  void advance();

  std::string path_;
  Lines lines_;
  std::vector<std::string_view> cells_;
  bool over_ = false;
};

/** The next four rows, of four numbers each. Throws an Error; whether the matrix is a rigid motion, the core decides. */
Motion take_pose(NumberRows &rows, const char *needed);

/** A file of such rows and nothing else. Throws an Error. */
Motion read_pose(const std::string &path);

} // namespace fricp::tool

#endif
