// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

namespace fricp::tool {

namespace {

using Colour = std::array<std::uint8_t, 3>; /**< red, green, blue */

constexpr Colour source_colour = {255, 160, 40};
constexpr Colour target_colour = {170, 170, 170};
constexpr double decades = 3; /**< that the scale spans, from a tenth of the target's spacing */

/** A method's result, and what tells it apart. */
struct Entry {
  std::string name;
  std::string failure; /**< "" if there is a pose */
  fricp_pose pose = fricp_pose_identity();
  bool converged = false;
  double seconds = 0;
  double median = 0; /**< distance to the target */
  double near = 0;   /**< share within the spacing */
};

/** Dark blue over cyan, green and yellow to red. @param level  0 to 1. */
Colour colour_of(double level) {
  constexpr std::array<std::array<double, 3>, 5> stops = {
      {{40, 60, 200}, {30, 180, 220}, {60, 200, 80}, {250, 220, 40}, {230, 30, 30}}};
  const double place = std::clamp(level, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double share = place - static_cast<double>(below);
  Colour colour = {};
  for (std::size_t k = 0; k < 3; ++k) {
    colour[k] = static_cast<std::uint8_t>(std::lround((1 - share) * stops[below][k] + share * stops[below + 1][k]));
  }
  return colour;
}

/** Collects x y z rgb for pcl_viewer: float, so relative to a centre. */
class Picture {
public:
  explicit Picture(const Point &centre) : centre_(centre) {
    for (const char *const name : {"x", "y", "z", "rgb"}) {
      append_field(cloud_, name, pcl::PCLPointField::FLOAT32);
    }
  }

  void add(const Point &point, const Colour &colour) {
    std::uint8_t bytes[16] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto coordinate = static_cast<float>(point[k] - centre_[k]);
      std::memcpy(bytes + 4 * k, &coordinate, sizeof coordinate);
    }
    const std::uint32_t packed = static_cast<std::uint32_t>(colour[0]) << 16U |
                                 static_cast<std::uint32_t>(colour[1]) << 8U | static_cast<std::uint32_t>(colour[2]);
    std::memcpy(bytes + 12, &packed, sizeof packed);
    cloud_.data.data.insert(cloud_.data.data.end(), bytes, bytes + sizeof bytes);
  }

  void write(const std::string &path) {
    allocate(cloud_, cloud_.data.data.size() / cloud_.data.point_step, 1);
    OutputFile file(path);
    write_pcd(file, cloud_);
    file.close();
    file.commit();
  }

private:
  Point centre_;
  Cloud cloud_;
};

std::string inside(const std::string &directory, const std::string &file) {
  return (std::filesystem::path(directory) / file).string();
}

template <typename Visit> void for_each_finite(const Cloud &cloud, const Visit &visit) {
  const Triple coordinates = coordinates_of(cloud);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point point = coordinates.load(cloud.data.data.data() + i * cloud.data.point_step);
    if (is_finite(point)) {
      visit(point);
    }
  }
}

class Comparison {
public:
  Comparison(const Options &options, Pair &pair)
      : options_(options), pair_(pair), info_(pair.target_info()),
        centre_(is_far(bounds_of(pair.target())) ? bounds_of(pair.target()).centroid : Point{}) {
  }

  std::string run(const Outcome &done) {
    std::error_code fault;
    std::filesystem::create_directories(options_.compare, fault);
    if (fault) {
      fail(options_.compare, 0, "cannot be made: " + fault.message());
    }
    write_plain(pair_.source(), source_colour, "source.pcd");
    write_plain(pair_.target(), target_colour, "target.pcd");
    for (std::int32_t method = 0; fricp_method_name(method) != nullptr; ++method) {
      Entry entry = method == done.method ? entry_of(done.result, method) : run_method(method);
      finish(entry);
    }
    Entry reference = run_reference();
    finish(reference);
    return table();
  }

private:
  /** Floats keep seven digits: four of them should be left for the shape. */
  static bool is_far(const Bounds &bounds) {
    const double off = std::hypot(bounds.centroid[0], bounds.centroid[1], bounds.centroid[2]);
    return off > 1000 * bounds.extent();
  }

  std::string path_of(const std::string &file) const {
    return inside(options_.compare, file);
  }

  void write_plain(const Cloud &cloud, const Colour &colour, const char *file) const {
    Picture picture(centre_);
    for_each_finite(cloud, [&](const Point &point) { picture.add(point, colour); });
    picture.write(path_of(file));
  }

  Entry entry_of(const fricp_result &result, std::int32_t method) const {
    Entry entry;
    entry.name = fricp_method_name(method);
    entry.pose = result.target_from_source;
    entry.converged = result.converged != 0;
    entry.seconds = result.seconds_solve;
    return entry;
  }

  Entry run_method(std::int32_t method) {
    fricp_options options = options_.solver;
    options.method = method;
    try {
      return entry_of(pair_.align(options), method);
    } catch (const Error &fault) {
      Entry entry;
      entry.name = fricp_method_name(method);
      entry.failure = fault.what();
      return entry;
    }
  }

  Entry run_reference() {
    Entry entry;
    entry.name = "pcl-icp";
    const Clock clock;
    const Point centre = bounds_of(pair_.target()).centroid;
    entry.converged = pcl_icp(pair_.source(), pair_.target(), centre, pair_.start(options_.solver),
                              options_.solver.max_distance, entry.pose);
    entry.seconds = clock.seconds();
    entry.failure = entry.converged ? "" : "PCL's ICP found too few correspondences";
    return entry;
  }

  double distance_to_target(const Point &point) const {
    std::int32_t index = 0;
    double squared = 0;
    const int found = fricp_target_nearest(pair_.prepared(), point.data(), 1, std::numeric_limits<double>::infinity(),
                                           &index, &squared);
    return found == 1 ? std::sqrt(squared) : std::numeric_limits<double>::infinity();
  }

  void finish(Entry &entry) {
    if (entry.failure.empty()) {
      Picture picture(centre_);
      std::vector<double> distances;
      for_each_finite(pair_.source(), [&](const Point &point) {
        const Point place = moved(entry.pose, point);
        const double distance = distance_to_target(place);
        const double least = info_.spacing / 10;
        picture.add(place, colour_of(std::log10(std::max(distance, least) / least) / decades));
        distances.push_back(distance);
      });
      picture.write(path_of(entry.name + ".pcd"));
      measure(entry, distances);
    }
    entries_.push_back(entry);
  }

  void measure(Entry &entry, std::vector<double> &distances) const {
    const auto near = std::count_if(distances.begin(), distances.end(), [&](double d) { return d <= info_.spacing; });
    entry.near = static_cast<double>(near) / static_cast<double>(distances.size());
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    entry.median = *middle;
  }

  static std::string padded(const std::string &text, std::size_t width) {
    return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
  }

  std::string table() const {
    std::string text = "\nmethod            converged  within spacing  median distance  seconds\n";
    std::string viewer;
    for (const Entry &entry : entries_) {
      if (!entry.failure.empty()) {
        text += padded(entry.name, 18) + "failed: " + entry.failure + "\n";
        continue;
      }
      text += padded(entry.name, 18) + padded(entry.converged ? "yes" : "no", 11) +
              padded(rounded(100 * entry.near, 3) + " %", 16) + padded(rounded(entry.median, 4), 17) +
              rounded(entry.seconds, 3) + "\n";
      viewer += view_line(entry.name + ".pcd");
    }
    text += "\nColours: distance to the target on a logarithmic scale, blue " + rounded(info_.spacing / 10, 3) +
            " to red " + rounded(info_.spacing * 100, 3) + "; grey: target; orange: source before.\n";
    if (centre_ != Point{}) {
      text += "The files are relative to (" + shortest(centre_[0]) + ", " + shortest(centre_[1]) + ", " +
              shortest(centre_[2]) + ").\n";
    }
    return text + view_line("source.pcd") + viewer;
  }

  std::string view_line(const std::string &file) const {
    return "pcl_viewer " + for_shell(path_of("target.pcd")) + " " + for_shell(path_of(file)) + "\n";
  }

  static std::string for_shell(const std::string &path) {
    if (const std::string shown = printable(path); shown != path) {
      return "$'" + shown + "'"; // what bash makes of \\xNN; a name with a quote besides is beyond help
    }
    std::string text;
    for (const char c : path) {
      text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return path.find_first_of(" '\"\\$`*?[]()<>|&;!#~{}\t\n") == std::string::npos ? path : "'" + text + "'";
  }

  const Options &options_;
  Pair &pair_;
  fricp_target_info info_;
  Point centre_;
  std::vector<Entry> entries_;
};

} // namespace

std::vector<std::string> compare_files(const std::string &directory) {
  std::vector<std::string> files = {inside(directory, "source.pcd"), inside(directory, "target.pcd"),
                                    inside(directory, "pcl-icp.pcd")};
  for (std::int32_t method = 0; fricp_method_name(method) != nullptr; ++method) {
    files.push_back(inside(directory, std::string(fricp_method_name(method)) + ".pcd"));
  }
  return files;
}

std::string compare(const Options &options, Pair &pair, const Outcome &done) {
  return Comparison(options, pair).run(done);
}

} // namespace fricp::tool
