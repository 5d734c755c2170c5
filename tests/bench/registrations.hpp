// SPDX-License-Identifier: BSD-3-Clause
// One registration by any method, fricp's or PCL's, timed from arrays in memory.
#ifndef FRICP_BENCH_REGISTRATIONS_HPP
#define FRICP_BENCH_REGISTRATIONS_HPP

#include <memory>
#include <string>

#include "bench.hpp"
#include "pcl_methods.hpp"

namespace bench {

struct Outcome {
  bool available = false;
  bool converged = false;
  int iterations = -1;
  double seconds = 0.0; // preparing the target and aligning; normals as the contest has it
  fricp_pose pose{};
  std::string trouble; // of a failed run
};

/// A pair ready for every method: normals estimated where they are missing, PCL's clouds made.
class Contest {
public:
  /// @param count_normals  nobody is given any: who needs them estimates them, and the time counts.
  Contest(Pair pair, int threads, bool count_normals = false);
  Outcome run(const std::string &method) const;
  const Pair &pair() const {
    return pair_;
  }
  double normals_seconds() const {
    return normals_seconds_;
  }

private:
  Pair pair_;
  int threads_;
  bool count_normals_;
  double normals_seconds_ = 0.0;
  std::unique_ptr<PclPair> pcl_;
};

std::vector<std::string> contest_methods(const Arguments &a);

/// The pairs that --pair, --pairs, --only, --points and --lidar name, one at a time.
class Contestants {
public:
  explicit Contestants(const Arguments &a);
  size_t count() const {
    return loaders_.size();
  }
  /// Arguments that name pair i alone, for a process of its own.
  std::vector<std::string> arguments(size_t i) const;
  Pair load(size_t i) const;

private:
  struct Loader {
    std::string option, value; // --pair DIR, --points N, --lidar N, or --case NAME of --pairs DIR
  };
  std::vector<Loader> loaders_;
  Suite suite_;
  bool centroid_;
};

} // namespace bench

#endif
