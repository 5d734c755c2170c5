// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file feature_start.hpp
 * A start for clouds in unrelated frames, by PCL's features: FPFH and SampleConsensusPrerejective.
 *
 *   const fricp::FeatureStart start = fricp::featureStart(*source, *target);
 *   if (start.found)
 *     registration.align(output, start.target_from_source.cast<float>()); // method auto says whether to trust it
 *
 * No length is asked for: both clouds are thinned to a few thousand points, and all radii are multiples of what then is
 * their spacing. It is a rough pose, often wrong where little overlaps or where a scene repeats itself.
 */
#ifndef FRICP_PCL_FEATURE_START_HPP
#define FRICP_PCL_FEATURE_START_HPP

#include "fricp/pcl/cloud_view.hpp"
#include "fricp/pcl/thinned.hpp"

#include <pcl/features/fpfh_omp.h>
#include <pcl/features/normal_3d_omp.h>
#include <pcl/registration/sample_consensus_prerejective.h>
#include <pcl/search/kdtree.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace fricp {

/** What featureStart() found. */
struct FeatureStart {
  bool found = false; ///< is there a start?
  /** The start, or the identity. */
  Eigen::Matrix4d target_from_source = Eigen::Matrix4d::Identity();
  double inlier_share = 0; ///< of the thinned source, what lies on the thinned target
  std::string problem;     ///< why nothing was found, "" else
};

namespace detail {

using FeatureCloud = pcl::PointCloud<pcl::PointXYZ>;

/** The finite points of a cloud but those far off all others, relative to their centre, as is the sensor. */
struct CentredPoints {
  std::vector<Eigen::Vector3d> all;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  Eigen::Vector3f sensor = Eigen::Vector3f::Zero();
};

/** Points and what their surroundings look like. */
struct Described {
  FeatureCloud::Ptr points{new FeatureCloud};
  pcl::PointCloud<pcl::FPFHSignature33>::Ptr features{new pcl::PointCloud<pcl::FPFHSignature33>};
};

template <class PointT> CentredPoints finitePoints(const pcl::PointCloud<PointT> &cloud) {
  CentredPoints result;
  const Coordinates points = Coordinates::of(cloud);
  for (const auto index : togetherOf(points, nullptr))
    result.all.emplace_back(points.at(static_cast<std::size_t>(index)).data());
  for (const auto &point : result.all)
    result.centre += point / static_cast<double>(result.all.size());
  for (auto &point : result.all)
    point -= result.centre;
  const Eigen::Vector3d sensor = cloud.sensor_origin_.template head<3>().template cast<double>();
  result.sensor = (sensor - result.centre).template cast<float>();
  return result;
}

/** The size of cubes that leaves some 2000 points of the larger cloud: of surfaces, so their number goes with its square.
 *  0: all points are one. */
inline double featureSpacing(const CentredPoints &source, const CentredPoints &target) {
  constexpr double wanted = 2000;
  constexpr int tries = 8;
  Eigen::AlignedBox3d box;
  for (const auto *points : {&source.all, &target.all})
    for (const auto &point : *points)
      box.extend(point);
  double size = box.isEmpty() ? 0 : box.sizes().maxCoeff() / 50;
  for (int i = 0; i < tries && size > 0; i++) {
    const auto count = std::max(thinned(source.all, size)->size(), thinned(target.all, size)->size());
    const double ratio = static_cast<double>(count) / wanted;
    const bool all = count == std::max(source.all.size(), target.all.size());
    if ((ratio > 0.8 && ratio < 1.25) || (all && ratio < 1))
      break;
    size *= std::sqrt(ratio);
  }
  return size;
}

/** @param view  towards which normals are turned: the signs of both clouds' have to match. */
inline Described describe(const FeatureCloud::Ptr &thin, double spacing, const Eigen::Vector3f &view, int threads) {
  constexpr int neighbors = 20;
  constexpr double radius = 5; // spacings
  const auto workers = static_cast<unsigned int>(std::max(threads, 0));
  const pcl::PointCloud<pcl::Normal>::Ptr normals(new pcl::PointCloud<pcl::Normal>);
  const pcl::search::KdTree<pcl::PointXYZ>::Ptr tree(new pcl::search::KdTree<pcl::PointXYZ>);
  normals->resize(thin->size());
  pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation(workers);
  estimation.setInputCloud(thin);
  estimation.setSearchMethod(tree);
  estimation.setKSearch(neighbors);
  estimation.setViewPoint(view.x(), view.y(), view.z());
  estimation.compute(*normals);
  pcl::PointCloud<pcl::FPFHSignature33> all;
  all.resize(thin->size());
  pcl::FPFHEstimationOMP<pcl::PointXYZ, pcl::Normal, pcl::FPFHSignature33> description(workers);
  description.setInputCloud(thin);
  description.setInputNormals(normals);
  description.setSearchMethod(tree);
  description.setRadiusSearch(radius * spacing);
  description.compute(all);
  Described result;
  for (std::size_t i = 0; i < all.size(); i++) {
    const auto &histogram = all[i].histogram;
    if (!std::all_of(std::begin(histogram), std::end(histogram), [](float bin) { return std::isfinite(bin); }))
      continue; // PCL's search aborts on it
    result.points->push_back((*thin)[i]);
    result.features->push_back(all[i]);
  }
  return result;
}

/** @return whether some pose lays that share of the source on the target. */
inline bool matchFeatures(const Described &source, const Described &target, double spacing, double share,
                          FeatureStart &start) {
  using Matching = pcl::SampleConsensusPrerejective<pcl::PointXYZ, pcl::PointXYZ, pcl::FPFHSignature33>;
  constexpr unsigned int seed = 1;
  Matching matching;
  matching.setInputSource(source.points);
  matching.setSourceFeatures(source.features);
  matching.setInputTarget(target.points);
  matching.setTargetFeatures(target.features);
  matching.setMaximumIterations(20000);
  matching.setNumberOfSamples(3);
  matching.setCorrespondenceRandomness(5);
  matching.setSimilarityThreshold(0.9F);
  matching.setMaxCorrespondenceDistance(1.5 * spacing);
  matching.setInlierFraction(static_cast<float>(share));
  FeatureCloud moved;
  std::srand(seed);
  matching.align(moved);
  start.found = matching.hasConverged();
  start.inlier_share = static_cast<double>(matching.getInliers().size()) / static_cast<double>(source.points->size());
  start.target_from_source = matching.getFinalTransformation().template cast<double>();
  return start.found;
}

/** Normals turned to the sensor, or to the middle if no sensor is told. From a large overlap to a small one: of the poses
 *  that reach a share PCL takes the one with the least error. */
inline void searchFeatures(const CentredPoints &source, const CentredPoints &target, int threads, FeatureStart &start) {
  constexpr std::size_t least_points = 30;
  const Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  const double spacing = featureSpacing(source, target);
  start.problem = "a cloud has too few points, or no surface, to be told by its shape";
  if (!(spacing > 0))
    return;
  std::vector<std::pair<Described, Described>> pairs;
  const auto source_thin = thinned(source.all, spacing);
  const auto target_thin = thinned(target.all, spacing);
  if (source_thin->size() < least_points || target_thin->size() < least_points)
    return;
  for (const bool from_sensor : {true, false}) {
    pairs.emplace_back(describe(source_thin, spacing, from_sensor ? source.sensor : middle, threads),
                       describe(target_thin, spacing, from_sensor ? target.sensor : middle, threads));
    if (pairs.back().first.points->size() < least_points || pairs.back().second.points->size() < least_points)
      return;
  }
  start.problem = "no pose was found by which at least a fifth of the source lies on the target";
  for (const double share : {0.6, 0.4, 0.2})
    for (const auto &pair : pairs)
      if (matchFeatures(pair.first, pair.second, spacing, share, start)) {
        start.problem.clear();
        return;
      }
  start.target_from_source.setIdentity();
}

/** From relative to the centres to the clouds' own frames, by a rotation to the last digit. */
inline void moveToFrames(const Eigen::Vector3d &from, const Eigen::Vector3d &to, FeatureStart &start) {
  const Eigen::Matrix3d rough = start.target_from_source.topLeftCorner<3, 3>();
  const Eigen::Matrix3d turn = Eigen::Quaterniond(rough).normalized().toRotationMatrix();
  start.target_from_source.topLeftCorner<3, 3>() = turn;
  start.target_from_source.topRightCorner<3, 1>() += to - turn * from;
}

} // namespace detail

/**
 * @param threads  0: as many as the machine has. The result is the same for any number, and the same in each call:
 *                 std::srand() is called with a fixed seed, since PCL's class draws by std::rand().
 */
template <class PointSource, class PointTarget>
FeatureStart featureStart(const pcl::PointCloud<PointSource> &source, const pcl::PointCloud<PointTarget> &target,
                          int threads = 0) {
  FeatureStart start;
  try {
    const detail::CentredPoints from = detail::finitePoints(source), to = detail::finitePoints(target);
    detail::searchFeatures(from, to, threads, start);
    if (start.found)
      detail::moveToFrames(from.centre, to.centre, start);
  } catch (const std::exception &error) {
    start = FeatureStart();
    start.problem = error.what();
  }
  return start;
}

} // namespace fricp

#endif
