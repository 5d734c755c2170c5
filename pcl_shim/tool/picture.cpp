// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace fricp::tool {

namespace {

double distance_to(const fricp_target *target, const Point &point) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::int32_t index = 0;
  double squared = 0;
  const int found = fricp_target_nearest(target, point.data(), 1, infinity, &index, &squared);
  return found == 1 ? std::sqrt(squared) : infinity;
}

Nearness nearness_of(std::vector<double> &distances, double spacing) {
  if (distances.empty())
    return {};
  const auto within = std::count_if(distances.begin(), distances.end(), [&](double d) { return d <= spacing; });
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return {static_cast<double>(within) / static_cast<double>(distances.size()), *middle};
}

} // namespace

double DistanceScale::at(double level) const {
  return spacing / 10 * std::pow(10, decades * level);
}

Colour DistanceScale::colour_at(double level) {
  static const std::array<Colour, 5> stops = {Colour(40, 60, 200), Colour(30, 180, 220), Colour(60, 200, 80),
                                              Colour(250, 220, 40), Colour(230, 30, 30)};
  const double place = std::clamp(level, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double share = place - static_cast<double>(below);
  return (1 - share) * stops[below] + share * stops[below + 1];
}

Colour DistanceScale::colour_of(double distance) const {
  const double least = at(0);
  return colour_at(std::log10(std::max(distance, least) / least) / decades);
}

Picture::Picture(const Point &centre) : centre_(centre) {
  for (const char *const name : {"x", "y", "z", "rgb"})
    append_field(cloud_, name, pcl::PCLPointField::FLOAT32);
}

void Picture::add(const Point &point, const Colour &colour) {
  const Eigen::Vector3f place = (point - centre_).cast<float>();
  const auto rgb = colour.array().round().cast<std::uint32_t>().eval();
  const std::uint32_t packed = rgb[0] << 16U | rgb[1] << 8U | rgb[2];
  std::uint8_t bytes[16];
  std::memcpy(bytes, place.data(), 12);
  std::memcpy(bytes + 12, &packed, sizeof packed);
  cloud_.data.data.insert(cloud_.data.data.end(), bytes, bytes + sizeof bytes);
}

const Cloud &Picture::finish() {
  allocate(cloud_, cloud_.data.data.size() / cloud_.data.point_step, 1);
  return cloud_;
}

void Picture::write(const std::string &path) {
  OutputFile file(path);
  write_pcd(file, finish());
  file.close();
  file.commit();
}

Point centre_for(const Bounds &bounds) {
  const bool far = bounds.centroid.stableNorm() > 1000 * bounds.extent();
  return far ? bounds.centroid : Point(Point::Zero());
}

Picture plain_picture(const Cloud &cloud, const Motion &pose, const Colour &colour, const Point &centre) {
  Picture picture(centre);
  for_each_finite(cloud, [&](const Point &point) { picture.add(pose * point, colour); });
  return picture;
}

Picture distance_picture(const Cloud &source, const Motion &pose, const fricp_target *target, const Point &centre,
                         Nearness &nearness) {
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target_get_info(target, &info);
  const DistanceScale scale = {info.spacing};
  Picture picture(centre);
  std::vector<double> distances;
  for_each_finite(source, [&](const Point &point) {
    const Point place = pose * point;
    distances.push_back(distance_to(target, place));
    picture.add(place, scale.colour_of(distances.back()));
  });
  nearness = nearness_of(distances, info.spacing);
  return picture;
}

std::string for_shell(const std::string &path) {
  if (const std::string shown = printable(path); shown != path)
    return "$'" + shown + "'"; // what bash makes of \\xNN; a name with a quote besides is beyond help
  std::string text;
  for (const char c : path)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return path.find_first_of(" '\"\\$`*?[]()<>|&;!#~{}\t\n") == std::string::npos ? path : "'" + text + "'";
}

} // namespace fricp::tool
