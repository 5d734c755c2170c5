// SPDX-License-Identifier: BSD-3-Clause
#include "child.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace {

/** JSON by its grammar (RFC 8259), without escapes other than the short ones. */
class Json {
public:
  explicit Json(std::string_view text) : rest_(text) {
  }

  bool whole(std::map<std::string, std::string> *values) {
    blanks();
    const bool good = object(values);
    blanks();
    return good && rest_.empty();
  }

private:
  void blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  bool take(char c) {
    blanks();
    const bool there = !rest_.empty() && rest_[0] == c;
    rest_.remove_prefix(there ? 1 : 0);
    return there;
  }
  bool string(std::string *text) {
    if (!take('"')) {
      return false;
    }
    while (!rest_.empty() && rest_[0] != '"') {
      const std::size_t size = rest_[0] == '\\' ? 2 : 1;
      if (static_cast<unsigned char>(rest_[0]) < 0x20 || rest_.size() < size) {
        return false;
      }
      text->append(rest_.substr(0, size));
      rest_.remove_prefix(size);
    }
    return take('"');
  }
  bool number() {
    double value = 0;
    const std::string_view start = rest_;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const std::size_t size = static_cast<std::size_t>(result.ptr - rest_.data());
    rest_.remove_prefix(size);
    const std::string_view text = start.substr(0, size);
    return result.ec == std::errc() && text.find_first_not_of("+-0123456789.eE") == std::string_view::npos;
  }
  bool word(std::string_view expected) {
    const bool there = rest_.substr(0, expected.size()) == expected;
    rest_.remove_prefix(there ? expected.size() : 0);
    return there;
  }
  bool array() {
    if (!take('[')) {
      return false;
    }
    if (take(']')) {
      return true;
    }
    do {
      if (!value()) {
        return false;
      }
    } while (take(','));
    return take(']');
  }
  bool object(std::map<std::string, std::string> *values) {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return true;
    }
    do {
      std::string key;
      if (!string(&key) || !take(':')) {
        return false;
      }
      blanks();
      const std::string_view start = rest_;
      if (!value()) {
        return false;
      }
      if (values != nullptr && !values->emplace(key, start.substr(0, start.size() - rest_.size())).second) {
        return false;
      }
    } while (take(','));
    return take('}');
  }
  bool value() {
    blanks();
    if (rest_.empty()) {
      return false;
    }
    std::string text;
    switch (rest_[0]) {
    case '{':
      return object(nullptr);
    case '[':
      return array();
    case '"':
      return string(&text);
    default:
      return word("true") || word("false") || word("null") || number();
    }
  }

  std::string_view rest_;
};

} // namespace

bool parse_json(const std::string &text, std::map<std::string, std::string> *values) {
  return Json(text).whole(values);
}

Report report_of(Words words, const Environment &environment) {
  words.insert(words.begin(), {"-q", "-r", "-"});
  const Run run = run_tool(words, environment);
  ck_assert_msg(run.status == 0, "%s: status %d, %s", words.back().c_str(), run.status, run.err.c_str());
  Report report;
  ck_assert_msg(parse_json(run.out, &report), "no JSON: %s", run.out.c_str());
  return report;
}

std::vector<double> numbers_of(const std::string &text) {
  std::vector<double> numbers;
  for (const char *at = text.c_str(); *at != '\0';) {
    if (std::strchr("[], ", *at) != nullptr) {
      ++at;
      continue;
    }
    char *end = nullptr;
    numbers.push_back(std::strtod(at, &end));
    ck_assert_ptr_ne(at, end);
    at = end;
  }
  return numbers;
}

double number_in(const Report &report, const char *key) {
  ck_assert_msg(report.count(key) == 1, "no key %s", key);
  return std::strtod(report.at(key).c_str(), nullptr);
}

} // namespace fricp::test
