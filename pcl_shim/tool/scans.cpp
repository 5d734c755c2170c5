// SPDX-License-Identifier: BSD-3-Clause
#include "scans.hpp"

#include "text.hpp"

#include <algorithm>
#include <filesystem>

namespace fricp::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view digits = "0123456789";

std::string stem_of(const std::string &path) {
  return fs::path(path).stem().string();
}

std::string_view number_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find_first_not_of(digits, at), text.size()) - at);
}

/** Whole numbers of any length: times in nanoseconds do not fit into a double. */
int compare_numbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
}

/** Digits in a row count as one number. */
bool is_before(const std::string &a, const std::string &b) {
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const std::string_view x = number_at(a, i);
    const std::string_view y = number_at(b, k);
    if (!x.empty() && !y.empty()) {
      if (const int order = compare_numbers(x, y); order != 0)
        return order < 0;
      i += x.size();
      k += y.size();
    } else if (a[i] != b[k]) {
      return a[i] < b[k];
    } else {
      ++i;
      ++k;
    }
  }
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/** @return whether a name is digits, with a point among or behind them or not: 17, 1305031102.175304. */
bool is_number(const std::string &name) {
  const std::size_t whole = number_at(name, 0).size();
  const bool pointed = whole > 0 && whole + 1 < name.size() && name[whole] == '.';
  return whole > 0 &&
         (whole == name.size() || (pointed && number_at(name, whole + 1).size() + whole + 1 == name.size()));
}

/** As numbers, of which 1.25 is less than 1.5. */
bool is_less(const std::string &a, const std::string &b) {
  const std::string_view whole_a = number_at(a, 0);
  const std::string_view whole_b = number_at(b, 0);
  const int order = compare_numbers(whole_a, whole_b);
  return order != 0 ? order < 0 : a.substr(whole_a.size()) < b.substr(whole_b.size());
}

bool are_numbers(const std::vector<std::string> &scans) {
  return std::all_of(scans.begin(), scans.end(), [](const std::string &path) { return is_number(stem_of(path)); });
}

bool is_scan(const fs::path &path) {
  const std::string name = path.filename().string();
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(), lower);
  const auto ends = {".pcd", ".ply", ".xyz", ".csv", ".asc", ".pts"};
  return name[0] != '.' && std::find(ends.begin(), ends.end(), end) != ends.end();
}

std::string kitti_line(const Motion &pose) {
  std::string line;
  for (int k = 0; k < 12; ++k)
    line += (k > 0 ? " " : "") + shortest(pose.matrix()(k / 4, k % 4));
  return line + "\n";
}

std::string tum_line(const std::string &time, const Motion &pose) {
  std::string line = time;
  for (const double number : shift_and_quaternion(pose))
    line += " " + shortest(number);
  return line + "\n";
}

} // namespace

std::vector<std::string> list_scans(const std::string &directory) {
  std::vector<std::string> scans;
  std::error_code fault;
  for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end; entry.increment(fault))
    if (is_scan(entry->path()) && !entry->is_directory(fault))
      scans.push_back(entry->path().string());
  if (fault)
    fail(directory, 0, "cannot be read: " + fault.message());
  if (scans.empty())
    fail(directory, 0, "holds no scans: files that end in .pcd, .ply, .xyz, .csv, .asc or .pts");
  const auto before = are_numbers(scans) ? is_less : is_before;
  std::sort(scans.begin(), scans.end(), [before](const std::string &a, const std::string &b) {
    return before(stem_of(a), stem_of(b)) || (!before(stem_of(b), stem_of(a)) && a < b);
  });
  return scans;
}

std::string trajectory_text(const std::string &path, const std::vector<std::string> &scans,
                            const std::vector<Motion> &poses) {
  const bool tum = fs::path(path).extension() == ".tum";
  const bool named = are_numbers(scans);
  std::string text;
  for (std::size_t k = 0; k < poses.size(); ++k)
    text += tum ? tum_line(named ? stem_of(scans[k]) : std::to_string(k), poses[k]) : kitti_line(poses[k]);
  return text;
}

} // namespace fricp::tool
