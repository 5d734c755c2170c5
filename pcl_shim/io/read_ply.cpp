// SPDX-License-Identifier: BSD-3-Clause
/*
 * PLY, text and binary of both byte orders.
 */
#include "cloud_io.hpp"
#include "ply.hpp"
#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>

namespace fricp::tool {

namespace {

using namespace ply;
using Type = pcl::PCLPointField;

Element *find_element(Header &header, const char *name) {
  const auto found = std::find_if(header.elements.begin(), header.elements.end(),
                                  [name](const Element &element) { return element.name == name; });
  return found == header.elements.end() ? nullptr : &*found;
}

void pack(Element &element) {
  for (Property &property : element.properties) {
    if (property.length_type == 0) {
      property.offset = element.record_size;
      element.record_size += size_of(property.type);
    }
  }
}

/** @return how many of red, green, blue, alpha follow one another from here as bytes; 0 unless at least three. */
std::size_t colours_from(const std::vector<Property> &properties, std::size_t first) {
  constexpr std::array<const char *, 4> names = {"red", "green", "blue", "alpha"};
  std::size_t k = 0;
  while (k < names.size() && first + k < properties.size() && properties[first + k].name == names[k] &&
         properties[first + k].type == Type::UINT8 && properties[first + k].length_type == 0) {
    ++k;
  }
  return k < 3 ? 0 : k;
}

std::string field_name(const std::string &property) {
  return property == "nx" || property == "ny" || property == "nz" ? std::string("normal_") + property[1] : property;
}

/** Fields of the cloud for the properties of a vertex, and the properties' places in a point. */
void lay_out(Element &vertex, Cloud &cloud) {
  constexpr std::array<std::size_t, 4> byte_of_colour = {2, 1, 0, 3}; // PCL packs 0xAARRGGBB, little-endian
  std::vector<Property> &properties = vertex.properties;
  for (std::size_t k = 0; k < properties.size(); ++k) {
    const std::uint32_t offset = cloud.data.point_step;
    if (const std::size_t colours = colours_from(properties, k)) {
      append_field(cloud, colours == 4 ? "rgba" : "rgb", colours == 4 ? Type::UINT32 : Type::FLOAT32);
      for (std::size_t c = 0; c < colours; ++c) {
        properties[k + c].offset = offset + byte_of_colour[c];
      }
      k += colours - 1;
    } else if (properties[k].length_type != 0) {
      cloud.dropped.push_back("list property " + quoted(properties[k].name) + " of the vertices");
    } else {
      properties[k].offset = offset;
      append_field(cloud, field_name(properties[k].name), properties[k].type);
    }
  }
  vertex.record_size = cloud.data.point_step;
}

std::uint64_t to_length(std::uint8_t type, const std::uint8_t *bytes, bool &negative) {
  const auto as = [&](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    negative = number < 0;
    return static_cast<std::uint64_t>(number);
  };
  switch (type) {
  case Type::INT8:
    return as(std::int8_t{});
  case Type::UINT8:
    return as(std::uint8_t{});
  case Type::INT16:
    return as(std::int16_t{});
  case Type::UINT16:
    return as(std::uint16_t{});
  case Type::INT32:
    return as(std::int32_t{});
  default:
    return as(std::uint32_t{});
  }
}

void skip_list(Numbers &source, const Property &property) {
  std::uint8_t bytes[8];
  bool negative = false;
  source.value(property.name, property.length_type, bytes);
  const std::uint64_t length = to_length(property.length_type, bytes, negative);
  if (negative) {
    source.reject("negative length of list property " + quoted(property.name));
  }
  for (std::uint64_t k = 0; k < length; ++k) {
    source.value(property.name, property.type, bytes);
  }
}

/** @param records  where the records go, one after the other; null: only the last one is kept, in scratch. */
void read_element(Numbers &source, const Element &element, std::uint8_t *records, std::vector<std::uint8_t> &scratch) {
  scratch.assign(element.record_size, 0);
  for (std::uint64_t k = 0; k < element.count; ++k) {
    std::uint8_t *const record = records != nullptr ? records + k * element.record_size : scratch.data();
    source.begin_record(element.name, k, element.count);
    for (const Property &property : element.properties) {
      if (property.length_type != 0) {
        skip_list(source, property);
      } else {
        source.value(property.name, property.type, record + property.offset);
      }
    }
    source.end_record(element.name);
  }
}

/** @return the numbers of one type that a record has under these names; nothing unless all are there. */
template <typename T, std::size_t size>
std::optional<std::array<T, size>> numbers_of(const Element &element, const std::vector<std::uint8_t> &record,
                                              std::uint8_t type, const std::array<const char *, size> &names) {
  std::array<T, size> numbers = {};
  for (std::size_t k = 0; k < size; ++k) {
    const auto found =
        std::find_if(element.properties.begin(), element.properties.end(), [&](const Property &property) {
          return property.name == names[k] && property.type == type && property.length_type == 0;
        });
    if (found == element.properties.end()) {
      return std::nullopt;
    }
    std::memcpy(&numbers[k], record.data() + found->offset, sizeof(T));
  }
  return numbers;
}

/** The sensor pose, as PCL writes it; and the shape of an organised cloud. */
void apply_camera(const Element &camera, const std::vector<std::uint8_t> &record, Cloud &cloud) {
  const auto pose = numbers_of<float, 12>(camera, record, Type::FLOAT32,
                                          {"view_px", "x_axisx", "x_axisy", "x_axisz", "view_py", "y_axisx", "y_axisy",
                                           "y_axisz", "view_pz", "z_axisx", "z_axisy", "z_axisz"});
  if (pose) {
    Eigen::Matrix3f axes;
    for (int row = 0; row < 3; ++row) {
      const float *const numbers = pose->data() + 4 * row;
      cloud.origin[row] = numbers[0];
      axes.row(row) << numbers[1], numbers[2], numbers[3];
    }
    cloud.orientation = Eigen::Quaternionf(axes);
  }
  const auto shape = numbers_of<std::int32_t, 2>(camera, record, Type::INT32, {"viewportx", "viewporty"});
  if (shape && (*shape)[0] > 0 && (*shape)[1] > 0) {
    const auto width = static_cast<std::uint64_t>((*shape)[0]);
    const auto height = static_cast<std::uint64_t>((*shape)[1]);
    if (width * height == cloud.size()) {
      allocate(cloud, width, height);
    }
  }
}

void read_body(Numbers &source, const Header &header, Cloud &cloud) {
  std::vector<std::uint8_t> scratch;
  for (const Element &element : header.elements) {
    const bool is_vertex = element.name == "vertex";
    read_element(source, element, is_vertex ? cloud.data.data.data() : nullptr, scratch);
    if (element.name == "camera" && element.count == 1) {
      apply_camera(element, scratch, cloud);
    } else if (!is_vertex && element.count > 0) {
      cloud.dropped.push_back(std::to_string(element.count) + " of element " + quoted(element.name));
    }
  }
  cloud.surplus = source.finish();
}

/** Before anything is allocated: can so many records be in these bytes? */
void check_length(const Header &header) {
  const bool text = header.coding == Coding::text;
  const std::uint64_t size = header.body.bytes.size() + (text ? 1 : 0); // the last line may lack its end
  for (const Element &element : header.elements) {
    std::uint64_t least = 0; // bytes a record
    for (const Property &property : element.properties) {
      least += text ? 2 : size_of(property.length_type != 0 ? property.length_type : property.type);
    }
    if (element.count > 0 && (least == 0 || size / least < element.count)) {
      fail(header.body.path, 0,
           least == 0
               ? "element " + quoted(element.name) + " has no properties"
               : "truncated: " + std::to_string(element.count) + " of element " + quoted(element.name) +
                     " do not fit in the " + std::to_string(header.body.bytes.size()) + " bytes after the header");
    }
  }
}

void read_text_body(const Header &header, Cloud &cloud) {
  try {
    read_body(*rows_of(header.body), header, cloud);
  } catch (const Error &) {
    // Free layout is legal, but a row that lost a number must not shift all that follow: it is taken for free layout
    // only if nothing in the file has a length of its own and all numbers are used up exactly.
    if (std::any_of(header.elements.begin(), header.elements.end(),
                    [](const Element &element) { return element.count > 0 && element.has_lists(); })) {
      throw;
    }
    const auto fault = std::current_exception();
    cloud.dropped.clear(); // what was read in part is read again; there are no lists
    cloud.origin.setZero();
    cloud.orientation.setIdentity();
    allocate(cloud, cloud.size(), 1);
    try {
      read_body(*words_of(header.body), header, cloud);
    } catch (const Error &) {
      std::rethrow_exception(fault);
    }
  }
}

} // namespace

Cloud read_ply(std::string_view bytes, const std::string &path) {
  Header header = read_header(bytes, path);
  Element *const vertex = find_element(header, "vertex");
  if (vertex == nullptr) {
    fail(path, 0, "no element vertex");
  }
  Cloud cloud;
  cloud.path = path;
  for (Element &element : header.elements) {
    if (&element == vertex) {
      lay_out(element, cloud);
    } else if (element.name == "vertex") {
      fail(path, 0, "more than one element vertex");
    } else {
      pack(element);
    }
  }
  require_coordinates(cloud, "property");
  check_length(header);
  allocate(cloud, vertex->count, 1);
  if (header.coding == Coding::text) {
    read_text_body(header, cloud);
  } else {
    read_body(*bytes_of(header.body, header.coding == Coding::big), header, cloud);
  }
  return cloud;
}

} // namespace fricp::tool
