// SPDX-License-Identifier: BSD-3-Clause
#include "normals.hpp"

#include "points.hpp"
#include "text.hpp"

#include <pcl/features/normal_3d_omp.h>
#include <pcl/point_types.h>
#include <pcl/search/kdtree.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>

namespace fricp::tool {

namespace {

/** PCL gives points on a line some normal across it, as if they lay on a plane. */
bool is_line(const pcl::PointCloud<pcl::PointXYZ> &centred) {
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const pcl::PointXYZ &point : centred) {
    const Eigen::Vector3d p = point.getVector3fMap().cast<double>();
    covariance += p * p.transpose();
  }
  const Eigen::Vector3d spread = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvalues();
  constexpr double float_rounding = 1e-12; // square of a few units in the last place of a float
  return spread[1] <= float_rounding * spread[2];
}

} // namespace

std::vector<float> estimate_normals(const Cloud &cloud, int threads) {
  const Triple coordinates = coordinates_of(cloud);
  const Point centre = bounds_of(cloud).centroid;
  const auto points = pcl::make_shared<pcl::PointCloud<pcl::PointXYZ>>();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point point = coordinates.load(cloud.data.data.data() + i * cloud.data.point_step);
    if (is_finite(point)) {
      points->emplace_back(static_cast<float>(point[0] - centre[0]), static_cast<float>(point[1] - centre[1]),
                           static_cast<float>(point[2] - centre[2]));
      places.push_back(i);
    }
  }
  std::vector<float> result(std::max<std::size_t>(cloud.size(), 1) * 3, std::numeric_limits<float>::quiet_NaN());
  if (points->size() < 3) {
    return result; // the core says what is wrong with the cloud
  }
  if (is_line(*points)) {
    fail(cloud.path, 0, "all points lie on one line, so they have no normals: choose a point-to-point method");
  }
  pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation(static_cast<unsigned>(threads));
  estimation.setInputCloud(points);
  estimation.setSearchMethod(pcl::make_shared<pcl::search::KdTree<pcl::PointXYZ>>(false));
  estimation.setKSearch(std::min(normal_neighbors, static_cast<int>(points->size())));
  pcl::PointCloud<pcl::Normal> normals;
  estimation.compute(normals);
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::copy_n(normals[k].normal, 3, result.begin() + static_cast<std::ptrdiff_t>(3 * places[k]));
  }
  return result;
}

} // namespace fricp::tool
