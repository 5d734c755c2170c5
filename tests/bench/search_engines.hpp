// SPDX-License-Identifier: BSD-3-Clause
// One nearest-neighbour library behind one interface; each in a file of its own.
#ifndef FRICP_BENCH_SEARCH_ENGINES_HPP
#define FRICP_BENCH_SEARCH_ENGINES_HPP

#include <memory>
#include <string>
#include <vector>

#include "bench.hpp"

namespace bench {

class Engine {
public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;
  virtual std::string name() const = 0;
  /// Bring the points into the engine's own form, then build the index. @return seconds of the building alone.
  virtual double build(const Cloud &target) = 0;
  /// Bytes held by the index and, where it keeps one, its copy of the points.
  virtual double bytes() const = 0;
  /// Bring the queries into the engine's own form: not timed.
  virtual void take(const std::vector<double> &queries) = 0;
  /// One nearest neighbour of each query, in the order given, in one thread.
  virtual void search(std::vector<int32_t> &neighbour) = 0;
  /// True: works in float; its choice among neighbours that a float cannot tell apart is no fault.
  virtual bool single_precision() const = 0;
};

std::unique_ptr<Engine> make_fricp_engine(int search_type, const std::string &name);
std::unique_ptr<Engine> make_internal_engine(int search_type, int kept,
                                             const std::string &name); // null if built without
std::unique_ptr<Engine> make_flann_engine();
std::unique_ptr<Engine> make_nanoflann_engine(bool single_precision);

} // namespace bench

#endif
