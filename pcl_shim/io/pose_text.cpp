// SPDX-License-Identifier: BSD-3-Clause
#include "pose_text.hpp"

#include "file_bytes.hpp"
#include "text.hpp"

#include <cmath>
#include <vector>

namespace fricp::tool {

std::array<double, 16> matrix_of(const fricp_pose &pose) {
  std::array<double, 16> matrix = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      matrix[4 * row + column] = pose.rotation[row][column];
    }
    matrix[4 * row + 3] = pose.translation[row];
  }
  matrix[15] = 1;
  return matrix;
}

std::string to_text(const fricp_pose &pose) {
  const std::array<double, 16> matrix = matrix_of(pose);
  std::string text;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    text += digits17(matrix[k]) + (k % 4 == 3 ? "\n" : " ");
  }
  return text;
}

fricp_pose read_pose(const std::string &path) {
  const FileBytes file(path);
  std::array<double, 16> matrix = {};
  std::size_t rows = 0;
  Lines lines(file.view());
  std::string_view line;
  std::vector<std::string_view> cells;
  while (lines.next(line)) {
    std::string_view rest = line;
    std::string_view word;
    if (!next_word(rest, word) || word[0] == '#') {
      continue;
    }
    split(line, cells);
    if (rows == 4 || cells.size() != 4) {
      fail(path, lines.number(), "not a 4x4 matrix: four rows of four numbers are needed");
    }
    for (std::size_t column = 0; column < 4; ++column) {
      double &number = matrix[4 * rows + column];
      if (!parse(cells[column], number) || !std::isfinite(number)) {
        fail(path, lines.number(), "bad number " + quoted(cells[column]));
      }
    }
    ++rows;
  }
  if (rows != 4) {
    fail(path, 0, "not a 4x4 matrix: four rows of four numbers are needed");
  }
  if (matrix[12] != 0 || matrix[13] != 0 || matrix[14] != 0 || matrix[15] != 1) {
    fail(path, 0, "not a rigid motion: the last row must be 0 0 0 1 (column vectors, translation in the last column)");
  }
  fricp_pose pose = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      pose.rotation[row][column] = matrix[4 * row + column];
    }
    pose.translation[row] = matrix[4 * row + 3];
  }
  return pose;
}

} // namespace fricp::tool
