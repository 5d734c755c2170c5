// SPDX-License-Identifier: BSD-3-Clause
/*
 * --prior: from text and from a report, what it does to the pose, where it starts, and what is refused. Expected: the linear
 * theory of two measurements, the prior's own pose, the same bits by another way.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "prng.h"
#include "verify.h"

#include <Eigen/Geometry>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "suite.h"

namespace fricp::test {

namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/** Numbers in rows of so many, 17 digits. */
std::string in_rows(const std::vector<double> &numbers, std::size_t columns) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", numbers[k]);
    text += number + std::string((k + 1) % columns == 0 ? "\n" : " ");
  }
  return text;
}

std::string text_of(const fricp_pose &pose) {
  std::vector<double> numbers;
  for (int row = 0; row < 3; ++row) {
    numbers.insert(numbers.end(), pose.rotation[row], pose.rotation[row] + 3);
    numbers.push_back(pose.translation[row]);
  }
  return in_rows(numbers, 4) + "0 0 0 1\n";
}

std::string text_of(const Matrix6 &information) {
  return in_rows({information.data(), information.data() + 36}, 6); // symmetric
}

std::string text_of(const double (&point)[3]) {
  return in_rows({point, point + 3}, 3);
}

fricp_pose pose_in(const Report &report, const char *key) {
  const std::vector<double> numbers = numbers_of(report.at(key));
  fricp_pose pose = {};
  for (std::size_t k = 0; k < 12; ++k) {
    (k % 4 == 3 ? pose.translation[k / 4] : pose.rotation[k / 4][k % 4]) = numbers.at(k);
  }
  return pose;
}

Matrix6 information_in(const Report &report) {
  return Matrix6(numbers_of(report.at("information")).data());
}

/** The turn by x[0..2] about a point, then the shift x[3..5], on top of a pose. */
fricp_pose at_twist(const fricp_pose &from, const Vector6 &x, const double (&center)[3]) {
  fricp_pose turn = verify_pose(x.data(), x.head<3>().norm() * 180 / EIGEN_PI, nullptr);
  double moved[3];
  verify_apply(&turn, center, moved);
  for (int a = 0; a < 3; ++a) {
    turn.translation[a] = center[a] - moved[a] + x[3 + a];
  }
  return verify_multiply(&turn, &from);
}

/** Coupled, of the size of what the clouds say. */
Matrix6 information_beside(const Matrix6 &clouds, prng *g) {
  Matrix6 root = Matrix6::Identity();
  for (double &number : root.reshaped()) {
    number += 0.4 * prng_normal(g);
  }
  const Vector6 size = clouds.diagonal().cwiseSqrt();
  const Matrix6 information = size.asDiagonal() * (root * root.transpose()) * size.asDiagonal();
  return (information + information.transpose()) / 2;
}

/** A source that is the target's points with so little noise that each stays nearest to its own. */
struct Measured : Example {
  Measured() : Example(1200) {
    prng g = prng_seed(11, 3);
    Points points = surface(1200);
    for (Point &point : points) {
      for (double &number : point) {
        number += sigma * prng_normal(&g);
      }
    }
    write_file(source, rows(points));
    write_file(init, text_of(truth));
  }

  Report by(const std::string &method, const std::string &width, Words words = {}) const {
    words.insert(words.begin(), {"-m", method, "--nu-end-factor", width, "-i", init});
    words.insert(words.end(), {source, target});
    return report_of(words);
  }

  /** @return the factor of a last width of twenty deviations, so that all points weigh alike. */
  std::string width_for(const std::string &method) const {
    const double unit = number_in(by(method, "1"), "nu_end"); // 0: the kernel has no width
    return unit > 0 ? std::to_string(20 * sigma / unit) : "1";
  }

  static constexpr double sigma = 2e-4; // a hundredth of the spacing

  std::string init = scratch / "init.txt";
  std::string prior = scratch / "prior.txt";
};

/**
 * Of two measurements, N of the clouds at y = 0 and K of a prior at x, the answer is y = (N + K)^-1 K x. N is that of the
 * residuals at the answer.
 */
START_TEST(the_shift_is_that_of_theory) {
  const Measured example;
  for (const char *const method : {"icp", "fast-icp", "robust-icp", "robust-icp-plane", "auto"}) {
    prng g = prng_seed(5, 1);
    const std::string width = example.width_for(method);
    const Report without = example.by(method, width);
    const fricp_pose pose = pose_in(without, "pose");
    const std::vector<double> c = numbers_of(without.at("information_center"));
    const double center[3] = {c.at(0), c.at(1), c.at(2)};
    const Matrix6 clouds = information_in(without);
    const Matrix6 prior = information_beside(clouds, &g);
    Vector6 x; // of some two standard deviations
    for (int a = 0; a < 6; ++a) {
      x[a] = 2 * prng_normal(&g) / std::sqrt(clouds(a, a));
    }
    write_file(example.prior, text_of(at_twist(pose, x, center)) + text_of(center) + text_of(prior));
    const Report with = example.by(method, width, {"--prior", example.prior});
    expect_text(without.at("prior"), "false");
    expect_text(with.at("prior"), "true");
    const Vector6 expected = (information_in(with) + prior).ldlt().solve(prior * x);
    const fricp_pose shifted = pose_in(with, "pose");
    Vector6 found;
    verify_twist(&pose, &shifted, center, found.data());
    const Vector6 difference = found - expected;
    const double off = std::sqrt(difference.dot(clouds * difference) / expected.dot(clouds * expected));
    ck_assert_msg(off <= 0.01, "%s: %g of the shift off", method, off);
    ck_assert_double_ge(std::sqrt(expected.dot(clouds * expected)), 0.5); // of a standard deviation: there is a shift
  }
}
END_TEST

/** Next to certain it holds the pose, in 3-D and in 2-D, whatever the clouds say. */
START_TEST(all_information_holds_the_pose) {
  const Example example;
  const fricp_pose rest = small_motion(5); // 2 degrees off
  const std::string prior = example.scratch / "prior.txt";
  write_file(prior, text_of(rest) + text_of(Matrix6(1e18 * Matrix6::Identity())));
  for (const char *const method : {"auto", "robust-icp", "robust-icp-plane", "icp", "robust-symmetric-icp"}) {
    const fricp_pose pose = pose_of({"-m", method, "--prior", prior, example.source, example.target});
    ck_assert_msg(verify_max_difference(&pose, &rest) <= 1e-7, "%s: %g", method, verify_max_difference(&pose, &rest));
  }
  const double up[3] = {0, 0, 1};
  const double shift[3] = {0.05, -0.03, 0};
  const fricp_pose planar = verify_pose(up, 4, shift);
  std::string flat;
  for (const Point &point : surface(300)) {
    flat += in_rows({point[0], std::sin(3 * point[0]) + 0.3 * point[0] * point[0]}, 2);
  }
  write_file(example.scratch / "flat.xyz", flat);
  write_file(prior, text_of(planar) + text_of(Matrix6(1e18 * Matrix6::Identity())));
  const fricp_pose pose =
      pose_of({"-m", "robust-icp", "--prior", prior, example.scratch / "flat.xyz", example.scratch / "flat.xyz"});
  ck_assert_double_le(verify_max_difference(&pose, &planar), 1e-7);
}
END_TEST

/** A run's report is the prior that its numbers are; without a row of three it turns about the source's origin. */
START_TEST(a_report_is_its_numbers) {
  const Example example;
  const Words clouds = {example.source, example.target};
  const auto with = [&clouds](const std::string &prior) {
    Words words = {"-m", "robust-icp", "--prior", prior};
    words.insert(words.end(), clouds.begin(), clouds.end());
    return pose_of(words);
  };
  const std::string report = example.scratch / "report.json";
  const std::string text = example.scratch / "prior.txt";
  const Run run = run_tool({"-q", "-m", "icp", "-r", report, "--max-iterations", "2", example.source, example.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  Report found;
  ck_assert(parse_json(read_file(report), &found));
  const std::string pose = in_rows(numbers_of(found["pose"]), 4);
  const std::string information = in_rows(numbers_of(found["information"]), 6);
  write_file(text, "# as it was reported\n" + pose + "\n" + in_rows(numbers_of(found["information_center"]), 3) +
                       "# turns, shifts\n" + information);
  const fricp_pose by_report = with(report);
  const fricp_pose by_text = with(text);
  ck_assert(verify_same_bits(&by_report, &by_text));
  const fricp_pose other = pose_of({"-m", "robust-icp", example.source, example.target});
  ck_assert(!verify_same_bits(&by_report, &other));

  const fricp_pose rest = pose_in(found, "pose");
  write_file(text, pose + information);
  const fricp_pose about_sensor = with(text);
  write_file(text, pose + text_of(rest.translation) + information);
  const fricp_pose about_point = with(text);
  ck_assert(verify_same_bits(&about_sensor, &about_point));
  ck_assert(!verify_same_bits(&about_sensor, &by_text));
}
END_TEST

/** At the prior's pose, unless a start is asked for. */
START_TEST(where_it_starts) {
  const Example example;
  const std::string prior = example.scratch / "prior.txt";
  const fricp_pose rest = small_motion(5);
  const fricp_pose other = small_motion(1);
  write_file(prior, text_of(rest) + text_of(Matrix6(Matrix6::Identity())));
  write_file(example.scratch / "init.txt", text_of(other));
  const auto start = [&](Words words) {
    words.insert(words.end(), {"--prior", prior, example.source, example.target});
    return pose_in(report_of(words), "start");
  };
  const fricp_pose none = identity();
  const fricp_pose by_prior = start({});
  const fricp_pose by_name = start({"--init", "identity"});
  const fricp_pose by_file = start({"--init", example.scratch / "init.txt"});
  ck_assert(verify_same_bits(&by_prior, &rest));
  write_file(prior, "\xEF\xBB\xBF" + read_file(prior)); // the mark that some editors put before text
  const fricp_pose marked = start({});
  ck_assert(verify_same_bits(&marked, &rest));
  ck_assert(verify_same_bits(&by_name, &none));
  ck_assert(verify_same_bits(&by_file, &other));
}
END_TEST

START_TEST(what_is_no_prior_is_refused) {
  const Example example;
  const std::string path = example.scratch / "prior.txt";
  const std::string pose = "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  const std::string sound = text_of(Matrix6(Matrix6::Identity()));
  const std::string one = "1 0 0 0 0 0\n";
  struct Row {
    std::string text;
    const char *fault;
  };
  const Row cases[] = {
      {"", ": not a prior: four rows of four numbers"},
      {pose, ": not a prior"},
      {sound, ":1: not a prior"},
      {pose + "1 2\n" + sound, ":5: not a prior"},
      {pose + "1 2 3\n1 2 3\n" + sound, ":6: not a prior"},
      {pose + sound + one, ":11: not a prior"},
      {pose + "1 2 x\n" + sound, ":5: bad number \"x\""},
      {pose + replaced(sound, "1", "inf"), ":5: bad number \"inf\""},
      {pose + replaced(sound, "1", "-1"), ": its information is none: it must be finite and symmetric"},
      {pose + replaced(sound, "0", "0.5"), ": its information is none"},
      {replaced(pose, "1", "2") + sound, ": its 3x3 part is not a rotation"},
      {replaced(pose, "0 0 0 1", "0 0 1 1") + sound, ": not a rigid motion: the last row must be 0 0 0 1"},
      {"{}", ": is no report that fricp --report wrote: "},
      {R"({"pose": [1, 2], "information_center": [0, 0, 0]})",
       ": is no report that fricp --report wrote: a list of 16 numbers is needed"},
      {" {\"pose\": ", ": is no report that fricp --report wrote: "},
  };
  for (const Row &row : cases) {
    write_file(path, row.text);
    expect_failure(run_tool({"--prior", path, "-t", example.outputs / "t.txt", example.source, example.target}), 1,
                   path + row.fault);
    ck_assert_uint_eq(example.outputs.names().size(), 0);
  }
  expect_failure(run_tool({"--prior", example.scratch / "none", example.source, example.target}), 1,
                 "none: cannot be opened");
  expect_failure(run_tool({"--prior", path, "-t", path, example.source, example.target}), 2, path);
  expect_failure(run_tool({"--prior", path, "--sequence", example.scratch.path()}), 2, "--sequence excludes --prior");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("prior", {the_shift_is_that_of_theory, all_information_holds_the_pose, a_report_is_its_numbers,
                             where_it_starts, what_is_no_prior_is_refused});
}
