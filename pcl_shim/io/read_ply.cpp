// SPDX-License-Identifier: BSD-3-Clause
/*
 * PLY, text and binary of both byte orders.
 */
#include "cloud_io.hpp"
#include "fields.hpp"
#include "records.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <iterator>
#include <optional>

namespace fricp::tool {

namespace {

using Type = pcl::PCLPointField;
using Words = std::vector<std::string_view>;

struct Header {
  Coding coding = Coding::rows;
  std::vector<Records> elements;
  std::uint64_t points = 0;
  Body body;
};

/** @return 0 for a type that PLY does not have. */
std::uint8_t type_of(std::string_view name) {
  const auto found = std::find_if(std::begin(ply_types), std::end(ply_types),
                                  [&](const PlyType &type) { return name == type.name || name == type.sized_name; });
  return found == std::end(ply_types) ? std::uint8_t{0} : found->type;
}

Coding coding_of(const Words &words, const std::string &path, std::size_t line) {
  constexpr std::array<std::string_view, 3> names = {"ascii", "binary_little_endian", "binary_big_endian"};
  constexpr std::array<Coding, 3> codings = {Coding::rows, Coding::little, Coding::big};
  const auto found = std::find(names.begin(), names.end(), words.size() == 3 && words[2] == "1.0" ? words[1] : "");
  if (found == names.end())
    fail(path, line, "the format must be ascii, binary_little_endian or binary_big_endian, of version 1.0");
  return codings[static_cast<std::size_t>(found - names.begin())];
}

Records element_of(const Words &words, const std::string &path, std::size_t line) {
  Records element;
  if (words.size() != 3 || !parse(words[2], element.count))
    fail(path, line, "an element line needs a name and a count");
  element.name = words[1];
  return element;
}

Column property_of(const Words &words, const std::string &path, std::size_t line) {
  Column property;
  const bool list = words.size() == 5 && words[1] == "list";
  if (!list && words.size() != 3)
    fail(path, line, "a property line needs a type and a name");
  property.name = words.back();
  property.type = type_of(words[words.size() - 2]);
  property.length_type = list ? type_of(words[2]) : std::uint8_t{0};
  if (property.type == 0 || (list && property.length_type == 0))
    fail(path, line, "property " + quoted(property.name) + " has an unknown type");
  if (is_floating(property.length_type))
    fail(path, line, "property " + quoted(property.name) + ": the length of a list must be of an integer type");
  return property;
}

Header read_header(std::string_view bytes, const std::string &path) {
  Header header;
  std::size_t announced = 0; // elements and properties: each costs far more memory than its line
  bool have_format = false;
  Lines lines(bytes);
  for (std::string_view line; lines.next(line);) {
    const std::size_t number = lines.number();
    Words words;
    for (std::string_view rest = line, word; words.size() < 6 && next_word(rest, word);)
      words.push_back(word);
    if (words.empty() || number == 1 || words[0] == "comment" || words[0] == "obj_info")
      continue;
    if (++announced > max_fields)
      fail(path, number, "more than " + std::to_string(max_fields) + " lines in the PLY header");
    if (words[0] == "format") {
      header.coding = coding_of(words, path, number);
      have_format = true;
    } else if (words[0] == "element") {
      header.elements.push_back(element_of(words, path, number));
    } else if (words[0] == "property" && !header.elements.empty()) {
      header.elements.back().columns.push_back(property_of(words, path, number));
    } else if (words[0] != "end_header") {
      fail(path, number, "unknown entry " + quoted(words[0]) + " in the PLY header");
    } else if (have_format) {
      header.body = {path, number, lines.rest()};
      return header;
    } else {
      fail(path, 0, "the PLY header has no format line");
    }
  }
  fail(path, 0, "the PLY header has no end_header line");
}

/** @return how many of red, green, blue, alpha follow one another from here as bytes; 0 unless at least three. */
std::size_t colours_from(const std::vector<Column> &properties, std::size_t first) {
  constexpr std::array<const char *, 4> names = {"red", "green", "blue", "alpha"};
  std::size_t k = 0;
  while (k < names.size() && first + k < properties.size() && properties[first + k].name == names[k] &&
         properties[first + k].type == Type::UINT8 && properties[first + k].length_type == 0)
    ++k;
  return k < 3 ? 0 : k;
}

bool has_property(const std::vector<Column> &properties, const std::string &name) {
  return std::any_of(properties.begin(), properties.end(), [&](const Column &column) { return column.name == name; });
}

/** PCL's name for a normal's property, unless another property has it. */
std::string field_name(const std::string &property, const std::vector<Column> &properties) {
  const bool normal = property == "nx" || property == "ny" || property == "nz";
  const std::string name = normal ? std::string("normal_") + property[1] : property;
  return normal && has_property(properties, name) ? property : name;
}

/** Fields of the cloud for the properties of a vertex, and the properties' places in a point. */
void lay_out(Records &vertex, Cloud &cloud) {
  std::vector<Column> &properties = vertex.columns;
  for (std::size_t k = 0; k < properties.size(); ++k) {
    const std::uint32_t offset = cloud.data.point_step;
    const std::size_t colours = colours_from(properties, k);
    const std::string colour = colours == 4 ? "rgba" : "rgb";
    if (colours > 0 && !has_field(cloud, colour) && !has_property(properties, colour)) {
      append_field(cloud, colour, colours == 4 ? Type::UINT32 : Type::FLOAT32);
      for (std::size_t c = 0; c < colours; ++c)
        properties[k + c].offset = offset + byte_of_colour[c];
      k += colours - 1;
    } else if (properties[k].length_type != 0) {
      cloud.dropped.push_back("list property " + quoted(properties[k].name) + " of the vertices");
    } else {
      properties[k].offset = offset;
      append_field(cloud, field_name(properties[k].name, properties), properties[k].type);
    }
  }
  vertex.size = cloud.data.point_step;
}

/** Elements that are not kept. */
void pack(Records &element) {
  for (Column &property : element.columns) {
    property.offset = element.size;
    element.size += property.length_type == 0 ? size_of(property.type) : 0;
  }
}

/** @return the numbers of one type that a record has under these names; nothing unless all are there. */
template <typename T, std::size_t size>
std::optional<std::array<T, size>> numbers_of(const Records &element, const std::vector<std::uint8_t> &record,
                                              std::uint8_t type, const std::array<const char *, size> &names) {
  std::array<T, size> numbers = {};
  for (std::size_t k = 0; k < size; ++k) {
    const auto found = std::find_if(element.columns.begin(), element.columns.end(), [&](const Column &property) {
      return property.name == names[k] && property.type == type && property.length_type == 0;
    });
    if (found == element.columns.end())
      return std::nullopt;
    std::memcpy(&numbers[k], record.data() + found->offset, sizeof(T));
  }
  return numbers;
}

/** The sensor pose, as PCL writes it; and the shape of an organised cloud. */
void apply_camera(const Records &camera, const std::vector<std::uint8_t> &record, Cloud &cloud) {
  const auto pose = numbers_of<float, 12>(camera, record, Type::FLOAT32, camera_pose);
  if (pose) {
    cloud.origin.head<3>() = Eigen::Map<const Eigen::Vector3f>(pose->data());
    const Eigen::Matrix3f axes = Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>>(pose->data() + 3);
    cloud.orientation = Eigen::Quaternionf(axes);
  }
  const auto shape = numbers_of<std::int32_t, 2>(camera, record, Type::INT32, {"viewportx", "viewporty"});
  if (shape && (*shape)[0] > 0 && (*shape)[1] > 0) {
    const auto width = static_cast<std::uint64_t>((*shape)[0]);
    const auto height = static_cast<std::uint64_t>((*shape)[1]);
    if (width * height == cloud.size())
      allocate(cloud, width, height);
  }
}

bool has_lists(const Records &element) {
  return element.count > 0 && std::any_of(element.columns.begin(), element.columns.end(),
                                          [](const Column &column) { return column.length_type != 0; });
}

/** @param cloud  has its fields. */
Cloud read_body(const Header &header, Coding coding, Cloud cloud) {
  Reader reader(header.body, coding);
  allocate(cloud, header.points, 1); // a camera before the vertices gives them their shape
  for (const Records &element : header.elements) {
    const bool kept = element.name == "vertex";
    const std::vector<std::uint8_t> record = reader.read(element, kept ? cloud.data.data.data() : nullptr);
    if (element.name == "camera" && element.count == 1)
      apply_camera(element, record, cloud);
    else if (!kept && element.count > 0)
      cloud.dropped.push_back(std::to_string(element.count) + " of element " + quoted(element.name));
  }
  cloud.surplus = reader.finish();
  return cloud;
}

/**
 * Free layout is legal, but a row that lost a number must not shift all that follow: a text is taken for free layout
 * only if nothing in the file has a length of its own and all numbers are used up exactly.
 */
Cloud read_text_body(const Header &header, const Cloud &fields) {
  try {
    return read_body(header, Coding::rows, fields);
  } catch (const Error &) {
    if (std::any_of(header.elements.begin(), header.elements.end(), has_lists))
      throw;
    const auto fault = std::current_exception();
    try {
      return read_body(header, Coding::words, fields);
    } catch (const Error &) {
      std::rethrow_exception(fault);
    }
  }
}

} // namespace

Cloud read_ply(std::string_view bytes, const std::string &path) {
  Header header = read_header(bytes, path);
  Cloud cloud;
  cloud.path = path;
  bool have_vertex = false;
  for (Records &element : header.elements) {
    if (element.name != "vertex") {
      pack(element);
    } else if (!have_vertex) {
      have_vertex = true;
      header.points = element.count;
      lay_out(element, cloud);
    } else {
      fail(path, 0, "more than one element vertex");
    }
  }
  if (!have_vertex)
    fail(path, 0, "no element vertex");
  require_coordinates(cloud, "property");
  for (const Records &element : header.elements)
    check_length(header.body, element, header.coding == Coding::rows);
  return header.coding == Coding::rows ? read_text_body(header, cloud) : read_body(header, header.coding, cloud);
}

} // namespace fricp::tool
