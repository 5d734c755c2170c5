// SPDX-License-Identifier: BSD-3-Clause
// What fricp::Registration offers beyond pcl::Registration, fricp::Search by itself, the factory.
#include "clouds.hpp"
#include "instances.hpp"
#include "ply.h"

#include <algorithm>
#include <check.h>
#include <cstdlib>
#include <random>

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

scene_spec partialScene() {
  scene_spec spec = {};
  spec.kind = SCENE_BLOB;
  spec.source_count = 2000;
  spec.seed = 2;
  spec.overlap = 0.8;
  spec.noise = 0.001;
  spec.outliers = 0.05;
  spec.angle = 8;
  return spec;
}

START_TEST(factory_lists_and_makes_every_method) {
  const std::vector<std::string> names = fricp::methodNames();
  ck_assert_uint_eq(names.size(), 5);
  ck_assert(names[0] == "robust-icp");
  const auto pair = makePair<Point>(easyScene());
  for (const std::string &name : names) {
    const auto registration = fricp::makeRegistration<Point>(name);
    ck_assert(registration->getMethodName() == name);
    ck_assert(contains(registration->getClassName(), name.c_str()));
    registration->setInputSource(pair.source);
    registration->setInputTarget(pair.target);
    Cloud output;
    registration->align(output);
    const fricp_pose pose = test::toPose(registration->getFinalTransformation());
    ck_assert_msg(registration->hasConverged() && verify_angle_degrees(&pose, &pair.truth) < 0.05, "%s", name.c_str());
  }
  ErrorCapture errors;
  Registration registration;
  ck_assert(!registration.setMethod("nonsense"));
  ck_assert(registration.getMethodName() == "robust-icp");
  ck_assert(contains(errors.text(), "nonsense"));
}
END_TEST

START_TEST(results_agree_with_each_other) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  ck_assert_int_eq(registration.getStatus(), FRICP_OK);
  ck_assert(registration.getErrorText().empty());
  const fricp_result &result = registration.getResult();
  ck_assert_int_eq(result.stop_reason, registration.getStopReason());
  ck_assert(registration.getStopReasonName() == fricp_stop_reason_name(result.stop_reason));
  ck_assert_uint_eq(result.points_source, pair.source->size());

  const auto levels = registration.getLevels();
  ck_assert_uint_eq(levels.size(), static_cast<std::size_t>(result.levels));
  int iterations = 0;
  for (const fricp_level &level : levels)
    iterations += level.iterations;
  ck_assert_int_eq(iterations, result.iterations);
  ck_assert_double_eq(levels.back().nu, result.nu_end);
  int accepted = 0;
  for (const fricp_trace_row &row : registration.getTrace())
    accepted += row.accepted;
  ck_assert_int_ge(accepted, result.iterations);

  const auto residuals = registration.getPointResiduals(), weights = registration.getPointWeights();
  ck_assert_uint_eq(residuals.size(), pair.source->size());
  ck_assert_uint_eq(weights.size(), pair.source->size());
  for (std::size_t i = 0; i < residuals.size(); i += 37) {
    double nearest = 0;
    bruteNearest(*pair.target, moved(result.target_from_source, (*pair.source)[i]), &nearest);
    if (std::isnan(residuals[i])) { // proven far: a Welsch weight below 1e-13
      ck_assert_double_eq(weights[i], 0);
      ck_assert_double_gt(std::sqrt(nearest), 7 * result.nu_end);
      continue;
    }
    ck_assert_double_eq_tol(residuals[i], std::sqrt(nearest), 1e-6);
    const double ratio = residuals[i] / result.nu_end;
    ck_assert_double_eq_tol(weights[i], std::exp(-ratio * ratio / 2), 1e-4);
  }
}
END_TEST

// Both directions, against counting by hand.
START_TEST(inliers_both_ways) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setInlierDistance(0.03);
  Cloud output;
  registration.align(output);
  const auto count = [](const Cloud &from, const Cloud &to, double &share, double &rms) {
    double sum = 0;
    int inliers = 0;
    for (const Point &point : from) {
      double squared = 0;
      bruteNearest(to, Eigen::Vector3d(point.x, point.y, point.z), &squared);
      if (squared > 0.03 * 0.03)
        continue;
      inliers++;
      sum += squared;
    }
    share = inliers / static_cast<double>(from.size());
    rms = std::sqrt(sum / inliers);
  };
  double share = 0, rms = 0;
  count(output, *pair.target, share, rms);
  ck_assert_double_eq_tol(registration.getInlierShare(), share, 1.5 / 2000); // a point on the edge
  ck_assert_double_eq_tol(registration.getInlierRMS(), rms, 1e-4);
  count(*pair.target, output, share, rms);
  ck_assert_double_eq_tol(registration.getTargetInlierShare(), share, 1.5 / 2000);
  ck_assert_double_eq_tol(registration.getTargetInlierRMS(), rms, 1e-4);

  // The same after the source was moved in place.
  registration.align(*pair.source);
  ck_assert_double_eq_tol(registration.getTargetInlierShare(), share, 1.5 / 2000);
}
END_TEST

START_TEST(information_is_symmetric_and_centred) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  const Eigen::Matrix<double, 6, 6> information = registration.getInformationMatrix();
  ck_assert((information - information.transpose()).norm() <= 1e-9 * information.norm());
  ck_assert_double_gt(information.diagonal().minCoeff(), 0);
  ck_assert_double_lt(registration.getInformationCenter().norm(), 1.5); // inside the shape
}
END_TEST

START_TEST(progress_and_cancel) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  int calls = 0;
  registration.setProgressCallback([&](const fricp_progress &progress) {
    calls++;
    ck_assert(progress.levels == 0 || progress.level < progress.levels); // 0: still preparing
    return true;
  });
  registration.align(output);
  ck_assert(registration.hasConverged());
  ck_assert_int_ge(calls, registration.getResult().iterations - 1);

  registration.setProgressCallback([](const fricp_progress &progress) { return progress.iteration < 2; });
  registration.align(output);
  ck_assert(!registration.hasConverged());
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_CANCELLED);
  ck_assert_int_le(registration.getResult().iterations, 3);
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_int_eq(verify_finite(&pose), 1);
  ck_assert_uint_eq(output.size(), pair.source->size());

  registration.setProgressCallback([&](const fricp_progress &) {
    registration.cancel();
    return true;
  });
  registration.align(output);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_CANCELLED);

  ErrorCapture errors;
  registration.setProgressCallback([](const fricp_progress &) -> bool { throw std::runtime_error("not today"); });
  registration.align(output);
  ck_assert(!registration.hasConverged());
  ck_assert(contains(errors.text(), "not today"));

  registration.setProgressCallback(nullptr);
  registration.align(output);
  ck_assert(registration.hasConverged());
}
END_TEST

START_TEST(settings_reach_the_core) {
  const auto pair = makePair<Point>(partialScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  const fricp_result plain = registration.getResult();
  ck_assert_int_gt(plain.accelerated, 0);

  registration.setNuFactors(1.5, 0);
  registration.align(output);
  // First nu = factor times the median residual: half of the default's 3.
  ck_assert_double_eq_tol(registration.getResult().nu_start, plain.nu_start / 2, 1e-6 * plain.nu_start);
  registration.setNuFactors(0, 0);

  registration.setAndersonHistory(-1);
  registration.align(output);
  ck_assert_int_eq(registration.getResult().accelerated, 0);
  registration.setAndersonHistory(0);

  registration.setNumThreads(1);
  registration.align(output);
  const fricp_result one = registration.getResult();
  ck_assert_int_eq(one.threads, 1);
  registration.setNumThreads(2);
  registration.align(output);
  ck_assert_int_eq(verify_same_bits(&registration.getResult().target_from_source, &one.target_from_source), 1);
  registration.setNumThreads(0);

  registration.setFullResolution(true);
  registration.align(output);
  for (const fricp_level &level : registration.getLevels())
    ck_assert_int_eq(level.points, 2000);

  registration.setTimeLimit(1e-9);
  registration.align(output);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_TIME_LIMIT);
  registration.setTimeLimit(0);

  // Far off, on top of each other only by their centroids.
  const auto whole = makePair<Point>(easyScene());
  for (Point &point : *whole.target)
    point.x += 100;
  registration.setInputSource(whole.source);
  registration.setInputTarget(whole.target);
  registration.setStartAtCentroid(true);
  registration.align(output);
  fricp_pose truth = whole.truth;
  truth.translation[0] += 100;
  const fricp_pose pose = registration.getResult().target_from_source;
  ck_assert(registration.hasConverged());
  ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05);
}
END_TEST

START_TEST(failure_is_told_and_leaves_nothing_old) {
  const auto pair = makePair<Point>(easyScene());
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  pcl::IndicesPtr outside(new pcl::Indices(1, 800));
  registration.setIndices(outside);
  {
    ErrorCapture errors;
    registration.align(output);
    ck_assert(contains(errors.text(), "800"));
  }
  ck_assert(!registration.hasConverged());
  ck_assert_int_eq(registration.getStatus(), FRICP_ERROR_BAD_INDEX);
  ck_assert_int_eq(registration.getStopReason(), FRICP_STOP_NONE);
  ck_assert_uint_eq(registration.getTrace().size(), 0);
  ck_assert_uint_eq(registration.getLevels().size(), 0);
  ck_assert_uint_eq(registration.getPointWeights().size(), 0);
  ck_assert_uint_eq(output.size(), pair.source->size());
  registration.setIndices(pcl::IndicesPtr());
  registration.align(output);
  ck_assert(registration.hasConverged());
}
END_TEST

START_TEST(rows_and_columns_as_indices) {
  auto pair = makePair<Point>(easyScene());
  pair.source->width = 40;
  pair.source->height = 20;
  Registration registration;
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  registration.setIndices(5, 10, 10, 20);
  Cloud output;
  registration.align(output);
  ck_assert_uint_eq(registration.getResult().points_source, 200);
  ck_assert_uint_eq(output.size(), 800);
  const auto weights = registration.getPointWeights();
  ck_assert_double_eq(weights[0], 0);
  ck_assert_double_gt(weights[5 * 40 + 10], 0.5);
}
END_TEST

// ---- Search ----

START_TEST(search_is_exact_and_safe) {
  const auto pair = makePair<Point>(partialScene());
  Cloud &cloud = *pair.target;
  for (std::size_t i = 0; i < cloud.size(); i += 10)
    cloud[i].y = NOT_A_NUMBER;
  fricp::Search<Point> search;
  search.setInputCloud(pair.target);
  pcl::Indices indices;
  std::vector<float> distances;
  for (std::size_t i = 1; i < pair.source->size(); i += 100) {
    const Point &query = (*pair.source)[i];
    const Eigen::Vector3d at(query.x, query.y, query.z);
    for (const int k : {1, 7, 50}) { // 50: more than the stack buffer holds
      ck_assert_int_eq(search.nearestKSearch(query, k, indices, distances), k);
      std::vector<double> all;
      for (const Point &point : cloud)
        if (std::isfinite(point.y))
          all.push_back(squaredDistance(at, point));
      std::sort(all.begin(), all.end());
      for (int j = 0; j < k; j++) {
        const auto rank = static_cast<std::size_t>(j);
        ck_assert_double_eq_tol(distances[rank], all[rank], 1e-6);
        ck_assert_double_eq_tol(squaredDistance(at, cloud[static_cast<std::size_t>(indices[rank])]), all[rank], 1e-12);
      }
    }
    // As many as asked for, the nearest ones.
    const int within = search.radiusSearch(query, 1.3, indices, distances);
    ck_assert_int_gt(within, 64); // more than one batch
    ck_assert_int_eq(search.radiusSearch(query, 1.3, indices, distances, 10), 10);
    pcl::Indices nearest;
    std::vector<float> nearest_distances;
    search.nearestKSearch(query, 10, nearest, nearest_distances);
    ck_assert(indices == nearest);
  }
  Point invalid = (*pair.source)[0];
  invalid.z = NOT_A_NUMBER;
  indices.assign(1, 5);
  distances.assign(1, 0);
  ck_assert_int_eq(search.nearestKSearch(invalid, 1, indices, distances), 0);
  ck_assert(distances.size() == 1 && std::isinf(distances[0]) && indices[0] == -1);
  ck_assert_int_eq(search.radiusSearch(invalid, 1, indices, distances), 0);
  ck_assert_int_eq(search.nearestKSearch(cloud, 1, 3, indices, distances), 3);
  ck_assert_int_eq(indices[0], 1);
}
END_TEST

START_TEST(search_within_indices_and_small_clouds) {
  const auto pair = makePair<Point>(easyScene());
  fricp::Search<Point> search;
  pcl::IndicesPtr part(new pcl::Indices);
  for (int i = 0; i < 800; i += 2)
    part->push_back(i);
  search.setInputCloud(pair.target, part);
  pcl::Indices indices;
  std::vector<float> distances;
  ck_assert_int_eq(search.nearestKSearch((*pair.target)[7], 1, indices, distances), 1);
  ck_assert_int_eq(indices[0] % 2, 0);

  // Too few for a pose, but not for a search; then none at all.
  const Cloud::Ptr small(new Cloud);
  small->push_back(Point(1, 2, 3));
  small->push_back(Point(4, 5, 6));
  search.setInputCloud(small);
  ck_assert_int_eq(search.nearestKSearch(Point(4, 5, 5), 5, indices, distances), 2);
  ck_assert(indices[0] == 1 && distances[0] == 1.0f);
  ck_assert_int_eq(search.nearestKSearch(Point(NOT_A_NUMBER, 5, 5), 5, indices, distances), 0);
  ck_assert_int_eq(search.radiusSearch(Point(4, 5, 5), 2, indices, distances), 1);
  for (Point &point : *small)
    point.x = NOT_A_NUMBER;
  search.setInputCloud(small);
  ck_assert_int_eq(search.nearestKSearch(Point(4, 5, 5), 1, indices, distances), 0);
  ck_assert_int_eq(search.radiusSearch(Point(4, 5, 5), 2, indices, distances), 0);
}
END_TEST

// Another registration may be given the search object with its index.
START_TEST(search_shared_by_two_registrations) {
  const auto pair = makePair<Point>(easyScene());
  Registration first, second;
  Cloud output;
  first.setInputSource(pair.source);
  first.setInputTarget(pair.target);
  first.align(output);
  second.setSearchMethodTarget(first.getSearchMethodTarget(), true);
  second.setInputSource(pair.source);
  second.setInputTarget(pair.target);
  second.align(output);
  ck_assert(second.hasConverged());
  const fricp_pose a = first.getResult().target_from_source, b = second.getResult().target_from_source;
  ck_assert_int_eq(verify_same_bits(&a, &b), 1);

  Registration third;
  third.setSearchMethodTarget(pcl::make_shared<fricp::Search<Point>>(), true);
  third.setInputSource(pair.source);
  third.setInputTarget(pair.target);
  ErrorCapture errors;
  third.align(output);
  ck_assert(!third.hasConverged());
  ck_assert(contains(errors.text(), "force_no_recompute"));
}
END_TEST

// ---- Vectors of a point representation ----

// Against sorting all, with ties (values are few), duplicates, every small size, several dimensions.
START_TEST(vector_tree_is_exact) {
  std::mt19937 engine(3);
  std::vector<fricp::detail::VectorTree::Neighbor> found;
  for (const std::size_t dimensions : {1U, 3U, 4U, 9U})
    for (const std::size_t count : {0U, 1U, 2U, 12U, 13U, 30U, 500U}) {
      const auto value = [&] { return static_cast<float>(static_cast<int>(engine() % 7)) - 3.0f; };
      std::vector<float> values(count * dimensions);
      std::generate(values.begin(), values.end(), value);
      std::vector<std::int32_t> indices;
      for (std::size_t i = 0; i < count; i++)
        indices.push_back(static_cast<std::int32_t>(3 * i));
      const fricp::detail::VectorTree tree(dimensions, values, indices);
      for (int q = 0; q < 40; q++) {
        std::vector<float> query(dimensions);
        std::generate(query.begin(), query.end(), [&] { return value() * (q % 2 ? 1.0f : 0.9f); });
        std::vector<fricp::detail::VectorTree::Neighbor> all;
        for (std::size_t i = 0; i < count; i++) {
          double squared = 0;
          for (std::size_t d = 0; d < dimensions; d++)
            squared += std::pow(static_cast<double>(query[d]) - static_cast<double>(values[i * dimensions + d]), 2);
          all.emplace_back(squared, indices[i]);
        }
        std::sort(all.begin(), all.end());
        for (const std::size_t k : {1U, 5U, 600U}) {
          tree.nearest(query.data(), k, found);
          ck_assert_uint_eq(found.size(), std::min(k, count));
          ck_assert(std::equal(found.begin(), found.end(), all.begin()));
        }
        tree.within(query.data(), 6.25, found);
        std::sort(found.begin(), found.end());
        const auto last = std::find_if(all.begin(), all.end(), [](const auto &entry) { return entry.first > 6.25; });
        ck_assert_int_eq(static_cast<int>(found.size()), static_cast<int>(last - all.begin()));
        ck_assert(std::equal(found.begin(), found.end(), all.begin()));
      }
    }
}
END_TEST

// A vector that wanders: what is remembered is what a search finds, whether it goes a little or far.
START_TEST(vector_tree_remembers_rightly) {
  std::mt19937 engine(5);
  const auto uniform = [&] { return static_cast<float>(engine() % 10000) / 10000.0f; };
  std::vector<float> values(4 * 2000);
  std::generate(values.begin(), values.end(), uniform);
  std::vector<std::int32_t> indices(2000);
  for (std::size_t i = 0; i < indices.size(); i++)
    indices[i] = static_cast<std::int32_t>(i);
  const fricp::detail::VectorTree tree(4, values, indices);
  for (const float pace : {1e-4f, 1e-3f, 1e-2f, 0.3f}) {
    std::vector<float> at(4, 0.5f), before = at;
    auto known = tree.nearestOne(at.data());
    int kept = 0;
    for (int step = 0; step < 500; step++) {
      const double room = known.runner_up;
      for (float &coordinate : at)
        coordinate = std::min(std::max(coordinate + pace * (uniform() - 0.5f), 0.0f), 1.0f);
      known = tree.nearestOne(at.data(), before.data(), known);
      kept += known.runner_up < room;
      before = at;
      const auto sought = tree.nearestOne(at.data());
      ck_assert_int_eq(known.index, sought.index);
      ck_assert_double_eq(known.squared, sought.squared);
      ck_assert_double_le(known.runner_up, sought.runner_up);
    }
    ck_assert(pace > 1e-3f || kept > 100);
  }
}
END_TEST

// ---- Normals ----

// Estimated on a copy about the cloud's middle: far away, single precision has no digits left for a covariance.
START_TEST(normals_are_estimated_far_away) {
  scene_spec spec = {};
  spec.kind = SCENE_ROOM;
  spec.source_count = 4000;
  spec.scale = 16; // some 100 across: steps of 1/32 are fine enough
  spec.angle = 3;
  const auto pair = makePair<Point>(spec);
  for (const auto &cloud : {pair.source, pair.target})
    for (Point &point : *cloud) {
      point.x += 400000;
      point.y += 300000;
    }
  const fricp_pose there = makePose(0, 0, 1, 0, 400000, 300000, 0), back = verify_inverse(&there);
  const fricp_pose half = verify_multiply(&pair.truth, &back), truth = verify_multiply(&there, &half);
  Registration registration;
  registration.setMethod("robust-icp-plane");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  Cloud output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  const fricp_pose pose = registration.getResult().target_from_source;
  ck_assert_double_lt(verify_angle_degrees(&pose, &truth), 0.05);
  const double corner[3] = {400000, 300000, 0};
  ck_assert_double_lt(verify_error_at(&pose, &truth, corner), 0.05);
}
END_TEST

// One way to estimate normals, whichever way in: the pose of the tool (FRICP_TOOL) is the shim's. On a lattice, where many
// neighbours are equally near, other choices among them would turn the normals.
START_TEST(tool_and_shim_estimate_alike) {
  const char *tool = std::getenv("FRICP_TOOL");
  if (!tool || !*tool) {
    std::printf("SKIPPED: FRICP_TOOL is not set\n");
    return;
  }
  std::vector<double> lattice[2];
  for (int i = 0; i < 2500; i++) {
    const int x = i % 50, y = i / 50;
    const double z = 0.05 * ((7 * x + 13 * y) % 5);
    lattice[0].insert(lattice[0].end(), {0.1 * x + 0.02, 0.1 * y - 0.01, z + 0.01});
    lattice[1].insert(lattice[1].end(), {0.1 * x, 0.1 * y, z});
  }
  auto pair = makePair<Point>(partialScene());
  char folder[] = "/tmp/fricp-normals-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  const std::string source = std::string(folder) + "/source.ply", target = std::string(folder) + "/target.ply",
                    matrix = std::string(folder) + "/matrix.txt";
  for (const bool on_lattice : {false, true})
    for (const char *method : {"robust-icp-plane", "icp-plane"}) {
      if (on_lattice) {
        pair.source = toCloud<Point>(lattice[0].data(), nullptr, 2500);
        pair.target = toCloud<Point>(lattice[1].data(), nullptr, 2500);
      }
      for (const bool is_source : {true, false}) {
        std::vector<double> points;
        for (const Point &point : is_source ? *pair.source : *pair.target)
          points.insert(points.end(), {point.x, point.y, point.z});
        ck_assert_ptr_null(ply_write((is_source ? source : target).c_str(), points.data(), nullptr, points.size() / 3,
                                     PLY_BINARY, FRICP_SCALAR_FLOAT));
      }
      const std::string command =
          std::string(tool) + " -m " + method + " -t " + matrix + " " + source + " " + target + " >/dev/null 2>&1";
      ck_assert_int_eq(std::system(command.c_str()), 0);
      fricp_pose told;
      std::FILE *file = std::fopen(matrix.c_str(), "r");
      ck_assert_ptr_nonnull(file);
      for (int row = 0; row < 3; row++)
        ck_assert_int_eq(std::fscanf(file, "%lf %lf %lf %lf", &told.rotation[row][0], &told.rotation[row][1],
                                     &told.rotation[row][2], &told.translation[row]),
                         4);
      std::fclose(file);
      Registration registration;
      registration.setMethod(method);
      registration.setInputSource(pair.source);
      registration.setInputTarget(pair.target);
      Cloud output;
      registration.align(output);
      ck_assert(registration.hasConverged());
      const fricp_pose pose = registration.getResult().target_from_source;
      ck_assert_msg(verify_max_difference(&pose, &told) < 1e-9, "%s%s: %g apart", method, on_lattice ? ", lattice" : "",
                    verify_max_difference(&pose, &told));
    }
  for (const std::string &file : {source, target, matrix})
    (void)std::remove(file.c_str());
  (void)rmdir(folder);
}
END_TEST

// Given normals are kept, of any length and sign; missing ones are estimated, on a target that has both.
START_TEST(missing_normals_are_filled_in) {
  auto pair = makePair<pcl::PointNormal>(easyScene());
  for (std::size_t i = 0; i < pair.target->size(); i++) {
    auto normal = (*pair.target)[i].getNormalVector3fMap();
    if (i % 3 == 0)
      normal.setZero();
    else if (i % 3 == 1)
      normal *= -20;
  }
  fricp::Registration<pcl::PointNormal, pcl::PointNormal> registration;
  registration.setMethod("icp-plane");
  registration.setInputSource(pair.source);
  registration.setInputTarget(pair.target);
  pcl::PointCloud<pcl::PointNormal> output;
  registration.align(output);
  ck_assert(registration.hasConverged());
  ck_assert_uint_eq(registration.getResult().points_source, 800);
  int paired = 0;
  for (const double residual : registration.getPointResiduals())
    paired += std::isfinite(residual);
  ck_assert_int_eq(paired, 800); // with a third of the normals missing it would be fewer
  const fricp_pose pose = test::toPose(registration.getFinalTransformation());
  ck_assert_double_lt(verify_angle_degrees(&pose, &pair.truth), 0.05);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("shim");
  TCase *tcase = tcase_create("registration");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, factory_lists_and_makes_every_method);
  tcase_add_test(tcase, results_agree_with_each_other);
  tcase_add_test(tcase, inliers_both_ways);
  tcase_add_test(tcase, information_is_symmetric_and_centred);
  tcase_add_test(tcase, progress_and_cancel);
  tcase_add_test(tcase, settings_reach_the_core);
  tcase_add_test(tcase, failure_is_told_and_leaves_nothing_old);
  tcase_add_test(tcase, rows_and_columns_as_indices);
  tcase_add_test(tcase, search_is_exact_and_safe);
  tcase_add_test(tcase, search_within_indices_and_small_clouds);
  tcase_add_test(tcase, search_shared_by_two_registrations);
  tcase_add_test(tcase, vector_tree_is_exact);
  tcase_add_test(tcase, vector_tree_remembers_rightly);
  tcase_add_test(tcase, normals_are_estimated_far_away);
  tcase_add_test(tcase, tool_and_shim_estimate_alike);
  tcase_add_test(tcase, missing_normals_are_filled_in);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
