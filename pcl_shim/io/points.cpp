// SPDX-License-Identifier: BSD-3-Clause
#include "points.hpp"

#include "text.hpp"

#include <pcl/PCLPointField.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace fricp::tool {

namespace {

using Type = pcl::PCLPointField;

bool is_floating(std::uint8_t type) {
  return type == Type::FLOAT32 || type == Type::FLOAT64;
}

template <typename T> double as_double(const std::uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double load_number(const std::uint8_t *bytes, std::uint8_t type) {
  switch (type) {
  case Type::BOOL:
  case Type::UINT8:
    return as_double<std::uint8_t>(bytes);
  case Type::INT8:
    return as_double<std::int8_t>(bytes);
  case Type::INT16:
    return as_double<std::int16_t>(bytes);
  case Type::UINT16:
    return as_double<std::uint16_t>(bytes);
  case Type::INT32:
    return as_double<std::int32_t>(bytes);
  case Type::UINT32:
    return as_double<std::uint32_t>(bytes);
  case Type::INT64:
    return as_double<std::int64_t>(bytes);
  case Type::UINT64:
    return as_double<std::uint64_t>(bytes);
  case Type::FLOAT32:
    return as_double<float>(bytes);
  default:
    return as_double<double>(bytes);
  }
}

void store_number(std::uint8_t *bytes, std::uint8_t type, double value) {
  if (type == Type::FLOAT32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, sizeof narrow);
  } else {
    std::memcpy(bytes, &value, sizeof value);
  }
}

} // namespace

std::optional<Triple> Triple::find(const pcl::PCLPointCloud2 &cloud, const std::array<const char *, 3> &names) {
  Triple triple;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto field = std::find_if(cloud.fields.begin(), cloud.fields.end(),
                                    [&](const pcl::PCLPointField &f) { return f.name == names[k] && f.count == 1; });
    if (field == cloud.fields.end()) {
      return std::nullopt;
    }
    triple.offset[k] = field->offset;
    triple.type[k] = field->datatype;
  }
  return triple;
}

Point Triple::load(const std::uint8_t *point) const {
  return {load_number(point + offset[0], type[0]), load_number(point + offset[1], type[1]),
          load_number(point + offset[2], type[2])};
}

void Triple::store(std::uint8_t *point, const Point &value) const {
  for (std::size_t k = 0; k < value.size(); ++k) {
    store_number(point + offset[k], type[k], value[k]);
  }
}

bool Triple::floating() const {
  return std::all_of(type.begin(), type.end(), is_floating);
}

int Triple::scalar_type(std::size_t step) const {
  const std::size_t size = type[0] == Type::FLOAT32 ? sizeof(float) : sizeof(double);
  const bool together = is_floating(type[0]) && type[1] == type[0] && type[2] == type[0] &&
                        offset[1] == offset[0] + size && offset[2] == offset[1] + size;
  if (!together || offset[0] % size != 0 || step % size != 0) {
    return -1;
  }
  return type[0] == Type::FLOAT32 ? FRICP_SCALAR_FLOAT : FRICP_SCALAR_DOUBLE;
}

Triple coordinates_of(const Cloud &cloud) {
  const auto coordinates = Triple::find(cloud.data, {"x", "y", "z"});
  if (!coordinates) {
    fail(cloud.path, 0, "no coordinates");
  }
  return *coordinates;
}

std::optional<Triple> normals_of(const Cloud &cloud) {
  const auto normals = Triple::find(cloud.data, {"normal_x", "normal_y", "normal_z"});
  const auto short_names = Triple::find(cloud.data, {"nx", "ny", "nz"});
  const auto found = normals ? normals : short_names;
  return found && found->floating() ? found : std::nullopt;
}

bool is_finite(const Point &point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

double Bounds::extent() const {
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

Bounds bounds_of(const Cloud &cloud) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Bounds bounds;
  bounds.low.fill(infinity);
  bounds.high.fill(-infinity);
  Point sum = {};
  Point first = {};
  const Triple coordinates = coordinates_of(cloud);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point point = coordinates.load(cloud.data.data.data() + i * cloud.data.point_step);
    if (!is_finite(point)) {
      continue;
    }
    first = bounds.count == 0 ? point : first;
    ++bounds.count;
    for (std::size_t k = 0; k < 3; ++k) {
      bounds.low[k] = std::min(bounds.low[k], point[k]);
      bounds.high[k] = std::max(bounds.high[k], point[k]);
      sum[k] += point[k] - first[k]; // small numbers, also for map coordinates
    }
  }
  for (std::size_t k = 0; k < 3 && bounds.count > 0; ++k) {
    bounds.centroid[k] = first[k] + sum[k] / static_cast<double>(bounds.count);
  }
  return bounds;
}

View::View(const Cloud &cloud, bool with_normals) {
  const std::uint8_t *const data = cloud.data.data.data();
  const std::size_t step = cloud.data.point_step;
  const Triple coordinates = coordinates_of(cloud);
  const auto normals = with_normals ? normals_of(cloud) : std::nullopt;
  const int scalar_type = coordinates.scalar_type(step);
  static const double no_points[3] = {}; // an address is required, also of an empty cloud
  view_.count = cloud.size();
  if (scalar_type >= 0 && (!normals || normals->scalar_type(step) == scalar_type)) {
    view_.points = data == nullptr ? static_cast<const void *>(no_points) : data + coordinates.offset[0];
    view_.stride = step;
    view_.scalar_type = scalar_type;
    if (normals) {
      view_.normals = data == nullptr ? static_cast<const void *>(no_points) : data + normals->offset[0];
      view_.normal_stride = step;
    }
    return;
  }
  copy_points(cloud, coordinates);
  if (normals) {
    copy_normals(cloud, *normals);
  }
}

void View::copy_points(const Cloud &cloud, const Triple &coordinates) {
  points_.resize(std::max<std::size_t>(cloud.size(), 1) * 3);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point point = coordinates.load(cloud.data.data.data() + i * cloud.data.point_step);
    for (std::size_t k = 0; k < 3; ++k) {
      if (!is_floating(coordinates.type[k]) && std::fabs(point[k]) > 0x1p53) {
        fail(cloud.path, 0, "point " + std::to_string(i) + ": an integer coordinate beyond 2^53");
      }
      points_[3 * i + k] = point[k];
    }
  }
  view_.points = points_.data();
  view_.stride = 3 * sizeof(double);
  view_.scalar_type = FRICP_SCALAR_DOUBLE;
}

void View::copy_normals(const Cloud &cloud, const Triple &normals) {
  std::vector<double> copy(std::max<std::size_t>(cloud.size(), 1) * 3);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point normal = normals.load(cloud.data.data.data() + i * cloud.data.point_step);
    std::copy(normal.begin(), normal.end(), copy.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  if (points_.empty()) {
    copy_points(cloud, coordinates_of(cloud));
  }
  normals_ = std::move(copy);
  view_.normals = normals_.data();
  view_.normal_stride = 3 * sizeof(double);
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

Point rotated(const fricp_pose &pose, const Point &vector) {
  Point result = {};
  for (std::size_t k = 0; k < 3; ++k) {
    const double *const row = pose.rotation[k];
    result[k] = row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2];
  }
  return result;
}

Point moved(const fricp_pose &pose, const Point &point) {
  Point result = rotated(pose, point);
  for (std::size_t k = 0; k < 3; ++k) {
    result[k] += pose.translation[k];
  }
  return result;
}

void widen_coordinates(Cloud &cloud) {
  if (coordinates_of(cloud).floating()) {
    return;
  }
  const pcl::PCLPointCloud2 before = std::move(cloud.data);
  cloud.data = pcl::PCLPointCloud2();
  cloud.data.header = before.header;
  for (const pcl::PCLPointField &field : before.fields) {
    const bool coordinate = field.name == "x" || field.name == "y" || field.name == "z";
    const bool widen = coordinate && !is_floating(field.datatype);
    append_field(cloud, field.name, widen ? std::uint8_t{Type::FLOAT64} : field.datatype, field.count);
  }
  allocate(cloud, before.width, before.height);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const std::uint8_t *const from = before.data.data() + i * before.point_step;
    std::uint8_t *const to = cloud.data.data.data() + i * cloud.data.point_step;
    for (std::size_t k = 0; k < before.fields.size(); ++k) {
      const pcl::PCLPointField &old = before.fields[k];
      const pcl::PCLPointField &now = cloud.data.fields[k];
      if (old.datatype != now.datatype) {
        store_number(to + now.offset, now.datatype, load_number(from + old.offset, old.datatype));
      } else {
        std::memcpy(to + now.offset, from + old.offset, size_of(old.datatype) * old.count);
      }
    }
  }
}

double move(Cloud &cloud, const fricp_pose &pose) {
  const Triple coordinates = coordinates_of(cloud);
  const auto normals = normals_of(cloud);
  double rounding = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    std::uint8_t *const bytes = cloud.data.data.data() + i * cloud.data.point_step;
    const Point point = coordinates.load(bytes);
    if (!is_finite(point)) {
      continue;
    }
    const Point wanted = moved(pose, point);
    coordinates.store(bytes, wanted);
    const Point stored = coordinates.load(bytes);
    for (std::size_t k = 0; k < 3; ++k) {
      rounding = std::max(rounding, std::fabs(stored[k] - wanted[k]));
    }
    if (normals) {
      const Point normal = normals->load(bytes);
      if (is_finite(normal)) {
        normals->store(bytes, rotated(pose, normal));
      }
    }
  }
  return rounding;
}

} // namespace fricp::tool
