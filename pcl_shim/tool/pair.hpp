// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file pair.hpp
 * The two clouds of a run, read, judged and prepared, and their registration by the core.
 */
#ifndef FRICP_TOOL_PAIR_HPP
#define FRICP_TOOL_PAIR_HPP

#include "clock.hpp"
#include "cloud_io.hpp"
#include "options.hpp"
#include "points.hpp"
#include "prior.hpp"

#include "fricp/fricp.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fricp::tool {

struct Seconds {
  double read = 0;
  double normals = 0;
  double prepare = 0;
};

/** What is told of is public; the rest is the registration's own. */
class Pair {
public:
  /**
   * Reads and prepares. Throws an Error.
   * @param before  of the same options but for the paths; if it has the same target, that is taken over, ready as it is,
   *                and before is of no use afterwards.
   */
  explicit Pair(const Options &options, Pair *before = nullptr);

  /** The time limit is one of preparing and solving together. Throws an Error with the core's text. */
  fricp_result align(const fricp_options &options);
  /** Of the last align(). */
  std::vector<fricp_level> levels() const;
  std::vector<fricp_candidate> candidates() const;
  std::vector<fricp_trace_row> trace() const;
  /** All zero if the time limit came before the target was prepared. */
  fricp_target_info target_info() const;
  /** Where align() begins: the guess, shifted if the centroids are to coincide. */
  Motion start(const fricp_options &options) const;

  Cloud source;
  Cloud target;
  std::optional<Prior> prior;
  /** Null: the time limit came first. */
  std::unique_ptr<fricp_target, void (*)(fricp_target *)> prepared = {nullptr, fricp_target_destroy};
  Bounds source_bounds;
  Bounds target_bounds;
  int dimension = 3;
  Seconds seconds;
  std::vector<std::string> notes; /**< what a user who asks for more wants to know */

private:
  bool is_flat() const;
  bool take_target(const Options &options, Pair &before);
  void find_dimension(bool needs_normals);
  void find_features(int threads);
  void find_normals(View &view, const Options &options, fricp_target_options &how);
  void prepare(const Options &options);
  void prepare_target(const Options &options, int normals);
  double time_left(const Options &options) const;
  std::array<double, 3> sensor_of(const Cloud &cloud) const;

  std::string prior_path_; /**< "": there is none */
  std::string guess_path_; /**< the same */
  std::string sensor_;     /**< as in the options; "": not known */
  std::array<double, 3> sensor_at_;
  Motion guess_ = Motion::Identity();
  std::optional<View> source_view_;
  std::unique_ptr<fricp_solver, void (*)(fricp_solver *)> solver_ = {nullptr, fricp_solver_destroy};
  bool limited_ = false; /**< the time limit counts from the preparation on */
};

} // namespace fricp::tool

#endif
