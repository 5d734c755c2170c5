// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands share: arguments, time, medians, tables, JSON lines, clouds.
#ifndef FRICP_BENCH_HPP
#define FRICP_BENCH_HPP

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fricp/fricp.h"

namespace bench {

// ---- Arguments ------------------------------------------------------------------------------------------------------

/// Ends the program with status 2 and this text.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "--name value" options (repeatable), "--name" flags, and the rest.
class Arguments {
public:
  Arguments(int argc, char **argv, const std::vector<std::string> &with_value, const std::vector<std::string> &flags);
  bool has(const std::string &name) const;
  std::string text(const std::string &name, const std::string &otherwise) const;
  double number(const std::string &name, double otherwise) const;
  int integer(const std::string &name, int otherwise) const;
  std::vector<std::string> all(const std::string &name) const;
  /// Comma-separated counts such as 10000,1e5.
  std::vector<size_t> counts(const std::string &name, const std::vector<size_t> &otherwise) const;
  const std::vector<std::string> &rest() const {
    return rest_;
  }

private:
  std::multimap<std::string, std::string> values_;
  std::vector<std::string> rest_;
};

// ---- Time -----------------------------------------------------------------------------------------------------------

/// From its construction on. Elapsed time; after use_cpu_time(), the process's own processor time, which on a machine
/// shared with others says more of work in one thread.
class Stopwatch {
public:
  Stopwatch();
  double seconds() const;

private:
  double start_;
};
void use_cpu_time(bool on);
bool uses_cpu_time();

/// The mean of the two middle values of an even number; NaN for none.
double median(std::vector<double> values);

/// Median over the runs i of a[i] / b[i]: both were run one after the other, so what disturbs the machine cancels.
double median_ratio(const std::vector<double> &a, const std::vector<double> &b);

// ---- Output ---------------------------------------------------------------------------------------------------------

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

/// Columns as wide as their longest cell; numbers to the right.
class Table {
public:
  explicit Table(std::vector<std::string> header);
  void row(std::vector<std::string> cells);
  void print() const;
  /// The same with tabs, to a file.
  void write(const std::string &path) const;
  std::string markdown() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

/// A whole file; throws if it cannot be written.
void write_text(const std::string &path, const std::string &text);

/// One JSON object on one line of standard output, after the next table.
class Json {
public:
  explicit Json(const std::string &bench);
  Json &add(const std::string &key, const std::string &text);
  Json &add(const std::string &key, const char *text);
  Json &add(const std::string &key, double number);
  Json &add(const std::string &key, bool value);
  void print() const;

private:
  Json &raw(const std::string &key, const std::string &json);
  std::string line_;
};

/// Print the JSON lines that wait.
void flush_json();

/// A JSON line with the machine and the versions of all that is measured.
void print_environment();

// ---- Clouds ---------------------------------------------------------------------------------------------------------

struct Cloud {
  std::vector<double> points;  // x y z each
  std::vector<double> normals; // the same, or empty
  int dimension = 3;
  size_t size() const {
    return points.size() / 3;
  }
  fricp_cloud view(bool with_normals) const;
};

/// Two clouds, a start, and what is known of the truth.
struct Pair {
  std::string name;
  Cloud source, target;
  fricp_pose start;
  std::vector<fricp_pose> truths; // equally good ones; may be empty
  double diameter = 0.0;          // by which errors are divided
  double pass_rmse = 0.0;         // 0: not judged
};

struct Error {
  double degrees, rmse; // against the nearer truth; NaN without one
  bool passed;
};
Error judge(const Pair &pair, const fricp_pose &pose);

/// The scene that all generated measurements use: 3/4 overlap, noise of 0.1 % of the diameter, 10 degrees and 2 % off.
Pair generated_pair(size_t points, unsigned seed = 1);

/// Two scans of a spinning lidar of 64 rings in the hall, so many points each, noise as above, 10 degrees and 2 % of the
/// diameter apart.
Pair lidar_pair(size_t points, unsigned seed = 1);

/// A folder with source.ply and target.ply; init.txt, and gt.txt, gt_refined.txt or truth.txt where present. Without
/// init.txt the start is the identity, or `centroid`.
Pair load_pair(const std::string &folder, bool centroid);

/// The pairs of a folder with an index.tsv whose names contain `only`.
struct Suite {
  struct Row {
    std::string name, kind;
    bool graded;
    int dimension;
  };
  std::string folder;
  std::vector<Row> rows;
};
Suite load_suite(const std::string &folder, const std::string &only);
Pair load_suite_pair(const Suite &suite, size_t row);

/// The translation that lays the source's centroid on the target's.
fricp_pose centroid_start(const Cloud &source, const Cloud &target);

/// Of the box around the finite points.
double bounding_diagonal(const std::vector<double> &points);

/// Point by point to another frame.
std::vector<double> moved(const fricp_pose &pose, const std::vector<double> &points);

// ---- The library, with exceptions
// ------------------------------------------------------------------------------------

int method_by_name(const std::string &name);
std::vector<std::string> all_methods();

/// Unit normals by fricp_estimate_normals.
std::vector<double> estimate_normals(const Cloud &cloud, int threads);

class Target {
public:
  Target(const Cloud &cloud, bool with_normals, fricp_target_options options);
  ~Target();
  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;
  const fricp_target *get() const {
    return target_;
  }

private:
  fricp_target *target_ = nullptr;
};

class Solver {
public:
  explicit Solver(const fricp_allocator *allocator = nullptr);
  ~Solver();
  Solver(const Solver &) = delete;
  Solver &operator=(const Solver &) = delete;
  fricp_solver *get() const {
    return solver_;
  }
  fricp_result align(const Target &target, const Cloud &source, const fricp_pose &start, const fricp_options &options);

private:
  fricp_solver *solver_ = nullptr;
};

fricp_target_options target_options(bool estimate, int threads);
fricp_options solve_options(const std::string &method, int threads);

// ---- Subcommands ----------------------------------------------------------------------------------------------------

int run_pairs(int argc, char **argv);
int run_scenes(int argc, char **argv);
int run_places(int argc, char **argv);
int run_evaluate(int argc, char **argv);
int run_synthetic(int argc, char **argv);
int run_picture(int argc, char **argv);
int run_ablation(int argc, char **argv);
int run_search(int argc, char **argv);
int run_register(int argc, char **argv);
int run_normals(int argc, char **argv);
int run_peak(int argc, char **argv); // one method on one pair, for register's memory column
int run_threads(int argc, char **argv);
int run_scaling(int argc, char **argv);
int run_memory(int argc, char **argv);

} // namespace bench

#endif
