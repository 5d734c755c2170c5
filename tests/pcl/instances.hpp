// SPDX-License-Identifier: BSD-3-Clause
// Registrations that several suites use, compiled once in instances.cpp.
#ifndef FRICP_TESTS_PCL_INSTANCES_HPP
#define FRICP_TESTS_PCL_INSTANCES_HPP

#include "fricp/pcl/factory.hpp"

#define FRICP_TEST_INSTANCES(prefix)                                                                                   \
  prefix template class fricp::Registration<pcl::PointXYZ, pcl::PointXYZ, float>;                                      \
  prefix template class fricp::Registration<pcl::PointXYZ, pcl::PointXYZ, double>;                                     \
  prefix template class fricp::Registration<pcl::PointXYZ, pcl::PointNormal, float>;                                   \
  prefix template class fricp::Registration<pcl::PointNormal, pcl::PointNormal, float>;                                \
  prefix template class fricp::Registration<pcl::PointNormal, pcl::PointNormal, double>;                               \
  prefix template class fricp::Registration<pcl::PointXYZRGB, pcl::PointXYZRGB, float>;                                \
  prefix template class fricp::Registration<pcl::PointXYZRGBNormal, pcl::PointXYZRGBNormal, float>;

FRICP_TEST_INSTANCES(extern)

#endif
