// SPDX-License-Identifier: BSD-3-Clause
/*
 * The shared failure reports on poses, through the tool, with the tolerances that each report's expect.txt states.
 * Angles in degrees, lengths in the unit of the report.
 */
#include "reports.hpp"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fricp::test {

namespace {

START_TEST(b01_organised_with_nan) {
  const Scratch scratch;
  const Points source = points_of(in("B01", "source.pcd"));
  const fricp_pose truth = truth_of("B01");
  Points finite;
  for (const Point &point : source) {
    if (std::isfinite(point[0])) {
      finite.push_back(point);
    }
  }
  write_file(scratch / "finite.pcd", pcd(finite));
  for (const char *const method : both_methods) {
    const Answer answer =
        answer_of({"-m", method, "-o", scratch / "out.pcd", in("B01", "source.pcd"), in("B01", "target.pcd")});
    expect_pose(answer.pose, truth, 0.01, 1e-3, {0, 0, 2});
    expect_text(answer.report.at("converged"), "true");
    ck_assert_double_eq(number_in(answer.report, "points_source"), 1140);
    ck_assert_double_eq(number_in(answer.report, "skipped_source"), 60);
    ck_assert_double_le(std::pow(number_in(answer.report, "inlier_rms"), 2), 1e-6);
    std::string header;
    const std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
    ck_assert_ptr_nonnull(std::strstr(header.c_str(), "WIDTH 40\nHEIGHT 30\n"));
    ck_assert_uint_eq(words.size(), 3 * 1200);
    for (std::size_t k = 0; k < 1200; ++k) {
      Point expected = source[k];
      verify_apply(&truth, source[k].data(), expected.data());
      for (std::size_t c = 0; c < 3; ++c) {
        const auto found = static_cast<double>(as_float(words[3 * k + c]));
        ck_assert(std::isnan(source[k][0]) ? std::isnan(found) : std::fabs(found - expected[c]) <= 1e-3);
      }
    }
    const Answer without = answer_of({"-m", method, scratch / "finite.pcd", in("B01", "target.pcd")});
    ck_assert_double_le(verify_max_difference(&without.pose, &answer.pose), 1e-6);
  }
}
END_TEST

START_TEST(b05_median_distance_of_zero) {
  const Scratch scratch;
  const std::string target = in("B05", "same_target.pcd");
  for (const char *const method : both_methods) {
    const Answer same = answer_of({"-m", method, "-o", scratch / "out.pcd", in("B05", "same_source.pcd"), target});
    const fricp_pose truth = identity();
    ck_assert_double_le(verify_max_difference(&same.pose, &truth), 1e-6);
    expect_text(same.report.at("converged"), "true");
    ck_assert_double_le(number_in(same.report, "iterations"), 5);
    ck_assert_double_eq(number_in(same.report, "inlier_rms"), 0);
    ck_assert_double_eq(number_in(same.report, "inliers"), 600);
    std::string header;
    const std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
    const Points source = points_of(in("B05", "same_source.pcd"));
    ck_assert_uint_eq(words.size(), 6 * source.size());
    for (std::size_t k = 0; k < source.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        ck_assert_double_le(std::fabs(static_cast<double>(as_float(words[6 * k + c])) - source[k][c]), 1e-6);
      }
    }
    const Answer most = answer_of({"-m", method, in("B05", "most_equal_source.pcd"), target});
    expect_text(most.report.at("converged"), "true");
    expect_pose(most.pose, truth, 0.05, 2e-3);
  }
}
END_TEST

START_TEST(b07_two_dimensions) {
  const Scratch scratch;
  const fricp_pose truth = truth_of("B07");
  for (const char *const method : {"robust-icp", "fast-icp", "icp", "robust-icp-plane", "icp-plane"}) {
    const Answer answer =
        answer_of({"-m", method, "-o", scratch / "out.pcd", in("B07", "source.pcd"), in("B07", "target.pcd")});
    expect_pose(answer.pose, truth, 0.01, 2e-4);
    ck_assert_double_le(std::fabs(answer.pose.rotation[2][2] - 1), 1e-6);
    ck_assert_double_le(std::fabs(answer.pose.translation[2]), 1e-6);
    std::string header;
    const std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
    for (std::size_t k = 2; k < words.size(); k += 3) {
      ck_assert_double_le(std::fabs(static_cast<double>(as_float(words[k]))), 1e-6);
    }
  }
  // Normals across the plane leave x, y and yaw open: the guess, and said so; an error is right as well.
  const Run run = run_tool({"-q", "-m", "robust-icp-plane", "-t", scratch / "t.txt", "-r", scratch / "r.json",
                            in("B07", "source_n.pcd"), in("B07", "target_n.pcd")});
  if (run.status == 0) {
    fricp_pose pose = {};
    const fricp_pose guess = identity();
    ck_assert(to_pose(read_file(scratch / "t.txt"), &pose));
    ck_assert_double_le(verify_max_difference(&pose, &guess), 1e-6);
    Report report;
    ck_assert(parse_json(read_file(scratch / "r.json"), &report));
    ck_assert_double_ge(number_in(report, "undetermined"), 3);
  } else {
    ck_assert_int_eq(run.status, 1);
    ck_assert(!run.err.empty());
  }
}
END_TEST

START_TEST(b09_points_on_a_line) {
  const Points source = points_of(in("B09", "source.pcd"));
  const Points target = points_of(in("B09", "target.pcd"));
  for (const char *const method : {"robust-icp", "fast-icp", "icp"}) {
    const Answer answer = answer_of({"-m", method, in("B09", "source.pcd"), in("B09", "target.pcd")});
    double sum = 0;
    const Points result = moved(source, answer.pose);
    for (std::size_t k = 0; k < result.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum += std::pow(result[k][c] - target[k][c], 2);
      }
    }
    ck_assert_double_le(std::sqrt(sum / static_cast<double>(result.size())), 1e-3);
    const fricp_pose none = identity();
    ck_assert_double_le(verify_angle_degrees(&answer.pose, &none), 2.0); // no roll made up
    ck_assert_double_eq(number_in(answer.report, "undetermined"), 1);    // and said so
  }
  refusal_of({"-m", "robust-icp-plane", in("B09", "source.pcd"), in("B09", "target.pcd")}, "line");
}
END_TEST

START_TEST(b11_map_coordinates) {
  const Scratch scratch;
  const Point centre = {539715.25, 4065760.5, -1.375};
  const fricp_pose truth = truth_of("B11");
  const Points target = points_of(in("B11", "target.xyz"));
  const Points source = points_of(in("B11", "source.xyz"));
  for (const char *const method : both_methods) {
    for (const std::string ending : {".ply", ".xyz"}) {
      const Answer answer = answer_of(
          {"-m", method, "-o", scratch / "out.pcd", in("B11", "source" + ending), in("B11", "target" + ending)});
      ck_assert_double_le(verify_angle_degrees(&answer.pose, &truth), 0.002);
      Point moved_centre = {};
      verify_apply(&answer.pose, centre.data(), moved_centre.data());
      const Point expected = {centre[0] + 0.25, centre[1] - 0.10, centre[2] + 0.05};
      double sum = 0;
      const Points result = moved(source, answer.pose); // by the matrix as it was printed
      for (std::size_t c = 0; c < 3; ++c) {
        ck_assert_double_le(std::fabs(moved_centre[c] - expected[c]), 5e-4);
        for (std::size_t k = 0; k < result.size(); ++k) {
          sum += std::pow(result[k][c] - target[k][c], 2);
        }
      }
      ck_assert_double_le(std::sqrt(sum / static_cast<double>(result.size())), 1e-3);
      std::string header;
      const std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
      ck_assert_ptr_nonnull(std::strstr(header.c_str(), "SIZE 8 8 8\n"));
      ck_assert_uint_eq(words.size(), 6 * target.size());
      for (std::size_t k = 0; k < 3 * target.size(); ++k) {
        double coordinate = 0;
        std::memcpy(&coordinate, &words[2 * k], sizeof coordinate);
        ck_assert_double_le(std::fabs(coordinate - target[k / 3][k % 3]), 1e-3);
      }
    }
  }
}
END_TEST

START_TEST(b13_units) {
  const double factors[] = {1, 1000, 0.001};
  const char *const units[] = {"m", "mm", "km"};
  for (const char *const method : both_methods) {
    fricp_pose first = {};
    double iterations[3] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string unit = units[k];
      const Answer answer =
          answer_of({"-m", method, in("B13", "source_" + unit + ".pcd"), in("B13", "target_" + unit + ".pcd")});
      expect_text(answer.report.at("converged"), "true");
      const fricp_pose truth = truth_of("B13", ("truth_" + unit + ".txt").c_str());
      first = k == 0 ? answer.pose : first;
      ck_assert_double_le(verify_angle_degrees(&answer.pose, &truth), 0.01);
      ck_assert_double_le(verify_angle_degrees(&answer.pose, &first), 0.01);
      ck_assert_double_le(verify_translation(&answer.pose, &truth), 1e-3 * factors[k]); // the object is about 1 m
      iterations[k] = number_in(answer.report, "iterations");
    }
    const auto [least, most] = std::minmax_element(iterations, iterations + 3);
    ck_assert_double_le(*most, 1.2 * *least);
  }
}
END_TEST

START_TEST(b15_nothing_within_the_limit) {
  for (const char *const method : both_methods) {
    for (const Words &start : {Words{}, Words{"--init", in("B15", "guess.txt")}}) {
      Words words = {"-m", method, "--max-distance", "1.0"};
      words.insert(words.end(), start.begin(), start.end());
      words.insert(words.end(), {in("B15", "source.pcd"), in("B15", "target.pcd")});
      refusal_of(words, "no correspondences");
    }
  }
  for (const char *const limit : {"0", "-1", "nan"}) {
    const Run run = run_tool({"--max-distance", limit, in("B15", "source.pcd"), in("B15", "target.pcd")});
    ck_assert_int_eq(run.status, 2);
  }
}
END_TEST

START_TEST(b17_which_way_the_matrix_maps) {
  const Scratch scratch;
  const fricp_pose truth = pose_from({0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3});
  const Points source = points_of(in("B17", "source.pcd"));
  for (const char *const method : both_methods) {
    const Answer answer = answer_of({"-m", method, "--init", in("B17", "guess.txt"), "-o", scratch / "out.pcd",
                                     in("B17", "source.pcd"), in("B17", "target.pcd")});
    expect_pose(answer.pose, truth, 0.01, 1e-3);
    const Points action = moved({{0, 0, 0}, {1, 0, 0}}, answer.pose);
    const Point expected[] = {{1, 2, 3}, {1, 3, 3}};
    for (std::size_t k = 0; k < 6; ++k) {
      ck_assert_double_le(std::fabs(action[k / 3][k % 3] - expected[k / 3][k % 3]), 1e-3);
    }
    std::string header;
    const std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
    const std::size_t width = words.size() / source.size();
    const Points wanted = moved(source, truth);
    for (std::size_t k = 0; k < 3 * source.size(); ++k) {
      const auto found = static_cast<double>(as_float(words[width * (k / 3) + k % 3]));
      ck_assert_double_le(std::fabs(found - wanted[k / 3][k % 3]), 1e-3);
    }
  }
}
END_TEST

START_TEST(b19_symmetric_optimum) {
  for (const char *const method : {"robust-icp", "fast-icp", "icp"}) {
    const Answer answer =
        answer_of({"-m", method, "--inlier-distance", "1", in("B19", "source.pcd"), in("B19", "target.pcd")});
    expect_pose(answer.pose, identity(), 0.01, 1e-3);
    ck_assert_double_eq_tol(number_in(answer.report, "inlier_share"), 100.0 / 104, 1e-6);
    ck_assert_double_eq_tol(number_in(answer.report, "inlier_rms"), 0.1, 1e-5);
  }
}
END_TEST

START_TEST(b29_normals_of_any_sign_and_length) {
  const fricp_pose truth = truth_of("B29");
  for (const char *const method : {"robust-icp-plane", "icp-plane"}) {
    const Answer clean = answer_of({"-m", method, in("B29", "source.pcd"), in("B29", "target_clean.pcd")});
    for (const char *const target :
         {"target_clean.pcd", "target_flipped.pcd", "target_length.pcd", "target_both.pcd"}) {
      for (const char *const source : {"source.pcd", "source_flipped.pcd"}) {
        const Answer answer = answer_of({"-m", method, in("B29", source), in("B29", target)});
        ck_assert_double_le(verify_max_difference(&answer.pose, &clean.pose), 1e-4);
        expect_pose(answer.pose, truth, 0.01, 2e-4);
      }
    }
  }
}
END_TEST

// The pose stays within the report's bounds of the start along what cannot be seen, and what can be seen is right.
START_TEST(b31_pipe_with_noise) {
  for (const char *const method : {"robust-icp", "robust-icp-plane", "fast-icp", "icp", "icp-plane"}) {
    const Answer answer = answer_of({"-m", method, in("B31", "source.pcd"), in("B31", "target.pcd")});
    ck_assert_double_ge(number_in(answer.report, "undetermined"), 2);
    const auto &r = answer.pose.rotation;
    ck_assert_double_le(std::fabs(r[2][1] - r[1][2]) / 2, 0.7 * 3.14159265 / 180);
    double along = 0;
    double off = 0;
    const Points source = points_of(in("B31", "source.pcd"));
    const Points result = moved(source, answer.pose);
    for (std::size_t k = 0; k < result.size(); ++k) {
      along += (result[k][0] - source[k][0]) / static_cast<double>(result.size());
      off = std::fmax(off, std::fabs(std::hypot(result[k][1], result[k][2]) - 1.5));
    }
    ck_assert_double_le(std::fabs(along), 0.05);
    ck_assert_double_le(off, 0.06); // 0.02 and four times the noise of 0.003, with as much to spare
  }
}
END_TEST

START_TEST(b33_floor_with_noise) {
  for (const char *const method : {"robust-icp", "robust-icp-plane", "fast-icp", "icp", "icp-plane"}) {
    const Answer answer = answer_of({"-m", method, in("B33", "source.pcd"), in("B33", "target.pcd")});
    ck_assert_double_eq(number_in(answer.report, "undetermined"), 3);
    const auto &r = answer.pose.rotation;
    ck_assert_double_le(std::fabs(r[1][0] - r[0][1]) / 2, 0.7 * 3.14159265 / 180);
    const Points source = points_of(in("B33", "source.pcd"));
    const Points result = moved(source, answer.pose);
    double shift[3] = {0, 0, 0};
    for (std::size_t k = 0; k < result.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        shift[c] += (result[k][c] - (c < 2 ? source[k][c] : 0)) / static_cast<double>(result.size());
      }
    }
    ck_assert_double_le(std::fabs(shift[0]), 0.05);
    ck_assert_double_le(std::fabs(shift[1]), 0.05);
    ck_assert_double_le(std::fabs(shift[2]), 0.005); // the height of the floor is 0
  }
}
END_TEST

START_TEST(b39_fewer_than_three_places) {
  const std::string source = in("B39", "source.pcd");
  const std::string target = in("B39", "target.pcd");
  const std::string places = in("B39", "places.pcd");
  for (const char *const method : {"robust-icp", "fast-icp", "icp"}) {
    refusal_of({"-m", method, source, target}, "places");
    refusal_of({"-m", method, target, source}, "places");
    refusal_of({"-m", method, target, places}, "places");
    refusal_of({"-m", method, places, target}, "places");
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_reports("reports",
                     {b01_organised_with_nan, b05_median_distance_of_zero, b07_two_dimensions, b09_points_on_a_line,
                      b11_map_coordinates, b13_units, b15_nothing_within_the_limit, b17_which_way_the_matrix_maps,
                      b19_symmetric_optimum, b29_normals_of_any_sign_and_length, b31_pipe_with_noise,
                      b33_floor_with_noise, b39_fewer_than_three_places});
}
