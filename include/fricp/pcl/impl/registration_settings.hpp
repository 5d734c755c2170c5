// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file impl/registration_settings.hpp
 * What is set: clouds, indices and options. A part of impl/registration.hpp, which includes it.
 */
#ifndef FRICP_PCL_IMPL_REGISTRATION_SETTINGS_HPP
#define FRICP_PCL_IMPL_REGISTRATION_SETTINGS_HPP

namespace fricp {

FRICP_PCL_TEMPLATE void FRICP_PCL_CLASS::setInputSource(const PointCloudSourceConstPtr &cloud) {
  target_inliers_.known = false;
  {
    std::lock_guard<std::mutex> lock(gate_->mutex);
    gate_->spent = 0; // by an align() without a source, which the base class refuses
  }
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
  gate_->target = target.get();
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

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMethod(const std::string &name) {
  if (fricp_method_from_name(name.c_str(), &options_.method) != FRICP_OK) {
    PCL_ERROR("[%s::setMethod] there is no method \"%s\"; fricp::methodNames() lists them.\n",
              this->getClassName().c_str(), name.c_str());
    return false;
  }
  this->reg_name_ = "fricp::" + name;
  tellNormals();
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
  const bool known = setPart("Metric", name, fricp_metric_from_name, options_.metric);
  tellNormals();
  return known;
}

FRICP_PCL_TEMPLATE bool FRICP_PCL_CLASS::setMetric(fricp_metric metric) {
  const bool known = setPart("Metric", metric, fricp_metric_name, options_.metric);
  tellNormals();
  return known;
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
  Eigen::Map<detail::RowMajor<6>>(&prior_.information[0][0]) = information;
  Eigen::Map<Eigen::Vector3d>(prior_.center) = center;
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

} // namespace fricp

#endif
