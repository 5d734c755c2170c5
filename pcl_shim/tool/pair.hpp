// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file pair.hpp
 * The two clouds of a run, read, judged and prepared, and their registration by the core.
 */
#ifndef FRICP_TOOL_PAIR_HPP
#define FRICP_TOOL_PAIR_HPP

#include "cloud_io.hpp"
#include "options.hpp"
#include "points.hpp"

#include "fricp/fricp.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fricp::tool {

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/** Neighbours of a 2-D normal, the point included; 0: as many as the core takes. */
constexpr int flat_normal_neighbors = 0;

struct Seconds {
  double read = 0;
  double normals = 0;
  double prepare = 0;
};

class Pair {
public:
  /** Reads and prepares. Throws an Error. */
  explicit Pair(const Options &options);

  /** The time limit is one of preparing and solving together. Throws an Error with the core's text. */
  fricp_result align(const fricp_options &options);
  /** Of the last align(). */
  std::vector<fricp_level> levels() const;

  Cloud &source() {
    return source_;
  }
  const Cloud &target() const {
    return target_;
  }
  const fricp_target *prepared() const {
    return prepared_.get();
  }
  /** All zero if the time limit came before the target was prepared. */
  fricp_target_info target_info() const;
  /** Where align() begins: the guess, shifted if the centroids are to coincide. */
  fricp_pose start(const fricp_options &options) const;
  const Point &source_center() const {
    return source_center_;
  }
  int dimension() const {
    return dimension_;
  }
  const Seconds &seconds() const {
    return seconds_;
  }
  /** What a user who asks for more wants to know. */
  const std::vector<std::string> &notes() const {
    return notes_;
  }

private:
  struct DestroyTarget {
    void operator()(fricp_target *target) const {
      fricp_target_destroy(target);
    }
  };
  struct DestroySolver {
    void operator()(fricp_solver *solver) const {
      fricp_solver_destroy(solver);
    }
  };

  bool is_flat(const Bounds &source, const Bounds &target) const;
  void find_dimension(bool needs_normals);
  void find_normals(View &view, int threads);
  void prepare(const Options &options);

  Cloud source_;
  Cloud target_;
  fricp_pose guess_;
  Point source_center_ = {}; /**< centroid of the finite points */
  Point target_center_ = {};
  int dimension_ = 3;
  std::optional<View> source_view_;
  std::unique_ptr<fricp_target, DestroyTarget> prepared_; /**< null: the time limit came first */
  std::unique_ptr<fricp_solver, DestroySolver> solver_;
  Seconds seconds_;
  bool limited_ = false; /**< the time limit counts from the preparation on */
  std::vector<std::string> notes_;
};

} // namespace fricp::tool

#endif
