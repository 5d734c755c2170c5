// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file normals.hpp
 * Normals for targets that have none: pcl::NormalEstimationOMP on 30 neighbours. Internal to the shim.
 */
#ifndef FRICP_PCL_NORMALS_HPP
#define FRICP_PCL_NORMALS_HPP

#include "fricp/pcl/prepared_target.hpp"

#include <pcl/features/normal_3d_omp.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <new>

namespace fricp {
namespace detail {

constexpr int NORMAL_NEIGHBORS = 30;
constexpr std::size_t NORMAL_BLOCK = 2048; ///< points between two questions: some 15 ms of one thread

/**
 * Answers for a shifted copy of a target by asking the core's index at the original place: no second index. For its own
 * points, which PCL asks for by their index, from what was found for all of them at once, if it was.
 */
class ShiftedTargetSearch : public pcl::search::Search<pcl::PointXYZ> {
public:
  using Base = pcl::search::Search<pcl::PointXYZ>;
  using Base::nearestKSearch;
  using Base::radiusSearch;

  ShiftedTargetSearch(const fricp_target &target, const Coordinates &original, const std::array<double, 3> &shift)
      : Base("fricp", true), target_(target), original_(original), shift_(shift) {
  }

  /** Find the neighbours of all points, four bytes for each. @return false if the watch stopped that. */
  bool findAll(int k, int threads, Watch &watch) {
    fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
    options.threads = threads;
    watch.attach(options);
    try {
      neighbors_.resize(original_.count * static_cast<std::size_t>(k));
    } catch (const std::bad_alloc &) { // then one at a time
      return true;
    }
    const fricp_status status = fricp_target_neighbors(&target_, k, &options, neighbors_.data(), nullptr);
    kept_ = status == FRICP_OK ? k : 0;
    return status != FRICP_ERROR_INTERRUPTED;
  }

  int nearestKSearch(const pcl::PointXYZ &point, int k, pcl::Indices &indices,
                     std::vector<float> &distances) const override {
    return ask({{point.x + shift_[0], point.y + shift_[1], point.z + shift_[2]}}, k, indices, distances);
  }

  int nearestKSearch(const PointCloud &cloud, pcl::index_t index, int k, pcl::Indices &indices,
                     std::vector<float> &distances) const override {
    if (k == kept_)
      return recall(cloud, static_cast<std::size_t>(index), indices, distances);
    return ask(original_.at(static_cast<std::size_t>(index)), k, indices, distances);
  }

  int radiusSearch(const pcl::PointXYZ &, double, pcl::Indices &indices, std::vector<float> &distances,
                   unsigned int) const override {
    indices.clear();
    distances.clear();
    return 0;
  }

private:
  /** Distances as PCL has them, between the floats of the copy. */
  int recall(const PointCloud &cloud, std::size_t index, pcl::Indices &indices, std::vector<float> &distances) const {
    const auto first = neighbors_.begin() + static_cast<std::ptrdiff_t>(index * static_cast<std::size_t>(kept_));
    const auto end = std::find(first, first + kept_, -1);
    indices.assign(first, end);
    distances.resize(indices.size());
    for (std::size_t i = 0; i < indices.size(); i++) {
      const pcl::PointXYZ &point = cloud[static_cast<std::size_t>(indices[i])];
      const float x = point.x - cloud[index].x, y = point.y - cloud[index].y, z = point.z - cloud[index].z;
      distances[i] = x * x + y * y + z * z;
    }
    return static_cast<int>(indices.size());
  }

  int ask(const std::array<double, 3> &query, int k, pcl::Indices &indices, std::vector<float> &distances) const {
    std::array<std::int32_t, NORMAL_NEIGHBORS> found_indices;
    std::array<double, NORMAL_NEIGHBORS> found_distances;
    const int found =
        fricp_target_nearest(&target_, query.data(), std::min(k, NORMAL_NEIGHBORS),
                             std::numeric_limits<double>::infinity(), found_indices.data(), found_distances.data());
    const auto size = static_cast<std::size_t>(std::max(found, 0));
    indices.resize(size);
    distances.resize(size);
    for (std::size_t i = 0; i < size; i++) {
      indices[i] = static_cast<pcl::index_t>(found_indices[i]);
      distances[i] = static_cast<float>(found_distances[i]);
    }
    return static_cast<int>(size);
  }

  const fricp_target &target_;
  Coordinates original_;
  std::array<double, 3> shift_;
  std::vector<std::int32_t> neighbors_; ///< kept_ for each point
  int kept_ = 0;                        ///< 0: not found yet
};

/** Centroid of the selected points, which are finite. */
inline std::array<double, 3> centroid(const Coordinates &points, const pcl::Indices &selected) {
  std::array<double, 3> sum = {{0, 0, 0}};
  for (const auto index : selected) {
    const auto point = points.at(static_cast<std::size_t>(index));
    for (std::size_t axis = 0; axis < 3; axis++)
      sum[axis] += point[axis];
  }
  for (double &value : sum)
    value /= static_cast<double>(std::max<std::size_t>(selected.size(), 1));
  return sum;
}

/**
 * In how many directions the selected points extend, but for rounding: 1 on a line, 2 in a plane, 3. PCL gives points on a
 * line some normal across it, as if they lay in a plane; the normals of a plane say nothing of motions within it.
 */
inline int directionsOf(const Coordinates &points, const pcl::Indices &selected) {
  const auto centre = centroid(points, selected);
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const auto index : selected) {
    const auto point = points.at(static_cast<std::size_t>(index));
    const Eigen::Vector3d p = Eigen::Vector3d(point.data()) - Eigen::Vector3d(centre.data());
    covariance += p * p.transpose();
  }
  const Eigen::Vector3d spread =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance, Eigen::EigenvaluesOnly).eigenvalues();
  constexpr double float_rounding = 1e-12; // square of a few units in the last place of a float
  const double least = float_rounding * spread[2];
  return 1 + (spread[1] > least) + (spread[0] > least);
}

/**
 * Are normals that a cloud lacks to be estimated? Those of points on a line, or in a plane, would hide what moves within.
 * @param uses  what is made of them, as fricp_options_normals() tells.
 */
template <class PointT>
bool wantsNormals(const pcl::PointCloud<PointT> &cloud, const pcl::IndicesConstPtr &indices, int uses) {
  if (uses & FRICP_NORMALS_TARGET)
    return true;
  if (!(uses & FRICP_NORMALS_TARGET_USED))
    return false;
  const Coordinates points = Coordinates::of(cloud);
  return directionsOf(points, togetherOf(points, indices)) == 3;
}

/**
 * Fill in the normals that are missing (NaN), 3 for each point.
 * PCL computes them in single precision about the origin: it gets a copy with the origin in the cloud's middle.
 * All memory that PCL fills is allocated here, so that a consumer built with other Eigen alignment frees what it made.
 * It goes by blocks of points, so that the watch is asked in between. @return false if that stopped it.
 * @param together  find the neighbours of all points at once, unless but few are missing; false: as PCL asks for them.
 */
inline bool estimateNormals(const fricp_target &target, const Coordinates &points, const pcl::Indices &finite,
                            const pcl::Indices &missing, int threads, Watch &watch, std::vector<float> &normals,
                            bool together = true) {
  const auto shift = centroid(points, finite);
  const pcl::PointCloud<pcl::PointXYZ>::Ptr shifted(new pcl::PointCloud<pcl::PointXYZ>);
  shifted->resize(points.count);
  for (const auto index : finite) {
    const auto at = static_cast<std::size_t>(index);
    const auto point = points.at(at);
    (*shifted)[at].getVector3fMap() =
        Eigen::Vector3d(point[0] - shift[0], point[1] - shift[1], point[2] - shift[2]).cast<float>();
  }
  const pcl::shared_ptr<ShiftedTargetSearch> search(new ShiftedTargetSearch(target, points, shift));
  if (together && missing.size() > finite.size() / 4 && !search->findAll(NORMAL_NEIGHBORS, threads, watch))
    return false;
  pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation(static_cast<unsigned int>(std::max(threads, 0)));
  estimation.setInputCloud(shifted);
  estimation.setSearchMethod(search);
  estimation.setKSearch(NORMAL_NEIGHBORS);
  pcl::PointCloud<pcl::Normal> estimated;
  estimated.reserve(std::min(missing.size(), NORMAL_BLOCK));
  for (std::size_t first = 0; first < missing.size(); first += NORMAL_BLOCK) {
    if (watch.ask() != FRICP_STOP_NONE)
      return false;
    const std::size_t size = std::min(missing.size() - first, NORMAL_BLOCK);
    const auto begin = missing.begin() + static_cast<std::ptrdiff_t>(first);
    const pcl::IndicesPtr block(new pcl::Indices(begin, begin + static_cast<std::ptrdiff_t>(size)));
    estimated.resize(size);
    estimation.setIndices(block);
    estimation.compute(estimated);
    for (std::size_t i = 0; i < size && i < estimated.size(); i++)
      for (std::size_t axis = 0; axis < 3; axis++)
        normals[3 * static_cast<std::size_t>((*block)[i]) + axis] = estimated[i].normal[axis];
  }
  return true;
}

/** The same target with normals on all its points, as far as their neighbours determine one. Never null. */
template <class PointT>
typename PreparedTarget<PointT>::ConstPtr withNormals(const typename PreparedTarget<PointT>::ConstPtr &prepared,
                                                      int threads, Watch &watch) {
  const Coordinates points = Coordinates::of(*prepared->cloud);
  std::vector<double> given(3 * points.count);
  if (fricp_target_get_normals(prepared->core.get(), given.data(), points.count) != FRICP_OK)
    given.assign(given.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<float> normals(given.begin(), given.end());
  const pcl::Indices together = togetherOf(points, prepared->indices);
  pcl::Indices missing;
  for (const auto index : together)
    if (!std::isfinite(normals[3 * static_cast<std::size_t>(index)]))
      missing.push_back(index);
  const bool serial = prepared->hook && !prepared->hook->search().thread_safe;
  if (estimateNormals(*prepared->core, points, together, missing, serial ? 1 : threads, watch, normals,
                      !prepared->hook))
    return prepareTarget<PointT>(prepared->cloud, prepared->indices, prepared->hook, &normals, threads, watch);
  auto interrupted = std::make_shared<PreparedTarget<PointT>>();
  setError(interrupted->error, FRICP_ERROR_INTERRUPTED, "stopped while the target's normals were estimated");
  interrupted->stopped = watch.why();
  return interrupted;
}

} // namespace detail
} // namespace fricp

#endif
