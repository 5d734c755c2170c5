// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file prepared_target.hpp
 * A target cloud and the core's index of it, shared and immutable. Internal to the shim.
 */
#ifndef FRICP_PCL_PREPARED_TARGET_HPP
#define FRICP_PCL_PREPARED_TARGET_HPP

#include "fricp/pcl/cloud_view.hpp"
#include "fricp/pcl/compat.hpp"
#include "fricp/pcl/vector_tree.hpp"
#include "fricp/pcl/watch.hpp"

#include <pcl/search/kdtree.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>
#include <vector>

namespace fricp {
namespace detail {

/** Fills in what a source point has besides its position, as far as the target's type has it, too. */
template <class PointT> class SourceFields {
public:
  virtual ~SourceFields() = default;
  virtual void copy(std::size_t source_index, PointT &query) const = 0;
};

/**
 * What a point representation makes of a target, asked about source points that move little by little: the nearest
 * vector to each is remembered, and sought again only where it may have changed. One thread at a time for each source
 * index.
 */
template <class PointT> class VectorSearch {
public:
  using Representation = typename pcl::search::KdTree<PointT>::PointRepresentationConstPtr;

  VectorSearch(Representation representation, std::shared_ptr<const VectorTree> tree)
      : representation_(std::move(representation)), tree_(std::move(tree)) {
  }

  /** @param remember false: an index may be asked for by several threads at once. */
  void expect(std::size_t source_points, bool remember) {
    const std::size_t kept = remember ? source_points : 0;
    if (known_.size() == kept)
      return; // most likely the same points, moved: what is known holds in any case
    known_.assign(kept, VectorTree::Nearest());
    vectors_.assign(kept * tree_->dimensions(), 0);
  }

  VectorTree::Nearest nearest(std::size_t source_index, const PointT &point) {
    static thread_local std::vector<float> vector;
    vector.resize(tree_->dimensions());
    representation_->vectorize(point, vector);
    if (!std::all_of(vector.begin(), vector.end(), [](float value) { return std::isfinite(value); }))
      return VectorTree::Nearest();
    if (source_index >= known_.size())
      return tree_->nearestOne(vector.data());
    VectorTree::Nearest &known = known_[source_index];
    float *before = &vectors_[source_index * tree_->dimensions()];
    known = tree_->nearestOne(vector.data(), before, known);
    std::copy(vector.begin(), vector.end(), before);
    return known;
  }

private:
  Representation representation_;
  std::shared_ptr<const VectorTree> tree_;
  std::vector<VectorTree::Nearest> known_;
  std::vector<float> vectors_;
};

/**
 * A PCL search as the core's search hook. Pairs are asked for with all fields of the source point, so that the user's
 * tree or point representation may measure more than positions; neighbourhoods within the target by position.
 */
template <class PointT> class TreeHook {
public:
  using Tree = pcl::search::Search<PointT>;

  /**
   * @param positions the core's own index of the same cloud, for neighbourhoods; null: the tree is asked for them.
   * @param vectors   asked for pairs instead of the tree; null: the tree is.
   */
  TreeHook(std::shared_ptr<const Tree> tree, std::shared_ptr<const fricp_target> positions, bool thread_safe,
           std::shared_ptr<VectorSearch<PointT>> vectors = nullptr)
      : tree_(std::move(tree)), positions_(std::move(positions)), vectors_(std::move(vectors)),
        thread_safe_(thread_safe) {
  }

  /** The hook must outlive what is created with it. */
  fricp_search search() const {
    fricp_search hook = FRICP_SEARCH_INIT;
    hook.context = const_cast<TreeHook *>(this);
    hook.nearest = &TreeHook::nearest;
    hook.nearest_of = &TreeHook::nearestOf;
    hook.thread_safe = thread_safe_ ? 1 : 0;
    return hook;
  }

  /**
   * Whose points the next registration asks about; null: after it.
   * @param once no index is asked for twice in a pass.
   */
  void setSource(const SourceFields<PointT> *source, std::size_t points = 0, bool once = false) const {
    source_ = source;
    if (source)
      note("");
    if (source && vectors_)
      vectors_->expect(points, once);
  }

  /** What the tree threw since, "" if nothing. */
  std::string thrown() const {
    std::lock_guard<std::mutex> lock(thrown_mutex_);
    return thrown_;
  }

private:
  static int nearest(void *context, const double query[3], int k, double limit, std::int32_t *indices,
                     double *squared_distances) noexcept {
    const TreeHook &hook = *static_cast<const TreeHook *>(context);
    if (hook.positions_)
      return fricp_target_nearest(hook.positions_.get(), query, k, limit, indices, squared_distances);
    return hook.ask(PointT(), query, k, indices, squared_distances);
  }

  static int nearestOf(void *context, std::int32_t source_index, const double query[3], int k, double,
                       std::int32_t *indices, double *squared_distances) noexcept {
    const TreeHook &hook = *static_cast<const TreeHook *>(context);
    PointT point = PointT();
    if (hook.source_)
      hook.source_->copy(static_cast<std::size_t>(source_index), point); // copies numbers: cannot throw
    if (hook.vectors_ && k == 1)
      return hook.askVectors(source_index, point, query, indices, squared_distances);
    return hook.ask(point, query, k, indices, squared_distances);
  }

  static void place(PointT &point, const double query[3]) {
    float *xyz = PointLayout<PointT>::xyz(&point);
    for (int axis = 0; axis < 3; axis++)
      xyz[axis] = static_cast<float>(query[axis]);
  }

  int askVectors(std::int32_t source_index, PointT &point, const double query[3], std::int32_t *index,
                 double *squared_distance) const noexcept {
    try {
      place(point, query);
      const VectorTree::Nearest found = vectors_->nearest(static_cast<std::size_t>(source_index), point);
      *index = found.index;
      *squared_distance = found.squared;
      return found.index < 0 ? 0 : 1;
    } catch (const std::exception &error) { // must not unwind through the core
      note(error.what());
    } catch (...) {
      note("something that is no std::exception");
    }
    return -1;
  }

  /** The limit is the core's to apply: it is one of positions, the tree's distances may be others. */
  int ask(PointT point, const double query[3], int k, std::int32_t *indices, double *squared_distances) const noexcept {
    try {
      place(point, query);
      static thread_local pcl::Indices found_indices;
      static thread_local std::vector<float> found_distances;
      found_indices.resize(static_cast<std::size_t>(k));
      found_distances.resize(static_cast<std::size_t>(k));
      int found = std::min(tree_->nearestKSearch(point, k, found_indices, found_distances), k);
      // A tree of the user's may promise more than it delivers.
      found = static_cast<int>(
          std::min({static_cast<std::size_t>(std::max(found, 0)), found_indices.size(), found_distances.size()}));
      for (int i = 0; i < found; i++) {
        indices[i] = static_cast<std::int32_t>(found_indices[static_cast<std::size_t>(i)]);
        squared_distances[i] = static_cast<double>(found_distances[static_cast<std::size_t>(i)]);
      }
      return found;
    } catch (const std::exception &error) { // must not unwind through the core
      note(error.what());
    } catch (...) {
      note("something that is no std::exception");
    }
    return -1;
  }

  /** The first of what was thrown; "" forgets it. */
  void note(const char *what) const noexcept {
    try {
      std::lock_guard<std::mutex> lock(thrown_mutex_);
      if (!*what || thrown_.empty())
        thrown_ = what;
    } catch (...) { // no memory even for the text
    }
  }

  std::shared_ptr<const Tree> tree_;
  std::shared_ptr<const fricp_target> positions_;
  std::shared_ptr<VectorSearch<PointT>> vectors_;
  bool thread_safe_;
  mutable const SourceFields<PointT> *source_ = nullptr;
  mutable std::mutex thrown_mutex_;
  mutable std::string thrown_;
};

/** Holders keep what they use: setting another target elsewhere never pulls it away from a running registration. */
template <class PointT> struct PreparedTarget {
  using Cloud = pcl::PointCloud<PointT>;
  using ConstPtr = std::shared_ptr<const PreparedTarget>;

  typename Cloud::ConstPtr cloud;               ///< what all indices refer to; null: none yet
  pcl::IndicesConstPtr indices;                 ///< the part of it in use; null: all
  std::shared_ptr<const TreeHook<PointT>> hook; ///< answers for the core; null: the core's own index
  std::shared_ptr<const fricp_target> core;     ///< null: could not be prepared, for the reason in error
  fricp_error error{};
  fricp_stop_reason stopped = FRICP_STOP_NONE; ///< why, if the error is FRICP_ERROR_INTERRUPTED
  std::size_t count = 0;                       ///< points of the cloud when it was indexed
  std::size_t points = 0;                      ///< finite points
  std::size_t normals = 0;                     ///< points with a usable normal
  bool estimated = false;                      ///< normals that were missing have been estimated
};

inline void setError(fricp_error &error, fricp_status status, const char *text) {
  error.status = status;
  std::strncpy(error.text, text, sizeof error.text - 1);
  error.text[sizeof error.text - 1] = '\0';
}

/**
 * Never null; look at core.
 * @param hook    null: build the core's own index.
 * @param normals 3 for each point of the cloud, instead of the cloud's own; null: the cloud's own, if any.
 * @param watch   may end it with FRICP_ERROR_INTERRUPTED.
 * @param fill    true: the core estimates the normals that are missing.
 */
template <class PointT>
typename PreparedTarget<PointT>::ConstPtr
prepareTarget(const typename pcl::PointCloud<PointT>::ConstPtr &cloud, const pcl::IndicesConstPtr &indices,
              const std::shared_ptr<const TreeHook<PointT>> &hook, const std::vector<float> *normals, int threads,
              Watch &watch, bool fill = false) {
  auto prepared = std::make_shared<PreparedTarget<PointT>>();
  prepared->cloud = cloud;
  prepared->indices = indices;
  prepared->hook = hook;
  prepared->estimated = normals != nullptr || fill;
  if (!cloud || cloud->empty()) {
    setError(prepared->error, FRICP_ERROR_EMPTY_CLOUD, "the target cloud is empty");
    return prepared;
  }
  prepared->count = cloud->size();
  const IndexView selected(indices.get());
  fricp_cloud view = viewOf(*cloud);
  view.indices = selected.data();
  view.index_count = selected.size();
  if (normals) {
    view.normals = normals->data();
    view.normal_stride = 3 * sizeof(float);
  }
  fricp_target_options target_options = FRICP_TARGET_OPTIONS_INIT;
  target_options.threads = threads;
  target_options.given_normals_only = fill ? 0 : 1;
  watch.attach(target_options);
  fricp_search search = FRICP_SEARCH_INIT;
  if (hook) {
    search = hook->search();
    target_options.search = &search;
  }
  fricp_target *core = nullptr;
  if (fricp_target_create(&core, &view, &target_options, &prepared->error) != FRICP_OK) {
    if (prepared->error.status == FRICP_ERROR_INTERRUPTED)
      prepared->stopped = watch.why();
    return prepared;
  }
  prepared->core = std::shared_ptr<const fricp_target>(
      core, [](const fricp_target *target) { fricp_target_destroy(const_cast<fricp_target *>(target)); });
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  if (fricp_target_get_info(core, &info) == FRICP_OK) {
    prepared->points = info.points;
    prepared->normals = info.normals;
  }
  return prepared;
}

} // namespace detail
} // namespace fricp

#endif
