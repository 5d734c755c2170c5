// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <thread>

#include "bench.hpp"
#include "versions.hpp"

namespace bench {

namespace {
bool cpu_time = false;

double now() {
  timespec t{};
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
} // namespace

void use_cpu_time(bool on) {
  cpu_time = on;
}

bool uses_cpu_time() {
  return cpu_time;
}

Stopwatch::Stopwatch() : start_(now()) {
}

double Stopwatch::seconds() const {
  return now() - start_;
}

double median(std::vector<double> values) {
  if (values.empty())
    return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double median_ratio(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    ratios.push_back(a[i] / b[i]);
  return median(ratios);
}

std::string format(const char *pattern, ...) {
  char text[256];
  va_list list;
  va_start(list, pattern);
  std::vsnprintf(text, sizeof text, pattern, list);
  va_end(list);
  return text;
}

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(rows_[0].size());
  rows_.push_back(std::move(cells));
}

namespace {
bool is_number(const std::string &cell) {
  char *end = nullptr;
  std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0';
}
} // namespace

void Table::print() const {
  std::vector<size_t> width(rows_[0].size(), 0);
  for (const auto &row : rows_)
    for (size_t c = 0; c < row.size(); ++c)
      width[c] = std::max(width[c], row[c].size());
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string &cell = rows_[r][c];
      const bool right = is_number(r == 0 && rows_.size() > 1 ? rows_[1][c] : cell);
      std::printf(right ? "%s%*s" : "%s%-*s", c ? "  " : "", static_cast<int>(width[c]), cell.c_str());
    }
    std::printf("\n");
  }
  flush_json();
}

void write_text(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error(path + ": cannot be written");
}

void Table::write(const std::string &path) const {
  std::string text;
  for (const auto &row : rows_)
    for (size_t c = 0; c < row.size(); ++c)
      text += row[c] + (c + 1 < row.size() ? '\t' : '\n');
  write_text(path, text);
}

std::string Table::markdown() const {
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (const std::string &cell : rows_[r])
      text += "| " + cell + " ";
    text += "|\n";
    for (size_t c = 0; r == 0 && c < rows_[0].size(); ++c)
      text += c + 1 < rows_[0].size() ? "|---" : "|---|\n";
  }
  return text;
}

namespace {
std::vector<std::string> &waiting() {
  static std::vector<std::string> lines;
  return lines;
}
} // namespace

Json::Json(const std::string &bench) : line_("{") {
  add("bench", bench);
}

Json &Json::raw(const std::string &key, const std::string &json) {
  line_ += (line_.size() > 1 ? ", \"" : "\"") + key + "\": " + json;
  return *this;
}

Json &Json::add(const std::string &key, const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      quoted += c;
  }
  return raw(key, quoted + "\"");
}

Json &Json::add(const std::string &key, const char *text) {
  return add(key, std::string(text));
}

Json &Json::add(const std::string &key, double number) {
  return raw(key, std::isfinite(number) ? format("%.9g", number) : "null");
}

Json &Json::add(const std::string &key, bool value) {
  return raw(key, value ? "true" : "false");
}

void Json::print() const {
  waiting().push_back(line_ + "}");
}

void flush_json() {
  for (const std::string &line : waiting())
    std::printf("%s\n", line.c_str());
  waiting().clear();
  std::fflush(stdout);
}

namespace {
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') != std::string::npos)
      return line.substr(line.find(':') + 2);
  return "unknown";
}
} // namespace

void print_environment() {
  Json json("environment");
  json.add("processor", processor())
      .add("processors", static_cast<double>(std::thread::hardware_concurrency()))
      .add("clock", uses_cpu_time() ? "processor" : "elapsed")
      .add("compiler", __VERSION__)
      .add("fricp", fricp_version())
      .add("pcl", pcl_version())
      .add("flann", flann_version())
      .add("nanoflann", nanoflann_version())
      .print();
  flush_json();
}

} // namespace bench
