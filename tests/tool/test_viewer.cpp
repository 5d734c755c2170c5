// SPDX-License-Identifier: BSD-3-Clause
/*
 * --compare: what it writes, and that pcl_viewer shows it, on a screen in memory.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "screen.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "suite.h"

namespace fricp::test {

namespace {

const char *const results[] = {"auto", "robust-icp", "robust-icp-plane", "fast-icp", "icp", "icp-plane", "pcl-icp"};

/** A pair of which the half overlaps, and its comparison. */
struct Comparison {
  explicit Comparison(double x = 0, double y = 0) {
    Points source;
    Points target;
    const fricp_pose truth = small_motion(6);
    const Points all = surface(3000);
    for (const Point &point : all) {
      (point[0] < 0.4 ? source : target).push_back(point);
      if (point[0] > -0.4 && point[0] < 0.4) {
        target.push_back(point);
      }
    }
    target = moved(target, truth);
    for (Points *const cloud : {&source, &target}) {
      for (Point &point : *cloud) {
        point[0] += x;
        point[1] += y;
      }
    }
    write_file(scratch / "source.xyz", rows(source));
    write_file(scratch / "target.xyz", rows(target));
    source_count = source.size();
    target_count = target.size();
    run = run_tool({"--compare", folder, scratch / "source.xyz", scratch / "target.xyz"});
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  }

  Scratch scratch;
  std::string folder = scratch / "a folder/of pictures";
  std::size_t source_count = 0;
  std::size_t target_count = 0;
  Run run;
};

/** x y z and a packed colour a point. */
struct Coloured {
  float x, y, z;
  std::uint32_t colour;
};

std::vector<Coloured> load(const std::string &path) {
  const std::string bytes = read_file(path);
  ck_assert_msg(bytes.find("FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\n") != std::string::npos, "%s", path.c_str());
  const std::string end = "DATA binary\n";
  const std::size_t at = bytes.find(end);
  ck_assert_uint_ne(at, std::string::npos);
  std::vector<Coloured> points((bytes.size() - at - end.size()) / sizeof(Coloured));
  std::memcpy(points.data(), bytes.data() + at + end.size(), points.size() * sizeof(Coloured));
  return points;
}

int red(std::uint32_t colour) {
  return static_cast<int>(colour >> 16U & 255U);
}

int blue(std::uint32_t colour) {
  return static_cast<int>(colour & 255U);
}

START_TEST(comparison_files) {
  const Comparison comparison;
  ck_assert_uint_eq(load(comparison.folder + "/source.pcd").size(), comparison.source_count);
  ck_assert_uint_eq(load(comparison.folder + "/target.pcd").size(), comparison.target_count);
  for (const std::string name : results) {
    const std::vector<Coloured> points = load(comparison.folder + "/" + name + ".pcd");
    ck_assert_uint_eq(points.size(), comparison.source_count);
    ck_assert_msg(comparison.run.out.find("\n" + name + " ") != std::string::npos, "no row for %s", name.c_str());
    const std::string line =
        "pcl_viewer '" + comparison.folder + "/target.pcd' '" + comparison.folder + "/" + name + ".pcd'\n";
    ck_assert_msg(comparison.run.out.find(line) != std::string::npos, "no line %s", line.c_str());
  }
  // The pair is free of noise: where it overlaps the robust pose is exact, so blue; where it does not, warmer.
  std::size_t exact = 0;
  std::size_t far = 0;
  for (const Coloured &point : load(comparison.folder + "/robust-icp.pcd")) {
    exact += blue(point.colour) == 200 && red(point.colour) == 40 ? 1U : 0U;
    far += red(point.colour) > 200 ? 1U : 0U;
  }
  ck_assert_uint_gt(exact, comparison.source_count / 3);
  ck_assert_uint_gt(far, comparison.source_count / 50);
}
END_TEST

/** Map coordinates do not fit into the floats that a viewer takes: the files are relative to the target. */
START_TEST(comparison_far_from_the_origin) {
  const Comparison comparison(539715, 4065760);
  ck_assert(comparison.run.out.find("relative to (") != std::string::npos);
  for (const Coloured &point : load(comparison.folder + "/target.pcd")) {
    ck_assert_float_lt(point.x * point.x + point.y * point.y, 16);
  }
}
END_TEST

/** What changes the chosen method is in its row, by name, and in no other. */
START_TEST(comparison_names_what_was_changed) {
  const Scratch scratch;
  write_file(scratch / "s.xyz", rows(surface(300)));
  write_file(scratch / "t.xyz", rows(moved(surface(300), small_motion(6))));
  const auto table_of = [&scratch](Words words) {
    words.insert(words.end(), {"-m", "robust-icp", "--compare", scratch / "out", scratch / "s.xyz", scratch / "t.xyz"});
    const Run run = run_tool(words);
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    return run.out;
  };
  const auto row_of = [](const std::string &table, const std::string &name) { // without its time
    const std::size_t at = table.find("\n" + name + "  ");
    ck_assert_msg(at != std::string::npos, "no row %s in %s", name.c_str(), table.c_str());
    std::string row = table.substr(at + 1 + name.size(), table.find('\n', at + 1) - at - 1 - name.size());
    row.erase(row.find_last_of(' '));
    return row.substr(row.find_first_not_of(' '));
  };
  const std::string plain = table_of({});
  const std::string changed = table_of({"--metric", "point-to-plane", "--kernel", "lp", "--fixed-width", "--history",
                                        "2", "--nu-end-factor", "3", "--max-normal-angle", "0.2"});
  row_of(changed, "robust-icp, point-to-plane, lp, fixed width, history 2, nu end factor 3, normal angle 0.2");
  for (const char *const name : {"auto", "robust-icp-plane", "icp", "icp-plane", "symmetric-icp", "sparse-icp"})
    expect_text(row_of(changed, name), row_of(plain, name));
}
END_TEST

START_TEST(viewer_shows_the_files) {
  for (const char *const program : {"Xvfb", "pcl_viewer"}) {
    if (run_program({"sh", "-c", std::string("command -v ") + program}).status != 0) {
      std::printf("SKIPPED: no %s here\n", program);
      return;
    }
  }
  const Comparison comparison;
  const Scratch screens;
  const Screen screen(screens.path());
  if (!screen.running()) {
    std::puts("SKIPPED: Xvfb does not start here");
    return;
  }
  ck_assert_uint_eq(screen.coloured_pixels(), 0);
  // One file at a time: the orange source, then a result coloured by distance on the grey target.
  const Words shows[] = {{comparison.folder + "/source.pcd"},
                         {comparison.folder + "/target.pcd", comparison.folder + "/robust-icp.pcd"},
                         {comparison.folder + "/target.pcd", comparison.folder + "/pcl-icp.pcd"}};
  for (const Words &files : shows) {
    Words words = {"pcl_viewer"};
    words.insert(words.end(), files.begin(), files.end());
    const int viewer = start_program(words, screen.environment());
    std::size_t coloured = 0;
    for (int k = 0; k < 600 && coloured < 300; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      coloured = screen.coloured_pixels();
    }
    stop_program(viewer);
    ck_assert_msg(coloured >= 300, "%s: the screen is blank", files.back().c_str());
    for (int k = 0; k < 100 && screen.coloured_pixels() > 0; ++k) { // its window goes
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ck_assert_uint_eq(screen.coloured_pixels(), 0);
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("viewer", {comparison_files, comparison_far_from_the_origin, comparison_names_what_was_changed,
                              viewer_shows_the_files});
}
