// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file ply.hpp
 * The parts of the PLY reader: the header, and where the numbers of the body come from (words of rows, words in free
 * layout, bytes), behind one small interface, so that all dialects are read by the same rules.
 */
#ifndef FRICP_TOOL_PLY_HPP
#define FRICP_TOOL_PLY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
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
  std::string path;
  Coding coding = Coding::text;
  std::vector<Element> elements;
  std::size_t last_line = 0; /**< of end_header */
  std::string_view body;
};

/** Throws an Error. */
Header read_header(std::string_view bytes, const std::string &path);

/** @return the bytes of a number. @param type  of pcl::PCLPointField. */
std::size_t size_of(std::uint8_t type);

/** Where the numbers of the body come from, one after the other. */
class Source {
public:
  virtual ~Source() = default;
  virtual void begin_record(const Element &element) = 0;
  virtual void value(const Property &property, std::uint8_t type, std::uint8_t *out) = 0;
  virtual void end_record(const Element &element) = 0;
  /** After the last element: nothing but blanks may be left of a text. */
  virtual void finish() = 0;
  /** Throws an Error at the current place. */
  [[noreturn]] virtual void reject(const std::string &what) const = 0;
};

/** One record a line, as nearly all programs write; anything else is suspicious. */
std::unique_ptr<Source> rows_of(const Header &header);
/** Line ends mean nothing. */
std::unique_ptr<Source> words_of(const Header &header);
std::unique_ptr<Source> bytes_of(const Header &header);

} // namespace fricp::tool::ply

#endif
