// SPDX-License-Identifier: BSD-3-Clause
/*
 * The shared failure reports, through the tool, with the tolerances that each report's expect.txt states. Angles in
 * degrees, lengths in the unit of the report.
 */
#include "child.hpp"
#include "clouds.hpp"

#include "text.h"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include <check.h> // last: its macros have common names

namespace fricp::test {

namespace {

const char *const both_methods[] = {"robust-icp", "robust-icp-plane"};

std::string folder;

std::string in(const std::string &report, const std::string &file) {
  return folder + "/" + report + "/" + file;
}

fricp_pose truth_of(const std::string &report, const char *file = "truth.txt") {
  fricp_pose pose = {};
  const char *const problem = text_read_pose(in(report, file).c_str(), &pose);
  ck_assert_msg(problem == nullptr, "%s: %s", file, problem);
  return pose;
}

fricp_pose identity() {
  return pose_from({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
}

/** The rows of a text cloud as numbers. */
std::vector<std::vector<double>> table_of(const std::string &path) {
  const std::string bytes = read_file(path);
  std::size_t begin = 0;
  for (const std::string end : {"DATA ascii\n", "end_header\n"}) {
    const std::size_t at = bytes.find(end);
    begin = at == std::string::npos ? begin : at + end.size();
  }
  std::istringstream lines(bytes.substr(begin));
  std::vector<std::vector<double>> table;
  for (std::string line; std::getline(lines, line);) {
    table.emplace_back();
    const char *at = line.c_str();
    for (char *end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) {
        break;
      }
      table.back().push_back(number);
    }
  }
  return table;
}

Points points_of(const std::string &path) {
  Points points;
  for (const std::vector<double> &row : table_of(path)) {
    ck_assert_uint_ge(row.size(), 3);
    points.push_back({row[0], row[1], row[2]});
  }
  return points;
}

/** The 32-bit words behind the header of a binary PCD that the tool wrote; the header too. */
std::vector<std::uint32_t> words_of(const std::string &path, std::string *header) {
  const std::string bytes = read_file(path);
  const std::string end = "DATA binary\n";
  const std::size_t at = bytes.find(end);
  ck_assert_uint_ne(at, std::string::npos);
  *header = bytes.substr(0, at);
  std::vector<std::uint32_t> words((bytes.size() - at - end.size()) / 4);
  std::memcpy(words.data(), bytes.data() + at + end.size(), 4 * words.size());
  return words;
}

float as_float(std::uint32_t word) {
  float number = 0;
  std::memcpy(&number, &word, sizeof number);
  return number;
}

using Report = std::map<std::string, std::string>;

double number_in(const Report &report, const char *key) {
  ck_assert_msg(report.count(key) == 1, "no key %s", key);
  return std::strtod(report.at(key).c_str(), nullptr);
}

struct Answer {
  fricp_pose pose = {};
  Report report;
};

/** Registers and checks what every report asks of a matrix. */
Answer answer_of(Words words, const Environment &environment = {}) {
  const Scratch scratch;
  const std::string label = words[words.size() - 2];
  words.insert(words.begin(), {"-q", "-t", "-", "-r", scratch / "r.json"});
  const Run run = run_tool(words, environment);
  ck_assert_msg(run.status == 0, "%s: status %d: %s", label.c_str(), run.status, run.err.c_str());
  Answer answer;
  ck_assert(to_pose(run.out, &answer.pose));
  ck_assert(parse_json(read_file(scratch / "r.json"), &answer.report));
  ck_assert_msg(verify_finite(&answer.pose) && verify_orthonormality(&answer.pose) <= 1e-6, "%s: not a rigid motion",
                label.c_str());
  return answer;
}

void expect_pose(const fricp_pose &pose, const fricp_pose &truth, double angle, double shift, const Point &at = {}) {
  ck_assert_double_le(verify_angle_degrees(&pose, &truth), angle);
  ck_assert_double_le(verify_error_at(&pose, &truth, at.data()), shift);
}

/** An error that names the file, and no file written. */
std::string expect_failure(Words words, const std::string &culprit) {
  const Scratch outputs;
  words.insert(words.begin(), {"-o", outputs / "o.pcd", "-t", outputs / "t.txt", "-r", outputs / "r.json"});
  const Run run = run_tool(words);
  ck_assert_msg(run.status == 1, "%s: status %d: %s", culprit.c_str(), run.status, run.err.c_str());
  ck_assert_msg(run.err.find(culprit) != std::string::npos, "no %s in: %s", culprit.c_str(), run.err.c_str());
  ck_assert_uint_eq(outputs.names().size(), 0);
  return run.err;
}

/* ---- The reports ------------------------------------------------------------------------------------------------ */

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

START_TEST(b03_clouds_with_nothing_in_them) {
  const char *const pairs[][3] = {
      // source, target, which is at fault
      {"empty.pcd", "good_target.pcd", "empty.pcd"},     {"empty.ply", "good_target.pcd", "empty.ply"},
      {"zero_bytes.xyz", "good_target.pcd", "zero"},     {"good_source.pcd", "empty.pcd", "empty.pcd"},
      {"all_nan.pcd", "good_target.pcd", "all_nan.pcd"}, {"good_source.pcd", "all_nan.pcd", "all_nan.pcd"},
      {"one.pcd", "good_target.pcd", "one.pcd"},         {"two.pcd", "good_target.pcd", "two.pcd"},
      {"good_source.pcd", "one.pcd", "one.pcd"}};
  for (const auto &pair : pairs) {
    for (const char *const method : both_methods) {
      expect_failure({"-m", method, in("B03", pair[0]), in("B03", pair[1])}, pair[2]);
    }
  }
  const fricp_pose truth = truth_of("B03");
  for (const char *const method : both_methods) {
    const Answer answer = answer_of({"-m", method, in("B03", "good_source.pcd"), in("B03", "good_target.pcd")});
    expect_pose(answer.pose, truth, 0.01, 1e-4);
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
  expect_failure({"-m", "robust-icp-plane", in("B09", "source.pcd"), in("B09", "target.pcd")}, "line");
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
      expect_failure(words, "no correspondences");
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

START_TEST(b21_fields_survive) {
  const Scratch scratch;
  const fricp_pose truth = truth_of("B21");
  const Answer answer = answer_of({"-o", scratch / "out.pcd", in("B21", "source.pcd"), in("B21", "target.pcd")});
  expect_pose(answer.pose, truth, 0.02, 5e-4);
  std::string header;
  std::vector<std::uint32_t> words = words_of(scratch / "out.pcd", &header);
  ck_assert_ptr_nonnull(std::strstr(header.c_str(), "FIELDS x y z rgb intensity label\nSIZE 4 4 4 4 4 4\n"
                                                    "TYPE F F F U F U\nCOUNT 1 1 1 1 1 1\nWIDTH 20\nHEIGHT 10\n"));
  const auto expected = table_of(in("B21", "expect_out.pcd"));
  ck_assert_uint_eq(expected.size(), 200);
  ck_assert_uint_eq(words.size(), 6 * 200);
  for (std::size_t k = 0; k < 200; ++k) {
    const std::uint32_t *const row = &words[6 * k];
    for (std::size_t c = 0; c < 3; ++c) {
      ck_assert_double_le(std::fabs(static_cast<double>(as_float(row[c])) - expected[k][c]), 1e-3);
    }
    ck_assert_double_eq(static_cast<double>(row[3]), expected[k][3]);
    ck_assert_double_eq(static_cast<double>(as_float(row[4])), expected[k][4]);
    ck_assert_double_eq(static_cast<double>(row[5]), expected[k][5]);
  }
  // The same colours as tiny floats.
  answer_of({"-o", scratch / "float.pcd", in("B21", "source_rgbfloat.pcd"), in("B21", "target.pcd")});
  words = words_of(scratch / "float.pcd", &header);
  ck_assert_uint_eq(words.size(), 4 * 200);
  for (std::size_t k = 0; k < 200; ++k) {
    ck_assert_double_eq(static_cast<double>(words[4 * k + 3]), expected[k][3]);
  }
}
END_TEST

/** Registers to the reference; the rows say that all 24 points were used. @return the inliers within 1e-6. */
void expect_dialect(const std::string &report, const std::string &file) {
  const Answer answer = answer_of({"--inlier-distance", "1e-6", in(report, file), in(report, "reference.pcd")});
  const fricp_pose truth = identity();
  ck_assert_double_le(verify_max_difference(&answer.pose, &truth), 1e-5);
  ck_assert_msg(number_in(answer.report, "points_source") == 24 && number_in(answer.report, "inliers") == 24,
                "%s: %s points, %s of them right", file.c_str(), answer.report.at("points_source").c_str(),
                answer.report.at("inliers").c_str());
  const Answer turned = answer_of({"--inlier-distance", "1e-6", in(report, "reference.xyz"), in(report, file)});
  ck_assert_double_eq(number_in(turned.report, "inliers"), 24);
  ck_assert_double_eq(number_in(turned.report, "points_target"), 24);
}

START_TEST(b23_pcd_dialects) {
  for (const char *const file :
       {"a_crlf.pcd", "b_order.pcd", "c_padding_binary.pcd", "d_double_binary.pcd", "e_lower_type.pcd",
        "f_comments_tabs_blank.pcd", "g_no_count_no_viewpoint.pcd", "h_zero_count.pcd"}) {
    expect_dialect("B23", file);
  }
  const Scratch scratch;
  answer_of({"-o", scratch / "f.pcd", in("B23", "f_comments_tabs_blank.pcd"), in("B23", "reference.pcd")});
  ck_assert_ptr_nonnull(std::strstr(read_file(scratch / "f.pcd").c_str(), "WIDTH 6\nHEIGHT 4\n"));
  expect_failure({in("B23", "i_no_z.pcd"), in("B23", "reference.pcd")}, "i_no_z.pcd: no field z");
}
END_TEST

START_TEST(b25_ply_dialects) {
  for (const char *const file :
       {"a_comment_objinfo.ply", "b_double_normals.ply", "c_list_in_vertex.ply", "d_face_before_vertex.ply",
        "e_vertex_index_faces.ply", "f_camera_after.ply", "g_float32_names.ply", "h_crlf_blank_lines.ply",
        "i_free_layout.ply", "j_range_grid.ply"}) {
    expect_dialect("B25", file);
  }
  const Scratch scratch;
  for (const char *const file : {"b_double_normals.ply", "f_camera_after.ply"}) { // 24 unit normals
    const Run run = run_tool({"-v", "-m", "icp-plane", in("B25", "reference.pcd"), in("B25", file)});
    ck_assert_msg(run.err.find("normals of the target: 24 from the file") != std::string::npos, "%s", run.err.c_str());
  }
  expect_failure({in("B25", "x1_last_row_short.ply"), in("B25", "reference.pcd")}, "x1_last_row_short.ply:31: ");
  expect_failure({in("B25", "x2_no_z.ply"), in("B25", "reference.pcd")}, "x2_no_z.ply: no property z");
  expect_failure({in("B25", "x3_negative_list.ply"), in("B25", "reference.pcd")}, "x3_negative_list.ply:9: ");
}
END_TEST

START_TEST(b27_decimal_comma) {
  const Scratch scratch;
  const Environment german = german_locale(scratch.path());
  const fricp_pose truth = truth_of("B27");
  const char *const endings[] = {".pcd", ".ply", ".xyz"};
  for (const std::string ending : endings) {
    const std::string target = in("B27", ending == ".ply" ? "target.ply" : "target.pcd");
    const Words words = {"--init", in("B27", "guess.txt"),       "--nu-start-factor",
                         "2.5",    in("B27", "source" + ending), target};
    const Answer plain = answer_of(words);
    expect_pose(plain.pose, truth, 0.01, 1e-4);
    const Answer there = answer_of(words, german);
    ck_assert(verify_same_bits(&plain.pose, &there.pose));
    for (const Environment &environment : {Environment(), german}) {
      const Run run = run_tool({in("B27", "comma" + ending), target}, environment);
      ck_assert_int_eq(run.status, 1);
      ck_assert_msg(run.err.find("comma" + ending + ":") != std::string::npos &&
                        run.err.find("bad number \"0,") != std::string::npos,
                    "%s", run.err.c_str());
    }
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
    expect_failure({"-m", method, source, target}, "places");
    expect_failure({"-m", method, target, source}, "places");
    expect_failure({"-m", method, target, places}, "places");
    expect_failure({"-m", method, places, target}, "places");
  }
}
END_TEST

Suite *reports_suite() {
  Suite *const suite = suite_create("reports");
  if (folder.empty()) {
    return suite;
  }
  TCase *const all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, b01_organised_with_nan);
  tcase_add_test(all, b03_clouds_with_nothing_in_them);
  tcase_add_test(all, b05_median_distance_of_zero);
  tcase_add_test(all, b07_two_dimensions);
  tcase_add_test(all, b09_points_on_a_line);
  tcase_add_test(all, b11_map_coordinates);
  tcase_add_test(all, b13_units);
  tcase_add_test(all, b15_nothing_within_the_limit);
  tcase_add_test(all, b17_which_way_the_matrix_maps);
  tcase_add_test(all, b19_symmetric_optimum);
  tcase_add_test(all, b21_fields_survive);
  tcase_add_test(all, b23_pcd_dialects);
  tcase_add_test(all, b25_ply_dialects);
  tcase_add_test(all, b27_decimal_comma);
  tcase_add_test(all, b29_normals_of_any_sign_and_length);
  tcase_add_test(all, b31_pipe_with_noise);
  tcase_add_test(all, b33_floor_with_noise);
  tcase_add_test(all, b39_fewer_than_three_places);
  suite_add_tcase(suite, all);
  return suite;
}

} // namespace

} // namespace fricp::test

int main() {
  fricp::test::folder = fricp::test::reports_folder();
  SRunner *const runner = srunner_create(fricp::test::reports_suite());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
