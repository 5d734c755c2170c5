// SPDX-License-Identifier: BSD-3-Clause
// Generated scenes as PCL clouds, and what is compared with their truth.
#ifndef FRICP_TESTS_PCL_CLOUDS_HPP
#define FRICP_TESTS_PCL_CLOUDS_HPP

#include "scene.h"
#include "verify.h"

#include <pcl/common/transforms.h>
#include <pcl/point_cloud.h>
#include <pcl/point_representation.h>
#include <pcl/point_types.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <unistd.h>

namespace test {

template <class PointT> using CloudPtr = typename pcl::PointCloud<PointT>::Ptr;

// Fill in what the type has.
template <class PointT>
void setNormal(PointT &point, const double *normal,
               std::enable_if_t<pcl::traits::has_normal<PointT>::value> * = nullptr) {
  point.normal_x = static_cast<float>(normal[0]);
  point.normal_y = static_cast<float>(normal[1]);
  point.normal_z = static_cast<float>(normal[2]);
}
template <class PointT>
void setNormal(PointT &, const double *, std::enable_if_t<!pcl::traits::has_normal<PointT>::value> * = nullptr) {
}

template <class PointT> CloudPtr<PointT> toCloud(const double *points, const double *normals, std::size_t count) {
  CloudPtr<PointT> cloud(new pcl::PointCloud<PointT>);
  cloud->resize(count);
  for (std::size_t i = 0; i < count; i++) {
    PointT &point = (*cloud)[i];
    point.x = static_cast<float>(points[3 * i]);
    point.y = static_cast<float>(points[3 * i + 1]);
    point.z = static_cast<float>(points[3 * i + 2]);
    if (normals)
      setNormal(point, normals + 3 * i);
  }
  return cloud;
}

template <class S, class T = S> struct Pair {
  CloudPtr<S> source;
  CloudPtr<T> target;
  fricp_pose truth; // target_from_source
  double diameter;
};

template <class S, class T = S> Pair<S, T> makePair(const scene_spec &spec) {
  scene made;
  if (const char *problem = scene_make(&spec, &made)) {
    std::fprintf(stderr, "scene_make: %s\n", problem);
    std::abort();
  }
  Pair<S, T> pair{toCloud<S>(made.source, made.source_normals, made.source_count),
                  toCloud<T>(made.target, made.target_normals, made.target_count), made.target_from_source,
                  made.diameter};
  scene_free(&made);
  return pair;
}

// Small motion, whole overlap, the same surface points in both: every method here ends at the truth.
inline scene_spec easyScene(std::uint64_t seed = 1) {
  scene_spec spec = {};
  spec.kind = SCENE_BLOB;
  spec.source_count = 800;
  spec.seed = seed;
  spec.same_sample = 1;
  spec.angle = 4;
  spec.shift[0] = 0.01;
  spec.shift[1] = -0.005;
  spec.shift[2] = 0.008;
  return spec;
}

// Noisy, with outliers, and only most of it in both.
inline scene_spec partialScene() {
  scene_spec spec = {};
  spec.kind = SCENE_BLOB;
  spec.source_count = 2000;
  spec.seed = 2;
  spec.overlap = 0.8;
  spec.noise = 0.001;
  spec.outliers = 0.05;
  spec.angle = 8;
  return spec;
}

// 0.7 of the surface in both clouds; spacings of some hundredths.
inline scene_spec turnedScene(double degrees, std::uint64_t seed = 3) {
  scene_spec spec = {};
  spec.kind = SCENE_BLOB;
  spec.source_count = 6000;
  spec.seed = seed;
  spec.overlap = 0.7;
  spec.noise = 0.001;
  spec.angle = degrees;
  spec.shift[0] = 0.05;
  return spec;
}

template <class Matrix> fricp_pose toPose(const Matrix &matrix) {
  fricp_pose pose;
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++)
      pose.rotation[row][column] = static_cast<double>(matrix(row, column));
    pose.translation[row] = static_cast<double>(matrix(row, 3));
  }
  return pose;
}

template <class Scalar> Eigen::Matrix<Scalar, 4, 4> toMatrix(const fricp_pose &pose) {
  Eigen::Matrix<Scalar, 4, 4> matrix = Eigen::Matrix<Scalar, 4, 4>::Identity();
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++)
      matrix(row, column) = static_cast<Scalar>(pose.rotation[row][column]);
    matrix(row, 3) = static_cast<Scalar>(pose.translation[row]);
  }
  return matrix;
}

inline fricp_pose makePose(double x, double y, double z, double degrees, double tx, double ty, double tz) {
  const double axis[3] = {x, y, z};
  const double shift[3] = {tx, ty, tz};
  return verify_pose(axis, degrees, shift);
}

template <class PointT> Eigen::Vector3d moved(const fricp_pose &pose, const PointT &point) {
  const double from[3] = {point.x, point.y, point.z};
  double to[3];
  verify_apply(&pose, from, to);
  return Eigen::Vector3d(to);
}

template <class PointT> double squaredDistance(const Eigen::Vector3d &a, const PointT &b) {
  return (a - Eigen::Vector3d(b.x, b.y, b.z)).squaredNorm();
}

/** Nearest point by looking at each: what every index must agree with. Points that are not finite are passed over. */
template <class PointT>
int bruteNearest(const pcl::PointCloud<PointT> &cloud, const Eigen::Vector3d &query, double *squared = nullptr) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cloud.size(); i++) {
    const double distance = squaredDistance(query, cloud[i]);
    if (distance < least) {
      least = distance;
      best = static_cast<int>(i);
    }
  }
  if (squared)
    *squared = least;
  return best;
}

/** What is printed to standard error while the object lives: PCL_ERROR and PCL_WARN. */
class ErrorCapture {
public:
  ErrorCapture() : file_(std::tmpfile()) {
    std::fflush(stderr);
    saved_ = dup(2);
    dup2(fileno(file_), 2);
  }
  ~ErrorCapture() {
    restore();
    std::fclose(file_);
  }
  ErrorCapture(const ErrorCapture &) = delete;
  ErrorCapture &operator=(const ErrorCapture &) = delete;

  std::string text() {
    restore();
    std::string all;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_))
      all += static_cast<char>(c);
    return all;
  }

private:
  void restore() {
    if (saved_ < 0)
      return;
    std::fflush(stderr);
    std::cerr.flush();
    dup2(saved_, 2);
    close(saved_);
    saved_ = -1;
  }
  std::FILE *file_;
  int saved_ = -1;
};

inline bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

inline int countOf(const std::string &text, const char *part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    count++;
  return count;
}

// Positions, one coordinate doubled: a representation by which a tree must be asked for pairs.
template <class P> struct Scaled : pcl::DefaultPointRepresentation<P> {
  Scaled() {
    const float scale[] = {1, 1, 2};
    this->setRescaleValues(scale);
  }
};

} // namespace test

#endif
