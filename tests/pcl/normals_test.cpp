// SPDX-License-Identifier: BSD-3-Clause
// The core's normals (C users) and PCL's (the shim and the tool) are the same up to their sign, wherever both are
// determined: on the 3-D scans of the shared cases where FRICP_SHARED is set, else on generated scenes.
//
// The reference is a third computation, in double by Eigen, from the same neighbours. With u = 2^-24, the rounding of a
// float, l1 <= l2 <= l3 the eigenvalues of the neighbours' covariance and g = l2 - l1:
//   the core rounds a normal found in double:        angle <= 2 u + 1e-14 l3 / g
//   PCL works in float: E bounds the covariance's error, from coordinates rounded about the cloud's middle
//   (2 d sqrt(l1 + l2 + l3), d = sqrt(3) u |p|) and from sums of n products m (3 x 3 of them, each (n + 5) u m, m the
//   mean squared distance to the first neighbour). It finds the smallest root of the characteristic polynomial
//   in closed form: some 16 roundings of terms up to l3^3, over the polynomial's slope there, g (l3 - l1).
//   A perturbed eigenvector turns by at most twice the error over the gap (Davis and Kahan).
// A normal whose bound is beyond 0.1 is not determined in float. Where points share a place, the core fits 30 places
// and PCL 30 points: they are other neighbours.
#include "cases.h"
#include "scene.h"

#include "fricp/pcl/normals.hpp"

#include <Eigen/Eigenvalues>

#include <check.h>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int K = fricp::detail::NORMAL_NEIGHBORS;
constexpr double U = 0x1p-24;
constexpr double DETERMINED = 0.1;

struct Counts {
  std::size_t points = 0, compared = 0, undetermined = 0, repeated = 0, tied = 0;
  std::size_t coreWrong = 0, pclWrong = 0, missing = 0;
  double coreShare = 0, pclShare = 0, widest = 0; // largest angle over its bound; largest angle where compared
};

struct Cloud {
  const double *points;
  std::size_t count;
  Eigen::Vector3d at(std::size_t i) const {
    return Eigen::Map<const Eigen::Vector3d>(points + 3 * i);
  }
};

struct Fit {
  Eigen::Vector3d normal;
  double gap, largest, error; // of PCL's covariance and root
};

Fit fitOf(const Cloud &cloud, const std::int32_t *neighbors, const Eigen::Vector3d &middle) {
  Eigen::Matrix<double, 3, K> p;
  for (int j = 0; j < K; j++)
    p.col(j) = cloud.at(static_cast<std::size_t>(neighbors[j]));
  const double m = (p.colwise() - p.col(0)).colwise().squaredNorm().mean();
  const double far = (p.colwise() - middle).colwise().norm().maxCoeff();
  const Eigen::Matrix<double, 3, K> q = p.colwise() - p.rowwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(q * q.transpose() / K);
  const Eigen::Vector3d l = solver.eigenvalues();
  const double gap = l[1] - l[0];
  const double d = std::sqrt(3.0) * U * far;
  const double sums = 3 * (K + 5) * U * m;
  return {solver.eigenvectors().col(0), gap, l[2],
          2 * d * std::sqrt(l.sum()) + 3 * d * d + sums + 16 * U * l[2] * l[2] * l[2] / (gap * (l[2] - l[0]))};
}

double angleBetween(const Eigen::Vector3d &a, const Eigen::Vector3d &b) {
  return std::atan2(a.cross(b).norm(), std::fabs(a.dot(b)));
}

void comparePoint(const Cloud &cloud, std::size_t i, const fricp_target &target, const Eigen::Vector3d &middle,
                  const double *core, const float *pcl, Counts &counts) {
  std::int32_t neighbors[K], more[K + 1];
  double d2[K], more_d2[K + 1];
  const double *const query = cloud.points + 3 * i;
  ck_assert_int_eq(fricp_target_nearest(&target, query, K, INFINITY, neighbors, d2), K);
  ck_assert_int_eq(fricp_target_nearest(&target, query, K + 1, INFINITY, more, more_d2), K + 1);
  counts.points++;
  for (int j = 1; j < K; j++)
    if (cloud.at(static_cast<std::size_t>(neighbors[j])) == cloud.at(static_cast<std::size_t>(neighbors[j - 1]))) {
      counts.repeated++;
      return;
    }
  counts.tied += more_d2[K - 1] == more_d2[K] ? 1 : 0; // both take the one that the core's search prefers
  const Fit fit = fitOf(cloud, neighbors, middle);
  const double bound = 2 * fit.error / fit.gap;
  if (!(bound < DETERMINED)) {
    counts.undetermined++;
    return;
  }
  const Eigen::Vector3d ours(core);
  const Eigen::Vector3d theirs = Eigen::Vector3f(pcl).cast<double>();
  if (!ours.allFinite() || ours.isZero(0) || !theirs.allFinite()) {
    counts.missing++;
    return;
  }
  counts.compared++;
  const double coreShare = angleBetween(ours, fit.normal) / (2 * U + 1e-14 * fit.largest / fit.gap);
  const double pclShare = angleBetween(theirs, fit.normal) / (bound + 2 * U);
  counts.coreShare = std::max(counts.coreShare, coreShare);
  counts.pclShare = std::max(counts.pclShare, pclShare);
  counts.widest = std::max(counts.widest, angleBetween(ours, theirs));
  counts.coreWrong += coreShare > 1 ? 1 : 0;
  counts.pclWrong += pclShare > 1 ? 1 : 0;
}

void compareClouds(const char *name, const Cloud &cloud) {
  const fricp_cloud view = scene_view(cloud.points, cloud.count, nullptr, 3);
  fricp_error error = {};
  std::vector<double> core(3 * cloud.count);
  ck_assert_msg(fricp_estimate_normals(&view, nullptr, nullptr, core.data(), &error) == FRICP_OK, "%s: %s", name,
                error.text);
  fricp_target *target = nullptr;
  ck_assert_msg(fricp_target_create(&target, &view, nullptr, &error) == FRICP_OK, "%s: %s", name, error.text);
  const auto coordinates = fricp::detail::Coordinates::of(view);
  pcl::Indices all;
  for (std::size_t i = 0; i < cloud.count; i++)
    if (cloud.at(i).allFinite())
      all.push_back(static_cast<pcl::index_t>(i));
  std::vector<float> pcl(3 * cloud.count, std::nanf(""));
  fricp::detail::Watch nobody;
  ck_assert(fricp::detail::estimateNormals(*target, coordinates, all, all, 0, nobody, pcl));
  const auto middle = fricp::detail::centroid(coordinates, all);
  Counts counts;
  for (const auto index : all) {
    const auto i = static_cast<std::size_t>(index);
    comparePoint(cloud, i, *target, Eigen::Vector3d(middle.data()), &core[3 * i], &pcl[3 * i], counts);
  }
  fricp_target_destroy(target);
  std::printf("%-40s %7zu points, %7zu compared (%zu with a tie for the last neighbour): at most %.2f and %.2f of the "
              "bounds, %.1e rad apart; %zu not determined in float, %zu with points at one place, %zu missing\n",
              name, counts.points, counts.compared, counts.tied, counts.coreShare, counts.pclShare, counts.widest,
              counts.undetermined, counts.repeated, counts.missing);
  ck_assert_uint_gt(counts.compared + counts.repeated, counts.points / 2);
  ck_assert_msg(counts.coreWrong == 0, "%s: %zu of the core's normals are off", name, counts.coreWrong);
  ck_assert_msg(counts.pclWrong == 0, "%s: %zu of PCL's normals are off", name, counts.pclWrong);
  ck_assert_msg(counts.missing == 0, "%s: %zu points have one normal only", name, counts.missing);
}

START_TEST(generated_scenes) {
  for (int kind = SCENE_BLOB; kind <= SCENE_LIDAR; kind++) {
    scene_spec spec = {};
    spec.kind = static_cast<scene_kind>(kind);
    spec.source_count = 5000;
    spec.seed = 3;
    spec.noise = 0.001;
    scene s;
    ck_assert_ptr_null(scene_make(&spec, &s));
    compareClouds(scene_kind_name(kind), {s.target, s.target_count});
    scene_free(&s);
  }
}
END_TEST

START_TEST(shared_scans) {
  const char *const shared = std::getenv("FRICP_SHARED");
  if (shared == nullptr || *shared == '\0') {
    std::puts("SKIPPED: FRICP_SHARED is not set");
    return;
  }
  const std::string folder = std::string(shared) + "/cases/pairs";
  case_row *rows = nullptr;
  std::size_t count = 0;
  const char *problem = cases_read_index(folder.c_str(), &rows, &count);
  ck_assert_msg(problem == nullptr, "%s", problem);
  for (std::size_t k = 0; k < count; k++) {
    case_pair pair;
    if (rows[k].dimension != 3)
      continue;
    problem = cases_load(folder.c_str(), &rows[k], &pair);
    ck_assert_msg(problem == nullptr, "%s", problem);
    compareClouds(rows[k].name, {pair.target.points, pair.target.count});
    cases_free(&pair);
  }
  std::free(rows);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("normals");
  TCase *tcase = tcase_create("agree");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, generated_scenes);
  tcase_add_test(tcase, shared_scans);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
