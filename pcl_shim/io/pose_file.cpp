// SPDX-License-Identifier: BSD-3-Clause
#include "pose_file.hpp"

#include "file_bytes.hpp"

#include <cmath>

namespace fricp::tool {

NumberRows::NumberRows(std::string_view text, const std::string &path) : path_(path), lines_(without_mark(text)) {
  advance();
}

void NumberRows::advance() {
  std::string_view line;
  while (lines_.next(line)) {
    std::string_view rest = line;
    std::string_view word;
    if (next_word(rest, word) && word[0] != '#') {
      split(line, cells_);
      return;
    }
  }
  over_ = true;
}

void NumberRows::fail(const std::string &what) const {
  tool::fail(path_, over_ ? 0 : lines_.number(), what);
}

void NumberRows::take(double *numbers, std::size_t count, const char *needed) {
  if (!has(count))
    fail(needed);
  for (std::size_t k = 0; k < count; ++k)
    if (!parse(cells_[k], numbers[k]) || !std::isfinite(numbers[k]))
      fail("bad number " + quoted(cells_[k]));
  advance();
}

Motion take_pose(NumberRows &rows, const char *needed) {
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> matrix;
  for (int row = 0; row < 4; ++row)
    rows.take(matrix.row(row).data(), 4, needed);
  if (matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    fail(rows.path(), 0,
         "not a rigid motion: the last row must be 0 0 0 1 (column vectors, translation in the last column)");
  return Motion(matrix);
}

Motion read_pose(const std::string &path) {
  constexpr const char *needed = "not a 4x4 matrix: four rows of four numbers are needed";
  const FileBytes file(path);
  NumberRows rows(file.view(), path);
  const Motion pose = take_pose(rows, needed);
  if (!rows.is_over())
    rows.fail(needed);
  return pose;
}

} // namespace fricp::tool
