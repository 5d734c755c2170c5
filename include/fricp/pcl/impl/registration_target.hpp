// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file impl/registration_target.hpp
 * The target, prepared: indexed, behind a tree of the user's, with normals. A part of impl/registration.hpp, which includes it.
 */
#ifndef FRICP_PCL_IMPL_REGISTRATION_TARGET_HPP
#define FRICP_PCL_IMPL_REGISTRATION_TARGET_HPP

namespace fricp {

/**
 * A search object may have been used for another cloud since, by another registration or to estimate the normals of a
 * scan. PCL's classes index their target at each align; we do where it is not what is indexed. Before the time that
 * indexing takes is read. @return false if that cannot be, after a message.
 */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::takeTreeBack() {
  if (!this->tree_ || this->force_no_recompute_)
    return true;
  std::unique_lock<std::mutex> lock(gate_->mutex);
  const PointCloudTargetConstPtr target = this->target_;
  lock.unlock();
  const PointCloudTargetConstPtr indexed = this->tree_->getInputCloud(); // null: of a class that does not tell
  const bool ours = this->tree_ == own_search_
                        ? own_search_->generation() != 0 // be it one that is to be followed by another
                        : !indexed || (indexed == target && !this->tree_->getIndices());
  if (ours)
    return true;
  if (output_ == static_cast<const void *>(target.get()))
    return fail(FRICP_ERROR_INVALID_ARGUMENT, refuseOutput()->error.text);
  behind_tree_.reset();
  this->tree_->setInputCloud(target);
  return true;
}

FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::acquireTarget(detail::Watch &watch) {
  const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_);
  if (!search)
    return targetBehindTree(watch);
  const Prepared prepared = search->prepared();
  if (!search->representationError().empty())
    return refusal(FRICP_ERROR_SEARCH, search->representationError().c_str());
  if (prepared->core && !search->positionsOnly())
    return targetOfRepresentation(prepared, watch);
  if (prepared->cloud)
    return prepared;
  return refusal(FRICP_ERROR_EMPTY_CLOUD, "the search object was set with force_no_recompute, but it holds no cloud");
}

/** The user's point representation finds the pairs; how the target's own points lie is a matter of their positions. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::targetOfRepresentation(const Prepared &positions,
                                                                                              detail::Watch &watch) {
  const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_);
  const auto tree = search->vectors();
  if (behind_tree_ && behind_tree_->core && behind_tree_of_ == this->tree_ && behind_tree_positions_ == positions &&
      behind_tree_vectors_ == tree)
    return behind_tree_;
  if (output_ == static_cast<const void *>(positions->cloud.get()))
    return refuseOutput();
  std::shared_ptr<detail::VectorSearch<PointTarget>> vectors;
  if (tree)
    vectors = std::make_shared<detail::VectorSearch<PointTarget>>(search->getPointRepresentation(), tree);
  const auto hook = std::make_shared<detail::TreeHook<PointTarget>>(this->tree_, positions->core, true, vectors);
  behind_tree_ = prepareBehindTree(positions->cloud, positions->indices, hook, watch);
  behind_tree_of_ = this->tree_;
  behind_tree_positions_ = positions;
  behind_tree_vectors_ = tree;
  return behind_tree_;
}

/** The user's own search object: it is asked for every neighbour, and only the base class may rebuild it. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::targetBehindTree(detail::Watch &watch) {
  PointCloudTargetConstPtr target;
  std::uint64_t generation = 0;
  {
    std::lock_guard<std::mutex> lock(gate_->mutex);
    target = this->target_;
    generation = gate_->generation;
  }
  const PointCloudTargetConstPtr indexed = this->tree_->getInputCloud();
  if (!this->force_no_recompute_ && indexed)
    target = indexed; // what the base class has just given it
  if (behind_tree_ && behind_tree_->core && behind_tree_of_ == this->tree_ && behind_tree_generation_ == generation &&
      !behind_tree_positions_ && behind_tree_->cloud == target)
    return behind_tree_;
  if (output_ == static_cast<const void *>(target.get()))
    return refuseOutput();
  if (indexed && indexed->size() != target->size())
    return refusal(FRICP_ERROR_SEARCH,
                   "the search object set with force_no_recompute indexes a cloud of another size than the target");
  Prepared positions;
  if (!detail::measuresPositions(*this->tree_->getPointRepresentation()))
    positions = detail::prepareTarget<PointTarget>(target, nullptr, nullptr, nullptr, options_.threads, watch);
  if (positions && positions->stopped != FRICP_STOP_NONE)
    return positions;
  // Of a class of the user's, who knows; PCL's own is used from OpenMP loops by PCL itself.
  const auto &tree = *this->tree_;
  const bool thread_safe = typeid(tree) == typeid(pcl::search::KdTree<PointTarget>);
  const auto hook =
      std::make_shared<detail::TreeHook<PointTarget>>(this->tree_, positions ? positions->core : nullptr, thread_safe);
  behind_tree_ = prepareBehindTree(target, nullptr, hook, watch);
  behind_tree_of_ = this->tree_;
  behind_tree_positions_ = nullptr;
  behind_tree_generation_ = generation;
  return behind_tree_;
}

/** PCL has already written the source to it. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::refuseOutput() {
  return refusal(FRICP_ERROR_INVALID_ARGUMENT,
                 "the output is the target cloud, which is still to be read: give another");
}

/** Instead of a target: why there is none. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::refusal(fricp_status status, const char *text) {
  auto refused = std::make_shared<Target>();
  detail::setError(refused->error, status, text);
  return refused;
}

/** With the normals that the core is to estimate, if it can: else without, and needNormals() tells why. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared
FRICP_PCL_CLASS::prepareBehindTree(const PointCloudTargetConstPtr &cloud, const pcl::IndicesConstPtr &indices,
                                   const std::shared_ptr<const detail::TreeHook<PointTarget>> &hook,
                                   detail::Watch &watch) {
  const bool fill = core_normals_ && cloud && detail::wantsNormals(*cloud, indices, fricp_options_normals(&options_));
  const Prepared prepared =
      detail::prepareTarget<PointTarget>(cloud, indices, hook, nullptr, options_.threads, watch, fill);
  if (prepared->core || prepared->stopped != FRICP_STOP_NONE || !fill)
    return prepared;
  return detail::prepareTarget<PointTarget>(cloud, indices, hook, nullptr, options_.threads, watch);
}

/** Only methods that use normals come here, so only they pay for them; once a target. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::needNormals(const Prepared &prepared,
                                                                                   detail::Watch &watch) {
  if (prepared->estimated || prepared->normals == prepared->points)
    return prepared;
  if (output_ == static_cast<const void *>(prepared->cloud.get()))
    return refuseNormals(prepared, FRICP_ERROR_INVALID_ARGUMENT,
                         "the output is the target cloud, whose normals are still to be estimated: give another");
  if (prepared->count != prepared->cloud->size())
    return refuseNormals(prepared, FRICP_ERROR_INVALID_ARGUMENT,
                         "the target cloud has another size than when it was indexed: call setInputTarget");
  if (!detail::wantsNormals(*prepared->cloud, prepared->indices, fricp_options_normals(&options_)))
    return prepared;
  const Prepared complete = core_normals_
                                ? detail::prepareTarget<PointTarget>(prepared->cloud, prepared->indices, prepared->hook,
                                                                     nullptr, options_.threads, watch, true)
                                : detail::withNormals<PointTarget>(prepared, options_.threads, watch);
  if (complete->stopped != FRICP_STOP_NONE)
    return complete;
  if (!complete->core)
    return refuseNormals(prepared, static_cast<fricp_status>(complete->error.status), complete->error.text);
  if (behind_tree_ == prepared)
    behind_tree_ = complete;
  if (const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_))
    search->replace(prepared, complete);
  return complete;
}

/** A method that can do without goes on without. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared
FRICP_PCL_CLASS::refuseNormals(const Prepared &prepared, fricp_status status, const char *text) {
  if (!usesNormals(FRICP_NORMALS_TARGET))
    return prepared;
  auto refused = std::make_shared<Target>(*prepared);
  refused->core.reset();
  detail::setError(refused->error, status, text);
  return refused;
}

/** A target that was set while align() ran, or that could not be indexed (for want of memory, say, or of points that
 *  the caller has added since): the base class takes it for indexed. */
FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::noticeNewTarget() {
  const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_);
  const bool failed = search ? !search->prepared()->core || !search->representationError().empty()
                             : behind_tree_ && behind_tree_of_ == this->tree_ && !behind_tree_->core;
  std::lock_guard<std::mutex> lock(gate_->mutex);
  const bool current = this->tree_ == own_search_ ? own_search_->generation() == gate_->generation
                                                  : !this->tree_ || this->tree_->getInputCloud() == this->target_;
  if (failed || !current)
    this->target_cloud_updated_ = true;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::warnOfIgnored() {
  if (warned_ || (this->correspondence_rejectors_.empty() && !this->transformation_estimation_ &&
                  !this->correspondence_estimation_))
    return;
  warned_ = true;
  PCL_WARN("[%s::align] correspondence rejectors, correspondence and transformation estimations are not used: the "
           "method has its own (setMaxCorrespondenceDistance and the robust kernel reject).\n",
           this->getClassName().c_str());
}

} // namespace fricp

#endif
