// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include "fields.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include <locale.h>

namespace fricp::tool {

namespace {

/** @return the bytes of the character that a text begins with; 0 if it is not one to be shown. */
std::size_t shown(std::string_view text) {
  const auto byte = [text](std::size_t k) -> unsigned {
    return k < text.size() ? static_cast<std::uint8_t>(text[k]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80)
    return first >= ' ' && first <= '~' ? 1 : 0;
  constexpr unsigned least[] = {0, 0, 0xA0, 0x800, 0x10000}; // of so many bytes; below 0xA0 are control characters
  const std::size_t size = first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  unsigned code = size == 0 ? 0 : first & (0x7FU >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xC0U) != 0x80)
      return 0;
    code = code << 6U | (byte(k) & 0x3FU);
  }
  const auto within = [code](unsigned low, unsigned high) { return code >= low && code <= high; };
  const bool no_character = code < least[size] || code > 0x10FFFF || within(0xD800, 0xDFFF);
  const bool unseen = within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) || code == 0xFEFF;
  return no_character || unseen ? 0 : size;
}

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view without_quotes(std::string_view cell) {
  const bool both = cell.size() > 1 && (cell[0] == '"' || cell[0] == '\'') && cell.back() == cell[0];
  return both ? cell.substr(1, cell.size() - 2) : cell;
}

/** "0,5 1,5 2": a blank between numbers, so that commas do not separate them. */
bool has_blanks_between_numbers(std::string_view line) {
  const auto is_one_of = [&](std::size_t at, std::string_view set) {
    return set.find(line[at]) != std::string_view::npos;
  };
  for (std::size_t at = line.find_first_of(blanks, 1), next = 0; at < line.size();
       at = line.find_first_of(blanks, next)) {
    next = std::min(line.find_first_not_of(blanks, at), line.size());
    if (next < line.size() && is_one_of(at - 1, "0123456789.") && is_one_of(next, "0123456789.+-"))
      return true;
  }
  return false;
}

char separator_of(std::string_view line) {
  if (line.find(';') != std::string_view::npos)
    return ';';
  return line.find(',') != std::string_view::npos && !has_blanks_between_numbers(line) ? ',' : ' ';
}

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+')
    text.remove_prefix(1);
  return text;
}

template <typename T> std::errc parse_whole(std::string_view text, T &value) {
  text = without_plus(text);
  const char *const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc() && stop != end ? std::errc::invalid_argument : fault;
}

/** Of a number out of T's range from_chars does not say whether it is too large, a fault, or so small that it is zero. */
template <typename T> bool parse_real(std::string_view text, T &value) {
  T read = 0;
  std::errc fault = parse_whole(text, read);
  if (fault == std::errc::result_out_of_range) {
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string copy(text);
    read = std::is_same_v<T, float> ? static_cast<T>(::strtof_l(copy.c_str(), nullptr, plain))
                                    : static_cast<T>(::strtod_l(copy.c_str(), nullptr, plain));
    fault = std::isinf(read) ? fault : std::errc();
  }
  if (fault != std::errc())
    return false;
  value = read;
  return true;
}

/** Whole numbers written as 3.0 or 1e3 count as whole. */
template <typename T> bool parse_integer(std::string_view text, T &value) {
  if (parse_whole(text, value) == std::errc())
    return true;
  double real = 0;
  if (!parse_real(text, real) || !(std::fabs(real) < 0x1p53) || real != std::floor(real) ||
      real < static_cast<double>(std::numeric_limits<T>::min()) ||
      real > static_cast<double>(std::numeric_limits<T>::max()))
    return false;
  value = static_cast<T>(real);
  return true;
}

} // namespace

std::string printable(std::string_view text, std::size_t limit) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size(); --limit) {
    if (limit == 0)
      return out + "...";
    const std::size_t size = shown(text.substr(at));
    const auto byte = static_cast<std::uint8_t>(text[at]);
    out += size > 0 ? std::string(text.substr(at, size)) : std::string("\\x") + digits[byte / 16] + digits[byte % 16];
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string quoted(std::string_view text) {
  return "\"" + printable(text, 40) + "\"";
}

void fail(const std::string &path, std::size_t line, const std::string &what) {
  constexpr std::size_t longest = 240;
  const std::string name = path.size() > longest ? "..." + path.substr(path.size() - longest) : path;
  throw Error(name + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what);
}

void fail_errno(const std::string &path, const char *what) {
  fail(path == "-" ? "standard output" : path, 0, std::string(what) + ": " + std::generic_category().message(errno));
}

bool Lines::next(std::string_view &line) {
  if (rest_.empty())
    return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  ++number_;
  return true;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

bool next_word(std::string_view &line, std::string_view &word) {
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    line = {};
    return false;
  }
  line.remove_prefix(begin);
  word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return true;
}

void split(std::string_view line, std::vector<std::string_view> &cells) {
  cells.clear();
  std::string_view cell;
  const char mark = separator_of(line);
  if (mark == ' ') {
    while (cells.size() <= max_fields && next_word(line, cell))
      cells.push_back(without_quotes(cell));
    return;
  }
  for (bool more = true; more && cells.size() <= max_fields;) {
    const std::size_t end = line.find(mark);
    more = end != std::string_view::npos;
    cell = line.substr(0, end);
    line.remove_prefix(more ? end + 1 : line.size());
    const std::size_t first = std::min(cell.find_first_not_of(blanks), cell.size());
    cells.push_back(without_quotes(cell.substr(first, cell.find_last_not_of(blanks) + 1 - first)));
  }
  if (cells.back().empty())
    cells.pop_back();
}

template <typename T> bool parse(std::string_view text, T &value) {
  if constexpr (std::is_floating_point_v<T>)
    return parse_real(text, value);
  else
    return parse_whole(text, value) == std::errc();
}
template bool parse(std::string_view text, float &value);
template bool parse(std::string_view text, double &value);
template bool parse(std::string_view text, std::int64_t &value);
template bool parse(std::string_view text, std::uint64_t &value);

bool parse_as(std::string_view text, std::uint8_t type, std::uint8_t *out) {
  return with_type(type, [&](auto number) {
    bool sound = false;
    if constexpr (std::is_floating_point_v<decltype(number)>)
      sound = parse_real(text, number);
    else
      sound = parse_integer(text, number);
    if (sound)
      std::memcpy(out, &number, sizeof number);
    return sound;
  });
}

template <typename T> std::string shortest(T value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
template std::string shortest(float value);
template std::string shortest(double value);

std::string rounded(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  return std::string(buffer, end);
}

} // namespace fricp::tool
