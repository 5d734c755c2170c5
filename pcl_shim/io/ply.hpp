// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file ply.hpp
 * What a PLY file announces.
 */
#ifndef FRICP_TOOL_PLY_HPP
#define FRICP_TOOL_PLY_HPP

#include "numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool::ply {

struct Property {
  std::string name;
  std::uint8_t type = 0;
  std::uint8_t length_type = 0; /**< of a list; 0: not a list */
  std::size_t offset = 0;       /**< in the record; lists have no place there */
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
  std::size_t record_size = 0;

  bool has_lists() const {
    return std::any_of(properties.begin(), properties.end(), [](const Property &p) { return p.length_type != 0; });
  }
};

enum class Coding { text, little, big };

struct Header {
  Coding coding = Coding::text;
  std::vector<Element> elements;
  Body body;
};

/** Throws an Error. */
Header read_header(std::string_view bytes, const std::string &path);

} // namespace fricp::tool::ply

#endif
