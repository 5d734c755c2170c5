// SPDX-License-Identifier: BSD-3-Clause
// The README's picture: two generated scans before, after auto and after icp, coloured by the distance from the truth.
#include <algorithm>
#include <cmath>

#include "runs.hpp"

namespace bench {
namespace {

constexpr double panel = 400, scale = 350, top = 60; // pixels; a diameter is `scale`
constexpr double decades = 3;                        // of the colour bar, from 0.0001 to 0.1 of the diameter

/// From blue (right) by yellow to red (wrong); t in [0, 1].
std::string colour(double t) {
  const double stops[4][3] = {{33, 102, 172}, {70, 170, 140}, {245, 190, 50}, {190, 20, 40}};
  const double at = 3 * std::min(std::max(t, 0.0), 0.999999);
  const int i = static_cast<int>(at);
  double c[3];
  for (int k = 0; k < 3; ++k)
    c[k] = stops[i][k] + (at - i) * (stops[i + 1][k] - stops[i][k]);
  return format("#%02x%02x%02x", static_cast<int>(c[0]), static_cast<int>(c[1]), static_cast<int>(c[2]));
}

std::string label(double x, double y, const std::string &text, int size) {
  return format("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" font-size=\"%d\">", x, y, size) + text +
         "</text>\n";
}

struct View {
  double x0, center[3], diameter;

  std::string dot(const double *p, const std::string &fill) const {
    const double x = x0 + panel / 2 + scale * (p[0] - center[0]) / diameter;
    const double y = top + panel / 2 - scale * (p[1] - center[1]) / diameter;
    if (x < x0 + 4 || x > x0 + panel - 4 || y < top || y > top + panel)
      return "";
    return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.3\" fill=\"", x, y) + fill + "\"/>\n";
  }
};

std::string draw(const Pair &pair, const fricp_pose &pose, bool by_error, View view) {
  std::string out;
  for (size_t i = 0; i < pair.target.size(); ++i)
    out += view.dot(&pair.target.points[3 * i], "#c4c4c4");
  const std::vector<double> here = moved(pose, pair.source.points), there = moved(pair.truths[0], pair.source.points);
  for (size_t i = 0; i < pair.source.size(); ++i) {
    const double *a = &here[3 * i], *b = &there[3 * i];
    const double error = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / pair.diameter;
    out += view.dot(a, by_error ? colour((std::log10(error) + 4) / decades) : "#e07b00");
  }
  return out;
}

std::string bar() {
  std::string out;
  const double from = 1.25 * panel, wide = 1.5 * panel, y = top + panel + 26;
  for (int i = 0; i < 60; ++i)
    out += format("<rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"16\" fill=\"", from + wide * i / 60, y,
                  wide / 60 + 0.5) +
           colour(i / 60.0) + "\"/>\n";
  const char *const ticks[] = {"0.01 %", "0.1 %", "1 %", "10 %"};
  for (int i = 0; i < 4; ++i)
    out += label(from + wide * i / 3, y + 36, ticks[i], 15);
  return out + label(from + wide / 2, y + 60, "distance of each point from its true place (share of the diameter)", 15);
}

} // namespace

int run_picture(int argc, char **argv) {
  const Arguments a(argc, argv, {}, {});
  if (a.rest().size() != 1)
    throw UsageError("picture needs a file");
  scene_spec spec{};
  spec.source_count = 8000;
  spec.seed = 1;
  spec.overlap = 0.6;
  spec.noise = 0.001;
  spec.outliers = 0.03;
  spec.angle = 20;
  spec.shift[0] = 0.05, spec.shift[1] = 0.03, spec.shift[2] = -0.04;
  const Pair pair = scene_pair(spec, "picture", false);
  const fricp_pose found = run_pair(pair, "auto", Settings{}).result.target_from_source;
  const fricp_pose icp = run_pair(pair, "icp", Settings{}).result.target_from_source;
  std::string out = format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f 560\" width=\"%.0f\" "
                           "height=\"560\" font-family=\"sans-serif\" fill=\"#222222\">\n",
                           3 * panel, 3 * panel) +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  const char *const titles[] = {"two scans, 60 % in common", "fricp, method auto", "plain ICP"};
  const fricp_pose poses[] = {pair.start, found, icp};
  for (int i = 0; i < 3; ++i) {
    const View view{i * panel, {0, 0, 0}, pair.diameter};
    out += draw(pair, poses[i], i > 0, view) + label(view.x0 + panel / 2, 26, titles[i], 19);
    const double rmse = 100 * judge(pair, poses[i]).rmse / pair.diameter;
    out += label(view.x0 + panel / 2, 48, format("RMSE %.2g %% of the diameter", rmse), 15);
  }
  out += label(panel / 2, top + panel + 40, "source orange, target grey", 15);
  write_text(a.rest()[0], out + bar() + "</svg>\n");
  return 0;
}

} // namespace bench
