// SPDX-License-Identifier: BSD-3-Clause
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace bench {
namespace {

constexpr double left = 78, right = 560, top = 44, bottom = 344, width = 760, height = 400;
// Told apart without red against green; the dash changes where the colours begin anew.
const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#3a9bdc", "#444444", "#7b3fa0"};
const char *const dashes[] = {"none", "7 3", "2 3"};
constexpr size_t colour_count = sizeof colours / sizeof colours[0], dash_count = sizeof dashes / sizeof dashes[0];

std::string number(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

/// One axis: values to places, and where its ticks are.
struct Axis {
  bool log;
  double low, high, from, to;

  bool shows(double v) const {
    return std::isfinite(v) && (!log || v > 0);
  }
  double at(double v) const {
    return from + (to - from) * ((log ? std::log10(v) : v) - low) / (high - low);
  }
  std::vector<double> ticks() const {
    std::vector<double> list;
    const double raw = (high - low) / 5, ten = std::pow(10.0, std::floor(std::log10(raw)));
    double step = raw <= ten ? ten : raw <= 2 * ten ? 2 * ten : raw <= 5 * ten ? 5 * ten : 10 * ten;
    if (log)
      step = std::max(1.0, std::ceil((high - low) / 8));
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
      list.push_back(log ? std::pow(10.0, i * step) : i * step + 0.0); // no -0
    return list;
  }
};

/// Linear axes end at the data (a y axis at 0 if it is not below); logarithmic ones at whole decades.
Axis make_axis(const Plot &plot, std::vector<double> Series::*values, bool log, double from, double to) {
  const double inf = std::numeric_limits<double>::infinity();
  Axis axis{log, inf, -inf, from, to};
  for (const Series &s : plot.series)
    for (const double v : s.*values)
      if (axis.shows(v)) {
        axis.low = std::min(axis.low, log ? std::floor(std::log10(v)) : v);
        axis.high = std::max(axis.high, log ? std::ceil(std::log10(v)) : v);
      }
  if (!(axis.low <= axis.high))
    axis.low = 0, axis.high = 1;
  if (!log && from > to && axis.low > 0)
    axis.low = 0;
  if (axis.low == axis.high)
    axis.high += 1;
  return axis;
}

std::string text_at(double x, double y, const char *anchor, const std::string &text, const char *more = "") {
  return "<text x=\"" + number("%.1f", x) + "\" y=\"" + number("%.1f", y) + "\" text-anchor=\"" + anchor + "\"" + more +
         ">" + escaped(text) + "</text>\n";
}

std::string grid(const Axis &x, const Axis &y) {
  std::string out;
  const auto line = [&](double x1, double y1, double x2, double y2) {
    out += "<path d=\"M" + number("%.1f", x1) + " " + number("%.1f", y1) + "L" + number("%.1f", x2) + " " +
           number("%.1f", y2) + "\" stroke=\"#dddddd\"/>\n";
  };
  for (const double v : x.ticks()) {
    line(x.at(v), top, x.at(v), bottom);
    out += text_at(x.at(v), bottom + 17, "middle", number(x.log ? "%.0e" : "%g", v));
  }
  for (const double v : y.ticks()) {
    line(left, y.at(v), right, y.at(v));
    out += text_at(left - 6, y.at(v) + 4, "end", number(y.log ? "%.0e" : "%g", v));
  }
  return out;
}

std::string curve(const Series &s, const Axis &x, const Axis &y, const std::string &style, const char *colour,
                  bool markers) {
  std::string path, dots;
  bool pen = false;
  for (size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
    const bool shown = x.shows(s.x[i]) && y.shows(s.y[i]);
    if (shown) {
      const std::string px = number("%.1f", x.at(s.x[i])), py = number("%.1f", y.at(s.y[i]));
      path += (pen ? "L" : "M") + px + " " + py;
      if (markers)
        dots += "<circle cx=\"" + px + "\" cy=\"" + py + "\" r=\"2.6\" fill=\"" + colour + "\"/>\n";
    }
    pen = shown;
  }
  return path.empty() ? "" : "<path d=\"" + path + "\"" + style + "/>\n" + dots;
}

} // namespace

std::string svg(const Plot &plot) {
  const Axis x = make_axis(plot, &Series::x, plot.log_x, left, right);
  const Axis y = make_axis(plot, &Series::y, plot.log_y, bottom, top);
  const double tall = std::max(height, top + 18.0 * static_cast<double>(plot.series.size()) + 20.0);
  const std::string size = number("%.0f", width) + " " + number("%.0f", tall);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
                    number("%.0f", width) + "\" height=\"" + number("%.0f", tall) +
                    "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  out += text_at((left + right) / 2, 26, "middle", plot.title, " font-size=\"15\"") + grid(x, y);
  out += "<path d=\"M78 44V344H560\" fill=\"none\" stroke=\"#222222\"/>\n";
  out += text_at((left + right) / 2, bottom + 42, "middle", plot.x_label);
  out += text_at(0, 0, "middle", plot.y_label, " transform=\"translate(20 194) rotate(-90)\"");
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const char *colour = colours[i % colour_count];
    const std::string style = std::string(" fill=\"none\" stroke-width=\"1.8\" stroke=\"") + colour +
                              "\" stroke-dasharray=\"" + dashes[i / colour_count % dash_count] + "\"";
    const double row = top + 8 + 18.0 * static_cast<double>(i);
    out += curve(plot.series[i], x, y, style, colour, plot.markers);
    out += "<path d=\"M576 " + number("%.1f", row) + "h26\"" + style + "/>\n";
    out += text_at(610, row + 4, "start", plot.series[i].name);
  }
  return out + "</svg>\n";
}

double alpha_recall(const std::vector<double> &errors, double alpha) {
  const auto below = std::count_if(errors.begin(), errors.end(), [alpha](double e) { return e < alpha; });
  return static_cast<double>(below) / static_cast<double>(errors.size());
}

} // namespace bench
