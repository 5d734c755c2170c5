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
  double seconds = 0.0;   // setting the clouds, building the trees, aligning
  fricp_pose pose{};
};

/// "pcl-icp", "pcl-icp-normals", "pcl-icp-symmetric", "pcl-gicp", "pcl-ndt"; empty without PCL.
std::vector<std::string> pcl_methods();

/// Clouds in PCL's form: not timed.
class PclPair {
public:
  explicit PclPair(const Pair &pair);
  ~PclPair();
  PclPair(const PclPair &) = delete;
  PclPair &operator=(const PclPair &) = delete;
  PclRun run(const std::string &method) const;

private:
  struct Clouds;
  Clouds *clouds_;
};

} // namespace bench

#endif
