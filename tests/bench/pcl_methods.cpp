// SPDX-License-Identifier: BSD-3-Clause
// Settings: 100 iterations for each; the rest as PCL's constructors leave it, but for NDT, whose defaults are for
// metres of a road: a voxel of 1/20 of the diameter and a longest step of 1/50 of it.
#include <limits>

#include <pcl/common/io.h>
#include <pcl/console/print.h>
#include <pcl/pcl_config.h>
#include <pcl/point_types.h>
#include <pcl/registration/gicp.h>
#include <pcl/registration/icp.h>
#include <pcl/registration/ndt.h>

#include "fricp/pcl/normals.hpp"
#include "pcl_methods.hpp"
#include "versions.hpp"

namespace bench {

namespace {

using Points = pcl::PointCloud<pcl::PointXYZ>;
using Normals = pcl::PointCloud<pcl::PointNormal>;

/// Finite points only: PCL's classes do not all skip others.
Points::Ptr to_points(const Cloud &from) {
  Points::Ptr cloud(new Points);
  for (size_t i = 0; i < from.size(); ++i) {
    const pcl::PointXYZ p(static_cast<float>(from.points[3 * i]), static_cast<float>(from.points[3 * i + 1]),
                          static_cast<float>(from.points[3 * i + 2]));
    if (pcl::isFinite(p))
      cloud->push_back(p);
  }
  return cloud;
}

Normals::Ptr to_normals(const Cloud &from) {
  Normals::Ptr cloud(new Normals);
  for (size_t i = 0; i < from.size() && !from.normals.empty(); ++i) {
    pcl::PointNormal p;
    for (int k = 0; k < 3; ++k) {
      p.data[k] = static_cast<float>(from.points[3 * i + static_cast<size_t>(k)]);
      p.data_n[k] = static_cast<float>(from.normals[3 * i + static_cast<size_t>(k)]);
    }
    if (pcl::isFinite(p) && pcl::isNormalFinite(p))
      cloud->push_back(p);
  }
  return cloud;
}

Eigen::Matrix4f to_matrix(const fricp_pose &pose) {
  Eigen::Matrix4f m = Eigen::Matrix4f::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      m(i, j) = static_cast<float>(pose.rotation[i][j]);
    m(i, 3) = static_cast<float>(pose.translation[i]);
  }
  return m;
}

fricp_pose to_pose(const Eigen::Matrix4f &m) {
  fricp_pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      pose.rotation[i][j] = static_cast<double>(m(i, j));
    pose.translation[i] = static_cast<double>(m(i, 3));
  }
  return pose;
}

template <typename Method, typename CloudPtr>
PclRun align(Method &method, const CloudPtr &source, const CloudPtr &target, const Eigen::Matrix4f &start) {
  typename CloudPtr::element_type aligned;
  PclRun run;
  run.available = true;
  const Stopwatch watch;
  method.setInputTarget(target);
  method.setInputSource(source);
  method.align(aligned, start);
  run.seconds = watch.seconds();
  run.converged = method.hasConverged();
  run.pose = to_pose(method.getFinalTransformation());
  return run;
}

/// NaN where there is none: such points are left out, as to_normals() does.
Normals::Ptr estimated_normals(const Points &points, int threads) {
  pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation(static_cast<unsigned int>(threads));
  estimation.setInputCloud(points.makeShared());
  estimation.setKSearch(fricp::detail::NORMAL_NEIGHBORS);
  pcl::PointCloud<pcl::Normal> found;
  estimation.compute(found);
  Normals::Ptr cloud(new Normals);
  cloud->reserve(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    pcl::PointNormal p;
    p.getVector3fMap() = points[i].getVector3fMap();
    p.getNormalVector3fMap() = found[i].getNormalVector3fMap();
    if (pcl::isNormalFinite(p))
      cloud->push_back(p);
  }
  return cloud;
}

/// The same without looking for any.
Normals::Ptr no_normals(const Points &points) {
  Normals::Ptr cloud(new Normals);
  pcl::copyPointCloud(points, *cloud);
  return cloud;
}

} // namespace

struct PclPair::Clouds {
  Points::Ptr source, target;
  Normals::Ptr source_normals, target_normals;
  Eigen::Matrix4f start;
  double diameter;
};

std::string pcl_version() {
  return PCL_VERSION_PRETTY;
}

std::vector<std::string> pcl_methods() {
  return {"pcl-icp", "pcl-icp-normals", "pcl-icp-symmetric", "pcl-gicp", "pcl-ndt"};
}

bool pcl_normals(const Cloud &cloud, bool own_search, int threads, std::vector<double> &normals) {
  std::vector<float> found(3 * cloud.size(), std::numeric_limits<float>::quiet_NaN());
  const fricp_cloud view = cloud.view(false);
  const auto coordinates = fricp::detail::Coordinates::of(view);
  pcl::Indices finite;
  for (size_t i = 0; i < cloud.size(); ++i)
    if (fricp::detail::isFinite(coordinates.at(i)))
      finite.push_back(static_cast<pcl::index_t>(i));
  if (own_search) {
    const Points::Ptr points = to_points(cloud);
    pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation(static_cast<unsigned int>(threads));
    estimation.setInputCloud(points);
    estimation.setKSearch(fricp::detail::NORMAL_NEIGHBORS);
    pcl::PointCloud<pcl::Normal> estimated;
    estimation.compute(estimated);
    for (size_t i = 0; i < estimated.size(); ++i)
      for (size_t k = 0; k < 3; ++k)
        found[3 * static_cast<size_t>(finite[i]) + k] = estimated[i].normal[k];
  } else {
    const Target target(cloud, false, target_options(false, threads));
    fricp::detail::Watch nobody;
    (void)fricp::detail::estimateNormals(*target.get(), coordinates, finite, finite, threads, nobody, found);
  }
  normals.assign(found.begin(), found.end());
  return true;
}

PclPair::PclPair(const Pair &pair)
    : clouds_(new Clouds{to_points(pair.source), to_points(pair.target), to_normals(pair.source),
                         to_normals(pair.target), to_matrix(pair.start), pair.diameter}) {
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS); // nothing of it on the table
}

PclPair::~PclPair() {
  delete clouds_;
}

PclRun PclPair::run(const std::string &method, int normal_threads) const {
  const Clouds &c = *clouds_;
  if (method == "pcl-icp") {
    pcl::IterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ> icp;
    icp.setMaximumIterations(100);
    return align(icp, c.source, c.target, c.start);
  }
  if ((method == "pcl-icp-normals" || method == "pcl-icp-symmetric") &&
      (normal_threads > 0 || (!c.source_normals->empty() && !c.target_normals->empty()))) {
    const bool both = method == "pcl-icp-symmetric"; // only then the source's say anything
    pcl::IterativeClosestPointWithNormals<pcl::PointNormal, pcl::PointNormal> icp;
    icp.setMaximumIterations(100);
    icp.setUseSymmetricObjective(both);
    if (normal_threads == 0)
      return align(icp, c.source_normals, c.target_normals, c.start);
    const Stopwatch watch;
    const Normals::Ptr source = both ? estimated_normals(*c.source, normal_threads) : no_normals(*c.source);
    const Normals::Ptr target = estimated_normals(*c.target, normal_threads);
    const double seconds = watch.seconds();
    PclRun run = align(icp, source, target, c.start);
    run.seconds += seconds;
    return run;
  }
  if (method == "pcl-gicp") {
    pcl::GeneralizedIterativeClosestPoint<pcl::PointXYZ, pcl::PointXYZ> gicp;
    gicp.setMaximumIterations(100);
    return align(gicp, c.source, c.target, c.start);
  }
  if (method == "pcl-ndt") {
    pcl::NormalDistributionsTransform<pcl::PointXYZ, pcl::PointXYZ> ndt;
    ndt.setMaximumIterations(100);
    ndt.setResolution(static_cast<float>(c.diameter / 20.0));
    ndt.setStepSize(c.diameter / 50.0);
    PclRun run = align(ndt, c.source, c.target, c.start);
    run.iterations = ndt.getFinalNumIteration();
    return run;
  }
  return {};
}

} // namespace bench
