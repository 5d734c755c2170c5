// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file records.hpp
 * The bodies of PCD, PLY and rows of numbers are all records of columns. They are read here, by one set of rules,
 * wherever the numbers come from.
 */
#ifndef FRICP_TOOL_RECORDS_HPP
#define FRICP_TOOL_RECORDS_HPP

#include "text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

/** What follows a header. */
struct Body {
  std::string path;
  std::size_t line = 0; /**< the last one of the header */
  std::string_view bytes;
};

struct Column {
  std::string name;
  std::uint8_t type = 0;        /**< of pcl::PCLPointField */
  std::uint8_t length_type = 0; /**< of a list; 0: not a list */
  std::uint32_t count = 1;      /**< numbers */
  std::size_t offset = 0;       /**< in the record; lists have no place there */
};

struct Records {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Column> columns;
  std::size_t size = 0; /**< bytes of each */
};

enum class Coding {
  rows,  /**< text, one record a line, as nearly all programs write; anything else is suspicious */
  words, /**< text whose line ends mean nothing */
  cells, /**< text, one record a line, split at commas or semicolons too, with comments between */
  little,
  big
};

/**
 * Before anything is allocated: throws an Error unless so many can be in these bytes.
 * @param packing  times as many the bytes may become when they are unpacked.
 */
void check_length(const Body &body, const Records &records, bool text, std::uint64_t packing = 1);

/** Reads the records of a body, one kind after the other. Every function throws an Error at the current place. */
class Reader {
public:
  Reader(const Body &body, Coding coding);
  /** @param out  where the records go, one after the other; null: nowhere. @return then the last one. */
  std::vector<std::uint8_t> read(const Records &records, std::uint8_t *out);
  /** After the last record. @return the bytes that are left; of a text only blanks may be. */
  std::size_t finish();

private:
  void begin_record(const Records &records, std::uint64_t done);
  void read_column(const Column &column, std::uint8_t *record);
  std::uint64_t read_length(const Column &list);
  void read_number(const Column &column, std::uint8_t type, std::uint8_t *out);
  void take_bytes(const Column &column, std::size_t size, std::uint8_t *out);
  std::string_view take_word(const Column &column);
  void end_record(const Records &records);
  bool next_line();
  bool next_number(std::string_view &word);
  [[noreturn]] void reject(const std::string &what) const;

  Body body_;
  Coding coding_;
  std::uint64_t record_ = 0; /**< the one that is read, of all, from 1 */
  Lines lines_;
  std::string_view line_;               /**< what is left of the current line */
  std::vector<std::string_view> cells_; /**< what is left of it among cells */
  std::size_t at_ = 0;
};

} // namespace fricp::tool

#endif
