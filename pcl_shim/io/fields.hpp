// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file fields.hpp
 * The types that a field of a pcl::PCLPointCloud2 can have: their C++ types, sizes and names in PLY. (Those in PCD are
 * PCL's own: pcl::getFieldType.)
 */
#ifndef FRICP_TOOL_FIELDS_HPP
#define FRICP_TOOL_FIELDS_HPP

#include <pcl/PCLPointField.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fricp::tool {

/** Calls visit with a zero of the C++ type that a type of pcl::PCLPointField stands for. */
template <typename Visit> auto with_type(std::uint8_t type, const Visit &visit) {
  using Type = pcl::PCLPointField;
  switch (type) {
  case Type::INT8:
    return visit(std::int8_t{});
  case Type::BOOL:
  case Type::UINT8:
    return visit(std::uint8_t{});
  case Type::INT16:
    return visit(std::int16_t{});
  case Type::UINT16:
    return visit(std::uint16_t{});
  case Type::INT32:
    return visit(std::int32_t{});
  case Type::UINT32:
    return visit(std::uint32_t{});
  case Type::INT64:
    return visit(std::int64_t{});
  case Type::UINT64:
    return visit(std::uint64_t{});
  case Type::FLOAT32:
    return visit(float{});
  default:
    return visit(double{});
  }
}

/** @return the bytes of a number. */
inline std::size_t size_of(std::uint8_t type) {
  return with_type(type, [](auto number) { return sizeof number; });
}

inline double load_number(const std::uint8_t *bytes, std::uint8_t type) {
  return with_type(type, [bytes](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    return static_cast<double>(number);
  });
}

inline bool is_floating(std::uint8_t type) {
  return type == pcl::PCLPointField::FLOAT32 || type == pcl::PCLPointField::FLOAT64;
}

struct PlyType {
  std::uint8_t type;
  const char *name;
  const char *sized_name; /**< the newer one */
};

/** PLY has no 64-bit integers. */
constexpr PlyType ply_types[] = {
    {pcl::PCLPointField::INT8, "char", "int8"},        {pcl::PCLPointField::UINT8, "uchar", "uint8"},
    {pcl::PCLPointField::INT16, "short", "int16"},     {pcl::PCLPointField::UINT16, "ushort", "uint16"},
    {pcl::PCLPointField::INT32, "int", "int32"},       {pcl::PCLPointField::UINT32, "uint", "uint32"},
    {pcl::PCLPointField::FLOAT32, "float", "float32"}, {pcl::PCLPointField::FLOAT64, "double", "float64"},
    {pcl::PCLPointField::BOOL, "uchar", "uint8"}};

/** Of red, green, blue and alpha, which PCL packs as 0xAARRGGBB, little-endian. */
constexpr std::array<std::size_t, 4> byte_of_colour = {2, 1, 0, 3};

/** The sensor pose in a PLY file as PCL writes it: where it stood, and its axes. */
constexpr std::array<const char *, 12> camera_pose = {"view_px", "view_py", "view_pz", "x_axisx", "x_axisy", "x_axisz",
                                                      "y_axisx", "y_axisy", "y_axisz", "z_axisx", "z_axisy", "z_axisz"};

} // namespace fricp::tool

#endif
