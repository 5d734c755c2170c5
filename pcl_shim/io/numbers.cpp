// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include "text.hpp"

#include <algorithm>
#include <cstring>

namespace fricp::tool {

namespace {

class Text : public Numbers {
public:
  Text(const Body &body, bool rows) : body_(body), rows_(rows), lines_(body.bytes) {
  }

  void begin_record(const std::string &name, std::uint64_t done, std::uint64_t count) override {
    if (rows_ && !next_line()) {
      reject("the data end after " + std::to_string(done) + " of " + std::to_string(count) + " (" + name + ")");
    }
  }

  void value(const std::string &name, std::uint8_t type, std::uint8_t *out) override {
    std::string_view word;
    while (!next_word(line_, word)) {
      if (rows_ || !next_line()) {
        reject(std::string(rows_ ? "the row ends" : "the data end") + " before " + quoted(name));
      }
    }
    if (!parse_as(word, type, out)) {
      reject("bad number " + quoted(word) + " for " + quoted(name));
    }
  }

  void end_record(const std::string &name) override {
    std::string_view word;
    if (rows_ && next_word(line_, word)) {
      reject("more numbers than " + quoted(name) + " has, from " + quoted(word));
    }
  }

  std::size_t finish() override {
    do {
      std::string_view word;
      if (next_word(line_, word)) {
        reject("data beyond what the header announces, from " + quoted(word));
      }
    } while (lines_.next(line_));
    return 0;
  }

  [[noreturn]] void reject(const std::string &what) const override {
    fail(body_.path, body_.line + lines_.number(), what);
  }

private:
  /** The next line that is not blank. */
  bool next_line() {
    while (lines_.next(line_)) {
      std::string_view rest = line_;
      std::string_view word;
      if (next_word(rest, word)) {
        return true;
      }
    }
    line_ = {};
    return false;
  }

  Body body_;
  bool rows_;
  Lines lines_;
  std::string_view line_;
};

class Binary : public Numbers {
public:
  Binary(const Body &body, bool big_endian) : path_(body.path), rest_(body.bytes) {
    const std::uint16_t probe = 1;
    std::uint8_t low = 0;
    std::memcpy(&low, &probe, 1);
    swap_ = (low == 1) == big_endian;
  }

  void begin_record(const std::string & /*name*/, std::uint64_t /*done*/, std::uint64_t /*count*/) override {
    ++record_;
  }
  void end_record(const std::string & /*name*/) override {
  }
  std::size_t finish() override {
    return rest_.size();
  }

  void value(const std::string &name, std::uint8_t type, std::uint8_t *out) override {
    const std::size_t size = size_of(type);
    if (rest_.size() < size) {
      reject("truncated before " + quoted(name));
    }
    std::memcpy(out, rest_.data(), size);
    if (swap_) {
      std::reverse(out, out + size);
    }
    rest_.remove_prefix(size);
  }

  [[noreturn]] void reject(const std::string &what) const override {
    fail(path_, 0, "record " + std::to_string(record_) + " after the header: " + what);
  }

private:
  std::string path_;
  std::string_view rest_;
  std::uint64_t record_ = 0;
  bool swap_ = false;
};

} // namespace

std::unique_ptr<Numbers> rows_of(const Body &body) {
  return std::make_unique<Text>(body, true);
}

std::unique_ptr<Numbers> words_of(const Body &body) {
  return std::make_unique<Text>(body, false);
}

std::unique_ptr<Numbers> bytes_of(const Body &body, bool big_endian) {
  return std::make_unique<Binary>(body, big_endian);
}

} // namespace fricp::tool
