// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file text.hpp
 * Numbers and lines as text, the same in every locale: nothing here uses the C or C++ locale.
 */
#ifndef FRICP_TOOL_TEXT_HPP
#define FRICP_TOOL_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

/** A fault in the input, or one that the system reports. The text names the file and the fault. */
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/** A fault in the command line. */
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/** Throws an Error "path:line: what"; line 0 names no line. */
[[noreturn]] void fail(const std::string &path, std::size_t line, const std::string &what);

/** The same with what errno says; "-" is called standard output. */
[[noreturn]] void fail_errno(const std::string &path, const char *what);

/**
 * What a terminal may get: control characters, those that turn text about, and bytes that are no UTF-8 as \\xNN.
 * @param limit  characters after which the rest becomes "...".
 */
std::string printable(std::string_view text, std::size_t limit = std::string_view::npos);

/** A piece of input in quotation marks, for messages: shortened and printable. */
std::string quoted(std::string_view text);

/** @return a text without the byte order mark that some editors put before it. */
inline std::string_view without_mark(std::string_view text) {
  return text.substr(text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0);
}

/** Lines of a text one by one, without their LF or CRLF. */
class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {
  }

  /** @return false at the end. */
  bool next(std::string_view &line);

  /** @return the number of the line that next() gave, from 1. */
  std::size_t number() const {
    return number_;
  }

  /** @return what follows that line. */
  std::string_view rest() const {
    return rest_;
  }

private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/** @return all that lies between such characters, empty parts too. */
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/** Takes the next word off the front of a line. @return false if there is none. */
bool next_word(std::string_view &line, std::string_view &word);

/** @return the letter's small form, whatever the locale. */
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/** @return whether a line that begins with this word is a comment among rows of numbers. */
inline bool begins_comment(std::string_view word) {
  return word[0] == '#' || word.substr(0, 2) == "//";
}

/** Most numbers that a point may have in a header or a row: each costs far more memory than its text. */
constexpr std::size_t max_fields = 1024;

/**
 * Splits a line at its semicolons; if it has none, at its commas, unless there are blanks between numbers too; else at
 * blanks. Blanks and one pair of quotation marks about a cell do not count, nor does an empty last cell. Stops after
 * max_fields + 1 cells.
 */
void split(std::string_view line, std::vector<std::string_view> &cells);

/** Whole text to a float, double, int64_t or uint64_t; a leading plus sign is allowed, anything left over is not. */
template <typename T> bool parse(std::string_view text, T &value);

/**
 * Stores the number that a text stands for.
 * @param type  of pcl::PCLPointField; a float is rounded once, from the text.
 * @param out   room for one number of that type, of any alignment.
 * @return false if the text is no number or the type cannot hold it.
 */
bool parse_as(std::string_view text, std::uint8_t type, std::uint8_t *out);

/** @return a float or double with the fewest digits that read back to the same bits. */
template <typename T> std::string shortest(T value);

/** @return a number with so many significant digits. */
std::string rounded(double value, int digits = 6);

} // namespace fricp::tool

#endif
