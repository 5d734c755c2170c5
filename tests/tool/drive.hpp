// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file drive.hpp
 * Scans of a drive, for the tool's --sequence.
 */
#ifndef FRICP_TEST_DRIVE_HPP
#define FRICP_TEST_DRIVE_HPP

#include "child.hpp"
#include "clouds.hpp"
#include "ply.h"
#include "scene.h"
#include "verify.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "suite.h"

namespace fricp::test {

/** Scans of a drive through a hall, in a folder. */
class Drive {
public:
  Drive(std::size_t scans, double part) {
    sequence_spec spec = {};
    spec.scans = scans;
    spec.points = 3000;
    spec.noise = 0.01;
    spec.seed = 7;
    spec.loop_part = part;
    const char *const problem = sequence_make(&spec, &made_);
    ck_assert_msg(problem == nullptr, "%s", problem);
    for (std::size_t k = 0; k < scans; ++k) {
      const char *const fault =
          ply_write(file(k).c_str(), made_.scan[k], nullptr, made_.points, PLY_BINARY, FRICP_SCALAR_FLOAT);
      ck_assert_msg(fault == nullptr, "%s", fault);
    }
  }
  ~Drive() {
    sequence_free(&made_);
  }
  Drive(const Drive &) = delete;
  Drive &operator=(const Drive &) = delete;

  /** scan2 comes before scan10 only in natural order. */
  std::string file(std::size_t k) const {
    return scratch / ("scan" + std::to_string(k) + ".ply");
  }
  /** Rows of the scan's points about another origin. */
  std::string shifted(std::size_t k, const Point &origin) const {
    Points points(made_.points);
    for (std::size_t i = 0; i < 3 * made_.points; ++i)
      points[i / 3][i % 3] = made_.scan[k][i] + origin[i % 3];
    return rows(points);
  }
  fricp_pose truth(std::size_t k) const {
    const fricp_pose first = verify_inverse(&made_.world_from_scan[0]);
    return verify_multiply(&first, &made_.world_from_scan[k]);
  }
  Run run(Words words = {}) const {
    words.insert(words.begin(), {"--sequence", scratch.path()});
    return run_tool(words);
  }

  Scratch scratch;
  Scratch outputs;

private:
  sequence made_ = {};
};

/** The numbers of each line. */
inline std::vector<std::vector<double>> lines_of(const std::string &text) {
  std::vector<std::vector<double>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream numbers(line);
    lines.emplace_back();
    for (double number = 0; numbers >> number;) {
      lines.back().push_back(number);
    }
  }
  return lines;
}

inline fricp_pose pose_of_line(const std::vector<double> &line) {
  ck_assert_uint_eq(line.size(), 12);
  double matrix[12];
  std::copy(line.begin(), line.end(), matrix);
  return pose_from(matrix);
}

} // namespace fricp::test

#endif
