// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows of numbers, separated by blanks, commas or semicolons. A first line, or a last comment before the first row,
 * that names x and y names the columns; without one they are x y z and others, or x y in a plane. A first line of one whole
 * number announces how many rows follow, as in Leica's .pts.
 */
#include "cloud_io.hpp"
#include "records.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace fricp::tool {

namespace {

using Cells = std::vector<std::string_view>;

struct Sheet {
  Cells names; /**< empty: there is no header */
  std::size_t columns = 0;
  std::size_t rows = 0;
  Body body; /**< behind a first line that is no row */
};

/** The number of rows, where it stands. */
struct Announced {
  std::uint64_t rows = 0;
  std::size_t line = 0; /**< 0: there is none */
};

/** @return x for "X" and "x [m]", normal_x for "Nx", and so on; "" for any other name. */
std::string known_name(std::string_view cell) {
  std::string name(cell.substr(0, cell.find_first_of(" [(")));
  std::transform(name.begin(), name.end(), name.begin(), lower);
  constexpr std::array<const char *, 9> names = {"x", "y", "z", "nx", "ny", "nz", "normal_x", "normal_y", "normal_z"};
  if (std::find(names.begin(), names.end(), name) == names.end())
    return {};
  return name[0] == 'n' ? std::string("normal_") + name.back() : name;
}

bool names_points(const Cells &cells) {
  const auto has = [&](const char *name) {
    return std::any_of(cells.begin(), cells.end(), [name](std::string_view cell) { return known_name(cell) == name; });
  };
  return has("x") && has("y");
}

/** Behind a line of one number there are rows, as many as it says; else it is a row itself, and too short. */
void settle(const Announced &announced, std::string_view bytes, const std::string &path, Sheet &sheet) {
  if (announced.line == 0)
    return;
  if (sheet.columns < 2) {
    sheet = {{}, 1, sheet.rows + 1, {path, 0, bytes}};
  } else if (announced.rows != sheet.rows) {
    fail(path, announced.line,
         "announces " + std::to_string(announced.rows) + " rows, but " + std::to_string(sheet.rows) +
             " follow: correct or delete this line");
  }
}

/** Finds header and columns, and counts the rows: before anything is allocated. */
Sheet look_through(std::string_view bytes, const std::string &path) {
  Sheet sheet;
  sheet.body = {path, 0, bytes};
  Lines lines(bytes);
  std::string_view comment;
  Cells cells;
  Announced announced;
  for (std::string_view line; lines.next(line);) {
    std::string_view word;
    std::string_view rest = line;
    if (!next_word(rest, word))
      continue;
    if (begins_comment(word)) {
      const std::string_view text = line.substr(std::min(line.find_first_not_of("#/ \t"), line.size()));
      comment = sheet.rows > 0 || text.empty() ? comment : text;
      continue;
    }
    if (sheet.rows == 0) {
      split(line, cells);
      if (sheet.names.empty() && names_points(cells)) {
        sheet.names = cells;
        sheet.body = {path, lines.number(), lines.rest()};
        continue;
      }
      if (cells.size() == 1 && announced.line == 0 && sheet.names.empty() && parse(cells[0], announced.rows)) {
        announced.line = lines.number();
        sheet.body = {path, lines.number(), lines.rest()};
        continue;
      }
      sheet.columns = cells.size();
    }
    ++sheet.rows;
  }
  settle(announced, bytes, path, sheet);
  split(comment, cells);
  if (sheet.names.empty() && cells.size() == sheet.columns && names_points(cells))
    sheet.names = cells;
  return sheet;
}

std::string column_name(const Sheet &sheet, std::size_t column, const Cloud &cloud) {
  constexpr std::array<const char *, 3> plain = {"x", "y", "z"};
  std::string name = !sheet.names.empty()    ? known_name(sheet.names[column])
                     : column < plain.size() ? plain[column]
                                             : "";
  if (!name.empty())
    return name;
  name = sheet.names.empty() ? std::string_view() : sheet.names[column];
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return name.empty() || name == "_" || has_field(cloud, name) ? "column" + std::to_string(column + 1) : name;
}

} // namespace

Cloud read_rows(std::string_view bytes, const std::string &path) {
  const Sheet sheet = look_through(bytes, path);
  Cloud cloud;
  cloud.path = path;
  const std::size_t columns = sheet.names.empty() ? std::max<std::size_t>(sheet.columns, 2) : sheet.names.size();
  for (std::size_t k = 0; k < columns; ++k)
    append_field(cloud, column_name(sheet, k, cloud), pcl::PCLPointField::FLOAT64);
  Records rows = records_of(cloud, "row", sheet.rows);
  cloud.planar = !has_field(cloud, "z");
  if (cloud.planar) {
    append_field(cloud, "z", pcl::PCLPointField::FLOAT64);
    rows.size = cloud.data.point_step;
  }
  require_coordinates(cloud, "column");
  // A row that is too short or has an empty cell ends the reading, and the rows before it take two bytes a number.
  allocate(cloud, std::min(sheet.rows, (bytes.size() + 1) / (2 * columns) + 1), 1);
  Reader(sheet.body, Coding::cells).read(rows, cloud.data.data.data());
  return cloud;
}

} // namespace fricp::tool
