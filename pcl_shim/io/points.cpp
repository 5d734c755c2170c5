// SPDX-License-Identifier: BSD-3-Clause
#include "points.hpp"

#include "fields.hpp"
#include "text.hpp"

#include "fricp/pcl/cloud_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace fricp::tool {

namespace {

using Type = pcl::PCLPointField;

/** @return three numbers a point, one point after the other, with an address also for an empty cloud. */
std::vector<double> copy_of(const Cloud &cloud, const Triple &triple) {
  std::vector<double> numbers(std::max<std::size_t>(cloud.size(), 1) * 3);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    Eigen::Map<Point>(numbers.data() + 3 * i) = triple.load(cloud.point(i));
  return numbers;
}

} // namespace

Motion to_motion(const fricp_pose &pose) {
  Motion motion = Motion::Identity();
  motion.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&pose.rotation[0][0]);
  motion.translation() = Eigen::Map<const Point>(pose.translation);
  return motion;
}

fricp_pose to_pose(const Motion &motion) {
  fricp_pose pose = {};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&pose.rotation[0][0]) = motion.linear();
  Eigen::Map<Point>(pose.translation) = motion.translation();
  return pose;
}

std::array<double, 7> shift_and_quaternion(const Motion &motion) {
  std::array<double, 7> numbers;
  Eigen::Quaterniond turn(motion.linear());
  turn.coeffs() *= turn.w() < 0 ? -1.0 : 1.0;
  Eigen::Map<Point>(numbers.data()) = motion.translation();
  Eigen::Map<Eigen::Vector4d>(numbers.data() + 3) = turn.coeffs();
  return numbers;
}

std::string to_text(const fricp_pose &pose) {
  const Eigen::Matrix4d matrix = to_motion(pose).matrix();
  std::string text;
  for (int k = 0; k < 16; ++k)
    text += rounded(matrix(k / 4, k % 4), 17) + (k % 4 == 3 ? "\n" : " ");
  return text;
}

std::optional<Triple> Triple::find(const pcl::PCLPointCloud2 &cloud, const std::array<const char *, 3> &names) {
  Triple triple;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto field = std::find_if(cloud.fields.begin(), cloud.fields.end(), [&](const pcl::PCLPointField &candidate) {
      return candidate.name == names[k] && candidate.count == 1 && is_floating(candidate.datatype);
    });
    if (field == cloud.fields.end())
      return std::nullopt;
    triple.offset[k] = field->offset;
    triple.type[k] = field->datatype;
  }
  return triple;
}

Point Triple::load(const std::uint8_t *point) const {
  Point value;
  for (std::size_t k = 0; k < 3; ++k)
    value[static_cast<int>(k)] = load_number(point + offset[k], type[k]);
  return value;
}

void Triple::store(std::uint8_t *point, const Point &value) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const double number = value[static_cast<int>(k)];
    const auto narrow = static_cast<float>(number);
    std::memcpy(point + offset[k], type[k] == Type::FLOAT32 ? static_cast<const void *>(&narrow) : &number,
                size_of(type[k]));
  }
}

int Triple::scalar_type(std::size_t step) const {
  const std::size_t size = size_of(type[0]);
  const bool together = type[1] == type[0] && type[2] == type[0] && offset[1] == offset[0] + size &&
                        offset[2] == offset[1] + size && offset[0] % size == 0 && step % size == 0;
  return !together ? -1 : type[0] == Type::FLOAT32 ? FRICP_SCALAR_FLOAT : FRICP_SCALAR_DOUBLE;
}

Triple coordinates_of(const Cloud &cloud) {
  const auto coordinates = Triple::find(cloud.data, {"x", "y", "z"});
  if (!coordinates)
    fail(cloud.path, 0, "no coordinates");
  return *coordinates;
}

std::optional<Triple> normals_of(const Cloud &cloud) {
  const auto normals = Triple::find(cloud.data, {"normal_x", "normal_y", "normal_z"});
  return normals ? normals : Triple::find(cloud.data, {"nx", "ny", "nz"});
}

Points::Ptr relative_to(const Cloud &cloud, const Point &centre) {
  Points::Ptr points(new Points);
  for_each_finite(cloud, [&](const Point &point) {
    const Eigen::Vector3f relative = (point - centre).cast<float>();
    if (relative.allFinite())
      points->emplace_back(relative.x(), relative.y(), relative.z());
  });
  points->sensor_origin_.head<3>() = (cloud.origin.head<3>().cast<double>() - centre).cast<float>();
  return points;
}

Bounds bounds_of(const Cloud &cloud) {
  Bounds bounds;
  Point sum = Point::Zero();
  Point first = Point::Zero();
  for_each_finite(cloud, [&](const Point &point) {
    first = bounds.count == 0 ? point : first;
    ++bounds.count;
    bounds.box.extend(point);
    sum += point - first; // small numbers, also for map coordinates
  });
  if (bounds.count > 0)
    bounds.centroid = first + sum / static_cast<double>(bounds.count);
  return bounds;
}

Point middle_of(const Cloud &cloud) {
  const View view(cloud, false);
  const auto points = detail::Coordinates::of(view.get());
  return detail::middleOf(points, detail::finiteOf(points, nullptr));
}

bool is_flat(const Eigen::AlignedBox3d &box) {
  constexpr double rounding = 1e-12;
  const double low = box.min().z();
  const double high = box.max().z();
  return high - low <= rounding * std::max(std::fabs(low), std::fabs(high));
}

View::View(const Cloud &cloud, bool with_normals) {
  const std::size_t step = cloud.data.point_step;
  const Triple coordinates = coordinates_of(cloud);
  const auto normals = with_normals ? normals_of(cloud) : std::nullopt;
  const int scalar_type = coordinates.scalar_type(step);
  view_.count = cloud.size();
  if (scalar_type >= 0 && view_.count > 0 && (!normals || normals->scalar_type(step) == scalar_type)) {
    view_.points = cloud.point(0) + coordinates.offset[0];
    view_.normals = normals ? cloud.point(0) + normals->offset[0] : nullptr;
    view_.scalar_type = scalar_type;
    view_.stride = step;
    view_.normal_stride = normals ? step : 0;
    return;
  }
  points_ = copy_of(cloud, coordinates);
  view_.points = points_.data();
  view_.stride = 3 * sizeof(double);
  view_.scalar_type = FRICP_SCALAR_DOUBLE;
  if (normals) {
    normals_ = copy_of(cloud, *normals);
    view_.normals = normals_.data();
    view_.normal_stride = 3 * sizeof(double);
  }
}

void View::set_normals(std::vector<float> normals) {
  if (view_.scalar_type == FRICP_SCALAR_FLOAT) {
    float_normals_ = std::move(normals);
    view_.normals = float_normals_.data();
    view_.normal_stride = 3 * sizeof(float);
  } else {
    normals_.assign(normals.begin(), normals.end());
    view_.normals = normals_.data();
    view_.normal_stride = 3 * sizeof(double);
  }
}

double move(Cloud &cloud, const fricp_pose &pose) {
  const Motion motion = to_motion(pose);
  const Triple coordinates = coordinates_of(cloud);
  const auto normals = normals_of(cloud);
  double rounding = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    std::uint8_t *const bytes = cloud.point(i);
    const Point point = coordinates.load(bytes);
    if (!point.allFinite())
      continue;
    const Point wanted = motion * point;
    coordinates.store(bytes, wanted);
    rounding = std::max(rounding, (coordinates.load(bytes) - wanted).lpNorm<Eigen::Infinity>());
    if (normals) {
      const Point normal = normals->load(bytes);
      if (normal.allFinite())
        normals->store(bytes, motion.linear() * normal);
    }
  }
  return rounding;
}

} // namespace fricp::tool
