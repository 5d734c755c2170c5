// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file search.hpp
 * fricp::Search: a pcl::search::KdTree answered by fricp's own index.
 *
 * It is what fricp::Registration installs as its target search, so that the base class's getFitnessScore() and callers
 * of getSearchMethodTarget() ask the one index there is. It can be used alone wherever PCL takes a search::KdTree:
 * exact, and safe on points that are not finite, on which PCL's own tree aborts:
 *   - points of the input that are not finite are skipped, indices stay those of the cloud;
 *   - a query that is not finite finds nothing.
 * Where nothing is found, at most one entry is left in the answer's vectors, with index -1 and an infinite distance:
 * callers that look at entry [0] without asking how many were found (PCL has some) then see "nothing near".
 *
 * A point representation that is not PCL's default (the tutorial's x, y, z, curvature) is honoured by an exact tree of
 * its vectors.
 */
#ifndef FRICP_PCL_SEARCH_HPP
#define FRICP_PCL_SEARCH_HPP

#include "fricp/pcl/normals.hpp"
#include "fricp/pcl/prepared_target.hpp"
#include "fricp/pcl/vector_tree.hpp"

#include <pcl/search/kdtree.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>

namespace fricp {
namespace detail {

/** Between a registration and its search: guards the target pointer, which the base class hands over by reference, and
 *  tells who may end the indexing of it, which is the first part of an align(). */
struct TargetGate {
  std::mutex mutex;
  std::uint64_t generation = 0; ///< counts the targets set, from 1
  const void *target = nullptr; ///< the cloud that was set last
  double time_limit = 0;        ///< seconds of an align(); 0: none
  double spent = 0;             ///< of them, on indexing, since the last align()
  int core_normals = 0;         ///< uses (fricp_normals) for which the core estimates normals with the index
  ProgressFunction progress;
  std::atomic<bool> cancelled{false};
};

/** Does a representation measure plain distances between x, y, z? */
template <class PointT> bool measuresPositions(const pcl::PointRepresentation<PointT> &representation) {
  return typeid(representation) == typeid(pcl::DefaultPointRepresentation<PointT>) && representation.isTrivial() &&
         representation.getNumberOfDimensions() == 3;
}

/**
 * Stands where search::KdTree keeps PCL's tree. search::KdTree::setPointRepresentation() is not virtual, but it tells
 * this object, which indexes what the representation makes of the cloud only when that is more than x, y, z (or when
 * the cloud is too small for the core: a pose needs three points, a search does not).
 */
template <class PointT> class RepresentationTree : public pcl::KdTreeFLANN<PointT> {
public:
  using Base = pcl::KdTreeFLANN<PointT>;
  using CloudConstPtr = typename Base::PointCloudConstPtr;
  using IndicesConstPtr = typename Base::IndicesConstPtr;
  using Result = decltype(std::declval<Base &>().setInputCloud(std::declval<const CloudConstPtr &>()));
  using Base::nearestKSearch;
  using Base::radiusSearch;

  explicit RepresentationTree(bool sorted) : Base(sorted) {
  }

  /** A new cloud, or new content in the old one. */
  void reset(const CloudConstPtr &cloud, const IndicesConstPtr &indices, fricp_status status) {
    this->input_ = cloud;
    this->indices_ = indices;
    points_.reset();
    indexed_ = status == FRICP_OK;
    searchable_ = indexed_ || status == FRICP_ERROR_TOO_FEW_POINTS;
    setInputCloud(cloud, indices);
  }

  /** Called by setPointRepresentation() with the cloud we already have. */
  Result setInputCloud(const CloudConstPtr &cloud, const IndicesConstPtr &indices) override {
    std::unique_lock<std::shared_timed_mutex> lock(mutex_);
    positions_only_ = measuresPositions(*this->point_representation_);
    active_ = searchable_ && !(positions_only_ && indexed_);
    error_.clear();
    if (!active_)
      return static_cast<Result>(true);
    try { // of the user's representation: must not leave align(), which calls this
      if (!points_) {
        vectors_.reset();
        points_.reset(new pcl::PointCloud<PointT>(*cloud));
      }
      build(indices.get());
      return static_cast<Result>(true);
    } catch (const std::exception &error) {
      error_ = std::string("the point representation threw: ") + error.what();
    } catch (...) {
      error_ = "the point representation threw";
    }
    vectors_.reset();
    return static_cast<Result>(false);
  }

  int nearestKSearch(const PointT &point, unsigned int k, pcl::Indices &indices,
                     std::vector<float> &squared_distances) const override {
    static thread_local std::vector<VectorTree::Neighbor> found;
    found.clear();
    if (vectors_)
      vectors_->nearest(vectorOf(point), k, found);
    return answer(found, indices, squared_distances);
  }

  int radiusSearch(const PointT &point, double radius, pcl::Indices &indices, std::vector<float> &squared_distances,
                   unsigned int max_nn = 0) const override {
    std::vector<VectorTree::Neighbor> found;
    if (vectors_)
      vectors_->within(vectorOf(point), radius * radius, found);
    const bool limited = max_nn > 0 && found.size() > max_nn;
    if (this->sorted_ || limited)
      std::sort(found.begin(), found.end());
    if (limited)
      found.resize(max_nn);
    return answer(found, indices, squared_distances);
  }

  /** Is this what answers? */
  bool active() const {
    return active_;
  }

  /** Are neighbours ordered by plain distances between x, y, z? */
  bool positionsOnly() const {
    return positions_only_;
  }

  /** What is asked, for as long as the caller holds it; null if nothing is. */
  std::shared_ptr<const VectorTree> vectors() const {
    return vectors_;
  }

  /** Why the representation could not be used; "" if it could. */
  std::string error() const {
    return error_;
  }

  bool accepts(const PointT &query) const {
    return this->point_representation_->isValid(query);
  }

  std::shared_timed_mutex &mutex() const {
    return mutex_;
  }

private:
  /** The same object may make other vectors than before; what is the same is kept, as is what belongs to it. */
  void build(const pcl::Indices *selected) {
    const pcl::PointCloud<PointT> &cloud = *points_;
    const int dimensions = this->point_representation_->getNumberOfDimensions();
    if (dimensions < 1)
      throw std::invalid_argument("it has no dimensions");
    std::vector<float> values, vector(static_cast<std::size_t>(dimensions));
    std::vector<std::int32_t> indices;
    const std::size_t count = selected ? selected->size() : cloud.size();
    for (std::size_t i = 0; i < count; i++) {
      const auto at = selected ? static_cast<std::size_t>((*selected)[i]) : i;
      if (at >= cloud.size() || !this->point_representation_->isValid(cloud[at]))
        continue;
      this->point_representation_->vectorize(cloud[at], vector);
      if (!std::all_of(vector.begin(), vector.end(), [](float value) { return std::isfinite(value); }))
        continue; // rescaled beyond what a float holds
      values.insert(values.end(), vector.begin(), vector.end());
      indices.push_back(static_cast<std::int32_t>(at));
    }
    if (vectors_ && built_for_ == this->point_representation_ && vectors_->dimensions() == vector.size() &&
        values == values_ && indices == found_)
      return;
    vectors_ = std::make_shared<VectorTree>(vector.size(), values, indices);
    built_for_ = this->point_representation_;
    values_ = std::move(values);
    found_ = std::move(indices);
  }

  const float *vectorOf(const PointT &point) const {
    static thread_local std::vector<float> vector;
    vector.resize(static_cast<std::size_t>(this->point_representation_->getNumberOfDimensions()));
    this->point_representation_->vectorize(point, vector);
    return vector.data();
  }

  static int answer(const std::vector<VectorTree::Neighbor> &found, pcl::Indices &indices,
                    std::vector<float> &squared_distances) {
    indices.resize(found.size());
    squared_distances.resize(found.size());
    for (std::size_t i = 0; i < found.size(); i++) {
      indices[i] = static_cast<pcl::index_t>(found[i].second);
      squared_distances[i] = static_cast<float>(found[i].first);
    }
    return static_cast<int>(found.size());
  }

  std::unique_ptr<const pcl::PointCloud<PointT>> points_; // as they were indexed; null: not needed yet
  std::shared_ptr<const VectorTree> vectors_;
  typename Base::PointRepresentationConstPtr built_for_; // what vectors_ was made by, and of
  std::vector<float> values_;
  std::vector<std::int32_t> found_;
  std::string error_;
  bool indexed_ = false;    // by the core
  bool searchable_ = false; // has a finite point
  bool active_ = false;
  bool positions_only_ = true;
  mutable std::shared_timed_mutex mutex_;
};

} // namespace detail

/** A pcl::search::KdTree on fricp's index: see the head of this file. */
template <class PointT> class Search : public pcl::search::KdTree<PointT> {
public:
  ///@{
  /** As pcl::search::KdTree has it; Prepared is the index with its cloud. */
  using Base = pcl::search::KdTree<PointT>;
  using Cloud = pcl::PointCloud<PointT>;
  using CloudConstPtr = typename Base::PointCloudConstPtr;
  using IndicesConstPtr = typename pcl::search::Search<PointT>::IndicesConstPtr;
  using Ptr = pcl::shared_ptr<Search>;
  using ConstPtr = pcl::shared_ptr<const Search>;
  using Prepared = typename detail::PreparedTarget<PointT>::ConstPtr;
  ///@}
  using Base::nearestKSearch;
  using Base::radiusSearch;

  /** @param sorted  radiusSearch() gives the nearest first. @param gate is of fricp::Registration. */
  explicit Search(bool sorted = true, std::shared_ptr<detail::TargetGate> gate = nullptr)
      : Base(sorted), representation_(new detail::RepresentationTree<PointT>(sorted)), gate_(std::move(gate)) {
    this->tree_ = representation_;
    this->name_ = "fricp";
  }

  /** For building the index; 0 (and less): as many as the machine has, fewer for small clouds. */
  void setNumThreads(int threads) {
    threads_ = std::max(threads, 0);
  }

  /** Index a cloud, always anew. */
  detail::SetInputCloudResult<PointT> setInputCloud(const CloudConstPtr &cloud,
                                                    const IndicesConstPtr &indices = IndicesConstPtr()) override {
    // The argument may be the registration's own member, which another thread may be setting.
    std::unique_lock<std::mutex> gate;
    if (gate_)
      gate = std::unique_lock<std::mutex>(gate_->mutex);
    const CloudConstPtr held = cloud;
    const bool is_target = gate_ && held.get() == gate_->target && !indices;
    const std::uint64_t generation = is_target ? gate_->generation : 0;
    const int normals = gate_ ? gate_->core_normals : 0;
    detail::Watch watch(gate_ ? gate_->time_limit : 0, 0, gate_ ? &gate_->cancelled : nullptr,
                        gate_ ? gate_->progress : nullptr);
    if (gate)
      gate.unlock();
    this->input_ = held;
    this->indices_ = indices;
    const fricp_status status = index(held, indices, normals, generation, watch);
    representation_->reset(held, indices, status);
    if (gate_) {
      gate.lock();
      gate_->spent = watch.seconds();
    }
    return static_cast<detail::SetInputCloudResult<PointT>>(status == FRICP_OK);
  }

  /** As PCL's: exact, nearest first; at equal distances the lower index. */
  int nearestKSearch(const PointT &point, int k, pcl::Indices &indices,
                     std::vector<float> &squared_distances) const override {
    std::shared_lock<std::shared_timed_mutex> lock(representation_->mutex());
    const bool room = !indices.empty() || !squared_distances.empty();
    int found = 0;
    if (k > 0 && !representation_->active())
      found = nearestPositions(point, k, indices, squared_distances);
    else if (k > 0 && representation_->accepts(point))
      found = Base::nearestKSearch(point, k, indices, squared_distances);
    if (found == 0) {
      indices.assign(room ? 1 : 0, static_cast<pcl::index_t>(-1));
      squared_distances.assign(room ? 1 : 0, std::numeric_limits<float>::infinity());
    }
    return found;
  }

  /** As PCL's: exact. */
  int radiusSearch(const PointT &point, double radius, pcl::Indices &indices, std::vector<float> &squared_distances,
                   unsigned int max_nn = 0) const override {
    std::shared_lock<std::shared_timed_mutex> lock(representation_->mutex());
    int found = 0;
    if (radius > 0 && !representation_->active())
      found = withinPositions(point, radius, indices, squared_distances, max_nn);
    else if (radius > 0 && representation_->accepts(point))
      found = Base::radiusSearch(point, radius, indices, squared_distances, max_nn);
    if (found == 0) {
      indices.clear();
      squared_distances.clear();
    }
    return found;
  }

  /** What has been indexed, for as long as the caller holds it. Never null; its core is null if it could not be. */
  Prepared prepared() const {
    std::shared_lock<std::shared_timed_mutex> lock(representation_->mutex());
    return prepared_;
  }

  /** Put the same cloud with more (normals) in the place of `old`, unless another cloud was set meanwhile. */
  void replace(const Prepared &old, const Prepared &better) {
    std::unique_lock<std::shared_timed_mutex> lock(representation_->mutex());
    if (prepared_ == old)
      prepared_ = better;
  }

  /** Which of its registration's targets the index is of; 0: of none of them. */
  std::uint64_t generation() const {
    std::shared_lock<std::shared_timed_mutex> lock(representation_->mutex());
    return generation_;
  }

  /** False if a representation of the user's orders the neighbours. */
  bool positionsOnly() const {
    return representation_->positionsOnly();
  }

  /** The vectors that it makes of the cloud; null: none, or not used. */
  std::shared_ptr<const detail::VectorTree> vectors() const {
    std::shared_lock<std::shared_timed_mutex> lock(representation_->mutex());
    return representation_->vectors();
  }

  /** Why that representation could not be used (it threw, say); "" if it could. */
  std::string representationError() const {
    return representation_->error();
  }

private:
  fricp_status index(const CloudConstPtr &cloud, const IndicesConstPtr &indices, int normals, std::uint64_t generation,
                     detail::Watch &watch) {
    const auto failed = std::make_shared<detail::PreparedTarget<PointT>>();
    detail::setError(failed->error, FRICP_ERROR_OUT_OF_MEMORY, "out of memory for the index of the target");
    failed->cloud = cloud;
    Prepared prepared = failed;
    try { // must not leave align(), which calls this
      const bool fill = cloud && detail::wantsNormals(*cloud, indices, normals);
      prepared = detail::prepareTarget<PointT>(cloud, indices, nullptr, nullptr, threads_, watch, fill);
    } catch (const std::bad_alloc &) {
    }
    std::unique_lock<std::shared_timed_mutex> lock(representation_->mutex());
    prepared_ = prepared;
    generation_ = generation;
    return static_cast<fricp_status>(prepared->error.status);
  }

  static std::array<double, 3> position(const PointT &point) {
    const float *xyz = detail::PointLayout<PointT>::xyz(&point);
    return {{xyz[0], xyz[1], xyz[2]}};
  }

  static void copy(int found, const std::int32_t *from, const double *squared, pcl::Indices &indices,
                   std::vector<float> &squared_distances) {
    const auto size = static_cast<std::size_t>(std::max(found, 0));
    indices.resize(size);
    squared_distances.resize(size);
    for (std::size_t i = 0; i < size; i++) {
      indices[i] = static_cast<pcl::index_t>(from[i]);
      squared_distances[i] = static_cast<float>(squared[i]);
    }
  }

  int nearestPositions(const PointT &point, int k, pcl::Indices &indices, std::vector<float> &squared_distances) const {
    if (!prepared_->core)
      return 0;
    static thread_local std::vector<std::int32_t> found_indices;
    static thread_local std::vector<double> found_distances;
    const std::size_t room = std::min(static_cast<std::size_t>(k), prepared_->points);
    found_indices.resize(std::max(room, found_indices.size()));
    found_distances.resize(found_indices.size());
    const int found =
        fricp_target_nearest(prepared_->core.get(), position(point).data(), static_cast<int>(room),
                             std::numeric_limits<double>::infinity(), found_indices.data(), found_distances.data());
    copy(found, found_indices.data(), found_distances.data(), indices, squared_distances);
    return std::max(found, 0);
  }

  int withinPositions(const PointT &point, double radius, pcl::Indices &indices, std::vector<float> &squared_distances,
                      unsigned int max_nn) const {
    if (!prepared_->core)
      return 0;
    const auto query = position(point);
    std::vector<std::int32_t> found_indices(64);
    std::vector<double> found_distances(64);
    int found = 0;
    for (;;) {
      const int room = static_cast<int>(found_indices.size());
      found = fricp_target_within(prepared_->core.get(), query.data(), radius * radius, found_indices.data(),
                                  found_distances.data(), room);
      if (found <= room)
        break;
      found_indices.resize(static_cast<std::size_t>(found));
      found_distances.resize(static_cast<std::size_t>(found));
    }
    found = std::max(found, 0);
    const bool limited = max_nn > 0 && static_cast<unsigned int>(found) > max_nn;
    if (this->sorted_results_ || limited)
      sortByDistance(found, found_indices, found_distances);
    if (limited)
      found = static_cast<int>(max_nn);
    copy(found, found_indices.data(), found_distances.data(), indices, squared_distances);
    return found;
  }

  static void sortByDistance(int found, std::vector<std::int32_t> &indices, std::vector<double> &distances) {
    std::vector<std::pair<double, std::int32_t>> pairs(static_cast<std::size_t>(found));
    for (std::size_t i = 0; i < pairs.size(); i++)
      pairs[i] = {distances[i], indices[i]};
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size(); i++) {
      distances[i] = pairs[i].first;
      indices[i] = pairs[i].second;
    }
  }

  pcl::shared_ptr<detail::RepresentationTree<PointT>> representation_;
  std::shared_ptr<detail::TargetGate> gate_;
  Prepared prepared_ = std::make_shared<detail::PreparedTarget<PointT>>();
  std::uint64_t generation_ = 0;
  int threads_ = 0;
};

} // namespace fricp

#endif
