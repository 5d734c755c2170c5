// SPDX-License-Identifier: BSD-3-Clause
/*
 * Binary PCD and PLY. PCL's writers print the VIEWPOINT with six digits and lose the fourth byte of a colour in PLY;
 * they come with forty libraries more to load.
 */
#include "cloud_io.hpp"
#include "fields.hpp"
#include "text.hpp"

#include <pcl/common/io.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fricp::tool {

namespace {

using Type = pcl::PCLPointField;

/** What a field is in PLY. */
struct Property {
  std::string header;
  std::size_t offset = 0;
  std::size_t size = 0;     /**< bytes a point, taken over as they are */
  bool colour = false;      /**< red green blue (alpha), in PCL's order: reordered */
  std::uint32_t length = 0; /**< not 0: a list of this many numbers */
};

const char *ply_type(std::uint8_t type) {
  const auto found = std::find_if(std::begin(ply_types), std::end(ply_types),
                                  [type](const PlyType &candidate) { return candidate.type == type; });
  return found == std::end(ply_types) ? nullptr : found->name;
}

/** @return whether any point's packed colour has a fourth byte that is not 0. */
bool has_alpha(const Cloud &cloud, const pcl::PCLPointField &field) {
  if (field.name == "rgba")
    return true;
  for (std::size_t k = 0; k < cloud.size(); ++k)
    if (cloud.point(k)[field.offset + 3] != 0)
      return true;
  return false;
}

/** A property has PLY's name, unless another field has that or has become it: then the field's own.
 *  @param coloured  the colours are taken. */
Property property_of(const Cloud &cloud, const pcl::PCLPointField &field, bool coloured) {
  Property column;
  column.offset = field.offset;
  const bool colour = (field.name == "rgb" || field.name == "rgba") && field.count == 1 && size_of(field.datatype) == 4;
  if (colour && !coloured) {
    column.colour = true;
    column.size = has_alpha(cloud, field) ? 4 : 3;
    column.header = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    column.header += column.size == 4 ? "property uchar alpha\n" : "";
    return column;
  }
  const char *const type = ply_type(field.datatype);
  if (type == nullptr)
    throw Error("field " + quoted(field.name) + " holds 64-bit integers, which PLY does not have: write a .pcd file");
  const bool normal = field.name == "normal_x" || field.name == "normal_y" || field.name == "normal_z";
  const std::string short_name = std::string("n") + field.name.back();
  const std::string name = normal && !has_field(cloud, short_name) ? short_name : field.name;
  column.size = size_of(field.datatype) * field.count;
  column.length = field.count > 1 ? field.count : 0;
  column.header = std::string("property ") + (column.length > 0 ? "list uint " : "") + type + " " + name + "\n";
  return column;
}

/** As PCL's reader wants it: the sensor's pose, and the shape of the cloud. */
std::string camera_header() {
  std::string header = "element camera 1\n";
  for (const char *const name : camera_pose)
    header += std::string("property float ") + name + "\n";
  for (const char *const name : {"focal", "scalex", "scaley", "centerx", "centery"})
    header += std::string("property float ") + name + "\n";
  return header + "property int viewportx\nproperty int viewporty\nproperty float k1\nproperty float k2\n";
}

template <typename T> void append(std::string &bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

std::string camera_record(const Cloud &cloud) {
  const Eigen::Matrix3f axes = cloud.orientation.toRotationMatrix();
  std::string bytes;
  for (int k = 0; k < 3; ++k)
    append(bytes, cloud.origin[k]);
  for (int k = 0; k < 9; ++k)
    append(bytes, axes(k / 3, k % 3));
  bytes.append(5 * sizeof(float), '\0');
  append(bytes, static_cast<std::int32_t>(cloud.data.width));
  append(bytes, static_cast<std::int32_t>(cloud.data.height));
  return bytes.append(2 * sizeof(float), '\0');
}

void append_property(std::string &bytes, const Property &column, const std::uint8_t *point) {
  if (column.colour) {
    for (std::size_t k = 0; k < column.size; ++k)
      bytes += static_cast<char>(point[column.offset + byte_of_colour[k]]);
    return;
  }
  if (column.length > 0)
    append(bytes, column.length);
  bytes.append(reinterpret_cast<const char *>(point + column.offset), column.size);
}

} // namespace

void write_pcd(OutputFile &file, const Cloud &cloud) {
  std::string names = "FIELDS";
  std::string sizes = "\nSIZE";
  std::string types = "\nTYPE";
  std::string counts = "\nCOUNT";
  const auto add = [&](const std::string &name, std::size_t size, char type, std::size_t count) {
    names += " " + name;
    sizes += " " + std::to_string(size);
    types += std::string(" ") + type;
    counts += " " + std::to_string(count);
  };
  std::size_t end = 0; // of the fields so far; what lies between them is padding
  const auto pad = [&](std::size_t to) {
    if (to > end)
      add("_", 1, 'U', to - end);
  };
  for (const pcl::PCLPointField &field : cloud.data.fields) {
    pad(field.offset);
    add(field.name, size_of(field.datatype), static_cast<char>(pcl::getFieldType(field.datatype)), field.count);
    end = field.offset + size_of(field.datatype) * field.count;
  }
  pad(cloud.data.point_step);
  std::string viewpoint = "\nVIEWPOINT";
  const Eigen::Quaternionf &q = cloud.orientation;
  for (const float number : {cloud.origin[0], cloud.origin[1], cloud.origin[2], q.w(), q.x(), q.y(), q.z()})
    viewpoint += " " + shortest(number);
  file.write("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n" + names + sizes + types + counts + "\nWIDTH " +
             std::to_string(cloud.data.width) + "\nHEIGHT " + std::to_string(cloud.data.height) + viewpoint +
             "\nPOINTS " + std::to_string(cloud.size()) + "\nDATA binary\n");
  file.write(cloud.data.data.data(), cloud.size() * cloud.data.point_step);
}

void write_ply(OutputFile &file, const Cloud &cloud) {
  std::string header = "ply\nformat binary_little_endian 1.0\ncomment written by fricp\nelement vertex " +
                       std::to_string(cloud.size()) + "\n";
  std::vector<Property> columns;
  bool coloured =
      has_field(cloud, "red") || has_field(cloud, "green") || has_field(cloud, "blue") || has_field(cloud, "alpha");
  for (const pcl::PCLPointField &field : cloud.data.fields) {
    columns.push_back(property_of(cloud, field, coloured));
    coloured = coloured || columns.back().colour;
    header += columns.back().header;
  }
  const bool camera = cloud.data.height != 1 || !cloud.origin.isZero(0) ||
                      cloud.orientation.coeffs() != Eigen::Quaternionf::Identity().coeffs();
  file.write(header + (camera ? camera_header() : std::string()) + "end_header\n");
  std::string bytes;
  for (std::size_t k = 0; k < cloud.size(); ++k) {
    for (const Property &column : columns)
      append_property(bytes, column, cloud.point(k));
    if (bytes.size() > 1 << 16) {
      file.write(bytes);
      bytes.clear();
    }
  }
  file.write(bytes + (camera ? camera_record(cloud) : std::string()));
}

} // namespace fricp::tool
