// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows of numbers, separated by blanks, commas or semicolons. A first line, or a last comment before the first row,
 * that names x and y names the columns; without one they are x y z and others, or x y in a plane.
 */
#include "cloud_io.hpp"
#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <algorithm>
#include <array>

namespace fricp::tool {

namespace {

using Cells = std::vector<std::string_view>;

struct Sheet {
  Cells names; /**< empty: there is no header */
  std::size_t header_line = 0;
  std::size_t columns = 0;
  std::size_t rows = 0;
};

/** @return what follows the marks if a line is a comment, else nothing. */
std::string_view comment_of(std::string_view line) {
  std::string_view word;
  std::string_view rest = line;
  if (!next_word(rest, word) || (word[0] != '#' && word.substr(0, 2) != "//")) {
    return {};
  }
  return line.substr(std::min(line.find_first_not_of("#/ \t"), line.size()));
}

bool is_data(std::string_view line) {
  std::string_view word;
  return next_word(line, word) && word[0] != '#' && word.substr(0, 2) != "//";
}

/** @return x for "X" and "x [m]", normal_x for "Nx", and so on; "" for any other name. */
std::string known_name(std::string_view cell) {
  std::string name(cell.substr(0, cell.find_first_of(" [(")));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array<const char *, 9> names = {"x", "y", "z", "nx", "ny", "nz", "normal_x", "normal_y", "normal_z"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return {};
  }
  return name[0] == 'n' ? std::string("normal_") + name.back() : name;
}

bool names_points(const Cells &cells) {
  const auto has = [&](const char *name) {
    return std::any_of(cells.begin(), cells.end(), [name](std::string_view cell) { return known_name(cell) == name; });
  };
  return has("x") && has("y");
}

/** Finds header and columns, and counts the rows: before anything is allocated. */
Sheet look_through(std::string_view bytes) {
  Sheet sheet;
  Lines lines(bytes);
  std::string_view line;
  std::string_view comment;
  Cells cells;
  while (lines.next(line)) {
    if (!is_data(line)) {
      const std::string_view text = comment_of(line);
      comment = sheet.rows > 0 || text.empty() ? comment : text;
      continue;
    }
    if (sheet.rows == 0) {
      split(line, cells);
      if (sheet.header_line == 0 && names_points(cells)) {
        sheet.names = cells;
        sheet.header_line = lines.number();
        continue;
      }
      sheet.columns = cells.size();
    }
    ++sheet.rows;
  }
  split(comment, cells);
  if (sheet.header_line == 0 && cells.size() == sheet.columns && names_points(cells)) {
    sheet.names = cells;
  }
  return sheet;
}

bool has_field(const Cloud &cloud, const std::string &name) {
  const auto &fields = cloud.data.fields;
  return std::any_of(fields.begin(), fields.end(), [&](const pcl::PCLPointField &field) { return field.name == name; });
}

void add_column(Cloud &cloud, const std::string &name) {
  append_field(cloud, name, pcl::PCLPointField::FLOAT64);
}

void name_columns(const Sheet &sheet, Cloud &cloud) {
  constexpr std::array<const char *, 3> plain = {"x", "y", "z"};
  const std::size_t columns = sheet.names.empty() ? std::max<std::size_t>(sheet.columns, 2) : sheet.names.size();
  for (std::size_t k = 0; k < columns; ++k) {
    std::string name = sheet.names.empty() ? (k < 3 ? plain[k] : "") : known_name(sheet.names[k]);
    const bool known = !name.empty();
    if (!known && !sheet.names.empty()) {
      name = sheet.names[k];
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
    }
    if (!known && (name.empty() || name == "_" || has_field(cloud, name))) {
      name = "column" + std::to_string(k + 1);
    }
    add_column(cloud, name);
  }
  cloud.planar = !has_field(cloud, "z");
  if (cloud.planar) {
    add_column(cloud, "z");
  }
}

} // namespace

Cloud read_rows(std::string_view bytes, const std::string &path) {
  const Sheet sheet = look_through(bytes);
  Cloud cloud;
  cloud.path = path;
  name_columns(sheet, cloud);
  require_coordinates(cloud, "column");
  const std::size_t columns = cloud.data.fields.size() - (cloud.planar ? 1 : 0);
  // A row that is too short or has an empty cell ends the reading, and the rows before it take two bytes a number.
  allocate(cloud, std::min(sheet.rows, (bytes.size() + 1) / (2 * columns) + 1), 1);
  std::uint8_t *row = cloud.data.data.data();
  Lines lines(bytes);
  std::string_view line;
  Cells cells;
  const char *hint = " (not PCD or PLY, so read as rows of x y z or x y; a header line must name x and y)";
  while (lines.next(line)) {
    if (!is_data(line) || lines.number() == sheet.header_line) {
      continue;
    }
    split(line, cells);
    if (cells.size() != columns) {
      fail(path, lines.number(),
           std::to_string(cells.size()) + " numbers, but a row needs " + std::to_string(columns) +
               (sheet.columns < 2 ? " or more" : " as the first line has") + hint);
    }
    for (std::size_t k = 0; k < columns; ++k) {
      if (!parse_as(cells[k], pcl::PCLPointField::FLOAT64, row + k * sizeof(double))) {
        fail(path, lines.number(), "bad number " + quoted(cells[k]) + hint);
      }
    }
    row += cloud.data.point_step;
    hint = "";
  }
  return cloud;
}

} // namespace fricp::tool
