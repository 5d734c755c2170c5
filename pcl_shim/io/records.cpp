// SPDX-License-Identifier: BSD-3-Clause
#include "records.hpp"

#include "fields.hpp"

#include <algorithm>
#include <cstring>

namespace fricp::tool {

namespace {

bool is_binary(Coding coding) {
  return coding == Coding::little || coding == Coding::big;
}

bool is_swapped(Coding coding) {
  const std::uint16_t probe = 1;
  std::uint8_t low = 0;
  std::memcpy(&low, &probe, 1);
  return (low == 1) == (coding == Coding::big);
}

} // namespace

void check_length(const Body &body, const Records &records, bool text, std::uint64_t packing) {
  const std::uint64_t room = body.bytes.size() * packing + (text ? 1 : 0); // the last line may lack its end
  std::uint64_t least = 0;                                                 // bytes a record
  for (const Column &column : records.columns)
    least += column.count * (text ? 2 : size_of(column.length_type != 0 ? column.length_type : column.type));
  if (records.count > 0 && least == 0)
    fail(body.path, 0, "element " + quoted(records.name) + " has no properties");
  if (records.count > 0 && room / least < records.count)
    fail(body.path, 0,
         "truncated: " + std::to_string(records.count) + " of " + quoted(records.name) + " do not fit in the " +
             std::to_string(body.bytes.size()) + " bytes after the header");
}

Reader::Reader(const Body &body, Coding coding) : body_(body), coding_(coding), lines_(body.bytes) {
}

std::vector<std::uint8_t> Reader::read(const Records &records, std::uint8_t *out) {
  std::vector<std::uint8_t> scratch(out == nullptr ? records.size : 0);
  for (std::uint64_t k = 0; k < records.count; ++k) {
    ++record_;
    begin_record(records, k);
    for (const Column &column : records.columns)
      read_column(column, out != nullptr ? out + k * records.size : scratch.data());
    end_record(records);
  }
  return scratch;
}

std::size_t Reader::finish() {
  if (is_binary(coding_))
    return body_.bytes.size();
  std::string_view word;
  if (next_word(line_, word) || (next_line() && next_word(line_, word)))
    reject("data beyond what the header announces, from " + quoted(word));
  return 0;
}

void Reader::begin_record(const Records &records, std::uint64_t done) {
  if ((coding_ == Coding::rows || coding_ == Coding::cells) && !next_line())
    reject("the data end after " + std::to_string(done) + " of " + std::to_string(records.count) + " (" + records.name +
           ")");
  if (coding_ == Coding::cells) {
    split(line_, cells_);
    line_ = {};
    at_ = 0;
    if (const std::size_t columns = records.columns.size(); cells_.size() != columns)
      reject(std::to_string(cells_.size()) + " numbers, but a row needs " + std::to_string(columns) +
             (done == 0 && cells_.size() < 2 ? " or more" : " as the first line has"));
  }
}

void Reader::read_column(const Column &column, std::uint8_t *record) {
  if (column.length_type != 0) {
    std::uint8_t skipped[8];
    for (std::uint64_t k = read_length(column); k > 0; --k)
      read_number(column, column.type, skipped);
    return;
  }
  std::uint8_t *out = record + column.offset;
  for (std::uint32_t k = 0; k < column.count; ++k, out += size_of(column.type))
    read_number(column, column.type, out);
}

std::uint64_t Reader::read_length(const Column &list) {
  std::uint8_t bytes[8];
  read_number(list, list.length_type, bytes);
  return with_type(list.length_type, [&](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    if (number < 0)
      reject("negative length of list property " + quoted(list.name));
    return static_cast<std::uint64_t>(number);
  });
}

void Reader::read_number(const Column &column, std::uint8_t type, std::uint8_t *out) {
  if (is_binary(coding_))
    take_bytes(column, size_of(type), out);
  else if (const std::string_view word = take_word(column); !parse_as(word, type, out))
    reject("bad number " + quoted(word) + " for " + quoted(column.name));
}

void Reader::take_bytes(const Column &column, std::size_t size, std::uint8_t *out) {
  if (body_.bytes.size() < size)
    reject("truncated before " + quoted(column.name));
  std::memcpy(out, body_.bytes.data(), size);
  body_.bytes.remove_prefix(size);
  if (is_swapped(coding_))
    std::reverse(out, out + size);
}

std::string_view Reader::take_word(const Column &column) {
  std::string_view word;
  while (!next_number(word)) {
    if (coding_ != Coding::words || !next_line())
      reject(std::string(coding_ == Coding::words ? "the data end" : "the row ends") + " before " +
             quoted(column.name));
  }
  return word;
}

void Reader::end_record(const Records &records) {
  std::string_view word;
  if (coding_ == Coding::rows && next_word(line_, word))
    reject("more numbers than " + quoted(records.name) + " has, from " + quoted(word));
}

/** The next line that is not blank, nor a comment among cells. */
bool Reader::next_line() {
  while (lines_.next(line_)) {
    std::string_view rest = line_;
    std::string_view word;
    if (next_word(rest, word) && (coding_ != Coding::cells || !begins_comment(word)))
      return true;
  }
  line_ = {};
  return false;
}

bool Reader::next_number(std::string_view &word) {
  if (coding_ != Coding::cells)
    return next_word(line_, word);
  word = cells_[at_++]; // as many as there are columns
  return true;
}

void Reader::reject(const std::string &what) const {
  const char *const hint = coding_ == Coding::cells && record_ < 2
                               ? " (not PCD or PLY, so read as rows of x y z or x y; a header line must name x and y)"
                               : "";
  if (is_binary(coding_))
    fail(body_.path, 0, "record " + std::to_string(record_) + " after the header: " + what);
  fail(body_.path, body_.line + lines_.number(), what + hint);
}

} // namespace fricp::tool
