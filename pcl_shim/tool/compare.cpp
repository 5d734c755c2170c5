// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "picture.hpp"
#include "text.hpp"

#include <pcl/point_types.h>
#include <pcl/registration/icp.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace fricp::tool {

namespace {

/** A method's result, and what tells it apart. */
struct Entry {
  std::string name;    /**< of the method, and of its picture */
  std::string way;     /**< the method, and what replaces its parts */
  std::string failure; /**< "" if there is a pose */
  Motion pose = Motion::Identity();
  bool converged = false;
  double seconds = 0;
  Nearness nearness;
};

std::string inside(const std::string &directory, const std::string &file) {
  return (std::filesystem::path(directory) / file).string();
}

std::string padded(const std::string &text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
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
      : options_(options), pair_(pair), scale_{pair.target_info().spacing}, centre_(centre_for(pair.target_bounds)) {
  }

  std::string run(const Outcome &done) {
    std::error_code fault;
    std::filesystem::create_directories(options_.compare, fault);
    if (fault)
      fail(options_.compare, 0, "cannot be made: " + fault.message());
    const Motion unmoved = Motion::Identity();
    plain_picture(pair_.source, unmoved, source_colour, centre_).write(path_of("source.pcd"));
    plain_picture(pair_.target, unmoved, target_colour, centre_).write(path_of("target.pcd"));
    for (std::int32_t method = 0; fricp_method_name(method) != nullptr; ++method)
      finish(method == done.options.method ? entry_of(done.result, done.options) : run_method(method));
    finish(run_reference());
    return table();
  }

private:
  std::string path_of(const std::string &file) const {
    return inside(options_.compare, file);
  }

  static Entry entry_of(const fricp_result &result, const fricp_options &options) {
    Entry entry;
    entry.name = fricp_method_name(options.method);
    entry.way = way_of(options);
    entry.pose = to_motion(result.target_from_source);
    entry.converged = result.converged != 0;
    entry.seconds = result.seconds_solve;
    return entry;
  }

  Entry run_method(std::int32_t method) {
    fricp_options options = options_.solver;
    options.method = method; // as it is: all that makes the chosen method another one is that one's alone
    options.metric = options.kernel = options.acceleration = 0;
    options.anderson_history = options.fixed_width = 0;
    options.kernel_shape = options.max_normal_angle = 0;
    options.nu_start_factor = options.nu_end_factor = 0;
    try {
      return entry_of(pair_.align(options), options);
    } catch (const Error &fault) {
      Entry entry;
      entry.name = entry.way = fricp_method_name(method);
      entry.failure = fault.what();
      return entry;
    }
  }

  Entry run_reference() const {
    Entry entry;
    entry.name = entry.way = "pcl-icp";
    const Clock clock;
    entry.converged = pcl_icp(pair_.source, pair_.target, middle_of(pair_.target), pair_.start(options_.solver),
                              options_.solver.max_distance, entry.pose);
    entry.seconds = clock.seconds();
    entry.failure = entry.converged ? "" : "PCL's ICP found too few correspondences";
    return entry;
  }

  void finish(Entry entry) {
    if (entry.failure.empty())
      distance_picture(pair_.source, entry.pose, pair_.prepared.get(), centre_, entry.nearness)
          .write(path_of(entry.name + ".pcd"));
    entries_.push_back(entry);
  }

  std::string table() const {
    std::size_t name_width = 0;
    for (const Entry &entry : entries_)
      name_width = std::max(name_width, entry.way.size() + 2);
    std::string text = "\n" + padded("method", name_width) + "converged  within spacing  median distance  seconds\n";
    std::string viewer = view_line("source.pcd");
    for (const Entry &entry : entries_) {
      if (!entry.failure.empty()) {
        text += padded(entry.way, name_width) + "failed: " + entry.failure + "\n";
        continue;
      }
      text += padded(entry.way, name_width) + padded(entry.converged ? "yes" : "no", 11) +
              padded(rounded(100 * entry.nearness.within, 3) + " %", 16) +
              padded(rounded(entry.nearness.median, 4), 17) + rounded(entry.seconds, 3) + "\n";
      viewer += view_line(entry.name + ".pcd");
    }
    text += "\nColours: distance to the target on a logarithmic scale, blue " + rounded(scale_.at(0), 3) + " to red " +
            rounded(scale_.at(1), 3) + "; grey: target; orange: source before.\n";
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
  DistanceScale scale_;
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
