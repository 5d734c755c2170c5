// SPDX-License-Identifier: BSD-3-Clause
#include "journal.hpp"

#include "text.hpp"

#include "fricp/fricp.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <unordered_map>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fricp::batch {

namespace {

using Json = nlohmann::ordered_json;

/** The beginning of a row's line: what it was asked. */
std::string prefix_of(const Row &row) {
  const std::string text = Json({{"name", row.name},
                                 {"source", tool::printable(row.source)},
                                 {"target", tool::printable(row.target)},
                                 {"init", tool::printable(row.init)}})
                               .dump();
  return text.substr(0, text.size() - 1) + ",";
}

bool is_failure(const std::string &line, std::size_t begin) {
  const std::string sound = "\"error\":null";
  return line.compare(begin, sound.size(), sound) != 0;
}

void write_all(int file, const std::string &path, const std::string &text, off_t at) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::pwrite(file, text.data() + done, text.size() - done, at + static_cast<off_t>(done));
    if (put < 0 && errno != EINTR) {
      tool::fail_errno(path, "cannot be written");
    }
    done += put > 0 ? static_cast<std::size_t>(put) : 0;
  }
}

} // namespace

Journal::Journal(const std::string &path, const std::string &options, const std::vector<Row> &rows)
    : path_(path), rows_(rows), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), at_(rows.size(), -1),
      failed_(rows.size(), false), size_(rows.size(), 0) {
  if (file_ < 0) {
    tool::fail_errno(path_, "cannot be written");
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) { // some file systems know no locks
    ::close(file_);
    tool::fail(path_, 0, "another fricp-batch writes it");
  }
  try {
    read(Json({{"fricp_batch", fricp_version()}, {"options", options}}).dump());
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::read(const std::string &header) {
  std::ifstream input(path_, std::ios::binary);
  std::unordered_map<std::string, std::size_t> of_name;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    of_name[rows_[row].name] = row;
  }
  std::string line;
  for (std::size_t number = 1; std::getline(input, line) && !input.eof(); ++number) {
    if (number == 1 && line != header) {
      throw tool::UsageError(path_ + ": is of other options or another version (" + line.substr(0, 400) +
                             "): name another folder, or give the same options");
    }
    if (number > 1) {
      const Json found = Json::parse(line, nullptr, false);
      if (!found.is_object() || !found.contains("name") || !found["name"].is_string()) {
        tool::fail(path_, number, "is no result of fricp-batch: move the file away");
      }
      if (const auto place = of_name.find(found["name"].get<std::string>()); place != of_name.end()) {
        const std::string prefix = prefix_of(rows_[place->second]);
        if (line.compare(0, prefix.size(), prefix) != 0) {
          throw tool::UsageError(path_ + ":" + std::to_string(number) + ": " + tool::quoted(rows_[place->second].name) +
                                 " was a pair of other files: name another folder or another pair");
        }
        at_[place->second] = end_;
        size_[place->second] = static_cast<std::uint32_t>(line.size());
        failed_[place->second] = is_failure(line, prefix.size());
      }
    }
    end_ += static_cast<off_t>(line.size()) + 1;
  }
  if (end_ == 0 && line != header.substr(0, line.size())) { // not what a run leaves that is killed at its beginning
    tool::fail(path_, 1, "is no result of fricp-batch: move the file away or name another folder");
  }
  if (::ftruncate(file_, end_) != 0) {
    tool::fail_errno(path_, "cannot be cut");
  }
  if (end_ == 0) {
    write_all(file_, path_, header + "\n", 0);
    end_ = static_cast<off_t>(header.size()) + 1;
  }
}

std::vector<std::size_t> Journal::open_rows(bool retry) const {
  std::vector<std::size_t> open;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (at_[row] < 0 || (retry && failed_[row])) {
      open.push_back(row);
    }
  }
  return open;
}

void Journal::append(std::size_t row, const std::string &json) {
  const std::string prefix = prefix_of(rows_[row]);
  const std::string line = prefix + json.substr(1) + "\n";
  write_all(file_, path_, line, end_);
  at_[row] = end_;
  size_[row] = static_cast<std::uint32_t>(line.size() - 1);
  failed_[row] = is_failure(line, prefix.size());
  end_ += static_cast<off_t>(line.size());
}

void Journal::sync() {
  if (::fdatasync(file_) != 0 && errno != EINVAL) { // EINVAL: nothing there that could be lost
    tool::fail_errno(path_, "cannot be written");
  }
}

std::string Journal::line(std::size_t row) const {
  std::string text(size_[row], '\0');
  if (::pread(file_, text.data(), text.size(), at_[row]) != static_cast<ssize_t>(text.size())) {
    tool::fail_errno(path_, "cannot be read");
  }
  return text;
}

} // namespace fricp::batch
