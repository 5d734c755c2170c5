// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file impl/registration.hpp
 * Definitions for fricp/pcl/registration.hpp: align() and its callbacks here, the rest in the parts at the end.
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
    moveOutput(*source, output, error_.status == FRICP_OK ? result_.target_from_source : start_);
  } catch (const std::exception &) {
    fail(FRICP_ERROR_OUT_OF_MEMORY, "out of memory for the output");
  }
  noticeNewTarget();
  if (forget() && error_.status == FRICP_OK && result_.stop_reason != FRICP_STOP_CANCELLED) { // too late for the core
    result_.stop_reason = FRICP_STOP_CANCELLED;
    result_.converged = 0;
    keepState();
  }
  running_ = false;
  ran_ = true;
}

/** At the end of an align(): a cancel(), and the time that the index took, do not count for the next one.
 *  @return whether there was one. */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::forget() {
  std::lock_guard<std::mutex> lock(gate_->mutex);
  gate_->spent = 0;
  return gate_->cancelled.exchange(false);
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
  start_ = result_.target_from_source = result_.last_step = fricp_pose_identity();
  error_ = fricp_error();
  aligned_target_.reset();
  aligned_count_ = 0;
  output_was_input_ = false;
  target_inliers_ = Inliers();
}

/** A failed run leaves the guess as its final transformation, unless the guess is what is wrong. */
FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::accept(const Matrix4 &guess) {
  Matrix4 mended = guess;
  if (const char *wrong = detail::mendGuess<Scalar>(mended))
    return fail(FRICP_ERROR_BAD_POSE, wrong);
  start_ = detail::toPose<Scalar>(mended);
  this->final_transformation_ = mended;
  return true;
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::fail(fricp_status status, const char *text) {
  detail::setError(error_, status, text);
  PCL_ERROR("[%s::align] %s.\n", this->getClassName().c_str(), error_.text);
  this->converged_ = false;
  aligned_count_ = 0;
  this->final_transformation_ = detail::toMatrix<Scalar>(start_); // an align() in a callback has put the identity there
  if (status == FRICP_ERROR_NO_CORRESPONDENCES)
    criteria_->setConvergenceState(ConvergenceCriteria::CONVERGENCE_CRITERIA_NO_CORRESPONDENCES);
  return false;
}

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::solve(const PointCloudSource &source, const fricp_pose &guess) {
  warnOfIgnored();
  if (!takeTreeBack())
    return;
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
             pair_filter_,
             {}};
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
  result_.target_from_source = start_;
  this->final_transformation_ = detail::toMatrix<Scalar>(start_);
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
  if (sensor_origins_) {
    for (int axis = 0; axis < 3; axis++) {
      run.sensors[0][axis] = run.source->sensor_origin_[axis];
      run.sensors[1][axis] = run.target->cloud->sensor_origin_[axis];
    }
    options.source_sensor = run.sensors[0];
    options.target_sensor = run.sensors[1];
  }
  return options;
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

} // namespace fricp

#include "fricp/pcl/impl/registration_results.hpp"
#include "fricp/pcl/impl/registration_settings.hpp"
#include "fricp/pcl/impl/registration_target.hpp"

#undef FRICP_PCL_TEMPLATE
#undef FRICP_PCL_CLASS

#endif
