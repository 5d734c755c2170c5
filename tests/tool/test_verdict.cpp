// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where a registration may start, and what the tool says of how far to trust it.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "prng.h"
#include "verify.h"

#include "scene.h"

#include <cstdint>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

Points points_from(const double *coordinates, std::size_t count) {
  Points points;
  for (std::size_t k = 0; k < count; ++k) {
    points.push_back({coordinates[3 * k], coordinates[3 * k + 1], coordinates[3 * k + 2]});
  }
  return points;
}

/** Two noisy scans of one closed surface without symmetry, seven tenths of it in both. */
struct Turned {
  explicit Turned(double degrees, std::uint64_t seed = 3) {
    scene_spec spec = {};
    spec.kind = SCENE_BLOB;
    spec.source_count = 6000;
    spec.seed = seed;
    spec.overlap = 0.7;
    spec.noise = 0.001;
    spec.angle = degrees;
    spec.shift[0] = 0.05;
    spec.shift[1] = -0.1;
    scene made;
    ck_assert_ptr_null(scene_make(&spec, &made));
    write_file(source, rows(points_from(made.source, made.source_count)));
    write_file(target, rows(points_from(made.target, made.target_count)));
    truth = made.target_from_source;
    diameter = made.diameter;
    scene_free(&made);
  }

  /** A degree and a hundredth of the diameter: some spacings of the points, and far below any other rest. */
  void expect_right(const fricp_pose &pose) const {
    ck_assert_msg(verify_angle_degrees(&pose, &truth) < 1, "off by %g degrees", verify_angle_degrees(&pose, &truth));
    ck_assert_double_lt(verify_translation(&pose, &truth), 0.01 * diameter);
  }

  Scratch scratch;
  std::string source = scratch / "source.xyz";
  std::string target = scratch / "target.xyz";
  fricp_pose truth = {};
  double diameter = 0;
};

START_TEST(starts_all_around) {
  const Turned turned(120);
  const Run run = run_tool({"--strict", "--starts", "48", "-t", "-", turned.source, turned.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  fricp_pose pose = {};
  ck_assert(to_pose(run.out, &pose));
  turned.expect_right(pose);
  ck_assert(contains(run.err, "reliable: "));
}
END_TEST

/** A box seen from its middle and, of the target, a sheet in it besides, where the source's sensor looked on to the wall. */
START_TEST(space_seen_through) {
  Scratch scratch;
  const double origin[3] = {500, -20, 7};
  const double half[3] = {3, 2.5, 1.5};
  prng g = prng_seed(31, 0);
  for (int k = 0; k < 2; ++k) {
    Points points;
    for (int i = 0; i < 4000; ++i) {
      double p[3];
      prng_on_faces(&g, half, i % 3, p);
      if (k == 1 && i % 20 == 0) {
        p[0] = 1;
        p[1] /= 2.5;
        p[2] /= 1.5;
      }
      points.push_back({p[0] + origin[0], p[1] + origin[1], p[2] + origin[2]});
    }
    const std::string text = rows(points);
    write_file(scratch / (k == 0 ? "source.xyz" : "target.xyz"), text);
    write_file(scratch / (k == 0 ? "source.pcd" : "target.pcd"),
               "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 4000\nHEIGHT 1\nVIEWPOINT 500 "
               "-20 7 1 0 0 "
               "0\nPOINTS 4000\nDATA ascii\n" +
                   text);
  }
  const auto through = [&](Words words, const char *ending) {
    words.push_back(scratch / ("source" + std::string(ending)));
    words.push_back(scratch / ("target" + std::string(ending)));
    Report report = report_of(words);
    ck_assert_double_eq(number_in(report, "through_source"), 0);
    return number_in(report, "through_target");
  };
  const double share = through({"--sensor", "500,-20,7"}, ".xyz");
  ck_assert_double_gt(share, 0.01);
  ck_assert_double_eq(through({"--sensor=viewpoint"}, ".pcd"), share); // the same clouds
  ck_assert_double_eq(through({}, ".xyz"), 0);
  ck_assert_double_eq(through({}, ".pcd"), 0);
  const Run run = run_tool({"--sensor", "500,-20,7", scratch / "source.xyz", scratch / "target.xyz"});
  ck_assert(contains(run.out, "seen through: "));
  for (const char *const value : {"", "1,2", "1,2,3,4", "1,,3", "a,b,c", "viewpoint,", "1 2 3"})
    expect_failure(run_tool({"--sensor", value, "a", "b"}), 2, "needs viewpoint or X,Y,Z");
  expect_failure(run_tool({"--sensor", "1,nan,3", scratch / "source.xyz", scratch / "target.xyz"}), 1, "source_sensor");
}
END_TEST

START_TEST(start_from_features) {
  const Turned turned(120);
  const Words words = {"--strict", "-i", "features", turned.source, turned.target};
  const fricp_pose pose = pose_of(words);
  turned.expect_right(pose);
  const fricp_pose again = pose_of(words);
  ck_assert(verify_same_bits(&pose, &again));
  const Run run = run_tool({"-v", "-i", "features", turned.source, turned.target});
  ck_assert(contains(run.err, "start from features: "));
}
END_TEST

/** Map coordinates, of which a float keeps no tenth. */
START_TEST(start_from_features_far_from_the_origin) {
  Turned turned(0);
  Points source = surface(3000);
  fricp_pose turn = small_motion(120);
  const Points target = moved(source, turn);
  Points away = target;
  for (Point &point : away) {
    point[0] += 539715.25;
    point[1] += 4065760.5;
  }
  write_file(turned.source, rows(source));
  write_file(turned.target, rows(away));
  turn.translation[0] += 539715.25;
  turn.translation[1] += 4065760.5;
  const fricp_pose pose = pose_of({"-i", "features", turned.source, turned.target});
  ck_assert_double_lt(verify_angle_degrees(&pose, &turn), 0.1);
}
END_TEST

START_TEST(features_that_say_nothing) {
  const Example example;
  const auto expect = [&](const std::string &source, const std::string &target, const char *fault) {
    write_file(example.source, source);
    write_file(example.target, target);
    const Run run = run_tool({"-i", "features", "-t", example.outputs / "t.txt", example.source, example.target});
    expect_failure(run, 1, fault);
    ck_assert_uint_eq(example.outputs.names().size(), 0);
  };
  expect(rows(surface(20)), rows(surface(400)), "too few points");
  Points line;
  for (int k = 0; k < 400; ++k) {
    line.push_back({k * 0.25, k * 0.5, k * 0.125 + (k == 7 ? 1 : 0)});
  }
  expect(rows(line), rows(surface(400)), "features: ");
  Points flat = surface(400);
  for (Point &point : flat) {
    point[2] = 0;
  }
  expect(rows(flat), rows(flat), "lies in one plane");
}
END_TEST

/** Two different surfaces: whatever comes out is wrong. The files are written all the same. */
START_TEST(doubt_is_said) {
  const Turned turned(20);
  const Turned other(20, 4);
  const Scratch outputs;
  const Words words = {"-r", outputs / "r.json", turned.source, other.target};
  const Run run = run_tool(words);
  ck_assert_int_eq(run.status, 0);
  Report report;
  ck_assert(parse_json(read_file(outputs / "r.json"), &report));
  const bool poor = report["verdict"] == "\"poor\"";
  ck_assert_msg(poor || report["verdict"] == "\"ambiguous\"", "%s", report["verdict"].c_str());
  ck_assert_msg(contains(run.out, poor ? "poor: do not trust it" : "ambiguous: another pose fits nearly as well"), "%s",
                run.out.c_str());
  ck_assert_msg(
      contains(run.err, poor ? "not reliable (poor): --starts 48 may" : "not reliable (ambiguous): --starts 48"), "%s",
      run.err.c_str());
  Words strict = words;
  strict.insert(strict.begin(), {"-q", "--strict", "-t", outputs / "t.txt"});
  const Run refused = run_tool(strict);
  ck_assert_int_eq(refused.status, 3);
  expect_text(refused.err, "");
  ck_assert(exists(outputs / "t.txt"));
}
END_TEST

/** A method that does not judge cannot be trusted by --strict, and is not warned of. */
START_TEST(others_do_not_judge) {
  const Example example;
  const Run run = run_tool({"-m", "robust-icp", example.source, example.target});
  ck_assert_int_eq(run.status, 0);
  expect_text(run.err, "");
  ck_assert(!contains(run.out, "reliable"));
  ck_assert_int_eq(run_tool({"--strict", "-m", "robust-icp", example.source, example.target}).status, 3);
  const Run few = run_tool({"--max-iterations", "2", example.source, example.target});
  ck_assert_msg(contains(few.out, "not judged: "), "%s", few.out.c_str());
}
END_TEST

/** A corridor does not say where along it one is: the start, and said so. */
START_TEST(partial_is_said) {
  scene_spec spec = {};
  spec.kind = SCENE_CORRIDOR;
  spec.source_count = 6000;
  spec.seed = 5;
  spec.noise = 0.0005;
  spec.angle = 2;
  scene made;
  ck_assert_ptr_null(scene_make(&spec, &made));
  const Scratch scratch;
  write_file(scratch / "source.xyz", rows(points_from(made.source, made.source_count)));
  write_file(scratch / "target.xyz", rows(points_from(made.target, made.target_count)));
  scene_free(&made);
  const Run run = run_tool({"--strict", scratch / "source.xyz", scratch / "target.xyz"});
  ck_assert_msg(run.status == 0, "%s%s", run.out.c_str(), run.err.c_str());
  ck_assert_msg(contains(run.out, "partial: the clouds agree, but directions are open"), "%s", run.out.c_str());
  ck_assert_msg(contains(run.err, "not determined by these clouds"), "%s", run.err.c_str());
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("verdict",
                   {starts_all_around, space_seen_through, start_from_features, start_from_features_far_from_the_origin,
                    features_that_say_nothing, doubt_is_said, others_do_not_judge, partial_is_said});
}
