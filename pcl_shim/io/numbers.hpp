// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file numbers.hpp
 * Where the numbers of a PCD or PLY body come from (words of rows, words in free layout, bytes), behind one small
 * interface, so that all dialects are read by the same rules.
 */
#ifndef FRICP_TOOL_NUMBERS_HPP
#define FRICP_TOOL_NUMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fricp::tool {

/** What follows a header. */
struct Body {
  std::string path;
  std::size_t line = 0; /**< the last one of the header */
  std::string_view bytes;
};

/** The numbers of records, one after the other. Every function throws an Error at the current place. */
class Numbers {
public:
  virtual ~Numbers() = default;
  /** @param done  of so many records of that name. */
  virtual void begin_record(const std::string &name, std::uint64_t done, std::uint64_t count) = 0;
  /** @param out  room for one number of a type of pcl::PCLPointField. */
  virtual void value(const std::string &name, std::uint8_t type, std::uint8_t *out) = 0;
  virtual void end_record(const std::string &name) = 0;
  /** After the last record. @return the bytes that are left; of a text only blanks may be. */
  virtual std::size_t finish() = 0;
  [[noreturn]] virtual void reject(const std::string &what) const = 0;
};

/** One record a line, as nearly all programs write; anything else is suspicious. */
std::unique_ptr<Numbers> rows_of(const Body &body);
/** Line ends mean nothing. */
std::unique_ptr<Numbers> words_of(const Body &body);
std::unique_ptr<Numbers> bytes_of(const Body &body, bool big_endian);

} // namespace fricp::tool

#endif
