// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file expect.hpp
 * What the tool makes of a file.
 */
#ifndef FRICP_TEST_EXPECT_HPP
#define FRICP_TEST_EXPECT_HPP

#include "child.hpp"
#include "clouds.hpp"

#include <string>

namespace fricp::test {

/** A source, the target it came from, and where it must go. */
struct Example {
  explicit Example(std::size_t count = 400) : truth(small_motion(3)) {
    const Points points = surface(count);
    write_file(source, rows(points));
    write_file(target, rows(moved(points, truth)));
  }

  Scratch scratch;
  Scratch outputs;
  std::string source = scratch / "source.xyz";
  std::string target = scratch / "target.xyz";
  fricp_pose truth;
};

/** The run ended with that status and said so. */
void expect_failure(const Run &run, int status, const std::string &message);

/** The tool registers the bytes to the points and the points to the bytes, and every point has its like: a cloud of
 *  exactly these points was read (the coordinates are exact in every type used here). */
void expect_points(const std::string &bytes, const Points &points, const std::string &name);

/** The tool refuses the bytes, names the file and the fault in one line, and writes nothing. */
void expect_refusal(const std::string &bytes, const std::string &fault, const std::string &name = "cloud.bin");

} // namespace fricp::test

#endif
