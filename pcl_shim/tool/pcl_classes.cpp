// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the programs use of PCL's classes, compiled here for our one type of point. PCL's libraries have them for all of its
 * types: to load these takes ten times as long as everything else that a program does to start.
 */
#define PCL_NO_PRECOMPILE

#include <pcl/point_types.h>

#include <pcl/features/normal_3d_omp.h>
#include <pcl/kdtree/kdtree_flann.h>
#include <pcl/search/kdtree.h>
#include <pcl/search/organized.h>
#include <pcl/search/search.h>

template class pcl::KdTreeFLANN<pcl::PointXYZ>;
template class pcl::search::Search<pcl::PointXYZ>;
template class pcl::search::KdTree<pcl::PointXYZ>;
template class pcl::search::OrganizedNeighbor<pcl::PointXYZ>;
template class pcl::NormalEstimation<pcl::PointXYZ, pcl::Normal>;
template class pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal>;
