// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

namespace fricp::tool {

void fail(const std::string &path, std::size_t line, const std::string &what) {
  throw Error(path + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t limit = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, limit)) {
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + (text.size() > limit ? "...\"" : "\"");
}

bool Lines::next(std::string_view &line) {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  ++number_;
  return true;
}

bool next_word(std::string_view &line, std::string_view &word) {
  constexpr std::string_view blanks = " \t\r\v\f";
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

namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') {
    text.remove_prefix(1);
  }
  return text;
}

template <typename T> std::errc parse_whole(std::string_view text, T &value) {
  text = without_plus(text);
  const char *const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc() && stop != end ? std::errc::invalid_argument : fault;
}

/** from_chars leaves the value alone where the text is too small or too large for T: the former is zero. */
template <typename T> bool parse_real(std::string_view text, T &value) {
  T read = 0;
  std::errc fault = parse_whole(text, read);
  if (fault == std::errc::result_out_of_range) {
    double wide = 0;
    const std::size_t exponent = text.find_first_of("eE");
    if constexpr (std::is_same_v<T, float>) {
      if (parse_real(text, wide) && std::fabs(wide) < 1) {
        read = static_cast<float>(wide);
        fault = std::errc();
      }
    } else if (exponent != std::string_view::npos && text.substr(exponent + 1, 1) == "-") {
      read = text[0] == '-' ? -0.0 : 0.0;
      fault = std::errc();
    }
  }
  if (fault != std::errc()) {
    return false;
  }
  value = read;
  return true;
}

template <typename T> bool store_real(std::string_view text, std::uint8_t *out) {
  T value = 0;
  if (!parse_real(text, value)) {
    return false;
  }
  std::memcpy(out, &value, sizeof value);
  return true;
}

/** Whole numbers written as 3.0 or 1e3 count as whole. */
template <typename T> bool store_integer(std::string_view text, std::uint8_t *out) {
  T value = 0;
  if (parse_whole(text, value) != std::errc()) {
    double real = 0;
    if (!parse_real(text, real) || !(std::fabs(real) < 0x1p53) || real != std::floor(real) ||
        real < static_cast<double>(std::numeric_limits<T>::min()) ||
        real > static_cast<double>(std::numeric_limits<T>::max())) {
      return false;
    }
    value = static_cast<T>(real);
  }
  std::memcpy(out, &value, sizeof value);
  return true;
}

template <typename T> std::string to_text(T value, std::chars_format format, int precision) {
  char buffer[64];
  const auto result = precision > 0 ? std::to_chars(buffer, buffer + sizeof buffer, value, format, precision)
                                    : std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

} // namespace

bool parse(std::string_view text, double &value) {
  return parse_real(text, value);
}

bool parse(std::string_view text, std::int64_t &value) {
  return parse_whole(text, value) == std::errc();
}

bool parse(std::string_view text, std::uint64_t &value) {
  return parse_whole(text, value) == std::errc();
}

bool parse_as(std::string_view text, std::uint8_t type, std::uint8_t *out) {
  using Field = pcl::PCLPointField;
  switch (type) {
  case Field::INT8:
    return store_integer<std::int8_t>(text, out);
  case Field::BOOL:
  case Field::UINT8:
    return store_integer<std::uint8_t>(text, out);
  case Field::INT16:
    return store_integer<std::int16_t>(text, out);
  case Field::UINT16:
    return store_integer<std::uint16_t>(text, out);
  case Field::INT32:
    return store_integer<std::int32_t>(text, out);
  case Field::UINT32:
    return store_integer<std::uint32_t>(text, out);
  case Field::INT64:
    return store_integer<std::int64_t>(text, out);
  case Field::UINT64:
    return store_integer<std::uint64_t>(text, out);
  case Field::FLOAT32:
    return store_real<float>(text, out);
  case Field::FLOAT64:
    return store_real<double>(text, out);
  default:
    return false;
  }
}

std::string digits17(double value) {
  return to_text(value, std::chars_format::general, 17);
}

std::string shortest(double value) {
  return to_text(value, std::chars_format::general, 0);
}

std::string shortest(float value) {
  return to_text(value, std::chars_format::general, 0);
}

std::string rounded(double value, int digits) {
  return to_text(value, std::chars_format::general, digits);
}

} // namespace fricp::tool
