// SPDX-License-Identifier: BSD-3-Clause
/*
 * PCD: our own header and text body; binary bodies by PCL, whose reader is right once the header is known to be.
 */
#include "cloud_io.hpp"
#include "text.hpp"

#include <pcl/common/io.h>
#include <pcl/io/pcd_io.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <map>
#include <optional>

namespace fricp::tool {

namespace {

using Words = std::vector<std::string_view>;

constexpr const char *padding = "_";

/** A header line: its words and where it stands. */
struct Entry {
  std::size_t line = 0;
  Words words;
};

struct Header {
  std::string path;
  std::map<std::string_view, Entry> entries;
  std::size_t last_line = 0; /**< of DATA */
  std::string_view body;

  const Entry *find(std::string_view key) const {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  }
};

Header read_header(std::string_view bytes, const std::string &path) {
  Header header;
  header.path = path;
  Lines lines(bytes);
  std::string_view line;
  std::string_view key;
  while (lines.next(line)) {
    if (!next_word(line, key) || key[0] == '#') {
      continue;
    }
    if (!is_pcd_key(key)) {
      fail(path, lines.number(), "unknown entry " + quoted(key) + " in the PCD header");
    }
    Entry entry;
    entry.line = lines.number();
    for (std::string_view word; next_word(line, word);) {
      entry.words.push_back(word);
    }
    if (!header.entries.emplace(key, entry).second) {
      fail(path, lines.number(), "a second " + std::string(key) + " line in the PCD header");
    }
    if (key == "DATA") {
      header.last_line = lines.number();
      header.body = lines.rest();
      return header;
    }
  }
  fail(path, 0, "the PCD header has no DATA line");
}

const Entry &require(const Header &header, std::string_view key) {
  const Entry *const entry = header.find(key);
  if (entry == nullptr) {
    fail(header.path, 0, "the PCD header has no " + std::string(key) + " line");
  }
  return *entry;
}

std::optional<std::uint64_t> number_of(const Header &header, std::string_view key) {
  const Entry *const entry = header.find(key);
  if (entry == nullptr) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  if (entry->words.size() != 1 || !parse(entry->words[0], value)) {
    fail(header.path, entry->line, std::string(key) + " needs one whole number");
  }
  return value;
}

/** @return the type of a field, or 0 for a pair of size and letter that PCD does not have. */
std::uint8_t type_of(std::string_view size, std::string_view letter) {
  using Field = pcl::PCLPointField;
  struct Row {
    std::string_view size;
    char letter;
    std::uint8_t type;
  };
  constexpr Row rows[] = {{"1", 'I', Field::INT8},   {"1", 'U', Field::UINT8},  {"2", 'I', Field::INT16},
                          {"2", 'U', Field::UINT16}, {"4", 'I', Field::INT32},  {"4", 'U', Field::UINT32},
                          {"8", 'I', Field::INT64},  {"8", 'U', Field::UINT64}, {"4", 'F', Field::FLOAT32},
                          {"8", 'F', Field::FLOAT64}};
  for (const Row &row : rows) {
    if (size == row.size && letter.size() == 1 && (letter[0] == row.letter || letter[0] == row.letter - 'A' + 'a')) {
      return row.type;
    }
  }
  return 0;
}

/** Fills in the fields, padding too, in the order of the file. */
void read_fields(const Header &header, Cloud &cloud) {
  const Entry &names = require(header, "FIELDS");
  const Entry &sizes = require(header, "SIZE");
  const Entry &types = require(header, "TYPE");
  const Entry *const counts = header.find("COUNT");
  for (const Entry *entry : {&sizes, &types, counts}) {
    if (entry != nullptr && entry->words.size() != names.words.size()) {
      fail(header.path, entry->line,
           std::to_string(entry->words.size()) + " entries for " + std::to_string(names.words.size()) + " fields");
    }
  }
  for (std::size_t k = 0; k < names.words.size(); ++k) {
    const std::string name(names.words[k]);
    const std::uint8_t type = type_of(sizes.words[k], types.words[k]);
    if (type == 0) {
      fail(header.path, types.line,
           "field " + name + ": no type " + std::string(types.words[k]) + " of size " + std::string(sizes.words[k]));
    }
    std::uint64_t count = 1;
    if (counts != nullptr && (!parse(counts->words[k], count) || count > 1U << 20)) {
      fail(header.path, counts->line, "field " + name + ": bad COUNT " + quoted(counts->words[k]));
    }
    if (count == 0 && name == padding) {
      continue;
    }
    if (count == 0) {
      fail(header.path, counts->line, "field " + name + " has COUNT 0");
    }
    append_field(cloud.data, name, type, static_cast<std::uint32_t>(count));
    if (cloud.data.point_step > 1U << 30) {
      fail(header.path, names.line, "more than 2^30 bytes a point");
    }
  }
}

void read_viewpoint(const Header &header, Cloud &cloud) {
  const Entry *const entry = header.find("VIEWPOINT");
  if (entry == nullptr) {
    return;
  }
  std::array<float, 7> numbers = {};
  if (entry->words.size() != numbers.size()) {
    fail(header.path, entry->line, "VIEWPOINT needs 7 numbers: tx ty tz qw qx qy qz");
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    std::uint8_t bytes[sizeof(float)];
    if (!parse_as(entry->words[k], pcl::PCLPointField::FLOAT32, bytes)) {
      fail(header.path, entry->line, "bad number " + quoted(entry->words[k]) + " in VIEWPOINT");
    }
    std::memcpy(&numbers[k], bytes, sizeof(float));
  }
  cloud.origin = Eigen::Vector4f(numbers[0], numbers[1], numbers[2], 0);
  cloud.orientation = Eigen::Quaternionf(numbers[3], numbers[4], numbers[5], numbers[6]);
}

struct Shape {
  std::uint64_t width;
  std::uint64_t height;
};

Shape read_shape(const Header &header) {
  const auto points = number_of(header, "POINTS");
  const auto width = number_of(header, "WIDTH");
  const auto height = number_of(header, "HEIGHT");
  if (!points && !width) {
    fail(header.path, 0, "the PCD header has neither POINTS nor WIDTH");
  }
  const Shape shape = {width ? *width : *points / std::max<std::uint64_t>(height.value_or(1), 1), height.value_or(1)};
  constexpr std::uint64_t most = UINT64_C(1) << 31;
  if (shape.width >= most || shape.height >= most || points.value_or(0) >= most) {
    fail(header.path, 0, "more than 2147483647 points");
  }
  if (points && *points != shape.width * shape.height) {
    fail(header.path, require(header, "POINTS").line,
         "POINTS " + std::to_string(*points) + ", but WIDTH x HEIGHT is " + std::to_string(shape.width * shape.height));
  }
  return shape;
}

/** Before anything is allocated: can so many points be in these bytes? @param ratio  of the best compression. */
void check_length(const Header &header, const Shape &shape, std::uint64_t bytes_a_point, std::uint64_t ratio = 1) {
  const std::uint64_t needed = shape.width * shape.height;
  if (header.body.size() * ratio / bytes_a_point < needed) {
    fail(header.path, 0,
         "truncated: " + std::to_string(needed) + " points do not fit in the " + std::to_string(header.body.size()) +
             " bytes after the header");
  }
}

void read_text_body(const Header &header, Cloud &cloud) {
  Lines lines(header.body);
  const auto line_number = [&] { return header.last_line + lines.number(); };
  const std::size_t count = cloud.size();
  std::size_t row = 0;
  std::string_view line;
  std::string_view word;
  while (lines.next(line)) {
    if (!next_word(line, word)) {
      continue;
    }
    if (row == count) {
      fail(header.path, line_number(), "a row beyond the " + std::to_string(count) + " points of the header");
    }
    std::uint8_t *const point = cloud.data.data.data() + row * cloud.data.point_step;
    bool have = true;
    for (const pcl::PCLPointField &field : cloud.data.fields) {
      const auto size = static_cast<std::size_t>(pcl::getFieldSize(field.datatype));
      for (std::size_t k = 0; k < field.count; ++k, have = next_word(line, word)) {
        if (!have) {
          fail(header.path, line_number(), "the row ends before field " + field.name);
        }
        if (!parse_as(word, field.datatype, point + field.offset + k * size)) {
          fail(header.path, line_number(), "bad number " + quoted(word) + " in field " + field.name);
        }
      }
    }
    if (have) {
      fail(header.path, line_number(), "more numbers than the fields need, from " + quoted(word));
    }
    ++row;
  }
  if (row != count) {
    fail(header.path, 0, "ends after " + std::to_string(row) + " of " + std::to_string(count) + " points");
  }
}

/** Compressed bodies leave padding out, as PCL writes them, or hold it as any other field. */
void prepare_compressed(const Header &header, Cloud &cloud) {
  std::array<std::uint32_t, 2> sizes = {};
  if (header.body.size() < sizeof sizes) {
    fail(header.path, 0, "truncated: no compressed data");
  }
  std::memcpy(sizes.data(), header.body.data(), sizeof sizes);
  if (header.body.size() - sizeof sizes < sizes[0]) {
    fail(header.path, 0, "truncated: " + std::to_string(sizes[0]) + " compressed bytes are announced");
  }
  std::uint64_t padding_size = 0;
  for (const pcl::PCLPointField &field : cloud.data.fields) {
    if (field.name == padding) {
      padding_size += static_cast<std::uint64_t>(pcl::getFieldSize(field.datatype)) * field.count;
    }
  }
  const std::uint64_t points = cloud.size();
  const std::uint64_t with = points * cloud.data.point_step;
  if (sizes[1] != with && sizes[1] != with - points * padding_size) {
    fail(header.path, 0,
         "damaged: the compressed data are of " + std::to_string(sizes[1]) + " bytes, the header says " +
             std::to_string(with));
  }
  if (sizes[1] != with) {
    const auto fields = cloud.data.fields;
    cloud.data.fields.clear();
    cloud.data.point_step = 0;
    for (const pcl::PCLPointField &field : fields) {
      if (field.name != padding) {
        append_field(cloud.data, field.name, field.datatype, field.count);
      }
    }
    allocate(cloud, cloud.data.width, cloud.data.height);
  }
}

void read_binary_body(const Header &header, Cloud &cloud, bool compressed) {
  if (cloud.size() == 0) {
    return;
  }
  if (compressed) {
    prepare_compressed(header, cloud);
  }
  const auto fields = cloud.data.fields;
  for (pcl::PCLPointField &field : cloud.data.fields) {
    field.name += "+"; // PCL leaves out what is called "_"; here it has been found to be in the data
  }
  int status = -1;
  try {
    pcl::PCDReader reader;
    const auto *const body = reinterpret_cast<const unsigned char *>(header.body.data());
    status = reader.readBodyBinary(body, cloud.data, 7, compressed, 0);
  } catch (const std::exception &fault) {
    fail(header.path, 0, std::string("damaged: ") + fault.what());
  }
  if (status < 0) {
    fail(header.path, 0, "damaged: the compressed data cannot be unpacked");
  }
  cloud.data.fields = fields;
}

void forget_padding(pcl::PCLPointCloud2 &data) {
  auto &fields = data.fields;
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const pcl::PCLPointField &field) { return field.name == padding; }),
               fields.end());
}

} // namespace

Cloud read_pcd(std::string_view bytes, const std::string &path) {
  const Header header = read_header(bytes, path);
  Cloud cloud;
  cloud.path = path;
  read_fields(header, cloud);
  require_coordinates(cloud, "field");
  read_viewpoint(header, cloud);
  const Shape shape = read_shape(header);
  const Entry &data = require(header, "DATA");
  const std::string_view kind = data.words.size() == 1 ? data.words[0] : std::string_view();
  if (kind == "ascii") {
    check_length(header, shape, 5); // the last of the rows "0 0 0\n" may lack its end
    allocate(cloud, shape.width, shape.height);
    read_text_body(header, cloud);
  } else if (kind == "binary") {
    check_length(header, shape, cloud.data.point_step);
    allocate(cloud, shape.width, shape.height);
    read_binary_body(header, cloud, false);
  } else if (kind == "binary_compressed") {
    check_length(header, shape, cloud.data.point_step, 264 / 3 + 1); // LZF stores at most 264 bytes in 3
    allocate(cloud, shape.width, shape.height);
    read_binary_body(header, cloud, true);
  } else {
    fail(path, data.line, "DATA must be ascii, binary or binary_compressed");
  }
  forget_padding(cloud.data);
  return cloud;
}

} // namespace fricp::tool
