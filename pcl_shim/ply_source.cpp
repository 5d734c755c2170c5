// SPDX-License-Identifier: BSD-3-Clause
#include "ply.hpp"

#include "text.hpp"

#include <pcl/common/io.h>

#include <cstring>

namespace fricp::tool::ply {

namespace {

class Text : public Source {
public:
  explicit Text(const Header &header) : path_(header.path), first_line_(header.last_line), lines_(header.body) {
  }

  void value(const Property &property, std::uint8_t type, std::uint8_t *out) override {
    std::string_view word;
    if (!take(word)) {
      reject(std::string("the ") + unit() + " before property " + property.name);
    }
    if (!parse_as(word, type, out)) {
      reject("bad number " + quoted(word) + " for property " + property.name);
    }
  }

  void finish() override {
    do {
      std::string_view word;
      if (next_word(line_, word)) {
        reject("data beyond the elements of the header, from " + quoted(word));
      }
    } while (lines_.next(line_));
  }

  [[noreturn]] void reject(const std::string &what) const override {
    fail(path_, first_line_ + lines_.number(), what);
  }

protected:
  virtual bool take(std::string_view &word) = 0;
  virtual const char *unit() const = 0;

  bool next_line() {
    std::string_view rest;
    std::string_view word;
    do {
      if (!lines_.next(line_)) {
        line_ = {};
        return false;
      }
      rest = line_;
    } while (!next_word(rest, word));
    return true;
  }

  std::string path_;
  std::size_t first_line_;
  Lines lines_;
  std::string_view line_;
};

class Rows : public Text {
public:
  using Text::Text;

  void begin_record(const Element &element) override {
    if (!next_line()) {
      reject("the data end before the last " + element.name);
    }
  }

  void end_record(const Element &element) override {
    std::string_view word;
    if (next_word(line_, word)) {
      reject("more numbers than a " + element.name + " has, from " + quoted(word));
    }
  }

private:
  bool take(std::string_view &word) override {
    return next_word(line_, word);
  }
  const char *unit() const override {
    return "row ends";
  }
};

class FreeLayout : public Text {
public:
  using Text::Text;
  void begin_record(const Element & /*element*/) override {
  }
  void end_record(const Element & /*element*/) override {
  }

private:
  bool take(std::string_view &word) override {
    while (!next_word(line_, word)) {
      if (!next_line()) {
        return false;
      }
    }
    return true;
  }
  const char *unit() const override {
    return "data end";
  }
};

class Binary : public Source {
public:
  explicit Binary(const Header &header) : path_(header.path), rest_(header.body) {
    const std::uint16_t probe = 1;
    std::uint8_t low = 0;
    std::memcpy(&low, &probe, 1);
    swap_ = (low == 1) != (header.coding == Coding::little);
  }

  void begin_record(const Element & /*element*/) override {
    ++record_;
  }
  void end_record(const Element & /*element*/) override {
  }
  void finish() override {
  }

  void value(const Property &property, std::uint8_t type, std::uint8_t *out) override {
    const std::size_t size = size_of(type);
    if (rest_.size() < size) {
      reject("truncated before property " + property.name);
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

std::size_t size_of(std::uint8_t type) {
  return static_cast<std::size_t>(pcl::getFieldSize(type));
}

std::unique_ptr<Source> rows_of(const Header &header) {
  return std::make_unique<Rows>(header);
}

std::unique_ptr<Source> words_of(const Header &header) {
  return std::make_unique<FreeLayout>(header);
}

std::unique_ptr<Source> bytes_of(const Header &header) {
  return std::make_unique<Binary>(header);
}

} // namespace fricp::tool::ply
