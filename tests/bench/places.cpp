// SPDX-License-Identifier: BSD-3-Clause
// Generated places, scanned from two poses by a spinning lidar or a depth camera, with method auto: how many answers are
// right, and whether it knows. Scans of two different places of a kind have no right answer. Or one scan in a map that is
// fused of scans of several places. Metres and degrees.
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "jobs.hpp"
#include "prng.h"
#include "runs.hpp"
#include "verify.h"

namespace bench {
namespace {

using Vector = std::array<double, 3>;

/// Round: the walls of the upright cylinder in it.
struct Box {
  Vector low, high;
  bool round = false;
};

/// Ground, and what stands on it around two sensors.
struct World {
  const fricp_pose *sensors;
  prng random;
  std::vector<Box> things = {{{-200, -200, -1}, {200, 200, 0}}};

  double draw(double low, double high) {
    return prng_range(&random, low, high);
  }
  /// Unless it comes within half a metre of a sensor.
  void add(const Box &thing) {
    bool clear[2] = {false, false};
    for (size_t i = 0; i < 6; ++i) {
      const double x = sensors[i / 3].translation[i % 3];
      clear[i / 3] = clear[i / 3] || x < thing.low[i % 3] - 0.5 || x > thing.high[i % 3] + 0.5;
    }
    if (clear[0] && clear[1])
      things.push_back(thing);
  }
  /// So many, each with its low corner in `corner` and its size from size.low to size.high; round ones as wide as long.
  void scatter(int count, const Box &corner, const Box &size) {
    for (int i = 0; i < count; ++i) {
      Box thing{{}, {}, size.round};
      for (size_t k = 0; k < 3; ++k) {
        thing.low[k] = draw(corner.low[k], corner.high[k]);
        thing.high[k] = thing.low[k] + draw(size.low[k], size.high[k]);
      }
      if (size.round)
        thing.high[1] = thing.low[1] + thing.high[0] - thing.low[0];
      add(thing);
    }
  }
};

/// On both sides a row of houses, some with gaps between, parked cars and lamp posts.
void build_street(World &world) {
  for (const double side : {1.0, -1.0}) {
    for (double x = world.draw(-78, -70); x < 70; x += world.draw(0, 1) < 0.4 ? world.draw(2, 8) : 0) {
      const double width = world.draw(6, 16), middle = side * world.draw(16.5, 19.5), height = world.draw(5, 15);
      world.add({{x, middle - 8.5, 0}, {x + width, middle + 8.5, height}});
      x += width;
    }
    const double car = side * 5.9 - 0.9, post = side * 7 - 0.12;
    world.scatter(4, {{-50, car, 0.2}, {50, car, 0.2}}, {{4.2, 1.8, 1.3}, {4.2, 1.8, 1.3}});
    world.scatter(5, {{-50, post, 0}, {50, post, 0}}, {{0.24, 0.24, 6}, {0.24, 0.24, 6}, true});
  }
}

void build_forest(World &world) {
  world.scatter(60, {{-35, -35, 0}, {35, 35, 0}}, {{0.2, 0.2, 8}, {0.6, 0.6, 8}, true});
}

/// Walls, floor and ceiling are one box around the sensors, as in a corridor.
void build_room(World &world) {
  const double x = world.draw(2.5, 4.5), y = world.draw(2, 3);
  world.things = {{{-x, -y, 0}, {x, y, 2.6}}};
  world.scatter(6, {{0.3 - x, 0.3 - y, 0}, {x - 1.5, y - 1.5, 0}}, {{0.3, 0.3, 0.4}, {1.2, 1.2, 2}});
}

/// Doors stand out from both walls, cupboards are along one.
void build_corridor(World &world) {
  world.things = {{{-40, -1, 0}, {40, 1.4, 2.6}}};
  for (double x = world.draw(-38, -35); x < 38; x += world.draw(1.5, 5)) {
    const double wall = world.draw(0, 1) < 0.5 ? 1.3 : -1;
    world.add({{x, wall, 0}, {x + 0.9, wall + 0.1, 2.1}});
  }
  world.scatter(6, {{-30, -1, 0}, {30, -1, 0}}, {{0.4, 0.4, 0.5}, {1, 0.4, 1.8}});
}

/// Buildings on two sides.
void build_yard(World &world) {
  world.scatter(4, {{-50, 9, 0}, {50, 35, 0}}, {{5, 4, 3}, {15, 9, 12}});
  world.scatter(4, {{-50, -35, 0}, {50, -9, 0}}, {{5, 4, 3}, {15, 9, 12}});
}

void build_table(World &world) {
  world.things = {{{-2, -2, -0.1}, {2, 2, 0}}};
  world.scatter(8, {{-0.5, -0.5, 0}, {0.5, 0.5, 0}}, {{0.05, 0.05, 0.03}, {0.2, 0.2, 0.3}});
}

enum Step : size_t { NEAR, MIDDLE, FAR, DIFFERENT, STEPS };
const char *const step_names[STEPS] = {"near", "middle", "far", "different"};

struct Kind {
  const char *name;
  void (*build)(World &);
  bool camera;               // else a lidar
  double step[STEPS];        // times 0.7 to 1.1: how far the lidar moves, the camera turns
  double height, top, reach; // of the sensor; elevation of the highest ring; nothing is seen beyond
};
const Kind kinds[] = {{"street", build_street, false, {1.5, 3, 6, 0}, 1.8, 12, 80},
                      {"forest", build_forest, false, {1.5, 3, 6, 0}, 1.8, 12, 60},
                      {"room", build_room, false, {0.5, 1, 1.5, 0}, 1.5, 23, 80},
                      {"corridor", build_corridor, false, {1.5, 3, 6, 0}, 1.3, 23, 80},
                      {"yard", build_yard, false, {1.5, 3, 6, 0}, 1.8, 12, 80},
                      {"table", build_table, true, {6, 12, 20, 0}, 0.6, 0, 5}};

/// To where a ray meets a thing, infinite if it does not.
double range_to(const Box &thing, const double from[3], const double ray[3]) {
  const Vector &low = thing.low, &high = thing.high;
  double enter = -INFINITY, leave = INFINITY;
  for (size_t k = 0; k < 3; ++k) {
    const double a = (low[k] - from[k]) / ray[k], b = (high[k] - from[k]) / ray[k];
    enter = std::fmax(enter, std::fmin(a, b));
    leave = std::fmin(leave, std::fmax(a, b));
  }
  if (enter > leave || leave <= 0)
    return INFINITY;
  if (!thing.round)
    return enter > 0 ? enter : leave;
  const double x = from[0] - (low[0] + high[0]) / 2, y = from[1] - (low[1] + high[1]) / 2;
  const double radius = (high[0] - low[0]) / 2, a = ray[0] * ray[0] + ray[1] * ray[1], b = x * ray[0] + y * ray[1];
  const double range = (-b - std::sqrt(b * b - a * (x * x + y * y - radius * radius))) / a; // NaN beside the cylinder
  return range > 0 && range >= enter && range <= leave ? range : INFINITY;
}

/// world_from_sensor of a sensor that has moved or turned so far.
fricp_pose sensor_pose(const Kind &kind, int side, double moved, prng &g) {
  const double up[3] = {0, 0, 1}, across[3] = {0, 1, 0};
  if (kind.camera) { // before the things, looking down on them
    const double place[3] = {-1.2, 0, kind.height + 0.05 * side};
    const fricp_pose turn = verify_pose(up, moved, place), tilt = verify_pose(across, 26, nullptr);
    return verify_multiply(&turn, &tilt);
  }
  const double axis[3] = {0.01 * prng_normal(&g), 0.01 * prng_normal(&g), 1}, heading = prng_range(&g, -9, 9);
  const double place[3] = {moved, prng_range(&g, -0.3, 0.3), kind.height + prng_range(&g, -0.1, 0.1)};
  return verify_pose(axis, heading, place);
}

/// A camera's picture of 120 rows, or a lidar's rings.
Cloud scan(const Kind &kind, int rings, const World &world, const fricp_pose &pose, prng &g) {
  const int rows = kind.camera ? 120 : rings, columns = kind.camera ? 160 : rings == 64 ? 700 : 500;
  const double low = rings == 16 ? -15 : -25, high = rings == 16 ? std::fmax(15, kind.top) : kind.top;
  const double degree = std::acos(-1.0) / 180, focal = 165;
  Cloud cloud;
  for (int i = 0; i < rows * columns; ++i) {
    const int row = i / columns, column = i % columns;
    const double left = (79.5 - column) / focal, up = (59.5 - row) / focal, length = std::hypot(1, left, up);
    const double elevation = degree * (low + (high - low) * row / (rows - 1)), flat = std::cos(elevation);
    const double around = 360 * degree * (column + 0.37 * row) / columns;
    const Vector beam = kind.camera ? Vector{1 / length, left / length, up / length}
                                    : Vector{flat * std::cos(around), flat * std::sin(around), std::sin(elevation)};
    double ray[3], range = INFINITY;
    verify_apply(&pose, beam.data(), ray);
    for (int k = 0; k < 3; ++k)
      ray[k] -= pose.translation[k];
    for (const Box &thing : world.things)
      range = std::fmin(range, range_to(thing, pose.translation, ray));
    const bool seen = range < kind.reach && !(kind.camera && prng_uniform(&g) < 0.03);
    range += (kind.camera ? 0.002 * range * range : 0.02) * prng_normal(&g);
    for (size_t k = 0; k < 3 && (seen || kind.camera); ++k) // a picture has all its pixels
      cloud.points.push_back(seen ? range * beam[k] : NAN);
  }
  return cloud;
}

/// Lidars have 16, 32 or 64 rings in turn. Every second start is a few degrees off the truth, the others are the identity.
Pair place_pair(size_t kind_number, size_t step, size_t number) {
  const Kind &kind = kinds[kind_number];
  const uint64_t seed = 10000 * kind_number + number, stream = 10 + 10 * step;
  prng g = prng_seed(seed, stream), noise[2] = {prng_seed(seed, stream + 1), prng_seed(seed, stream + 2)};
  const double moved = kind.step[step] * prng_range(&g, 0.7, 1.1);
  const fricp_pose sensors[2] = {sensor_pose(kind, 0, 0, g), sensor_pose(kind, 1, moved, g)};
  Pair pair;
  for (size_t side = 0; side < 2; ++side) {
    World world{sensors, prng_seed(seed, step == DIFFERENT ? side : 0)};
    kind.build(world);
    (side ? pair.source : pair.target) = scan(kind, 16 << number % 3, world, sensors[side], noise[side]);
  }
  pair.start = fricp_pose_identity();
  pair.diameter = bounding_diagonal(pair.source.points);
  pair.pass_rmse = 0.003 * pair.diameter;
  if (step == DIFFERENT)
    return pair;
  const fricp_pose back = verify_inverse(&sensors[0]), truth = verify_multiply(&back, &sensors[1]);
  pair.truths = {truth};
  if (number % 2) {
    double axis[3];
    prng_direction(&g, axis);
    const double shift[3] = {0.02 * axis[1], 0.02 * axis[2], 0.02 * axis[0]};
    const fricp_pose off = verify_pose(axis, 3 + static_cast<double>(number % 7), shift);
    pair.start = verify_multiply(&truth, &off);
  }
  return pair;
}

/// How far off a start is.
struct Off {
  const char *name;
  double metres, degrees;
};
const Off offs[] = {{"0.3 m, 2 deg", 0.3, 2}, {"1 m, 5 deg", 1, 5}, {"2 m, 10 deg", 2, 10}, {"4 m, 20 deg", 4, 20},
                    {"8 m, 45 deg", 8, 45},   {"another", 0.3, 2}}; // the last: of another place
const size_t OFFS = std::size(offs);
const size_t mapped_kinds[] = {0, 1, 4}; // outdoors
const double MAPPED = 60;                // half of the way along which a place is scanned for its map
const int STRIDES = 24;                  // of those scans, along it
const double BETWEEN = 5 * MAPPED;       // the middles of two places
const double VOXEL = 0.2;                // of the map, each with one point

/// Add to the map what scans along a place see that it does not have yet.
void add_place(const Kind &kind, const World &world, double middle, prng &g, std::set<std::array<long, 3>> &voxels,
               Cloud &map) {
  for (int i = 0; i <= STRIDES; ++i) {
    fricp_pose pose = sensor_pose(kind, 0, MAPPED * (2.0 * i / STRIDES - 1), g);
    const Cloud cloud = scan(kind, 32, world, pose, g);
    pose.translation[0] += middle;
    for (size_t j = 0; j < cloud.points.size(); j += 3) {
      double p[3];
      std::array<long, 3> voxel;
      verify_apply(&pose, &cloud.points[j], p);
      for (size_t k = 0; k < 3; ++k)
        voxel[k] = std::lround(std::floor(p[k] / VOXEL));
      if (voxels.insert(voxel).second)
        map.points.insert(map.points.end(), p, p + 3);
    }
  }
}

/// A scan of 16, 32 or 64 rings in turn, in a map of so many places; from all the starts.
std::vector<Pair> map_pairs(size_t kind_number, size_t number, int places) {
  const Kind &kind = kinds[kind_number];
  const uint64_t seed = 10000 * kind_number + number;
  prng g = prng_seed(seed, 100), noise = prng_seed(seed, 101);
  const fricp_pose truth = sensor_pose(kind, 1, prng_range(&g, -0.6 * MAPPED, 0.6 * MAPPED), g);
  const fricp_pose sensors[2] = {sensor_pose(kind, 0, 0, g), truth};
  std::set<std::array<long, 3>> voxels;
  Cloud map;
  std::vector<Pair> pairs(OFFS);
  const int scanned = places / 2;
  for (int k = -1; k < places; ++k) { // -1: the other place
    World world{sensors, prng_seed(seed, 102 + static_cast<uint64_t>(k))};
    kind.build(world);
    if (k >= 0)
      add_place(kind, world, BETWEEN * (k - scanned), noise, voxels, map);
    const Cloud cloud = scan(kind, 16 << number % 3, world, truth, noise);
    for (size_t i = 0; i < OFFS; ++i)
      if (k == (i + 1 < OFFS ? scanned : -1))
        pairs[i].source = cloud;
  }
  for (size_t i = 0; i < OFFS; ++i) {
    const double up[3] = {0, 0, 1};
    double shift[3];
    prng_direction(&g, shift);
    for (size_t k = 0; k < 3; ++k)
      shift[k] *= offs[i].metres * (k == 2 ? 0.1 : 1);
    const fricp_pose off = verify_pose(up, offs[i].degrees, shift);
    pairs[i].target = map;
    pairs[i].start = verify_multiply(&truth, &off);
    pairs[i].diameter = bounding_diagonal(pairs[i].source.points);
    pairs[i].pass_rmse = 0.003 * pairs[i].diameter;
    if (i + 1 < OFFS)
      pairs[i].truths = {truth};
  }
  return pairs;
}

/// So many rows of runs, each of one kind and step.
struct Group {
  std::string kind, step;
};

} // namespace

int run_places(int argc, char **argv) {
  const Arguments a(argc, argv, {"--count", "--jobs", "--maps", "--tsv"}, {"--sensors"});
  const int count = a.integer("--count", 20), places = a.integer("--maps", 0);
  if (!a.rest().empty() || count < 1 || count > 10000)
    throw UsageError("places takes options only, and --count 1 to 10000");
  if (places < 0 || places > 20 || (places > 0 && a.has("--sensors")))
    throw UsageError("--maps takes 1 to 20, the places of a map, and no --sensors: a map has none");
  const double origin[3] = {0, 0, 0};
  Settings settings;
  settings.sensor = a.has("--sensors") ? origin : nullptr;
  print_environment();
  const size_t pairs = static_cast<size_t>(count);
  std::vector<Group> groups;
  if (places > 0)
    for (const size_t k : mapped_kinds)
      for (const Off &off : offs)
        groups.push_back({kinds[k].name, off.name});
  else
    for (const Kind &kind : kinds)
      for (const char *step : step_names)
        groups.push_back({kind.name, step});
  const SharedArray<Run> runs(groups.size() * pairs);
  if (places > 0)
    run_jobs(std::size(mapped_kinds) * pairs, job_count(a), [&](size_t i) {
      const size_t kind = i / pairs, number = i % pairs;
      const std::vector<Pair> scans = map_pairs(mapped_kinds[kind], number, places);
      for (size_t k = 0; k < OFFS; ++k)
        runs[(kind * OFFS + k) * pairs + number] = run_pair(scans[k], "auto", settings);
    });
  else
    run_jobs(groups.size() * pairs, job_count(a), [&](size_t i) {
      runs[i] = run_pair(place_pair(i / pairs / STEPS, i / pairs % STEPS, i % pairs), "auto", settings);
    });
  Table table({"kind", "step", "pairs", "right", "right, reliable", "wrong, reliable"});
  Table rows({"kind", "step", "pair", "rmse/diagonal", "verdict", "agreement_least", "status"});
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto &[kind, step] = groups[i];
    double right = 0, reliable[2] = {0, 0}; // wrong ones, right ones
    for (size_t k = 0; k < pairs; ++k) {
      const Run &run = runs[i * pairs + k];
      right += run.error.passed;
      reliable[run.error.passed] += run.result.verdict == FRICP_VERDICT_RELIABLE;
      rows.row({kind, step, std::to_string(k), format("%.3e", run.error.rmse / run.diameter),
                fricp_verdict_name(run.result.verdict), format("%.3f", run.result.agreement_least), run.status});
    }
    table.row({kind, step, std::to_string(count), format("%.0f", right), format("%.0f", reliable[1]),
               format("%.0f", reliable[0])});
    Json json("places");
    json.add("kind", kind).add("step", step).add("sensors", a.has("--sensors"));
    if (places > 0)
      json.add("maps", static_cast<double>(places));
    json.add("pairs", static_cast<double>(count)).add("right", right);
    json.add("right_reliable", reliable[1]).add("wrong_reliable", reliable[0]).print();
  }
  table.print();
  if (a.has("--tsv"))
    rows.write(a.text("--tsv", ""));
  return 0;
}

} // namespace bench
