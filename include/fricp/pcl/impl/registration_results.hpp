// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file impl/registration_results.hpp
 * What is told of the last align(). A part of impl/registration.hpp, which includes it.
 */
#ifndef FRICP_PCL_IMPL_REGISTRATION_RESULTS_HPP
#define FRICP_PCL_IMPL_REGISTRATION_RESULTS_HPP

namespace fricp {

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::keepResult(const PointCloudSource &source, Run &run) {
  const fricp_pose &pose = result_.target_from_source;
  const bool shown = run.any_shown && std::memcmp(&run.shown, &pose, sizeof pose) == 0;
  const auto show_last = [&] {
    show(run, pose, result_.nu_end);
    return true;
  };
  if (run.visualizer && !shown && !guarded(show_last))
    result_.stop_reason = FRICP_STOP_CANCELLED;
  // After the last callback, in which an align() would put the identity there.
  aligned_count_ = source.size();
  this->final_transformation_ = detail::toMatrix<Scalar>(pose);
  this->nr_iterations_ = result_.iterations;
  keepSteps();
  keepCorrespondences(source.size());
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

FRICP_PCL_TEMPLATE
template <class Row>
std::vector<Row> FRICP_PCL_CLASS::rowsOf(std::size_t (*get)(const fricp_solver *, const Row **)) const {
  const Row *rows = nullptr;
  const std::size_t count = aligned_count_ ? get(solver_.get(), &rows) : 0;
  return std::vector<Row>(rows, rows + count);
}

/** Residuals or weights. */
FRICP_PCL_TEMPLATE std::vector<double> FRICP_PCL_CLASS::ofPoints(bool residuals) const {
  std::vector<double> values(aligned_count_);
  if (aligned_count_)
    (void)fricp_solver_get_points(solver_.get(), aligned_count_, nullptr, nullptr, residuals ? values.data() : nullptr,
                                  residuals ? nullptr : values.data());
  return values;
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

#endif
