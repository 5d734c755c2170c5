// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file factory.hpp
 * Any method by name:
 *
 *   pcl::Registration<P, P>::Ptr registration = fricp::makeRegistration<P, P>("robust-icp-plane");
 */
#ifndef FRICP_PCL_FACTORY_HPP
#define FRICP_PCL_FACTORY_HPP

#include "fricp/pcl/registration.hpp"

#include <pcl/memory.h>

#include <string>
#include <vector>

namespace fricp {

namespace detail {

/** Names that are numbered from `first` without gaps. */
inline std::vector<std::string> namesFrom(std::int32_t first, const char *(*name_of)(std::int32_t)) {
  std::vector<std::string> names;
  for (std::int32_t number = first; name_of(number); number++)
    names.emplace_back(name_of(number));
  return names;
}

} // namespace detail

/** Names that setMethod() and makeRegistration() take, the default first. */
inline std::vector<std::string> methodNames() {
  return detail::namesFrom(FRICP_METHOD_AUTO, fricp_method_name);
}

/** Names that setMetric() takes. */
inline std::vector<std::string> metricNames() {
  return detail::namesFrom(FRICP_METRIC_POINT_TO_POINT, fricp_metric_name);
}
/** Those of setKernel(). */
inline std::vector<std::string> kernelNames() {
  return detail::namesFrom(FRICP_KERNEL_LEAST_SQUARES, fricp_kernel_name);
}
/** Those of setAcceleration(). */
inline std::vector<std::string> accelerationNames() {
  return detail::namesFrom(FRICP_ACCELERATION_NONE, fricp_acceleration_name);
}

/** @return null and PCL_ERROR for a name that is none. */
template <typename PointSource, typename PointTarget = PointSource, typename Scalar = float>
typename Registration<PointSource, PointTarget, Scalar>::Ptr makeRegistration(const std::string &name = "auto") {
  auto registration = pcl::make_shared<Registration<PointSource, PointTarget, Scalar>>();
  if (registration->setMethod(name))
    return registration;
  return nullptr;
}

} // namespace fricp

#endif
