// SPDX-License-Identifier: BSD-3-Clause
// Line plots as SVG, and the share that they show most.
#ifndef FRICP_BENCH_PLOT_HPP
#define FRICP_BENCH_PLOT_HPP

#include <string>
#include <vector>

namespace bench {

struct Series {
  std::string name;
  std::vector<double> x, y; // values that the axis cannot show (NaN; at most 0 on a log axis) leave a gap
};

struct Plot {
  std::string title, x_label, y_label; // labels with their units
  bool log_x = false, log_y = false;
  bool markers = true;
  std::vector<Series> series = {};
};

/// A whole SVG document on a light ground, the legend beside the axes.
std::string svg(const Plot &plot);

/// Share of the errors below alpha; an error that is no number is above any. NaN for no errors.
double alpha_recall(const std::vector<double> &errors, double alpha);

} // namespace bench

#endif
