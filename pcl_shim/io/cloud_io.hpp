// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file cloud_io.hpp
 * Clouds from and to files: PCD, PLY, and rows of numbers, into pcl::PCLPointCloud2.
 *
 * PCL's own file readers guess where a file is not what they expect: zeros where they do not know a type or where the
 * locale has a decimal comma, success after a short or damaged body, an abort on a list. Here the header is checked
 * first, and a file gives the right cloud or an Error that names file, line and field. What a file is, its content
 * says, not its name. Fields keep their types, names and order, but integer coordinates become doubles; PLY's nx, ny, nz
 * and red, green, blue, alpha become PCL's normal_x, normal_y, normal_z and rgb or rgba.
 */
#ifndef FRICP_TOOL_CLOUD_IO_HPP
#define FRICP_TOOL_CLOUD_IO_HPP

#include "file_bytes.hpp"
#include "records.hpp"

#include <pcl/PCLPointCloud2.h>

#include <Eigen/Geometry>

#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

struct Cloud {
  std::string path;
  pcl::PCLPointCloud2 data;
  Eigen::Vector4f origin = Eigen::Vector4f::Zero(); /**< sensor pose */
  Eigen::Quaternionf orientation = Eigen::Quaternionf::Identity();
  std::vector<std::string> dropped; /**< what the file holds beyond this, such as faces */
  std::size_t surplus = 0;          /**< bytes behind the last point of a binary file */
  bool planar = false;              /**< rows of two numbers: z is 0 because there is none */

  std::size_t size() const {
    return static_cast<std::size_t>(data.width) * data.height;
  }
  const std::uint8_t *point(std::size_t index) const {
    return data.data.data() + index * data.point_step;
  }
  std::uint8_t *point(std::size_t index) {
    return data.data.data() + index * data.point_step;
  }
};

/**
 * Reads a file in memory below ten times its size and 1 MiB, whatever it says of counts and sizes; only compressed
 * bodies may need more, up to 256 MiB, if they really hold it.
 */
Cloud read_cloud(const std::string &path);
/** The same of a file's bytes. @param path  for messages. */
Cloud parse_cloud(std::string_view bytes, const std::string &path);

/** @return what is odd about a file that was read all the same; "": nothing. */
std::string doubt_about(const Cloud &cloud);

/** Writes a cloud: binary, little-endian. Throws an Error if the format cannot hold a field. */
using Writer = void (*)(OutputFile &file, const Cloud &cloud);

/** @return the writer of the format that a file's name asks for. Throws a UsageError for any other than .pcd and .ply. */
Writer writer_of(const std::string &path);

/* What follows is for the readers and writers themselves. */

Cloud read_pcd(std::string_view bytes, const std::string &path);
Cloud read_ply(std::string_view bytes, const std::string &path);
Cloud read_rows(std::string_view bytes, const std::string &path);
void write_pcd(OutputFile &file, const Cloud &cloud);
void write_ply(OutputFile &file, const Cloud &cloud);

/** @return whether a line of a PCD header may begin with this word. */
bool is_pcd_key(std::string_view word);

/** Appends a field behind the last one and makes each point longer by it. Throws an Error beyond max_fields. */
void append_field(Cloud &cloud, const std::string &name, std::uint8_t type, std::uint32_t count = 1);

bool has_field(const Cloud &cloud, const std::string &name);

/** What a body of such points holds. */
Records records_of(const Cloud &cloud, const std::string &name, std::uint64_t count);

/** Gives a cloud of known fields its shape and room. Throws an Error if that is too large. */
void allocate(Cloud &cloud, std::uint64_t width, std::uint64_t height);

/** @return whether a field is a coordinate of integers, which is read as a double so that it can be moved. */
bool is_widened(const pcl::PCLPointField &field);

/** Throws an Error unless x, y and z are there, once, one number each. @param kind  "field", "property" or "column". */
void require_coordinates(const Cloud &cloud, const char *kind);

} // namespace fricp::tool

#endif
