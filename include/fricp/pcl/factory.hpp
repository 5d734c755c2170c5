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

/** Names that setMethod() and makeRegistration() take, the default first. */
inline std::vector<std::string> methodNames() {
  std::vector<std::string> names;
  for (std::int32_t method = 0; fricp_method_name(method); method++)
    names.emplace_back(fricp_method_name(method));
  return names;
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
