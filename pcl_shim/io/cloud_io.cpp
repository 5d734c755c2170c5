// SPDX-License-Identifier: BSD-3-Clause
#include "cloud_io.hpp"

#include "fields.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace fricp::tool {

namespace {

/** PCD begins with one of its keys, after comments; the usual first comment may be missing. */
bool looks_like_pcd(std::string_view bytes) {
  if (bytes.substr(0, 6) == "# .PCD")
    return true;
  Lines lines(bytes);
  std::string_view line;
  std::string_view word;
  while (lines.next(line))
    if (next_word(line, word) && word[0] != '#')
      return is_pcd_key(word);
  return false;
}

bool looks_like_ply(std::string_view bytes) {
  return bytes.substr(0, 4) == "ply\n" || bytes.substr(0, 4) == "ply\r";
}

/** So that neither a device nor an image of a disk is read to its end. */
void judge(std::string_view beginning, const std::string &path) {
  if (looks_like_ply(beginning) || looks_like_pcd(beginning))
    return;
  const bool text = std::all_of(beginning.begin(), beginning.end(), [](char c) {
    return (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') || (c >= '\t' && c <= '\r');
  });
  if (!text || beginning.find('\n') == std::string_view::npos)
    fail(path, 0, text ? "the first line is longer than any row of numbers" : "neither PCD nor PLY nor text");
}

void widen(const Cloud &cloud, std::size_t point, std::uint8_t type, const std::uint8_t *from, std::uint8_t *to) {
  const double number = load_number(from, type);
  if (std::fabs(number) > 0x1p53)
    fail(cloud.path, 0, "point " + std::to_string(point) + ": an integer coordinate beyond 2^53");
  std::memcpy(to, &number, sizeof number);
}

void widen_coordinates(Cloud &cloud) {
  if (std::none_of(cloud.data.fields.begin(), cloud.data.fields.end(), is_widened))
    return;
  const pcl::PCLPointCloud2 before = std::exchange(cloud.data, pcl::PCLPointCloud2());
  for (const pcl::PCLPointField &field : before.fields)
    append_field(cloud, field.name, is_widened(field) ? std::uint8_t{pcl::PCLPointField::FLOAT64} : field.datatype,
                 field.count);
  allocate(cloud, before.width, before.height);
  for (std::size_t k = 0; k < before.fields.size(); ++k) {
    const pcl::PCLPointField &field = before.fields[k];
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const std::uint8_t *const from = before.data.data() + i * before.point_step + field.offset;
      std::uint8_t *const to = cloud.point(i) + cloud.data.fields[k].offset;
      if (is_widened(field))
        widen(cloud, i, field.datatype, from, to);
      else
        std::copy_n(from, size_of(field.datatype) * field.count, to);
    }
  }
}

} // namespace

bool is_pcd_key(std::string_view word) {
  constexpr std::array<std::string_view, 11> keys = {"VERSION", "FIELDS", "COLUMNS",   "SIZE",   "TYPE", "COUNT",
                                                     "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
  return std::find(keys.begin(), keys.end(), word) != keys.end();
}

Cloud read_cloud(const std::string &path) {
  const FileBytes file(path, judge);
  try {
    return parse_cloud(file.view(), path);
  } catch (const std::bad_alloc &) {
    fail(path, 0, "not enough memory for its points");
  }
}

Cloud parse_cloud(std::string_view bytes, const std::string &path) {
  bytes = without_mark(bytes);
  if (bytes.empty())
    fail(path, 0, "the file is empty: no PCD, PLY or rows of x y z");
  Cloud cloud = looks_like_ply(bytes)   ? read_ply(bytes, path)
                : looks_like_pcd(bytes) ? read_pcd(bytes, path)
                                        : read_rows(bytes, path);
  widen_coordinates(cloud);
  return cloud;
}

std::string doubt_about(const Cloud &cloud) {
  return cloud.surplus == 0 ? std::string()
                            : cloud.path + ": " + std::to_string(cloud.surplus) +
                                  " bytes behind the last point: does the header announce too few?";
}

Writer writer_of(const std::string &path) {
  std::string ending = path.size() < 4 ? std::string() : path.substr(path.size() - 4);
  std::transform(ending.begin(), ending.end(), ending.begin(), lower);
  if (ending == ".pcd")
    return write_pcd;
  if (ending == ".ply")
    return write_ply;
  throw UsageError("cannot tell the format of " + quoted(path) + ": name a .pcd or a .ply file");
}

void append_field(Cloud &cloud, const std::string &name, std::uint8_t type, std::uint32_t count) {
  if (cloud.data.fields.size() == max_fields)
    fail(cloud.path, 0, "more than " + std::to_string(max_fields) + " fields a point");
  pcl::PCLPointField field;
  field.name = name;
  field.offset = cloud.data.point_step;
  field.datatype = type;
  field.count = count;
  cloud.data.fields.push_back(field);
  cloud.data.point_step += static_cast<std::uint32_t>(size_of(type)) * count;
}

bool has_field(const Cloud &cloud, const std::string &name) {
  const auto &fields = cloud.data.fields;
  return std::any_of(fields.begin(), fields.end(), [&](const pcl::PCLPointField &field) { return field.name == name; });
}

Records records_of(const Cloud &cloud, const std::string &name, std::uint64_t count) {
  Records records;
  records.name = name;
  records.count = count;
  records.size = cloud.data.point_step;
  for (const pcl::PCLPointField &field : cloud.data.fields)
    records.columns.push_back({field.name, field.datatype, 0, field.count, field.offset});
  return records;
}

void allocate(Cloud &cloud, std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (width > most || height > most || (height > 0 && width > most / height))
    fail(cloud.path, 0, "more than 2147483647 points");
  pcl::PCLPointCloud2 &data = cloud.data;
  data.width = static_cast<std::uint32_t>(width);
  data.height = static_cast<std::uint32_t>(height);
  data.row_step = static_cast<std::uint32_t>(data.point_step * width);
  data.is_dense = 0;
  data.data.resize(cloud.size() * data.point_step);
}

bool is_widened(const pcl::PCLPointField &field) {
  return (field.name == "x" || field.name == "y" || field.name == "z") && !is_floating(field.datatype);
}

void require_coordinates(const Cloud &cloud, const char *kind) {
  for (const char *const name : {"x", "y", "z"}) {
    const auto named = [name](const pcl::PCLPointField &field) { return field.name == name; };
    const auto &fields = cloud.data.fields;
    const auto found = std::count_if(fields.begin(), fields.end(), named);
    if (found != 1)
      fail(cloud.path, 0, std::string(found == 0 ? "no " : "more than one ") + kind + " " + name);
    const auto field = std::find_if(fields.begin(), fields.end(), named);
    if (field->count != 1)
      fail(cloud.path, 0, std::string(kind) + " " + name + " has " + std::to_string(field->count) + " numbers a point");
  }
}

} // namespace fricp::tool
