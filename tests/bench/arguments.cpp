// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "bench.hpp"
#include "text.h"

namespace bench {

Arguments::Arguments(int argc, char **argv, const std::vector<std::string> &with_value,
                     const std::vector<std::string> &flags) {
  const auto contains = [](const std::vector<std::string> &list, const std::string &word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      rest_.push_back(word);
    } else if (contains(flags, word)) {
      values_.emplace(word, "");
    } else if (contains(with_value, word)) {
      if (i + 1 == argc)
        throw UsageError(word + " needs a value");
      values_.emplace(word, argv[++i]);
    } else {
      throw UsageError("unknown option " + word);
    }
  }
}

bool Arguments::has(const std::string &name) const {
  return values_.count(name) > 0;
}

std::string Arguments::text(const std::string &name, const std::string &otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

double Arguments::number(const std::string &name, double otherwise) const {
  double value = otherwise;
  if (has(name) && (text_number(text(name, "").c_str(), &value) != 0 || !std::isfinite(value)))
    throw UsageError(name + " " + text(name, "") + ": not a number");
  return value;
}

int Arguments::integer(const std::string &name, int otherwise) const {
  const double value = number(name, otherwise);
  if (value != std::floor(value) || std::fabs(value) > 1e9)
    throw UsageError(name + ": not a whole number");
  return static_cast<int>(value);
}

std::vector<std::string> Arguments::all(const std::string &name) const {
  std::vector<std::string> found;
  const auto range = values_.equal_range(name);
  for (auto it = range.first; it != range.second; ++it)
    found.push_back(it->second);
  return found;
}

std::vector<size_t> Arguments::counts(const std::string &name, const std::vector<size_t> &otherwise) const {
  if (!has(name))
    return otherwise;
  std::vector<size_t> list;
  std::string rest = text(name, "");
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    double value;
    if (text_number(rest.substr(0, comma).c_str(), &value) != 0 || !(value >= 0 && value < 2e9))
      throw UsageError(name + ": not a list of counts");
    list.push_back(static_cast<size_t>(value));
    rest.erase(0, comma + 1);
  }
  return list;
}

} // namespace bench
