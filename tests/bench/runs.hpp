// SPDX-License-Identifier: BSD-3-Clause
// One registration of a pair whose truth is known, as pairs, scenes and ablation count it.
#ifndef FRICP_BENCH_RUNS_HPP
#define FRICP_BENCH_RUNS_HPP

#include <string>
#include <vector>

#include "bench.hpp"
#include "scene.h"

namespace bench {

struct Settings {
  int threads = 1;
  int search = FRICP_SEARCH_DEFAULT;
  bool full = false;
  const double *sensor = nullptr; // where each cloud was seen from, in its own frame; null: not told
};

/// A plain value: it passes from a process to its parent.
struct Run {
  char status[160];
  Error error;
  fricp_result result;
  double diameter;
  double prepare, normals, solve; // seconds
  double total() const {
    return prepare + normals + solve;
  }
};

/// From the pair's start, target and all. A failure is told in the status, and the error is then NaN.
Run run_pair(const Pair &pair, const std::string &method, const Settings &settings);

/// --method, or all of the library's; refuses unknown ones.
std::vector<std::string> fricp_methods(const Arguments &a);

/// --jobs, 1 to 1000.
int job_count(const Arguments &a);

/// A generated scene from the identity; `clean_target`: only the source keeps its outliers.
Pair scene_pair(const scene_spec &spec, const std::string &name, bool clean_target);

/// Generated trial `number` of ../support/trial.h.
Pair trial_pair(int number);

/// Poses with all their bits, a line a run: pair, method, status, then R and t by rows, in C's hexadecimal notation.
class PoseFile {
public:
  PoseFile();
  void add(const std::string &pair, const std::string &method, const Run &run);
  /// Nothing without --poses.
  void write(const Arguments &a) const;

private:
  Table table_;
};

} // namespace bench

#endif
