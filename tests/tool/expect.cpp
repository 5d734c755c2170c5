// SPDX-License-Identifier: BSD-3-Clause
#include "expect.hpp"

#include <check.h> // last: its macros have common names

namespace fricp::test {

void expect_failure(const Run &run, int status, const std::string &message) {
  ck_assert_msg(run.status == status, "status %d instead of %d: %s", run.status, status, run.err.c_str());
  ck_assert_msg(contains(run.err, message), "no \"%s\" in: %s", message.c_str(), run.err.c_str());
}

void expect_points(const std::string &bytes, const Points &points, const std::string &name) {
  const Scratch scratch;
  write_file(scratch / name, bytes);
  write_file(scratch / "reference.xyz", rows(points));
  const Words ways[] = {{scratch / name, scratch / "reference.xyz"}, {scratch / "reference.xyz", scratch / name}};
  for (const Words &way : ways) {
    Report report = report_of({"--inlier-distance", "1e-12", way[0], way[1]});
    expect_text(report["inliers"], std::to_string(points.size()));
    expect_text(report["points_source"], std::to_string(points.size()));
    expect_text(report["points_target"], std::to_string(points.size()));
    expect_text(report["skipped_source"], "0");
  }
}

void expect_refusal(const std::string &bytes, const std::string &fault, const std::string &name) {
  const Scratch scratch;
  const Scratch outputs;
  write_file(scratch / name, bytes);
  write_file(scratch / "good.xyz", rows(surface()));
  const Run run = run_tool({"-o", outputs / "o.pcd", "-t", outputs / "t.txt", "-r", outputs / "r.json", scratch / name,
                            scratch / "good.xyz"});
  ck_assert_msg(run.status == 1, "%s: status %d: %s", fault.c_str(), run.status, run.err.c_str());
  ck_assert_msg(run.err.find(scratch / name) != std::string::npos, "no file name in: %s", run.err.c_str());
  ck_assert_msg(run.err.find(fault) != std::string::npos, "no \"%s\" in: %s", fault.c_str(), run.err.c_str());
  ck_assert_msg(run.err.find('\n') == run.err.size() - 1, "more than one line: %s", run.err.c_str());
  ck_assert_uint_eq(outputs.names().size(), 0);
}

} // namespace fricp::test
