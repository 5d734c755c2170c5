// SPDX-License-Identifier: BSD-3-Clause
// PCL's registration classes behind an interface without PCL's types: one translation unit pays for its headers.
#ifndef FRICP_BENCH_PCL_METHODS_HPP
#define FRICP_BENCH_PCL_METHODS_HPP

#include <string>
#include <vector>

#include "bench.hpp"

namespace bench {

struct PclRun {
  bool available = false; // false: built without PCL, or no such method
  bool converged = false; // as PCL says
  int iterations = -1;    // -1: PCL does not tell
  double seconds = 0.0;   // setting the clouds, building the trees, aligning; normals where asked for
  fricp_pose pose{};
};

/// "pcl-icp", "pcl-icp-normals", "pcl-icp-symmetric", "pcl-gicp", "pcl-ndt"; empty without PCL.
std::vector<std::string> pcl_methods();

/// Normals by pcl::NormalEstimationOMP on 30 neighbours, 3 numbers a point, NaN where there is none: with PCL's own search,
/// or on the core's, indexing included. @return false without PCL.
bool pcl_normals(const Cloud &cloud, bool own_search, int threads, std::vector<double> &normals);

/// Clouds in PCL's form: not timed.
class PclPair {
public:
  explicit PclPair(const Pair &pair);
  ~PclPair();
  PclPair(const PclPair &) = delete;
  PclPair &operator=(const PclPair &) = delete;
  /// @param normal_threads  0: normals are given; else those that the method uses are estimated by so many threads, by
  ///                        pcl::NormalEstimationOMP as above with PCL's own search, and the time counts.
  PclRun run(const std::string &method, int normal_threads = 0) const;

private:
  struct Clouds;
  Clouds *clouds_;
};

} // namespace bench

#endif
