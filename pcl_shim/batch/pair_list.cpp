// SPDX-License-Identifier: BSD-3-Clause
#include "pair_list.hpp"

#include "file_bytes.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <sys/stat.h>

namespace fricp::batch {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char *, 4> columns = {"name", "source", "target", "init"};
constexpr std::size_t longest = 4096; // bytes of a cell: what a path may have

[[noreturn]] void refuse(const std::string &path, std::size_t line, std::size_t column, const std::string &what) {
  tool::fail(path, line, "column " + std::to_string(column + 1) + " (" + columns[column] + "): " + what);
}

bool is_header(const std::vector<std::string> &cells) {
  return cells.size() >= 3 && cells.size() <= columns.size() && std::equal(cells.begin(), cells.end(), columns.begin());
}

Row row_of(const std::string &path, std::size_t line, std::vector<std::string> cells) {
  if (cells.size() < 3 || cells.size() > columns.size()) {
    tool::fail(path, line,
               "has " + std::to_string(cells.size()) + (cells.size() == 1 ? " column" : " columns") +
                   ", but needs name, source, target and perhaps init, with tabs between");
  }
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].empty() && k < 3) {
      refuse(path, line, k, "is empty");
    }
    if (cells[k].size() > longest) {
      refuse(path, line, k, "has more than " + std::to_string(longest) + " bytes");
    }
    if (cells[k].find('\0') != std::string::npos) {
      refuse(path, line, k, "has a zero byte");
    }
  }
  if (tool::printable(cells[0]) != cells[0]) {
    refuse(path, line, 0, tool::quoted(cells[0]) + " has characters that cannot be printed");
  }
  cells.resize(columns.size());
  return {cells[0], cells[1], cells[2], cells[3], line};
}

/** Bytes of files, each asked for once; 0 where there is none, which its pair will tell. */
class Sizes {
public:
  std::uintmax_t of(const std::string &path) {
    const auto [place, is_new] = known_.try_emplace(path, 0);
    if (is_new) {
      std::error_code fault;
      const std::uintmax_t size = fs::file_size(path, fault);
      place->second = fault ? 0 : size;
    }
    return place->second;
  }

private:
  std::unordered_map<std::string, std::uintmax_t> known_;
};

} // namespace

std::vector<Row> read_pairs(const std::string &path) {
  const tool::FileBytes bytes(path);
  tool::Lines lines(tool::without_mark(bytes.view()));
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> names;
  for (std::string_view line; lines.next(line);) {
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (blank || line[0] == '#') {
      continue;
    }
    const std::vector<std::string_view> parts = tool::parts_of(line, '\t');
    std::vector<std::string> cells(parts.begin(), parts.end());
    if (rows.empty() && is_header(cells)) {
      continue;
    }
    Row row = row_of(path, lines.number(), std::move(cells));
    if (const auto [first, is_new] = names.try_emplace(row.name, row.line); !is_new) {
      refuse(path, row.line, 0,
             tool::quoted(row.name) + " is the name of line " + std::to_string(first->second) + ", too");
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    tool::fail(path, 0, "holds no pairs: a line of name, source and target is needed for each, with tabs between");
  }
  return rows;
}

std::string beside(const std::string &table, const std::string &path) {
  return path.empty() ? path : (fs::path(table).parent_path() / path).string();
}

Schedule::Schedule(const std::vector<Row> &rows, const std::vector<std::size_t> &open, const std::string &table)
    : left_(open.size()) {
  Sizes sizes;
  std::vector<std::uintmax_t> work(rows.size(), 0);
  std::unordered_map<std::string, std::size_t> of_target;
  std::vector<std::pair<std::uintmax_t, std::size_t>> order; // work of a group, its number
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t row : open) {
    const auto [place, is_new] = of_target.try_emplace(rows[row].target, groups.size());
    if (is_new) {
      groups.emplace_back();
      order.emplace_back(0, place->second);
    }
    work[row] = 1 + sizes.of(beside(table, rows[row].source)) + sizes.of(beside(table, rows[row].target));
    groups[place->second].push_back(row);
    order[place->second].first += work[row];
  }
  const auto more_work = [&work](std::size_t a, std::size_t b) { return work[a] > work[b]; };
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  for (const auto &[total, number] : order) {
    std::stable_sort(groups[number].begin(), groups[number].end(), more_work);
    groups_.emplace_back(groups[number].rbegin(), groups[number].rend());
  }
}

void check_apart(const std::string &folder, const std::vector<Row> &rows, const std::string &table) {
  using Identity = std::pair<dev_t, ino_t>;
  const auto identity = [](const std::string &path) {
    struct stat state = {};
    return ::stat(path.c_str(), &state) == 0 ? Identity(state.st_dev, state.st_ino) : Identity(0, 0);
  };
  std::map<Identity, std::string> results;
  std::string stranger;
  for (const char *const name : {"results.tsv", "graph.g2o", "vertices.tsv", "results.jsonl"}) {
    const std::string path = (fs::path(folder) / name).string();
    if (identity(path) != Identity(0, 0)) {
      results.emplace(identity(path), path);
      stranger = stranger.empty() ? path : stranger;
    }
  }
  const auto check = [&](const std::string &input) {
    const auto found = results.find(identity(input));
    if (found != results.end()) {
      throw tool::UsageError("the output " + tool::quoted(found->second) + " would overwrite the input " +
                             tool::quoted(input));
    }
  };
  if (results.empty()) {
    return;
  }
  check(table);
  for (const Row &row : rows) {
    for (const std::string &file : {row.source, row.target, row.init}) {
      check(beside(table, file));
    }
  }
  if (const std::string journal = (fs::path(folder) / "results.jsonl").string(); identity(journal) == Identity(0, 0)) {
    throw tool::UsageError(stranger + ": is no result of fricp-batch, since there is no " + journal +
                           ": name another folder or move the file away");
  }
}

/** A target that nobody is at; else one pair of the longest queue. */
std::ptrdiff_t Schedule::choose() {
  if (fresh_ < groups_.size()) {
    shared_.push_back(fresh_);
    return static_cast<std::ptrdiff_t>(fresh_++);
  }
  const auto fewer = [this](std::size_t a, std::size_t b) { return groups_[a].size() < groups_[b].size(); };
  shared_.erase(std::remove_if(shared_.begin(), shared_.end(), [this](std::size_t k) { return groups_[k].empty(); }),
                shared_.end());
  return static_cast<std::ptrdiff_t>(*std::max_element(shared_.begin(), shared_.end(), fewer));
}

std::size_t Schedule::next(std::ptrdiff_t &group) {
  if (group < 0 || groups_[static_cast<std::size_t>(group)].empty()) {
    group = choose();
  }
  std::vector<std::size_t> &queue = groups_[static_cast<std::size_t>(group)];
  const std::size_t row = queue.back();
  queue.pop_back();
  --left_;
  return row;
}

} // namespace fricp::batch
