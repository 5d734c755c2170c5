// SPDX-License-Identifier: BSD-3-Clause
/*
 * The shared failure reports on files: empty ones, fields, dialects, decimal commas. As test_reports.
 */
#include "reports.hpp"
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fricp::test {

namespace {

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
      refusal_of({"-m", method, in("B03", pair[0]), in("B03", pair[1])}, pair[2]);
    }
  }
  const fricp_pose truth = truth_of("B03");
  for (const char *const method : both_methods) {
    const Answer answer = answer_of({"-m", method, in("B03", "good_source.pcd"), in("B03", "good_target.pcd")});
    expect_pose(answer.pose, truth, 0.01, 1e-4);
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
  refusal_of({in("B23", "i_no_z.pcd"), in("B23", "reference.pcd")}, "i_no_z.pcd: no field z");
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
  refusal_of({in("B25", "x1_last_row_short.ply"), in("B25", "reference.pcd")}, "x1_last_row_short.ply:31: ");
  refusal_of({in("B25", "x2_no_z.ply"), in("B25", "reference.pcd")}, "x2_no_z.ply: no property z");
  refusal_of({in("B25", "x3_negative_list.ply"), in("B25", "reference.pcd")}, "x3_negative_list.ply:9: ");
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

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_reports("report files", {b03_clouds_with_nothing_in_them, b21_fields_survive, b23_pcd_dialects,
                                      b25_ply_dialects, b27_decimal_comma});
}
