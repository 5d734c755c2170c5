// SPDX-License-Identifier: BSD-3-Clause
#include "ply.hpp"

#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <map>

namespace fricp::tool::ply {

namespace {

using Type = pcl::PCLPointField;

std::uint8_t type_of(std::string_view name) {
  static const std::map<std::string_view, std::uint8_t> types = {
      {"char", Type::INT8},     {"int8", Type::INT8},       {"uchar", Type::UINT8},    {"uint8", Type::UINT8},
      {"short", Type::INT16},   {"int16", Type::INT16},     {"ushort", Type::UINT16},  {"uint16", Type::UINT16},
      {"int", Type::INT32},     {"int32", Type::INT32},     {"uint", Type::UINT32},    {"uint32", Type::UINT32},
      {"float", Type::FLOAT32}, {"float32", Type::FLOAT32}, {"double", Type::FLOAT64}, {"float64", Type::FLOAT64}};
  const auto found = types.find(name);
  return found == types.end() ? 0 : found->second;
}

using Words = std::vector<std::string_view>;

Coding coding_of(const Words &words, const std::string &path, std::size_t line) {
  if (words.size() == 3 && words[2] == "1.0") {
    if (words[1] == "ascii") {
      return Coding::text;
    }
    if (words[1] == "binary_little_endian") {
      return Coding::little;
    }
    if (words[1] == "binary_big_endian") {
      return Coding::big;
    }
  }
  fail(path, line, "the format must be ascii, binary_little_endian or binary_big_endian, of version 1.0");
}

Element element_of(const Words &words, const std::string &path, std::size_t line) {
  Element element;
  if (words.size() != 3 || !parse(words[2], element.count)) {
    fail(path, line, "an element line needs a name and a count");
  }
  element.name = words[1];
  return element;
}

Property property_of(const Words &words, const std::string &path, std::size_t line) {
  Property property;
  const bool list = words.size() == 5 && words[1] == "list";
  if (!list && words.size() != 3) {
    fail(path, line, "a property line needs a type and a name");
  }
  property.name = words.back();
  property.type = type_of(words[words.size() - 2]);
  property.length_type = list ? type_of(words[2]) : 0;
  if (property.type == 0 || (list && property.length_type == 0)) {
    fail(path, line, "property " + quoted(property.name) + " has an unknown type");
  }
  if (property.length_type == Type::FLOAT32 || property.length_type == Type::FLOAT64) {
    fail(path, line, "property " + quoted(property.name) + ": the length of a list must be of an integer type");
  }
  return property;
}

} // namespace

Header read_header(std::string_view bytes, const std::string &path) {
  Header header;
  std::size_t announced = 0; // elements and properties: each costs far more memory than its line
  bool have_format = false;
  Lines lines(bytes);
  std::string_view line;
  while (lines.next(line)) {
    Words words;
    for (std::string_view rest = line, word; words.size() < 6 && next_word(rest, word);) {
      words.push_back(word);
    }
    if (words.empty() || lines.number() == 1 || words[0] == "comment" || words[0] == "obj_info") {
      continue;
    }
    if (++announced > max_fields) {
      fail(path, lines.number(), "more than " + std::to_string(max_fields) + " lines in the PLY header");
    }
    if (words[0] == "format") {
      header.coding = coding_of(words, path, lines.number());
      have_format = true;
    } else if (words[0] == "element") {
      header.elements.push_back(element_of(words, path, lines.number()));
    } else if (words[0] == "property" && !header.elements.empty()) {
      header.elements.back().properties.push_back(property_of(words, path, lines.number()));
    } else if (words[0] == "end_header") {
      header.body = {path, lines.number(), lines.rest()};
      if (!have_format) {
        fail(path, 0, "the PLY header has no format line");
      }
      return header;
    } else {
      fail(path, lines.number(), "unknown entry " + quoted(words[0]) + " in the PLY header");
    }
  }
  fail(path, 0, "the PLY header has no end_header line");
}

} // namespace fricp::tool::ply
