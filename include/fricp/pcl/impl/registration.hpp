// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file impl/registration.hpp
 * Definitions for fricp/pcl/registration.hpp.
 */
#ifndef FRICP_PCL_IMPL_REGISTRATION_HPP
#define FRICP_PCL_IMPL_REGISTRATION_HPP

#include "fricp/pcl/registration.hpp"

#define FRICP_PCL_TEMPLATE template <typename PointSource, typename PointTarget, typename Scalar>
#define FRICP_PCL_CLASS Registration<PointSource, PointTarget, Scalar>

namespace fricp {

FRICP_PCL_TEMPLATE FRICP_PCL_CLASS::Registration()
    : own_search_(new Search<PointTarget>(true, gate_)),
      criteria_(new ConvergenceCriteria(this->nr_iterations_, this->transformation_, *this->correspondences_)) {
  this->tree_ = own_search_;
  this->max_iterations_ = 0; // the method's own limits
  setMethod(FRICP_METHOD_AUTO);
}

// ---- Inputs ---------------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setInputSource(const PointCloudSourceConstPtr &cloud) {
  target_inliers_.known = false;
  if (cloud && !cloud->empty()) {
    Base::setInputSource(cloud);
    return;
  }
  PCL_ERROR("[%s::setInputSource] the source cloud is %s; align will not run until another one is set.\n",
            this->getClassName().c_str(), cloud ? "empty" : "null");
  // The base class keeps the cloud it had and aligns that.
  pcl::PCLBase<PointSource>::setInputCloud(cloud ? cloud : PointCloudSourceConstPtr(new PointCloudSource));
  this->source_cloud_updated_ = true;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setInputTarget(const PointCloudTargetConstPtr &cloud) {
  if (!cloud || cloud->empty())
    PCL_ERROR("[%s::setInputTarget] the target cloud is %s; align will not run until another one is set.\n",
              this->getClassName().c_str(), cloud ? "empty" : "null");
  const PointCloudTargetConstPtr target = cloud ? cloud : PointCloudTargetConstPtr(new PointCloudTarget);
  std::lock_guard<std::mutex> lock(gate_->mutex);
  this->target_ = target;
  this->target_cloud_updated_ = true;
  gate_->generation++;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setIndices(const pcl::PointIndicesConstPtr &indices) {
  user_indices_ = indices ? pcl::IndicesConstPtr(indices, &indices->indices) : nullptr;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setIndices(std::size_t row_start, std::size_t col_start, std::size_t nb_rows,
                                                    std::size_t nb_cols) {
  if (!this->input_) {
    PCL_ERROR("[%s::setIndices] set the source cloud before a part of its rows and columns.\n",
              this->getClassName().c_str());
    return;
  }
  // The base class's own list stays the whole cloud: its align() reads points by it before we can check anything.
  const pcl::IndicesPtr before = this->indices_;
  Base::setIndices(row_start, col_start, nb_rows, nb_cols);
  if (this->indices_ == before)
    return; // refused, with a message
  user_indices_ = this->indices_;
  this->indices_.reset();
  this->fake_indices_ = this->use_indices_ = false;
}

// ---- Settings -------------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMethod(const std::string &name) {
  if (fricp_method_from_name(name.c_str(), &options_.method) != FRICP_OK) {
    PCL_ERROR("[%s::setMethod] there is no method \"%s\"; fricp::methodNames() lists them.\n",
              this->getClassName().c_str(), name.c_str());
    return false;
  }
  this->reg_name_ = "fricp::" + name;
  return true;
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMethod(fricp_method method) {
  if (const char *name = fricp_method_name(method))
    return setMethod(std::string(name));
  PCL_ERROR("[%s::setMethod] there is no method %d; fricp::methodNames() lists them.\n", this->getClassName().c_str(),
            static_cast<int>(method));
  return false;
}

/** A part by its name. */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setPart(const char *part, const std::string &name,
                                                 fricp_status (*from_name)(const char *, std::int32_t *),
                                                 std::int32_t &field) {
  if (from_name(name.c_str(), &field) == FRICP_OK)
    return true;
  PCL_ERROR("[%s::set%s] there is no \"%s\".\n", this->getClassName().c_str(), part, name.c_str());
  return false;
}

/** By its number; 0 is the method's own. */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setPart(const char *part, std::int32_t number,
                                                 const char *(*name_of)(std::int32_t), std::int32_t &field) {
  if (number == 0 || name_of(number)) {
    field = number;
    return true;
  }
  PCL_ERROR("[%s::set%s] there is no number %d.\n", this->getClassName().c_str(), part, static_cast<int>(number));
  return false;
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMetric(const std::string &name) {
  return setPart("Metric", name, fricp_metric_from_name, options_.metric);
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMetric(fricp_metric metric) {
  return setPart("Metric", metric, fricp_metric_name, options_.metric);
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setKernel(const std::string &name) {
  return setPart("Kernel", name, fricp_kernel_from_name, options_.kernel);
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setKernel(fricp_kernel kernel) {
  return setPart("Kernel", kernel, fricp_kernel_name, options_.kernel);
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setAcceleration(const std::string &name) {
  return setPart("Acceleration", name, fricp_acceleration_from_name, options_.acceleration);
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setAcceleration(fricp_acceleration acceleration) {
  return setPart("Acceleration", acceleration, fricp_acceleration_name, options_.acceleration);
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setNumThreads(int threads) {
  if (threads < 0) {
    PCL_ERROR("[%s::setNumThreads] %d threads: must be 1 or more, or 0 for as many as there are.\n",
              this->getClassName().c_str(), threads);
    return;
  }
  options_.threads = threads;
  own_search_->setNumThreads(threads);
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setPrior(const Eigen::Matrix<double, 6, 6> &information,
                                                  const Eigen::Vector3d &center) {
  for (int row = 0; row < 6; row++)
    for (int column = 0; column < 6; column++)
      prior_.information[row][column] = information(row, column);
  for (int axis = 0; axis < 3; axis++)
    prior_.center[axis] = center[axis];
  prior_.pose = nullptr;
  options_.prior = &prior_;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setPrior(const Eigen::Matrix<double, 6, 6> &information,
                                                  const Eigen::Vector3d &center,
                                                  const Eigen::Matrix4d &target_from_source) {
  setPrior(information, center);
  prior_pose_ = detail::toPose<double>(target_from_source);
  prior_.pose = &prior_pose_;
}

// ---- align ----------------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::computeTransformation(PointCloudSource &output, const Matrix4 &guess) {
  if (running_) { // the solver is in use, further up this thread's stack
    PCL_ERROR("[%s::align] called from a callback of an align that is running; it does nothing.\n",
              this->getClassName().c_str());
    return;
  }
  running_ = true;
  output_ = &output;
  const PointCloudSourceConstPtr source = this->input_;
  try {
    reset();
    if (accept(guess))
      solve(*source, detail::toPose<Scalar>(guess));
  } catch (const std::bad_alloc &) {
    fail(FRICP_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    fail(FRICP_ERROR_INVALID_ARGUMENT, error.what());
  } catch (...) {
    fail(FRICP_ERROR_INVALID_ARGUMENT, "something that is no std::exception was thrown");
  }
  try {
    const bool solved = error_.status == FRICP_OK;
    moveOutput(*source, output,
               solved ? result_.target_from_source : detail::toPose<Scalar>(this->final_transformation_));
  } catch (const std::exception &) {
    fail(FRICP_ERROR_OUT_OF_MEMORY, "out of memory for the output");
  }
  noticeNewTarget();
  gate_->cancelled = false;
  running_ = false;
}

/** What the base class's align() does, without its correspondence estimation, whose type is what does not compile. */
FRICP_PCL_TEMPLATE
template <class B> void FRICP_PCL_CLASS::alignWith(PointCloudSource &output, const Matrix4 &guess, std::false_type) {
  if (!this->target_ || !this->input_) {
    PCL_ERROR("[%s::align] no input %s was given.\n", this->getClassName().c_str(),
              this->target_ ? "source" : "target");
    return;
  }
  if (this->target_cloud_updated_ && !this->force_no_recompute_) {
    this->tree_->setInputCloud(this->target_);
    this->target_cloud_updated_ = false;
  }
  if (representation_ && !this->force_no_recompute_)
    this->tree_->setPointRepresentation(representation_);
  computeTransformation(output, guess);
}

FRICP_PCL_TEMPLATE
template <class B> double FRICP_PCL_CLASS::fitnessWith(double max_range, std::false_type) {
  double sum = 0;
  std::size_t count = 0;
  pcl::Indices index(1);
  std::vector<float> distance(1);
  const fricp_pose pose = detail::toPose<Scalar>(this->final_transformation_);
  const auto points = detail::Coordinates::of(*this->input_);
  for (std::size_t i = 0; i < points.count; i++) {
    PointTarget query = PointTarget();
    const auto moved = detail::apply(pose, points.at(i));
    for (std::size_t axis = 0; axis < 3; axis++)
      detail::PointLayout<PointTarget>::xyz(&query)[axis] = static_cast<float>(moved[axis]);
    if (!detail::isFinite(moved) || this->tree_->nearestKSearch(query, 1, index, distance) < 1 ||
        !(static_cast<double>(distance[0]) <= max_range))
      continue;
    sum += static_cast<double>(distance[0]);
    count++;
  }
  return count ? sum / static_cast<double>(count) : std::numeric_limits<double>::max();
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::reset() {
  this->nr_iterations_ = 0;
  this->converged_ = false;
  this->final_transformation_ = this->transformation_ = this->previous_transformation_ = Matrix4::Identity();
  this->correspondences_->clear();
  criteria_->setConvergenceState(ConvergenceCriteria::CONVERGENCE_CRITERIA_NOT_CONVERGED);
  result_ = FRICP_RESULT_INIT;
  result_.target_from_source = result_.last_step = fricp_pose_identity();
  error_ = fricp_error();
  aligned_target_.reset();
  aligned_count_ = 0;
  output_was_input_ = false;
  target_inliers_ = Inliers();
}

/** A failed run leaves the guess as its final transformation, unless the guess is what is wrong. */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::accept(const Matrix4 &guess) {
  if (!guess.allFinite())
    return fail(FRICP_ERROR_BAD_POSE, "the guess holds numbers that are not finite");
  if ((guess.row(3) - Matrix4::Identity().row(3)).cwiseAbs().maxCoeff() > Scalar(1e-3))
    return fail(FRICP_ERROR_BAD_POSE, "the guess is no rigid motion: its last row is not 0 0 0 1");
  if (detail::looksRigid<Scalar>(guess))
    this->final_transformation_ = guess;
  return true;
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::fail(fricp_status status, const char *text) {
  detail::setError(error_, status, text);
  PCL_ERROR("[%s::align] %s.\n", this->getClassName().c_str(), error_.text);
  this->converged_ = false;
  aligned_count_ = 0;
  if (status == FRICP_ERROR_BAD_POSE)
    this->final_transformation_ = Matrix4::Identity();
  if (status == FRICP_ERROR_NO_CORRESPONDENCES)
    criteria_->setConvergenceState(ConvergenceCriteria::CONVERGENCE_CRITERIA_NO_CORRESPONDENCES);
  return false;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::solve(const PointCloudSource &source, const fricp_pose &guess) {
  warnOfIgnored();
  std::unique_lock<std::mutex> gate(gate_->mutex);
  const ProgressCallback progress = gate_->progress;
  const double spent = gate_->spent;
  gate_->spent = 0;
  gate.unlock();
  detail::Watch watch(options_.time_limit, spent, &gate_->cancelled, progress);
  const Prepared target = targetToUse(watch);
  if (!target)
    return;
  if (watch.reason() != FRICP_STOP_NONE) {
    stopBefore(watch.reason());
    return;
  }
  if (!solver_) {
    fricp_solver *solver = nullptr;
    if (fricp_solver_create(&solver, nullptr) != FRICP_OK)
      throw std::bad_alloc();
    solver_.reset(solver);
  }
  Run run = {this,
             &source,
             target.get(),
             user_indices_,
             progress,
             this->update_visualizer_,
             PointCloudSource(),
             fricp_pose_identity(),
             false,
             pair_filter_};
  const detail::IndexView selected(run.indices.get());
  fricp_cloud view = detail::viewOf(source);
  view.indices = selected.data();
  view.index_count = selected.size();
  fricp_options options = runOptions(run);
  if (options.time_limit > 0)
    options.time_limit = watch.left();
  const Fields fields(source);
  if (target->hook)
    target->hook->setSource(&fields, source.size(), !run.indices);
  const fricp_status status = fricp_solver_align(solver_.get(), target->core.get(), &view, &guess, &options, &result_);
  if (target->hook)
    target->hook->setSource(nullptr);
  const std::string thrown = target->hook ? target->hook->thrown() : std::string();
  if (status == FRICP_ERROR_SEARCH && !thrown.empty())
    fail(status, ("the search or its point representation threw: " + thrown).c_str());
  else if (status != FRICP_OK)
    fail(status, fricp_solver_last_error(solver_.get()));
  else {
    aligned_target_ = target;
    keepResult(source, run);
  }
}

/** @return null if there is no source or target to work with, after a message, or if it was stopped before there was. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::targetToUse(detail::Watch &watch) {
  if (this->input_->empty())
    fail(FRICP_ERROR_EMPTY_CLOUD, "the source cloud is empty");
  else if (!(this->corr_dist_threshold_ > 0))
    fail(FRICP_ERROR_INVALID_ARGUMENT, "setMaxCorrespondenceDistance: the distance must be greater than 0");
  else if (!this->tree_)
    fail(FRICP_ERROR_SEARCH, "setSearchMethodTarget was given no tree");
  else {
    Prepared target = acquireTarget(watch);
    if (target->core && usesNormals(FRICP_NORMALS_TARGET_USED))
      target = needNormals(target, watch);
    if (target->core)
      return target;
    if (target->stopped != FRICP_STOP_NONE)
      stopBefore(target->stopped);
    else
      fail(static_cast<fricp_status>(target->error.status), target->error.text);
  }
  return nullptr;
}

/** Before the first iteration: nothing is better than the guess yet. */
FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::stopBefore(fricp_stop_reason reason) {
  result_.target_from_source = detail::toPose<Scalar>(this->final_transformation_);
  result_.stop_reason = reason;
  keepState();
}

FRICP_PCL_TEMPLATE fricp_options FRICP_PCL_CLASS::runOptions(Run &run) const {
  fricp_options options = options_;
  options.max_iterations = std::min(this->max_iterations_, std::numeric_limits<int>::max() - 1);
  options.max_distance = detail::toMaxDistance(this->corr_dist_threshold_);
  detail::setEpsilons(options, this->transformation_epsilon_, this->transformation_rotation_epsilon_);
  options.fitness_epsilon = this->euclidean_fitness_epsilon_ > 0 ? std::min(this->euclidean_fitness_epsilon_, 1e9) : 0;
  options.progress = &Registration::onProgress;
  options.progress_context = &run;
  if (run.filter) {
    options.accept_pair = &Registration::acceptPair;
    options.pair_context = &run;
  }
  return options;
}

// ---- Target ---------------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::acquireTarget(detail::Watch &watch) {
  const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_);
  if (!search)
    return targetBehindTree(watch);
  const Prepared prepared = search->prepared();
  auto unset = std::make_shared<Target>();
  if (!search->representationError().empty()) {
    detail::setError(unset->error, FRICP_ERROR_SEARCH, search->representationError().c_str());
    return unset;
  }
  if (prepared->core && !search->positionsOnly())
    return targetOfRepresentation(prepared, watch);
  if (prepared->cloud)
    return prepared;
  detail::setError(unset->error, FRICP_ERROR_EMPTY_CLOUD,
                   "the search object was set with force_no_recompute, but it holds no cloud");
  return unset;
}

/** The user's point representation finds the pairs; how the target's own points lie is a matter of their positions. */
FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Prepared FRICP_PCL_CLASS::targetOfRepresentation(const Prepared &positions,
                                                                                              detail::Watch &watch) {
  const auto search = std::dynamic_pointer_cast<Search<PointTarget>>(this->tree_);
  const auto tree = search->vectors();
  if (behind_tree_ && behind_tree_->core && behind_tree_of_ == this->tree_ && behind_tree_positions_ == positions &&
      behind_tree_vectors_ == tree)
    return behind_tree_;
  std::shared_ptr<detail::VectorSearch<PointTarget>> vectors;
  if (tree)
    vectors = std::make_shared<detail::VectorSearch<PointTarget>>(search->getPointRepresentation(), tree);
  const auto hook = std::make_shared<detail::TreeHook<PointTarget>>(this->tree_, positions->core, true, vectors);
  behind_tree_ =
      detail::prepareTarget<PointTarget>(positions->cloud, positions->indices, hook, nullptr, options_.threads, watch);
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
  if (indexed && indexed->size() != target->size()) {
    auto mismatch = std::make_shared<Target>();
    detail::setError(mismatch->error, FRICP_ERROR_SEARCH,
                     "the search object set with force_no_recompute indexes a cloud of another size than the target");
    return mismatch;
  }
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
  behind_tree_ = detail::prepareTarget<PointTarget>(target, nullptr, hook, nullptr, options_.threads, watch);
  behind_tree_of_ = this->tree_;
  behind_tree_positions_ = nullptr;
  behind_tree_generation_ = generation;
  return behind_tree_;
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
  const bool needed = usesNormals(FRICP_NORMALS_TARGET);
  if (!needed && detail::directionsOf(detail::Coordinates::of(*prepared->cloud), detail::finiteOf(*prepared)) < 3)
    return prepared; // normals would hide what moves within the line or plane
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
  std::lock_guard<std::mutex> lock(gate_->mutex);
  const bool current = this->tree_ == own_search_
                           ? own_search_->generation() == gate_->generation && own_search_->prepared()->core &&
                                 own_search_->representationError().empty()
                           : !this->tree_ || this->tree_->getInputCloud() == this->target_;
  if (!current)
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

// ---- While it runs --------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE int FRICP_PCL_CLASS::onProgress(void *context, const fricp_progress *progress) noexcept {
  Run &run = *static_cast<Run *>(context);
  Registration &self = *run.self;
  const bool goes_on = self.guarded([&] {
    if (run.visualizer && progress->levels > 0) // 0: still preparing
      self.show(run, progress->target_from_source, progress->nu);
    return !run.progress || run.progress(*progress);
  });
  return goes_on && !self.gate_->cancelled ? 0 : 1;
}

/** On any thread. The progress hook, on the calling one, stops the run. */
FRICP_PCL_TEMPLATE int FRICP_PCL_CLASS::acceptPair(void *context, std::int32_t source, std::int32_t target,
                                                   double squared_distance) noexcept {
  Run &run = *static_cast<Run *>(context);
  Registration &self = *run.self;
  bool asked = false;
  if (self.gate_->cancelled)
    return 0;
  const bool accepted = self.guarded([&] {
    const bool answer = run.filter(source, target, squared_distance);
    asked = true;
    return answer;
  });
  if (!asked)
    self.gate_->cancelled = true;
  return accepted ? 1 : 0;
}

/** What pcl::RegistrationVisualizer draws: the moved source and the pairs that count. */
FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::show(Run &run, const fricp_pose &pose, double nu) {
  if (!run.any_shown || run.moved.size() != run.source->size())
    run.moved = *run.source;
  run.any_shown = true;
  run.shown = pose;
  (void)detail::moveCloud(pose, *run.source, run.moved);

  const double max_distance = detail::toMaxDistance(this->corr_dist_threshold_);
  double limit = max_distance > 0 ? max_distance : std::numeric_limits<double>::infinity();
  if (nu > 0)
    limit = std::min(limit, 3 * nu); // beyond, a point's Welsch weight is about 1 % and less
  const auto points = detail::Coordinates::of(*run.source);
  pcl::Indices source_indices, target_indices;
  const std::size_t selected = run.indices ? run.indices->size() : points.count;
  for (std::size_t i = 0; i < selected; i++) {
    const auto index = run.indices ? (*run.indices)[i] : static_cast<pcl::index_t>(i);
    if (index < 0 || static_cast<std::size_t>(index) >= points.count)
      continue; // a callback has made the cloud smaller
    const auto query = detail::apply(pose, points.at(static_cast<std::size_t>(index)));
    std::int32_t match = -1;
    double distance = 0;
    if (fricp_target_nearest(run.target->core.get(), query.data(), 1, limit * limit, &match, &distance) != 1)
      continue;
    source_indices.push_back(index);
    target_indices.push_back(static_cast<pcl::index_t>(match));
  }
  run.visualizer(run.moved, source_indices, *run.target->cloud, target_indices);
}

// ---- Results --------------------------------------------------------------------------------------------------------

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::keepResult(const PointCloudSource &source, Run &run) {
  const fricp_pose &pose = result_.target_from_source;
  aligned_count_ = source.size();
  this->final_transformation_ = detail::toMatrix<Scalar>(pose);
  this->nr_iterations_ = result_.iterations;
  keepSteps();
  keepCorrespondences(source.size());
  const bool shown = run.any_shown && std::memcmp(&run.shown, &pose, sizeof pose) == 0;
  const auto show_last = [&] {
    show(run, pose, result_.nu_end);
    return true;
  };
  if (run.visualizer && !shown && !guarded(show_last))
    result_.stop_reason = FRICP_STOP_CANCELLED;
  result_.converged = result_.converged && result_.stop_reason != FRICP_STOP_CANCELLED;
  keepState();
}

/** Why it ended, in PCL's terms. */
FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::keepState() {
  auto state = ConvergenceCriteria::CONVERGENCE_CRITERIA_NOT_CONVERGED;
  switch (result_.stop_reason) {
  case FRICP_STOP_CONVERGED:
  case FRICP_STOP_POSE_EPSILON:
  case FRICP_STOP_NO_DESCENT:
    if (result_.converged)
      state = ConvergenceCriteria::CONVERGENCE_CRITERIA_TRANSFORM;
    break;
  case FRICP_STOP_FITNESS_EPSILON:
    state = ConvergenceCriteria::CONVERGENCE_CRITERIA_REL_MSE;
    break;
  case FRICP_STOP_ITERATION_LIMIT:
  case FRICP_STOP_TIME_LIMIT:
    state = getFailureAfterMaximumIterations() ? ConvergenceCriteria::CONVERGENCE_CRITERIA_FAILURE_AFTER_MAX_ITERATIONS
                                               : ConvergenceCriteria::CONVERGENCE_CRITERIA_ITERATIONS;
    break;
  default:
    break;
  }
  criteria_->setConvergenceState(state);
  this->converged_ = state == ConvergenceCriteria::CONVERGENCE_CRITERIA_TRANSFORM ||
                     state == ConvergenceCriteria::CONVERGENCE_CRITERIA_REL_MSE ||
                     state == ConvergenceCriteria::CONVERGENCE_CRITERIA_ITERATIONS;
}

/** The last two accepted steps, as increments in the target's frame. */
FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::keepSteps() {
  this->transformation_ = detail::toMatrix<Scalar>(result_.last_step);
  const fricp_trace_row *rows = nullptr;
  const std::size_t count = fricp_solver_get_trace(solver_.get(), &rows);
  const fricp_pose *accepted[3] = {nullptr, nullptr, nullptr}; // the last three, latest first
  int found = 0;
  for (std::size_t i = count; i > 0 && found < 3; i--)
    if (rows[i - 1].accepted)
      accepted[found++] = &rows[i - 1].target_from_source;
  if (found < 3)
    return;
  const fricp_pose back = fricp_pose_inverse(accepted[2]);
  this->previous_transformation_ = detail::toMatrix<Scalar>(fricp_pose_multiply(accepted[1], &back));
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::keepCorrespondences(std::size_t count) {
  std::vector<std::int32_t> matches(count);
  std::vector<double> distances(count);
  if (fricp_solver_get_points(solver_.get(), count, matches.data(), distances.data(), nullptr, nullptr) != FRICP_OK)
    return;
  for (std::size_t i = 0; i < count; i++)
    if (matches[i] >= 0)
      this->correspondences_->emplace_back(static_cast<pcl::index_t>(i), static_cast<pcl::index_t>(matches[i]),
                                           static_cast<float>(distances[i]));
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::moveOutput(const PointCloudSource &source, PointCloudSource &output,
                                                    const fricp_pose &pose) {
  output_was_input_ = &output == &source;
  if (!output_was_input_)
    output = source;
  (void)detail::moveCloud(pose, output, output);
  for (auto &point : output)
    point.data[3] = 1.0f;
}

FRICP_PCL_TEMPLATE std::vector<fricp_level> FRICP_PCL_CLASS::getLevels() const {
  const fricp_level *levels = nullptr;
  const std::size_t count = aligned_count_ ? fricp_solver_get_levels(solver_.get(), &levels) : 0;
  return std::vector<fricp_level>(levels, levels + count);
}

FRICP_PCL_TEMPLATE std::vector<fricp_trace_row> FRICP_PCL_CLASS::getTrace() const {
  const fricp_trace_row *rows = nullptr;
  const std::size_t count = aligned_count_ ? fricp_solver_get_trace(solver_.get(), &rows) : 0;
  return std::vector<fricp_trace_row>(rows, rows + count);
}

FRICP_PCL_TEMPLATE std::vector<fricp_candidate> FRICP_PCL_CLASS::getCandidates() const {
  const fricp_candidate *rows = nullptr;
  const std::size_t count = aligned_count_ ? fricp_solver_get_candidates(solver_.get(), &rows) : 0;
  return std::vector<fricp_candidate>(rows, rows + count);
}

FRICP_PCL_TEMPLATE Eigen::Matrix<double, 6, 6> FRICP_PCL_CLASS::getInformationMatrix() const {
  Eigen::Matrix<double, 6, 6> information;
  for (int row = 0; row < 6; row++)
    for (int column = 0; column < 6; column++)
      information(row, column) = result_.information[row][column];
  return information;
}

FRICP_PCL_TEMPLATE std::vector<double> FRICP_PCL_CLASS::getPointResiduals() const {
  std::vector<double> residuals(aligned_count_);
  if (aligned_count_)
    (void)fricp_solver_get_points(solver_.get(), aligned_count_, nullptr, nullptr, residuals.data(), nullptr);
  return residuals;
}

FRICP_PCL_TEMPLATE std::vector<double> FRICP_PCL_CLASS::getPointWeights() const {
  std::vector<double> weights(aligned_count_);
  if (aligned_count_)
    (void)fricp_solver_get_points(solver_.get(), aligned_count_, nullptr, nullptr, nullptr, weights.data());
  return weights;
}

FRICP_PCL_TEMPLATE typename FRICP_PCL_CLASS::Inliers FRICP_PCL_CLASS::targetInliers() {
  if (target_inliers_.known || !aligned_count_ || !aligned_target_)
    return target_inliers_;
  target_inliers_.known = true;
  using SourceCloud = detail::PreparedTarget<PointSource>;
  detail::Watch nobody;
  const typename SourceCloud::ConstPtr source = detail::prepareTarget<PointSource>(
      this->input_, user_indices_, std::shared_ptr<const detail::TreeHook<PointSource>>(), nullptr, options_.threads,
      nobody);
  if (!source->core)
    return target_inliers_;
  // After align(*source) the source lies where the pose puts it already.
  const fricp_pose back = output_was_input_ ? fricp_pose_identity() : fricp_pose_inverse(&result_.target_from_source);
  const auto points = detail::Coordinates::of(*aligned_target_->cloud);
  const double limit2 = result_.inlier_distance * result_.inlier_distance;
  const auto &indices = aligned_target_->indices;
  const std::size_t selected = indices ? indices->size() : points.count;
  std::size_t finite = 0, inliers = 0;
  double sum = 0;
  for (std::size_t i = 0; i < selected; i++) {
    const std::size_t at = indices ? static_cast<std::size_t>((*indices)[i]) : i;
    if (at >= points.count || !detail::isFinite(points.at(at)))
      continue;
    const auto point = points.at(at);
    finite++;
    std::int32_t match = -1;
    double distance = 0;
    if (fricp_target_nearest(source->core.get(), detail::apply(back, point).data(), 1, limit2, &match, &distance) != 1)
      continue;
    inliers++;
    sum += distance;
  }
  target_inliers_.share = finite ? static_cast<double>(inliers) / static_cast<double>(finite) : 0;
  target_inliers_.rms = inliers ? std::sqrt(sum / static_cast<double>(inliers)) : 0;
  return target_inliers_;
}

} // namespace fricp

#undef FRICP_PCL_TEMPLATE
#undef FRICP_PCL_CLASS

#endif
