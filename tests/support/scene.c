/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair is drawn in the target's frame; the source is then moved by the inverse of the true pose. Each cloud draws
 * surface, noise and outliers from streams of its own, so that the choice of one never changes another. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"
#include "shape.h"
#include "verify.h"

enum { PILOT = 20000 };

static const char *const kind_names[] = {"blob", "torus", "room", "corridor", "floor", "lidar", "outline", "laser"};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

const char *scene_kind_name(int kind) {
  return kind >= 0 && kind < KINDS ? kind_names[kind] : NULL;
}

int scene_kind_from_name(const char *name, scene_kind *kind) {
  for (int i = 0; i < KINDS; ++i)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (scene_kind)i;
      return 0;
    }
  return -1;
}

fricp_cloud scene_view(const double *points, size_t count, const double *normals, int dimension) {
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = points;
  cloud.count = count;
  cloud.stride = 3 * sizeof(double); /* also in 2-D, where z is stored too */
  cloud.scalar_type = FRICP_SCALAR_DOUBLE;
  cloud.dimension = dimension;
  cloud.normals = normals;
  cloud.normal_stride = normals ? 3 * sizeof(double) : 0;
  return cloud;
}

/* Which part of a shape a cloud shows: points with a large enough value of `direction . normal` or `direction . point`.
 */
typedef struct view {
  int facing; /* 1: by the normal; 0: by the position */
  double direction[3];
  double limit;
} view;

static double view_value(const view *v, const double point[3], const double normal[3]) {
  const double *x = v->facing ? normal : point;
  return v->direction[0] * x[0] + v->direction[1] * x[1] + v->direction[2] * x[2];
}

static int sees(const view *v, const double point[3], const double normal[3]) {
  return view_value(v, point, normal) >= v->limit;
}

static double shared_part(const view views[2], const double *pilot) {
  size_t first = 0, both = 0;
  for (size_t i = 0; i < PILOT; ++i)
    if (sees(&views[0], pilot + 6 * i, pilot + 6 * i + 3)) {
      ++first;
      both += (size_t)sees(&views[1], pilot + 6 * i, pilot + 6 * i + 3);
    }
  return first ? (double)both / (double)first : 0.0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Two ends of a room: each shows the share f of it, so that 2 f - 1 of the whole is in both. */
static void cut_ends(view views[2], const double *pilot, double overlap, double *values) {
  double f = 1.0 / (2.0 - overlap);
  for (int side = 0; side < 2; ++side) {
    views[side].facing = 0;
    views[side].direction[0] = side ? -1.0 : 1.0;
    views[side].direction[1] = views[side].direction[2] = 0.0;
    for (size_t i = 0; i < PILOT; ++i)
      values[i] = view_value(&views[side], pilot + 6 * i, pilot + 6 * i + 3);
    qsort(values, PILOT, sizeof *values, by_value);
    views[side].limit = values[(size_t)((1.0 - f) * (PILOT - 1))];
  }
}

/* Two half views of a closed shape: the farther apart their directions, the less they share. */
static void cut_facing(view views[2], const double *pilot, double overlap, int dimension) {
  double low = 0.0, high = 180.0;
  static const double across[3] = {0.0, 0.6, 0.8}, up[3] = {0.0, 0.0, 1.0};
  for (int i = 0; i < 40; ++i) {
    double middle = 0.5 * (low + high), turn[3][3];
    verify_rotation(dimension == 2 ? up : across, middle, turn);
    for (int side = 0; side < 2; ++side) {
      views[side].facing = 1;
      views[side].limit = 0.0;
      for (int k = 0; k < 3; ++k)
        views[side].direction[k] = side ? turn[k][0] : (k == 0 ? 1.0 : 0.0);
    }
    if (shared_part(views, pilot) > overlap)
      low = middle;
    else
      high = middle;
  }
}

static const char *make_views(const shape *s, const scene_spec *spec, int dimension, view views[2], double *shared) {
  memset(views, 0, 2 * sizeof *views);
  views[0].limit = views[1].limit = -INFINITY;
  *shared = 1.0;
  if (spec->overlap >= 1.0)
    return NULL;
  double *pilot = malloc(PILOT * 7 * sizeof *pilot);
  if (!pilot)
    return "out of memory";
  prng g = prng_seed(spec->seed, 50);
  for (size_t i = 0; i < PILOT; ++i)
    shape_draw(s, &g, pilot + 6 * i, pilot + 6 * i + 3);
  if (s->panel_count > 0)
    cut_ends(views, pilot, spec->overlap, pilot + 6 * (size_t)PILOT);
  else
    cut_facing(views, pilot, spec->overlap, dimension);
  *shared = shared_part(views, pilot);
  free(pilot);
  return NULL;
}

/* One cloud in the target's frame. */
typedef struct output {
  size_t count;
  double *points, *normals;
  uint8_t *outlier;
} output;

static void draw_outlier(const shape *s, prng *g, double point[3], double normal[3]) {
  prng_direction(g, normal);
  for (int k = 0; k < 3; ++k) {
    double margin = 0.1 * (s->high[k] - s->low[k]);
    point[k] = prng_range(g, s->low[k] - margin, s->high[k] + margin);
  }
}

static void flatten(prng *g, double point[3], double normal[3]) {
  double angle = prng_range(g, 0.0, 6.28318530717958647693);
  normal[0] = cos(angle);
  normal[1] = sin(angle);
  normal[2] = point[2] = 0.0;
}

/* Exactly round(share n) of the n points become outliers, anywhere in the order (selection sampling). */
static void mark_outliers(const output *out, double share, prng *g) {
  size_t left = (size_t)llround(share * (double)out->count);
  for (size_t i = 0; i < out->count; ++i) {
    out->outlier[i] = prng_below(g, out->count - i) < left;
    left -= out->outlier[i];
  }
}

static const char *draw_surface(const shape *s, const scene_spec *spec, int side, const view *v, const output *out) {
  prng g = prng_seed(spec->seed, spec->same_sample ? 1 : 1 + (uint64_t)side);
  for (size_t i = 0; i < out->count; ++i) {
    int tries = 0;
    if (out->outlier[i])
      continue;
    do {
      if (++tries > 1000000)
        return "a view shows nothing of the shape: larger overlap";
      shape_draw(s, &g, out->points + 3 * i, out->normals + 3 * i);
    } while (!sees(v, out->points + 3 * i, out->normals + 3 * i));
  }
  return NULL;
}

static void add_noise(const output *out, double sigma, int dimension, prng *g) {
  if (sigma <= 0.0)
    return;
  for (size_t i = 0; i < out->count; ++i)
    for (int k = 0; k < dimension && !out->outlier[i]; ++k)
      out->points[3 * i + (size_t)k] += sigma * prng_normal(g);
}

/* A scan, moved from its sensor's frame to the target's. */
static const char *draw_scan(const shape *s, const scene_spec *spec, const scene *sc, int side, const output *out) {
  fricp_pose world = scan_pose(side ? NULL : &sc->target_from_source), target = scan_pose(NULL);
  target = verify_inverse(&target);
  const char *problem = scan_draw(s, &world, sc->dimension, spec->rings, spec->noise * sc->diameter,
                                  prng_seed(spec->seed, 1 + (uint64_t)side), out->count, out->points, out->normals);
  for (size_t i = 0; i < out->count && !problem; ++i)
    scan_move(&target, &world, out->points + 3 * i, out->normals + 3 * i);
  return problem;
}

static void add_outliers(const shape *s, int scans, int dimension, prng *g, const output *out) {
  fricp_pose target = scan_pose(NULL);
  target = verify_inverse(&target);
  for (size_t i = 0; i < out->count; ++i) {
    if (!out->outlier[i])
      continue;
    draw_outlier(s, g, out->points + 3 * i, out->normals + 3 * i);
    if (scans)
      verify_apply(&target, out->points + 3 * i, out->points + 3 * i);
    if (dimension == 2)
      flatten(g, out->points + 3 * i, out->normals + 3 * i);
  }
}

static const char *draw_cloud(const shape *s, const scene_spec *spec, const scene *sc, int side, const view *v) {
  const output out = {side ? sc->target_count : sc->source_count, side ? sc->target : sc->source,
                      side ? sc->target_normals : sc->source_normals, side ? sc->target_outlier : sc->source_outlier};
  prng outliers = prng_seed(spec->seed, 10 + (uint64_t)side), noise = prng_seed(spec->seed, 20 + (uint64_t)side);
  mark_outliers(&out, spec->outliers, &outliers);
  const char *problem =
      scan_kind(spec->kind) ? draw_scan(s, spec, sc, side, &out) : draw_surface(s, spec, side, v, &out);
  if (problem)
    return problem;
  if (!scan_kind(spec->kind))
    add_noise(&out, spec->noise * sc->diameter, sc->dimension, &noise);
  add_outliers(s, scan_kind(spec->kind), sc->dimension, &outliers, &out);
  return NULL;
}

static const char *check_spec(const scene_spec *spec) {
  if (!scene_kind_name((int)spec->kind))
    return "no such kind";
  if (!(spec->overlap > 0.0 && spec->overlap <= 1.0))
    return "overlap must be in (0, 1]";
  if (!(spec->outliers >= 0.0 && spec->outliers < 1.0))
    return "outliers must be in [0, 1)";
  if (!(spec->noise >= 0.0 && isfinite(spec->noise)))
    return "noise must be 0 or more";
  if (!isfinite(spec->angle) || !(spec->scale > 0.0 && isfinite(spec->scale)))
    return "angle must be finite and scale positive";
  if (spec->rings < 0 || spec->source_count > INT32_MAX || spec->target_count > INT32_MAX)
    return "rings must be 0 or more and counts below 2^31";
  return NULL;
}

static scene_spec with_defaults(const scene_spec *given, int dimension) {
  scene_spec spec = *given;
  if (spec.source_count == 0)
    spec.source_count = 2000;
  if (spec.target_count == 0)
    spec.target_count = spec.source_count;
  if (spec.overlap == 0.0)
    spec.overlap = 1.0;
  if (spec.scale == 0.0)
    spec.scale = 1.0;
  if (dimension == 2 || (spec.axis[0] == 0.0 && spec.axis[1] == 0.0 && spec.axis[2] == 0.0)) {
    int upright = dimension == 2 || scan_kind(spec.kind);
    spec.axis[0] = upright ? 0.0 : 0.36;
    spec.axis[1] = upright ? 0.0 : -0.48;
    spec.axis[2] = upright ? 1.0 : 0.8;
  }
  if (dimension == 2)
    spec.shift[2] = spec.offset[2] = 0.0;
  return spec;
}

static int allocate(scene *s, const scene_spec *spec) {
  s->source_count = spec->source_count;
  s->target_count = spec->target_count;
  s->source = malloc(s->source_count * 3 * sizeof(double));
  s->target = malloc(s->target_count * 3 * sizeof(double));
  s->source_normals = malloc(s->source_count * 3 * sizeof(double));
  s->target_normals = malloc(s->target_count * 3 * sizeof(double));
  s->source_outlier = malloc(s->source_count);
  s->target_outlier = malloc(s->target_count);
  return s->source && s->target && s->source_normals && s->target_normals && s->source_outlier && s->target_outlier;
}

/* The source into its own frame; then unit and origin, which change the true translation: with x' = scale x + offset,
 * x'_t = R x'_s + (scale t + offset - R offset). */
static void place(scene *s, const scene_spec *spec) {
  fricp_pose inverse = verify_inverse(&s->target_from_source), turn = inverse, moved = s->target_from_source;
  memset(turn.translation, 0, sizeof turn.translation);
  for (size_t i = 0; i < s->source_count; ++i) {
    verify_apply(&inverse, s->source + 3 * i, s->source + 3 * i);
    verify_apply(&turn, s->source_normals + 3 * i, s->source_normals + 3 * i);
  }
  for (size_t i = 0; i < 3 * s->source_count; ++i)
    s->source[i] = spec->scale * s->source[i] + spec->offset[i % 3];
  for (size_t i = 0; i < 3 * s->target_count; ++i)
    s->target[i] = spec->scale * s->target[i] + spec->offset[i % 3];
  for (int k = 0; k < 3; ++k) {
    moved.translation[k] = spec->scale * s->target_from_source.translation[k];
    for (int j = 0; j < 3; ++j) /* (I - R) offset, row by row, without first forming R offset */
      moved.translation[k] += ((k == j ? 1.0 : 0.0) - moved.rotation[k][j]) * spec->offset[j];
  }
  s->target_from_source = moved;
  s->diameter *= spec->scale;
}

static const char *fill(const scene_spec *spec, scene *s) {
  shape *sh = malloc(sizeof *sh); /* large for the stack of a small thread */
  if (!sh)
    return "out of memory";
  view views[2];
  shape_make(sh, spec->kind, spec->seed);
  double d[3] = {sh->high[0] - sh->low[0], sh->high[1] - sh->low[1], sh->high[2] - sh->low[2]};
  if (s->dimension == 2)
    d[2] = 0.0;
  s->diameter = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  verify_rotation(spec->axis, spec->angle, s->target_from_source.rotation);
  for (int k = 0; k < 3; ++k)
    s->target_from_source.translation[k] = spec->shift[k] * s->diameter;
  const char *problem = make_views(sh, spec, s->dimension, views, &s->overlap_source);
  for (int side = 0; side < 2 && !problem; ++side)
    problem = draw_cloud(sh, spec, s, side, &views[side]);
  if (!problem && scan_kind(spec->kind))
    s->overlap_source = scan_overlap(sh, s->source, s->source_outlier, s->source_count, s->dimension);
  if (!problem)
    place(s, spec);
  free(sh);
  return problem;
}

const char *scene_make(const scene_spec *given, scene *out) {
  memset(out, 0, sizeof *out);
  int dimension = given->kind == SCENE_OUTLINE || given->kind == SCENE_LASER ? 2 : 3;
  scene_spec spec = with_defaults(given, dimension);
  const char *problem = check_spec(&spec);
  if (problem)
    return problem;
  out->dimension = dimension;
  problem = allocate(out, &spec) ? fill(&spec, out) : "out of memory";
  if (problem)
    scene_free(out);
  return problem;
}

void scene_free(scene *s) {
  free(s->source);
  free(s->target);
  free(s->source_normals);
  free(s->target_normals);
  free(s->source_outlier);
  free(s->target_outlier);
  memset(s, 0, sizeof *s);
}
