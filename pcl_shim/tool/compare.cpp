// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "text.hpp"

#include <pcl/point_types.h>
#include <pcl/registration/icp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

namespace fricp::tool {

namespace {

using Colour = Eigen::Vector3d; /**< red, green, blue, 0 to 255 */

const Colour source_colour(255, 160, 40);
const Colour target_colour(170, 170, 170);
constexpr double decades = 3; /**< that the scale spans, from a tenth of the target's spacing */

/** A method's result, and what tells it apart. */
struct Entry {
  std::string name;
  std::string failure; /**< "" if there is a pose */
  Motion pose = Motion::Identity();
  bool converged = false;
  double seconds = 0;
  double median = 0; /**< distance to the target */
  double near = 0;   /**< share within the spacing */
};

/** Dark blue over cyan, green and yellow to red. @param level  0 to 1. */
Colour colour_of(double level) {
  static const std::array<Colour, 5> stops = {Colour(40, 60, 200), Colour(30, 180, 220), Colour(60, 200, 80),
                                              Colour(250, 220, 40), Colour(230, 30, 30)};
  const double place = std::clamp(level, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double share = place - static_cast<double>(below);
  return (1 - share) * stops[below] + share * stops[below + 1];
}

/** Collects x y z rgb for pcl_viewer: float, so relative to a centre. */
class Picture {
public:
  explicit Picture(const Point &centre) : centre_(centre) {
    for (const char *const name : {"x", "y", "z", "rgb"})
      append_field(cloud_, name, pcl::PCLPointField::FLOAT32);
  }

  void add(const Point &point, const Colour &colour) {
    const Eigen::Vector3f place = (point - centre_).cast<float>();
    const auto rgb = colour.array().round().cast<std::uint32_t>().eval();
    const std::uint32_t packed = rgb[0] << 16U | rgb[1] << 8U | rgb[2];
    std::uint8_t bytes[16];
    std::memcpy(bytes, place.data(), 12);
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

std::string padded(const std::string &text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string for_shell(const std::string &path) {
  if (const std::string shown = printable(path); shown != path)
    return "$'" + shown + "'"; // what bash makes of \\xNN; a name with a quote besides is beyond help
  std::string text;
  for (const char c : path)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return path.find_first_of(" '\"\\$`*?[]()<>|&;!#~{}\t\n") == std::string::npos ? path : "'" + text + "'";
}

/** Floats keep seven digits: four of them should be left for the shape. */
Point centre_for(const Bounds &bounds) {
  const bool far = bounds.centroid.stableNorm() > 1000 * bounds.extent();
  return far ? bounds.centroid : Point(Point::Zero());
}

/** PCL's IterativeClosestPoint, 100 iterations, on points relative to centre. @return false if it did not converge. */
bool pcl_icp(const Cloud &source, const Cloud &target, const Point &centre, const Motion &guess, double max_distance,
             Motion &pose) {
  const Eigen::Translation3d to_centre(centre);
  const Motion start = to_centre.inverse() * guess * to_centre;
  pcl::IterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ, double> icp;
  icp.setInputSource(relative_to(source, centre));
  icp.setInputTarget(relative_to(target, centre));
  icp.setMaximumIterations(100);
  if (max_distance > 0)
    icp.setMaxCorrespondenceDistance(max_distance);
  Points moved_source;
  icp.align(moved_source, start.matrix());
  pose = to_centre * Motion(icp.getFinalTransformation()) * to_centre.inverse();
  return icp.hasConverged();
}

class Comparison {
public:
  Comparison(const Options &options, Pair &pair)
      : options_(options), pair_(pair), info_(pair.target_info()), centre_(centre_for(pair.target_bounds)) {
  }

  std::string run(const Outcome &done) {
    std::error_code fault;
    std::filesystem::create_directories(options_.compare, fault);
    if (fault)
      fail(options_.compare, 0, "cannot be made: " + fault.message());
    write_plain(pair_.source, source_colour, "source.pcd");
    write_plain(pair_.target, target_colour, "target.pcd");
    for (std::int32_t method = 0; fricp_method_name(method) != nullptr; ++method)
      finish(method == done.method ? entry_of(done.result, method) : run_method(method));
    finish(run_reference());
    return table();
  }

private:
  std::string path_of(const std::string &file) const {
    return inside(options_.compare, file);
  }

  void write_plain(const Cloud &cloud, const Colour &colour, const char *file) const {
    Picture picture(centre_);
    for_each_finite(cloud, [&](const Point &point) { picture.add(point, colour); });
    picture.write(path_of(file));
  }

  static Entry entry_of(const fricp_result &result, std::int32_t method) {
    Entry entry;
    entry.name = fricp_method_name(method);
    entry.pose = to_motion(result.target_from_source);
    entry.converged = result.converged != 0;
    entry.seconds = result.seconds_solve;
    return entry;
  }

  Entry run_method(std::int32_t method) {
    fricp_options options = options_.solver;
    options.method = method; // as it is: without parts that were asked for
    options.metric = options.kernel = options.acceleration = 0;
    options.kernel_shape = 0;
    try {
      return entry_of(pair_.align(options), method);
    } catch (const Error &fault) {
      Entry entry;
      entry.name = fricp_method_name(method);
      entry.failure = fault.what();
      return entry;
    }
  }

  Entry run_reference() const {
    Entry entry;
    entry.name = "pcl-icp";
    const Clock clock;
    entry.converged = pcl_icp(pair_.source, pair_.target, pair_.target_bounds.centroid, pair_.start(options_.solver),
                              options_.solver.max_distance, entry.pose);
    entry.seconds = clock.seconds();
    entry.failure = entry.converged ? "" : "PCL's ICP found too few correspondences";
    return entry;
  }

  double distance_to_target(const Point &point) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::int32_t index = 0;
    double squared = 0;
    const int found = fricp_target_nearest(pair_.prepared.get(), point.data(), 1, infinity, &index, &squared);
    return found == 1 ? std::sqrt(squared) : infinity;
  }

  void finish(Entry entry) {
    if (entry.failure.empty()) {
      Picture picture(centre_);
      std::vector<double> distances;
      for_each_finite(pair_.source, [&](const Point &point) {
        const Point place = entry.pose * point;
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

  std::string table() const {
    std::string text = "\nmethod            converged  within spacing  median distance  seconds\n";
    std::string viewer = view_line("source.pcd");
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
    if (centre_ != Point::Zero())
      text += "The files are relative to (" + shortest(centre_[0]) + ", " + shortest(centre_[1]) + ", " +
              shortest(centre_[2]) + ").\n";
    return text + viewer;
  }

  std::string view_line(const std::string &file) const {
    return "pcl_viewer " + for_shell(path_of("target.pcd")) + " " + for_shell(path_of(file)) + "\n";
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
  for (std::int32_t method = 0; fricp_method_name(method) != nullptr; ++method)
    files.push_back(inside(directory, std::string(fricp_method_name(method)) + ".pcd"));
  return files;
}

std::string compare(const Options &options, Pair &pair, const Outcome &done) {
  return Comparison(options, pair).run(done);
}

} // namespace fricp::tool
