// SPDX-License-Identifier: BSD-3-Clause
// The plots are well-formed XML and show what they are given; alpha-recall is what a hand counts.
#include <cmath>

#include "plot.hpp"
#include "suite.h"

namespace {

size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

/// Every element closed in order, no bare & or < in texts, one root: enough for what the writer can produce.
bool well_formed(const std::string &xml) {
  std::vector<std::string> open;
  size_t roots = 0;
  for (size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && xml.compare(at, 4, "&lt;") != 0 && xml.compare(at, 4, "&gt;") != 0 &&
        xml.compare(at, 5, "&amp;") != 0)
      return false;
    if (xml[at] != '<')
      continue;
    const size_t end = xml.find('>', at);
    if (end == std::string::npos)
      return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (count(tag, "\"") % 2 || tag.find('<') != std::string::npos)
      return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      roots += open.empty();
      open.push_back(name);
    }
    at = end;
  }
  return open.empty() && roots == 1;
}

} // namespace

START_TEST(recall_counts_what_is_below) {
  // Strictly below, as the paper defines it; NaN is below nothing.
  const std::vector<double> errors{0.001, 0.002, 0.01, 0.5, std::nan("")};
  ck_assert_double_eq(bench::alpha_recall(errors, 0.001), 0.0);
  ck_assert_double_eq(bench::alpha_recall(errors, 0.005), 2.0 / 5);
  ck_assert_double_eq(bench::alpha_recall(errors, 0.011), 3.0 / 5);
  ck_assert_double_eq(bench::alpha_recall(errors, INFINITY), 4.0 / 5);
  ck_assert(std::isnan(bench::alpha_recall({}, 1.0)));
}
END_TEST

START_TEST(plots_are_well_formed) {
  bench::Plot plot{"a < b & c", "x", "y > 0", false, true, true, {}};
  for (int i = 0; i < 25; ++i) // more than there are colours and dashes
    plot.series.push_back({"<" + std::to_string(i) + ">", {1, 2, 3}, {0.1, 0.01, 10.0 + i}});
  const std::string text = bench::svg(plot);
  ck_assert(well_formed(text));
  ck_assert_uint_eq(count(text, "<circle"), 75);
  ck_assert_uint_eq(count(text, "nan"), 0);
  ck_assert(!well_formed("<a><b></a></b>")); // the check itself
  ck_assert(!well_formed("<a>&</a>"));
}
END_TEST

START_TEST(plots_take_what_cannot_be_shown) {
  // A zero on a log axis and a NaN leave gaps: three of five points, in two strokes.
  bench::Plot plot{"t", "x", "y", false, true, true, {{"s", {1, 2, 3, 4, 5}, {1, 0, 10, std::nan(""), 100}}}};
  const std::string text = bench::svg(plot);
  ck_assert(well_formed(text));
  ck_assert_uint_eq(count(text, "<circle"), 3);
  // Nothing, and one value only: axes all the same.
  for (const std::vector<double> &x : {std::vector<double>{}, std::vector<double>{2.0}}) {
    const std::string small = bench::svg({"t", "x", "y", true, false, true, {{"s", x, x}}});
    ck_assert(well_formed(small));
    ck_assert_uint_eq(count(small, "nan") + count(small, "inf"), 0);
  }
}
END_TEST

int main() {
  return run_suite("bench_plot", {recall_counts_what_is_below, plots_are_well_formed, plots_take_what_cannot_be_shown});
}
