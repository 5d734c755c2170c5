// SPDX-License-Identifier: BSD-3-Clause
// What the pieces of C++ in samples/guide stand on.
#ifndef TEST_GUIDE_HPP
#define TEST_GUIDE_HPP

#include <fricp/pcl/factory.hpp>

#include <pcl/point_types.h>
#include <pcl/registration/icp.h>

#include <vector>

using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;

#endif
