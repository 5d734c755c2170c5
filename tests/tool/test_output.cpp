// SPDX-License-Identifier: BSD-3-Clause
/*
 * The moved cloud as PCL reads it, and inputs as PCL writes them: all fields kept bit for bit, points and normals
 * moved.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "ply.h"
#include "rich_cloud.hpp"
#include "verify.h"

#include <pcl/console/print.h>
#include <pcl/io/pcd_io.h>
#include <pcl/io/ply_io.h>
#include <pcl/point_types.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

/** Points are where the pose says, to the rounding of a float near 2; normals are turned only. */
void expect_moved(const pcl::PCLPointCloud2 &before, const pcl::PCLPointCloud2 &after, fricp_pose pose) {
  const double rounding = 2e-7;
  for (std::size_t k = 0; k < rich_points; ++k) {
    const Point from = triple_of<float>(before, "x", "y", "z", k);
    const Point to = triple_of<float>(after, "x", "y", "z", k);
    const Point normal = triple_of<float>(before, "normal_x", "normal_y", "normal_z", k);
    const Point turned = triple_of<float>(after, "normal_x", "normal_y", "normal_z", k);
    if (!finite(from)) {
      ck_assert_uint_eq(k, 7);
      ck_assert(same_bits(from, to));
      ck_assert(same_bits(normal, turned));
      continue;
    }
    Point expected = {};
    verify_apply(&pose, from.data(), expected.data());
    ck_assert_double_lt(distance(expected, to), rounding);
    if (!finite(normal)) {
      ck_assert_uint_eq(k, 9);
      ck_assert(same_bits(normal, turned));
      continue;
    }
    fricp_pose rotation = pose;
    std::memset(rotation.translation, 0, sizeof rotation.translation);
    verify_apply(&rotation, normal.data(), expected.data());
    ck_assert_double_lt(distance(expected, turned), rounding);
  }
}

/** All bytes of the points except those of coordinates and normals. */
std::string other_bytes(const pcl::PCLPointCloud2 &cloud) {
  std::string bytes(reinterpret_cast<const char *>(cloud.data.data()), cloud.data.size());
  for (const char *const name : {"x", "y", "z", "normal_x", "normal_y", "normal_z"}) {
    for (std::size_t k = 0; k < rich_points; ++k) {
      bytes.replace(k * cloud.point_step + field_of(cloud, name).offset, 4, 4, '.');
    }
  }
  return bytes;
}

START_TEST(pcd_keeps_every_field) {
  const Rich rich;
  const std::string output = rich.scratch / "out.pcd";
  const fricp_pose pose = pose_of({"-o", output, rich.source, rich.target});
  ck_assert_double_lt(verify_angle_degrees(&pose, &rich.truth), 1e-4);
  const Loaded before = load_pcd(rich.source);
  const Loaded after = load_pcd(output);
  ck_assert_uint_eq(after.cloud.width, 20);
  ck_assert_uint_eq(after.cloud.height, 10);
  ck_assert_int_eq(after.cloud.is_dense, 0);
  ck_assert_uint_eq(after.cloud.point_step, before.cloud.point_step);
  ck_assert_uint_eq(after.cloud.fields.size(), before.cloud.fields.size());
  for (std::size_t k = 0; k < before.cloud.fields.size(); ++k) {
    expect_text(after.cloud.fields[k].name, before.cloud.fields[k].name);
    ck_assert_uint_eq(after.cloud.fields[k].datatype, before.cloud.fields[k].datatype);
    ck_assert_uint_eq(after.cloud.fields[k].count, before.cloud.fields[k].count);
    ck_assert_uint_eq(after.cloud.fields[k].offset, before.cloud.fields[k].offset);
  }
  ck_assert(other_bytes(after.cloud) == other_bytes(before.cloud));
  ck_assert(after.origin == before.origin);
  ck_assert(after.orientation.coeffs() == before.orientation.coeffs());
  expect_moved(before.cloud, after.cloud, pose);
}
END_TEST

/** PLY has no 64-bit integers: refused, with the field's name, and nothing is written. */
START_TEST(ply_refuses_what_it_cannot_hold) {
  const Rich rich;
  const Run run = run_tool({"-o", rich.scratch / "out.ply", rich.source, rich.target});
  ck_assert_int_eq(run.status, 1);
  ck_assert_ptr_nonnull(std::strstr(run.err.c_str(), "field \"time\" holds 64-bit integers"));
  ck_assert(!exists(rich.scratch / "out.ply"));
}
END_TEST

/** What a PLY can hold comes back from it, through PCL's reader and through our own. */
START_TEST(ply_keeps_every_field) {
  Rich rich;
  std::string bytes = rich.header() + rich.body;
  const std::string fields[][2] = {{"FIELDS time", "FIELDS stamp"}, {"TYPE U F", "TYPE F F"}};
  for (const auto &[from, to] : fields) {
    bytes.replace(bytes.find(from), from.size(), to);
  }
  write_file(rich.source, bytes);
  const std::string output = rich.scratch / "out.ply";
  const fricp_pose pose = pose_of({"-o", output, rich.source, rich.target});
  const Loaded before = load_pcd(rich.source);
  // Our own reader, back to PCD: the same bits, but for the list.
  const std::string again = rich.scratch / "again.pcd";
  const Run run = run_tool({"-o", again, output, output});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_ptr_nonnull(std::strstr(run.err.c_str(), "not in the output: list property \"hist\""));
  const Loaded after = load_pcd(again);
  ck_assert_uint_eq(after.cloud.width, 20);
  ck_assert_uint_eq(after.cloud.height, 10);
  ck_assert(after.origin == before.origin);
  ck_assert_float_lt((after.orientation.coeffs() - before.orientation.coeffs()).norm(), 1e-6F);
  expect_moved(before.cloud, after.cloud, pose);
  for (std::size_t k = 0; k < rich_points; ++k) {
    ck_assert(value_of<double>(after.cloud, "stamp", k) == value_of<double>(before.cloud, "stamp", k));
    ck_assert(value_of<double>(after.cloud, "intensity", k) == value_of<double>(before.cloud, "intensity", k));
    ck_assert_int_eq(value_of<std::int16_t>(after.cloud, "label", k), value_of<std::int16_t>(before.cloud, "label", k));
    ck_assert_int_eq(value_of<std::int8_t>(after.cloud, "b", k), value_of<std::int8_t>(before.cloud, "b", k));
    const auto colour = value_of<float>(before.cloud, "rgb", k);
    const auto colour_after = value_of<float>(after.cloud, "rgb", k);
    ck_assert_int_eq(std::memcmp(&colour, &colour_after, sizeof colour), 0);
  }
  // A reader that knows nothing of ours; lists in vertices it does not take, so one cloud further on.
  const std::string plain = rich.scratch / "plain.ply";
  pose_of({"-o", plain, again, again});
  ply_cloud independent = {};
  const char *const problem = ply_read(plain.c_str(), &independent);
  ck_assert_msg(problem == nullptr, "%s", problem);
  ck_assert_uint_eq(independent.count, rich_points);
  ck_assert_ptr_nonnull(independent.normals);
  for (std::size_t k = 0; k < 3 * rich_points; ++k) {
    const Point point = triple_of<float>(after.cloud, "x", "y", "z", k / 3);
    ck_assert(std::isnan(point[k % 3]) ? std::isnan(independent.points[k]) : independent.points[k] == point[k % 3]);
  }
  ply_free(&independent);
}
END_TEST

/** PCL's reader takes our PLY: colours, normals and shape. (It does not get the sensor pose of its own files either.)
 */
START_TEST(ply_for_pcl) {
  const Scratch scratch;
  pcl::PointCloud<pcl::PointXYZRGBNormal> cloud(20, 10);
  const Points points = surface(rich_points);
  for (std::size_t k = 0; k < rich_points; ++k) {
    pcl::PointXYZRGBNormal &point = cloud[k];
    point.x = static_cast<float>(points[k][0]);
    point.y = static_cast<float>(points[k][1]);
    point.z = static_cast<float>(points[k][2]);
    point.r = static_cast<std::uint8_t>(k);
    point.g = static_cast<std::uint8_t>(255 - k);
    point.b = static_cast<std::uint8_t>(7 * k);
    point.a = 0;
    point.normal_z = 1;
  }
  ck_assert_int_eq(pcl::PCDWriter().writeBinaryCompressed(scratch / "source.pcd", cloud), 0);
  write_file(scratch / "target.xyz", rows(points));
  const Run run = run_tool({"-q", "-o", scratch / "out.ply", scratch / "source.pcd", scratch / "target.xyz"});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  pcl::PointCloud<pcl::PointXYZRGBNormal> read;
  ck_assert_int_eq(pcl::PLYReader().read(scratch / "out.ply", read), 0);
  ck_assert_uint_eq(read.width, 20);
  ck_assert_uint_eq(read.height, 10);
  for (std::size_t k = 0; k < rich_points; ++k) {
    ck_assert_float_lt((read[k].getVector3fMap() - cloud[k].getVector3fMap()).norm(), 1e-6F);
    ck_assert_int_eq(read[k].r, cloud[k].r);
    ck_assert_int_eq(read[k].g, cloud[k].g);
    ck_assert_int_eq(read[k].b, cloud[k].b);
    ck_assert_float_eq_tol(read[k].normal_z, 1, 1e-6F);
  }
}
END_TEST

/** What PCL's writers write, in all their forms, with padding between the fields. */
START_TEST(files_by_pcl) {
  const Scratch scratch;
  pcl::PointCloud<pcl::PointNormal> cloud(20, 10);
  const Points points = surface(rich_points);
  for (std::size_t k = 0; k < rich_points; ++k) {
    cloud[k].x = static_cast<float>(points[k][0]);
    cloud[k].y = static_cast<float>(points[k][1]);
    cloud[k].z = static_cast<float>(points[k][2]);
    cloud[k].curvature = static_cast<float>(k);
  }
  pcl::PCLPointCloud2 padded;
  pcl::toPCLPointCloud2(cloud, padded);
  ck_assert_int_eq(pcl::PCDWriter().writeASCII(scratch / "ascii.pcd", cloud, 9), 0);
  ck_assert_int_eq(pcl::PCDWriter().writeBinary(scratch / "binary.pcd", cloud), 0);
  ck_assert_int_eq(pcl::PCDWriter().writeBinaryCompressed(scratch / "compressed.pcd", cloud), 0);
  ck_assert_int_eq(pcl::PCDWriter().writeBinary(scratch / "padded.pcd", padded), 0);
  ck_assert_int_eq(pcl::PCDWriter().writeBinaryCompressed(scratch / "padded_compressed.pcd", padded), 0);
  ck_assert_int_eq(pcl::PLYWriter().write(scratch / "ascii.ply", cloud, false), 0);
  ck_assert_int_eq(pcl::PLYWriter().write(scratch / "binary.ply", cloud, true), 0);
  ck_assert_int_eq(pcl::PLYWriter().write(scratch / "grid.ply", cloud, true, false), 0);
  ck_assert_int_eq(pcl::PLYWriter().write(scratch / "ascii_grid.ply", cloud, false, false), 0);
  const Words names = scratch.names();
  ck_assert_uint_eq(names.size(), 9);
  const Scratch reference;
  write_file(reference / "r.xyz", rows(points));
  for (const std::string &name : names) {
    Report report = report_of({"--inlier-distance", "1e-6", scratch / name, reference / "r.xyz"});
    ck_assert_msg(report["inliers"] == "200" && report["points_source"] == "200", "%s: %s inliers of %s", name.c_str(),
                  report["inliers"].c_str(), report["points_source"].c_str());
  }
}
END_TEST

/** Doubles stay doubles, to the last bits that a motion leaves; integers become doubles. */
START_TEST(coordinates_keep_their_precision) {
  const Scratch scratch;
  Points points = surface(rich_points);
  for (Point &point : points) {
    point[0] += 539715;
    point[1] += 4065760;
  }
  fricp_pose shift = pose_from({1, 0, 0, 0.015625, 0, 1, 0, -0.0078125, 0, 0, 1, 0});
  const Points target = moved(points, shift); // exact: powers of 2
  write_file(scratch / "s.pcd", pcd_header(rich_points, "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n") + rows(points));
  write_file(scratch / "t.xyz", rows(target));
  pose_of({"-o", scratch / "o.pcd", scratch / "s.pcd", scratch / "t.xyz"});
  Loaded out = load_pcd(scratch / "o.pcd");
  for (std::size_t k = 0; k < rich_points; ++k) {
    ck_assert_double_lt(distance(triple_of<double>(out.cloud, "x", "y", "z", k), target[k]), 1e-6);
  }
  Points whole = surface(rich_points);
  for (Point &point : whole) {
    for (double &number : point) {
      number *= 4096;
    }
  }
  write_file(scratch / "s.pcd", pcd_header(rich_points, "FIELDS x y z\nSIZE 4 4 4\nTYPE I I I\n") + rows(whole));
  const fricp_pose turn = small_motion(2);
  const Points turned = moved(whole, turn);
  write_file(scratch / "t.xyz", rows(turned));
  pose_of({"-o", scratch / "o.pcd", scratch / "s.pcd", scratch / "t.xyz"});
  out = load_pcd(scratch / "o.pcd");
  for (std::size_t k = 0; k < rich_points; ++k) {
    ck_assert_double_lt(distance(triple_of<double>(out.cloud, "x", "y", "z", k), turned[k]), 1e-3); // of 8192
  }
}
END_TEST

/** A float source that goes far from the origin loses digits in the output: the user is told. */
START_TEST(rounding_is_told) {
  const Scratch scratch;
  const Points points = surface(rich_points);
  fricp_pose far = pose_from({1, 0, 0, 539715, 0, 1, 0, 4065760, 0, 0, 1, 0});
  write_file(scratch / "s.pcd", pcd(points));
  write_file(scratch / "t.xyz", rows(moved(points, far)));
  const Run run = run_tool({"--init", "centroid", "-o", scratch / "o.pcd", scratch / "s.pcd", scratch / "t.xyz"});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_ptr_nonnull(std::strstr(run.err.c_str(), "rounded by up to"));
}
END_TEST

/** Nor where the registration has not come so far as to know what is noticeable. */
START_TEST(rounding_of_nothing_is_not_told) {
  const Scratch scratch;
  const Points points = surface(rich_points);
  write_file(scratch / "s.pcd", pcd(points));
  write_file(scratch / "start.txt", "0.96 -0.28 0 0.1\n0.28 0.96 0 0.2\n0 0 1 0.3\n0 0 0 1\n");
  const Run run = run_tool({"--time-limit", "1e-9", "--init", scratch / "start.txt", "-o", scratch / "o.pcd",
                            scratch / "s.pcd", scratch / "s.pcd"});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  ck_assert_msg(!contains(run.err, "rounded by up to"), "%s", run.err.c_str());
}
END_TEST

/** Fields that PLY knows by one name: each keeps its own, and both come back. */
START_TEST(ply_names_no_property_twice) {
  const Scratch scratch;
  const Points points = surface(rich_points);
  const std::string fields = "FIELDS x y z nx ny nz normal_x normal_y normal_z rgb rgba\nSIZE 4 4 4 4 4 4 4 4 4 4 4\n"
                             "TYPE F F F F F F F F F U U\n";
  std::string body;
  for (std::size_t k = 0; k < points.size(); ++k)
    body += rows({points[k]}, " ", "") + " 1 0 0 0 0 1 " + std::to_string(k) + " " + std::to_string(7 * k) + "\n";
  write_file(scratch / "s.pcd", pcd_header(points.size(), fields.c_str()) + body);
  write_file(scratch / "t.xyz", rows(points));
  pose_of({"-o", scratch / "o.ply", scratch / "s.pcd", scratch / "t.xyz"});
  const std::string bytes = read_file(scratch / "o.ply");
  for (const char *const name : {"nx", "ny", "nz", "normal_x", "red", "green", "blue", "rgba"}) {
    const std::string line = std::string(" ") + name + "\n";
    const std::size_t at = bytes.find(line);
    ck_assert_msg(at != std::string::npos && bytes.find(line, at + 1) == std::string::npos, "%s not once", name);
  }
  pose_of({"-o", scratch / "again.pcd", scratch / "o.ply", scratch / "t.xyz"});
  const Loaded again = load_pcd(scratch / "again.pcd");
  ck_assert_uint_eq(again.cloud.fields.size(), 11);
  for (std::size_t k = 0; k < points.size(); ++k) {
    ck_assert(same_bits(triple_of<float>(again.cloud, "nx", "ny", "nz", k), {1, 0, 0}));
    ck_assert_uint_eq(value_of<std::uint32_t>(again.cloud, "rgba", k), 7 * k);
  }
}
END_TEST

START_TEST(columns_of_rows_are_kept) {
  const Scratch scratch;
  std::string text;
  const Points points = surface(rich_points);
  for (std::size_t k = 0; k < rich_points; ++k) {
    std::string row = rows({points[k]});
    row.pop_back();
    text += row + " " + std::to_string(k) + " 0.1\n";
  }
  write_file(scratch / "s.xyz", text);
  pose_of({"-o", scratch / "o.pcd", scratch / "s.xyz", scratch / "s.xyz"});
  const Loaded out = load_pcd(scratch / "o.pcd");
  for (std::size_t k = 0; k < rich_points; ++k) {
    ck_assert(value_of<double>(out.cloud, "column4", k) == static_cast<double>(k));
    ck_assert(value_of<double>(out.cloud, "column5", k) == 0.1);
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);
  return run_suite("output", {pcd_keeps_every_field, ply_refuses_what_it_cannot_hold, ply_keeps_every_field,
                              ply_for_pcl, files_by_pcl, coordinates_keep_their_precision, rounding_is_told,
                              rounding_of_nothing_is_not_told, ply_names_no_property_twice, columns_of_rows_are_kept});
}
