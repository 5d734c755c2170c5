// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "bench.hpp"
#include "cases.h"
#include "ply.h"
#include "scene.h"
#include "text.h"
#include "verify.h"

namespace bench {

fricp_cloud Cloud::view(bool with_normals) const {
  return scene_view(points.data(), size(), with_normals && !normals.empty() ? normals.data() : nullptr, dimension);
}

namespace {

Cloud take(const ply_cloud &from, int dimension) {
  Cloud cloud;
  cloud.points.assign(from.points, from.points + 3 * from.count);
  if (from.normals)
    cloud.normals.assign(from.normals, from.normals + 3 * from.count);
  cloud.dimension = dimension;
  return cloud;
}

Cloud load_cloud(const std::string &path) {
  ply_cloud file;
  if (const char *problem = ply_read(path.c_str(), &file))
    throw std::runtime_error(path + ": " + problem);
  Cloud cloud = take(file, 3);
  ply_free(&file);
  return cloud;
}

bool finite_point(const double *p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

fricp_pose identity() {
  fricp_pose pose{};
  for (int k = 0; k < 3; ++k)
    pose.rotation[k][k] = 1.0;
  return pose;
}

} // namespace

double bounding_diagonal(const std::vector<double> &points) {
  double low[3], high[3], sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    low[k] = std::numeric_limits<double>::infinity();
    high[k] = -low[k];
  }
  for (size_t i = 0; i + 2 < points.size(); i += 3)
    for (size_t k = 0; k < 3 && finite_point(&points[i]); ++k) {
      low[k] = std::fmin(low[k], points[i + k]);
      high[k] = std::fmax(high[k], points[i + k]);
    }
  for (int k = 0; k < 3; ++k)
    sum += (high[k] - low[k]) * (high[k] - low[k]);
  return std::sqrt(sum);
}

fricp_pose centroid_start(const Cloud &source, const Cloud &target) {
  fricp_pose pose = identity();
  for (int side = 0; side < 2; ++side) {
    const std::vector<double> &points = side ? target.points : source.points;
    double sum[3] = {0.0, 0.0, 0.0}, n = 0.0;
    for (size_t i = 0; i + 2 < points.size(); i += 3)
      if (finite_point(&points[i])) {
        ++n;
        for (size_t k = 0; k < 3; ++k)
          sum[k] += points[i + k];
      }
    for (int k = 0; k < 3; ++k)
      pose.translation[k] += (side ? sum[k] : -sum[k]) / n;
  }
  return pose;
}

std::vector<double> moved(const fricp_pose &pose, const std::vector<double> &points) {
  std::vector<double> out(points.size());
  for (size_t i = 0; i + 2 < points.size(); i += 3)
    verify_apply(&pose, &points[i], &out[i]);
  return out;
}

Error judge(const Pair &pair, const fricp_pose &pose) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Error best{nan, nan, false};
  for (const fricp_pose &truth : pair.truths) {
    const double rmse = verify_rmse(&pose, &truth, pair.source.points.data(), pair.source.size());
    if (!(best.rmse <= rmse))
      best = {verify_angle_degrees(&pose, &truth), rmse, rmse <= pair.pass_rmse};
  }
  return best;
}

namespace {

scene_spec spec_of(scene_kind kind, size_t points, unsigned seed) {
  scene_spec spec{};
  spec.kind = kind;
  spec.source_count = points;
  spec.seed = seed;
  spec.overlap = 0.75;
  spec.noise = 0.001;
  spec.angle = 10.0;
  spec.shift[0] = 0.02;
  return spec;
}

Pair pair_of(const scene_spec &spec, const std::string &name) {
  const size_t points = spec.source_count;
  scene s;
  if (const char *problem = scene_make(&spec, &s))
    throw std::runtime_error(std::string("generated scene: ") + problem);
  Pair pair;
  pair.name = name + std::to_string(points);
  pair.source.points.assign(s.source, s.source + 3 * s.source_count);
  pair.source.normals.assign(s.source_normals, s.source_normals + 3 * s.source_count);
  pair.target.points.assign(s.target, s.target + 3 * s.target_count);
  pair.target.normals.assign(s.target_normals, s.target_normals + 3 * s.target_count);
  pair.start = identity();
  pair.truths = {s.target_from_source};
  pair.diameter = s.diameter;
  // Three times the noise, or about the spacing of so many points on half of such a surface, whichever is larger.
  pair.pass_rmse = s.diameter * std::fmax(0.003, 0.5 / std::sqrt(static_cast<double>(points)));
  scene_free(&s);
  return pair;
}

} // namespace

Pair generated_pair(size_t points, unsigned seed) {
  return pair_of(spec_of(SCENE_BLOB, points, seed), "generated-");
}

Pair lidar_pair(size_t points, unsigned seed) {
  scene_spec spec = spec_of(SCENE_LIDAR, points, seed);
  spec.rings = 64;
  return pair_of(spec, "lidar-");
}

Pair load_pair(const std::string &folder, bool centroid) {
  const std::filesystem::path at(folder);
  Pair pair;
  pair.name = (at.has_filename() ? at : at.parent_path()).filename().string();
  pair.source = load_cloud((at / "source.ply").string());
  pair.target = load_cloud((at / "target.ply").string());
  pair.start = centroid ? centroid_start(pair.source, pair.target) : identity();
  fricp_pose pose;
  if (!centroid && text_read_pose((at / "init.txt").string().c_str(), &pose) == nullptr)
    pair.start = pose;
  for (const char *name : {"gt.txt", "gt_refined.txt", "truth.txt"})
    if (text_read_pose((at / name).string().c_str(), &pose) == nullptr)
      pair.truths.push_back(pose);
  pair.diameter = bounding_diagonal(pair.target.points);
  pair.pass_rmse = 0.003 * pair.diameter;
  return pair;
}

Suite load_suite(const std::string &folder, const std::string &only) {
  case_row *rows;
  size_t count;
  if (const char *problem = cases_read_index(folder.c_str(), &rows, &count))
    throw std::runtime_error(folder + ": " + problem);
  Suite suite;
  suite.folder = folder;
  for (size_t i = 0; i < count; ++i)
    if (std::string(rows[i].name).find(only) != std::string::npos)
      suite.rows.push_back({rows[i].name, rows[i].kind, rows[i].graded != 0, rows[i].dimension});
  std::free(rows);
  return suite;
}

Pair load_suite_pair(const Suite &suite, size_t row) {
  case_row *rows;
  size_t count;
  if (const char *problem = cases_read_index(suite.folder.c_str(), &rows, &count))
    throw std::runtime_error(suite.folder + ": " + problem);
  Pair pair;
  std::string trouble = "not in the index";
  for (size_t i = 0; i < count; ++i) {
    case_pair loaded;
    if (suite.rows[row].name != rows[i].name)
      continue;
    const char *problem = cases_load(suite.folder.c_str(), &rows[i], &loaded);
    trouble = problem ? problem : "";
    if (problem)
      break;
    pair.name = rows[i].name;
    pair.source = take(loaded.source, rows[i].dimension);
    pair.target = take(loaded.target, rows[i].dimension);
    pair.start = loaded.start;
    pair.truths.assign(loaded.truth, loaded.truth + loaded.truths);
    pair.diameter = rows[i].diameter;
    pair.pass_rmse = rows[i].pass_rmse;
    cases_free(&loaded);
    break;
  }
  std::free(rows);
  if (!trouble.empty())
    throw std::runtime_error(suite.folder + ": " + suite.rows[row].name + ": " + trouble);
  return pair;
}

} // namespace bench
