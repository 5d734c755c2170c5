// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file prepared_target.hpp
 * A target cloud and the core's index of it, shared and immutable. Internal to the shim.
 */
#ifndef FRICP_PCL_PREPARED_TARGET_HPP
#define FRICP_PCL_PREPARED_TARGET_HPP

#include "fricp/pcl/cloud_view.hpp"
#include "fricp/pcl/compat.hpp"

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
 * A PCL search as the core's search hook. Pairs are asked for with all fields of the source point, so that the user's
 * tree or point representation may measure more than positions; neighbourhoods within the target by position.
 */
template <class PointT> class TreeHook {
public:
  using Tree = pcl::search::Search<PointT>;

  /** @param positions the core's own index of the same cloud, for neighbourhoods; null: the tree is asked for them. */
  TreeHook(std::shared_ptr<const Tree> tree, std::shared_ptr<const fricp_target> positions, bool thread_safe)
      : tree_(std::move(tree)), positions_(std::move(positions)), thread_safe_(thread_safe) {
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

  /** Whose points the next registration asks about; null: after it. */
  void setSource(const SourceFields<PointT> *source) const {
    source_ = source;
    if (source)
      note("");
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
    return hook.ask(point, query, k, indices, squared_distances);
  }

  /** The limit is the core's to apply: it is one of positions, the tree's distances may be others. */
  int ask(PointT point, const double query[3], int k, std::int32_t *indices, double *squared_distances) const noexcept {
    try {
      float *xyz = PointLayout<PointT>::xyz(&point);
      for (int axis = 0; axis < 3; axis++)
        xyz[axis] = static_cast<float>(query[axis]);
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
  std::size_t count = 0;   ///< points of the cloud when it was indexed
  std::size_t points = 0;  ///< finite points
  std::size_t normals = 0; ///< points with a usable normal
  bool estimated = false;  ///< normals that were missing have been estimated
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
 */
template <class PointT>
typename PreparedTarget<PointT>::ConstPtr
prepareTarget(const typename pcl::PointCloud<PointT>::ConstPtr &cloud, const pcl::IndicesConstPtr &indices,
              const std::shared_ptr<const TreeHook<PointT>> &hook, const std::vector<float> *normals, int threads) {
  auto prepared = std::make_shared<PreparedTarget<PointT>>();
  prepared->cloud = cloud;
  prepared->indices = indices;
  prepared->hook = hook;
  prepared->estimated = normals != nullptr;
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
  fricp_search search = FRICP_SEARCH_INIT;
  if (hook) {
    search = hook->search();
    target_options.search = &search;
  }
  fricp_target *core = nullptr;
  if (fricp_target_create(&core, &view, &target_options, &prepared->error) != FRICP_OK)
    return prepared;
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
