// SPDX-License-Identifier: BSD-3-Clause
/*
 * PCD, text, binary and compressed, also of the older kind that says COLUMNS for FIELDS and need not say SIZE and TYPE.
 */
#include "cloud_io.hpp"
#include "fields.hpp"
#include "records.hpp"
#include "text.hpp"

#include <pcl/common/io.h>

#include <algorithm>
#include <array>
#include <cstring>
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
  Body body;

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
    if (!next_word(line, key) || key[0] == '#')
      continue;
    if (!is_pcd_key(key))
      fail(path, lines.number(), "unknown entry " + quoted(key) + " in the PCD header");
    key = key == "COLUMNS" ? "FIELDS" : key;
    Entry entry;
    entry.line = lines.number();
    for (std::string_view word; next_word(line, word);) {
      if (entry.words.size() == max_fields)
        fail(path, lines.number(), "more than " + std::to_string(max_fields) + " words in the PCD header");
      entry.words.push_back(word);
    }
    if (!header.entries.emplace(key, entry).second)
      fail(path, lines.number(), "a second " + std::string(key) + " line in the PCD header");
    if (key == "DATA") {
      header.body = {path, lines.number(), lines.rest()};
      return header;
    }
  }
  fail(path, 0, "the PCD header has no DATA line");
}

const Entry &require(const Header &header, std::string_view key) {
  const Entry *const entry = header.find(key);
  if (entry == nullptr)
    fail(header.path, 0, "the PCD header has no " + std::string(key) + " line");
  return *entry;
}

std::optional<std::uint64_t> number_of(const Header &header, std::string_view key) {
  const Entry *const entry = header.find(key);
  if (entry == nullptr)
    return std::nullopt;
  std::uint64_t value = 0;
  if (entry->words.size() != 1 || !parse(entry->words[0], value))
    fail(header.path, entry->line, std::string(key) + " needs one whole number");
  return value;
}

/** @return the type of a field, or -1 for a pair of size and letter that PCD does not have. */
int type_of(std::string_view size, std::string_view letter) {
  std::uint64_t bytes = 0;
  const bool sound = parse(size, bytes) && bytes <= sizeof(double) && letter.size() == 1;
  return sound ? pcl::getFieldType(static_cast<int>(bytes), letter[0]) : -1;
}

/** Fills in the fields, padding too, in the order of the file. */
void read_fields(const Header &header, Cloud &cloud) {
  const Entry &names = require(header, "FIELDS");
  const bool plain = header.find("SIZE") == nullptr && header.find("TYPE") == nullptr;
  const Entry floats = {names.line, Words(plain ? names.words.size() : 0, "4")};
  const Entry letters = {names.line, Words(floats.words.size(), "F")};
  const Entry &sizes = plain ? floats : require(header, "SIZE");
  const Entry &types = plain ? letters : require(header, "TYPE");
  const Entry *const counts = header.find("COUNT");
  for (const Entry *entry : {&sizes, &types, counts}) {
    if (entry != nullptr && entry->words.size() != names.words.size())
      fail(header.path, entry->line,
           std::to_string(entry->words.size()) + " entries for " + std::to_string(names.words.size()) + " fields");
  }
  for (std::size_t k = 0; k < names.words.size(); ++k) {
    const std::string name(names.words[k]);
    const int type = type_of(sizes.words[k], types.words[k]);
    if (type < 0)
      fail(header.path, types.line,
           "field " + quoted(name) + ": no type " + quoted(types.words[k]) + " of size " + quoted(sizes.words[k]));
    std::uint64_t count = 1;
    if (counts != nullptr && (!parse(counts->words[k], count) || count > 1U << 20))
      fail(header.path, counts->line, "field " + quoted(name) + ": bad COUNT " + quoted(counts->words[k]));
    if (count == 0 && name == padding)
      continue;
    if (count == 0)
      fail(header.path, counts->line, "field " + quoted(name) + " has COUNT 0");
    append_field(cloud, name, static_cast<std::uint8_t>(type), static_cast<std::uint32_t>(count));
    if (cloud.data.point_step > 1U << 30)
      fail(header.path, names.line, "more than 2^30 bytes a point");
  }
}

void read_viewpoint(const Header &header, Cloud &cloud) {
  const Entry *const entry = header.find("VIEWPOINT");
  if (entry == nullptr)
    return;
  std::array<float, 7> numbers = {};
  if (entry->words.size() != numbers.size())
    fail(header.path, entry->line, "VIEWPOINT needs 7 numbers: tx ty tz qw qx qy qz");
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!parse(entry->words[k], numbers[k]))
      fail(header.path, entry->line, "bad number " + quoted(entry->words[k]) + " in VIEWPOINT");
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
  if (!points && !width)
    fail(header.path, 0, "the PCD header has neither POINTS nor WIDTH");
  const Shape shape = {width ? *width : *points / std::max<std::uint64_t>(height.value_or(1), 1), height.value_or(1)};
  constexpr std::uint64_t most = UINT64_C(1) << 31;
  if (shape.width >= most || shape.height >= most || points.value_or(0) >= most)
    fail(header.path, 0, "more than 2147483647 points");
  if (points && *points != shape.width * shape.height)
    fail(header.path, require(header, "POINTS").line,
         "POINTS " + std::to_string(*points) + ", but WIDTH x HEIGHT is " + std::to_string(shape.width * shape.height));
  return shape;
}

/**
 * Unpacks LZF. @param put  gets each byte, one after the other.
 * @return whether the stream is whole and of that size.
 */
template <typename Put> bool unpack(std::string_view packed, std::uint64_t size, const Put &put) {
  std::array<std::uint8_t, 8192> window = {}; // LZF looks back no farther
  std::uint64_t done = 0;
  std::size_t at = 0;
  const auto next = [&] { return static_cast<std::uint8_t>(packed[at++]); };
  const auto emit = [&](std::uint8_t byte) {
    window[done++ % window.size()] = byte;
    put(byte);
  };
  while (at < packed.size()) {
    const unsigned control = next();
    const bool literal = control < 32;
    std::uint64_t length = literal ? control + 1 : (control >> 5U) + 2;
    if (packed.size() - at < (literal ? length : control >= 7U << 5U ? 2 : 1))
      return false;
    length += control >= 7U << 5U ? next() : 0;
    const std::uint64_t distance = literal ? 0 : ((control & 31U) << 8U) + next() + 1U;
    if (size - done < length || distance > done)
      return false;
    for (std::uint64_t k = 0; k < length; ++k)
      emit(literal ? next() : window[(done - distance) % window.size()]);
  }
  return done == size;
}

void drop_padding(Cloud &cloud) {
  const auto fields = std::move(cloud.data.fields);
  cloud.data.fields.clear();
  cloud.data.point_step = 0;
  for (const pcl::PCLPointField &field : fields)
    if (field.name != padding)
      append_field(cloud, field.name, field.datatype, field.count);
}

/** @return the bytes that a point takes besides once its coordinates are doubles; 0 if they are as they stay. */
std::uint64_t widened_size(const Cloud &cloud) {
  std::uint64_t size = cloud.data.point_step;
  bool widens = false;
  for (const pcl::PCLPointField &field : cloud.data.fields)
    if (is_widened(field)) {
      size += sizeof(double) - size_of(field.datatype);
      widens = true;
    }
  return widens ? size : 0;
}

/** Bodies leave padding out, as PCL writes them, or hold it as any other field. @return the packed bytes. */
std::string_view prepare_compressed(const Header &header, const Shape &shape, Cloud &cloud) {
  const std::string_view body = header.body.bytes;
  std::array<std::uint32_t, 2> sizes = {};
  if (body.size() < sizeof sizes)
    fail(header.path, 0, "truncated: no compressed data");
  std::memcpy(sizes.data(), body.data(), sizeof sizes);
  if (body.size() - sizeof sizes < sizes[0])
    fail(header.path, 0, "truncated: " + std::to_string(sizes[0]) + " compressed bytes are announced");
  cloud.surplus = body.size() - sizeof sizes - sizes[0];
  const std::uint64_t points = shape.width * shape.height;
  const std::uint64_t with_padding = points * cloud.data.point_step;
  if (sizes[1] != with_padding)
    drop_padding(cloud);
  if (sizes[1] != points * cloud.data.point_step)
    fail(header.path, 0,
         "damaged: the compressed data are of " + std::to_string(sizes[1]) + " bytes, the header says " +
             std::to_string(with_padding));
  constexpr std::uint64_t always = 1U << 28U; // a wall or a grid packs well, but a small file must not fill the memory
  const std::uint64_t needed = sizes[1] + points * widened_size(cloud);
  if (needed > always && needed / 8 > body.size())
    fail(header.path, 0, "the compressed data need more than 256 MiB and 8 times their size: save it as DATA binary");
  return body.substr(sizeof sizes, sizes[0]);
}

/** All x, then all y, and so on: each byte goes to its point. */
void read_compressed_body(const Header &header, const Shape &shape, Cloud &cloud) {
  const std::string_view packed = prepare_compressed(header, shape, cloud);
  const std::uint64_t points = shape.width * shape.height;
  if (!unpack(packed, points * cloud.data.point_step, [](std::uint8_t) {})) // before anything is allocated
    fail(header.path, 0, "damaged: the compressed data cannot be unpacked");
  allocate(cloud, shape.width, shape.height);
  auto field = cloud.data.fields.cbegin();
  std::size_t point = 0;
  std::size_t place = 0; // in the field
  unpack(packed, points * cloud.data.point_step, [&](std::uint8_t byte) {
    cloud.data.data[point * cloud.data.point_step + field->offset + place] = byte;
    if (++place == size_of(field->datatype) * field->count) {
      place = 0;
      point = point + 1 == cloud.size() ? 0 : point + 1;
      field += point == 0 ? 1 : 0;
    }
  });
}

void read_body(const Header &header, const Shape &shape, Cloud &cloud) {
  const Entry &data = require(header, "DATA");
  const std::string_view kind = data.words.size() == 1 ? data.words[0] : std::string_view();
  const bool text = kind == "ascii";
  const bool compressed = kind == "binary_compressed";
  if (!text && !compressed && kind != "binary")
    fail(header.path, data.line, "DATA must be ascii, binary or binary_compressed");
  constexpr std::uint64_t ratio = 264 / 3; // LZF stores at most 264 bytes in 3
  const Records points = records_of(cloud, "point", shape.width * shape.height);
  check_length(header.body, points, text, compressed ? ratio : 1);
  if (compressed && points.count > 0) {
    read_compressed_body(header, shape, cloud);
    return;
  }
  allocate(cloud, shape.width, shape.height);
  if (text) {
    Reader reader(header.body, Coding::rows);
    reader.read(points, cloud.data.data.data());
    reader.finish();
  } else if (!compressed) {
    std::copy_n(header.body.bytes.data(), cloud.data.data.size(), cloud.data.data.data());
    cloud.surplus = header.body.bytes.size() - cloud.data.data.size();
  }
}

} // namespace

Cloud read_pcd(std::string_view bytes, const std::string &path) {
  const Header header = read_header(bytes, path);
  Cloud cloud;
  cloud.path = path;
  read_fields(header, cloud);
  require_coordinates(cloud, "field");
  read_viewpoint(header, cloud);
  read_body(header, read_shape(header), cloud);
  auto &fields = cloud.data.fields;
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const pcl::PCLPointField &field) { return field.name == padding; }),
               fields.end());
  return cloud;
}

} // namespace fricp::tool
