// SPDX-License-Identifier: BSD-3-Clause
// What stands behind a target: fricp::Search, the tree of point representations, normals.
#include "clouds.hpp"
#include "instances.hpp"
#include "ply.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;
using Registration = fricp::Registration<Point, Point>;

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

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
    for (const int k : {1, 7, 50}) { // 50: more than the first call made room for
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

// As PCL's tree, which makes its vectors anew whenever it is given a representation; but of the points as they were indexed.
START_TEST(representation_changed_in_place) {
  const auto pair = makePair<Point>(easyScene());
  const auto scaled = pcl::make_shared<pcl::DefaultPointRepresentation<Point>>();
  fricp::Search<Point> search;
  pcl::search::KdTree<Point> reference;
  search.setInputCloud(pair.target);
  reference.setInputCloud(pair.target);
  const Cloud whole = *pair.target;
  for (const float scale : {5.0f, 0.1f, 20.0f}) {
    const float factors[] = {1, 1, scale};
    scaled->setRescaleValues(factors);
    reference.setPointRepresentation(scaled);
    search.setPointRepresentation(scaled);
    const auto vectors = search.vectors();
    for (Point &point : *pair.target)
      point.x += 1;
    search.setPointRepresentation(scaled);
    ck_assert_ptr_eq(search.vectors().get(), vectors.get());
    for (std::size_t i = 0; i < pair.source->size(); i += 10) {
      pcl::Indices found, expected;
      std::vector<float> distances, expected_distances;
      ck_assert_int_eq(search.nearestKSearch((*pair.source)[i], 3, found, distances), 3);
      reference.nearestKSearch((*pair.source)[i], 3, expected, expected_distances);
      ck_assert(found == expected);
      ck_assert_float_eq_tol(distances[2], expected_distances[2], 1e-5f * expected_distances[2]);
    }
    *pair.target = whole;
  }
}
END_TEST

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

// The core's normals are PCL's to the rounding of a float (normals_test: 4e-7 rad on this shape). Where both clouds show
// the same points the optimum is one, the truth; on noisy ones neighbouring optima, which rounding chooses among, lie
// within the pose's standard deviation.
START_TEST(normals_by_the_core) {
  for (const bool noisy : {false, true}) {
    const auto pair = makePair<Point>(noisy ? partialScene() : easyScene());
    fricp_pose pose[2];
    double deviation = 0;
    for (const bool core : {false, true}) {
      Registration registration;
      registration.setMethod("robust-icp-plane");
      registration.setCoreNormals(core);
      ck_assert(registration.getCoreNormals() == core);
      registration.setInputSource(pair.source);
      registration.setInputTarget(pair.target);
      Cloud output;
      registration.align(output);
      ck_assert(registration.hasConverged());
      pose[core ? 1 : 0] = registration.getResult().target_from_source;
      const Eigen::Matrix<double, 6, 6> covariance = registration.getInformationMatrix().inverse();
      deviation = std::sqrt(covariance.trace() - covariance.bottomRightCorner<3, 3>().trace()) * 180 / M_PI;
    }
    ck_assert_double_lt(verify_angle_degrees(&pose[0], &pose[1]), noisy ? deviation : 1e-4);
  }
}
END_TEST

} // namespace

int main() {
  return run_suite("target", {search_is_exact_and_safe, search_within_indices_and_small_clouds,
                              search_shared_by_two_registrations, representation_changed_in_place, vector_tree_is_exact,
                              vector_tree_remembers_rightly, normals_are_estimated_far_away,
                              tool_and_shim_estimate_alike, missing_normals_are_filled_in, normals_by_the_core});
}
