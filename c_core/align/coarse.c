/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/coarse.h"

#include "align/thinned.h"
#include "cloud/neighborhood.h"
#include "cloud/source_normals.h"
#include "maths/se3.h"

#include <math.h>
#include <string.h>

#define FEW_CELLS 300  /* of the source, to look at many starts */
#define LEAST_CELLS 60 /* of either: fewer are no shape */
#define NORMAL_NEIGHBORS 16
#define NORMAL_NEIGHBORS_2D 10

static fricp_cloud view_of(const fr_cells *cells, int dimension) {
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = cells->points;
  cloud.count = cells->count;
  cloud.stride = sizeof *cells->points;
  cloud.dimension = dimension;
  return cloud;
}

static fricp_status build_target(fr_coarse *coarse, const fr_cells *cells, int dimension, int neighbors, int threads,
                                 fr_interrupt *interrupt, fricp_error *error) {
  const fricp_cloud cloud = view_of(cells, dimension);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.normal_neighbors = neighbors;
  options.threads = threads;
  coarse->target.nn.interrupt = interrupt;
  const fricp_status status = fr_target_prepare(&coarse->target, &cloud, &options, error);
  coarse->target.nn.interrupt = NULL;
  return status;
}

static fricp_status pack(fr_coarse *coarse, fr_source *source, const fricp_cloud *cloud, const fr_memory *memory,
                         fr_interrupt *interrupt, fricp_error *error) {
  const size_t count = fr_cloud_selected(cloud);
  fr_matches room;
  memset(&room, 0, sizeof room);
  if (fr_matches_reserve(&room, memory, count) != 0)
    return fr_out_of_memory(error, "the cells of the source", count);
  const fr_order order = fr_matches_room(&room, interrupt);
  const fricp_status status =
      fr_source_pack(source, memory, cloud, count, coarse->target.extent, (size_t)cloud->dimension, &order, 1, error);
  fr_matches_release(&room, memory);
  return status;
}

/* Every so many of the cells, which follow each other as the points do: evenly spread. */
static fricp_status build_few(fr_coarse *coarse, const fricp_cloud *cells, const fr_memory *memory,
                              fr_interrupt *interrupt, fricp_error *error) {
  const size_t step = (cells->count + FEW_CELLS - 1) / FEW_CELLS;
  int32_t chosen[FEW_CELLS];
  fricp_cloud part = *cells;
  part.indices = chosen;
  for (part.index_count = 0; part.index_count * step < cells->count; part.index_count++)
    chosen[part.index_count] = (int32_t)(part.index_count * step);
  const fricp_status status = pack(coarse, &coarse->few, &part, memory, interrupt, error);
  coarse->few_frames = fr_frames_of(&coarse->few, &coarse->target);
  return status;
}

static fricp_status build_source(fr_coarse *coarse, const fricp_cloud *cells, int neighbors, int threads,
                                 const fr_memory *memory, fr_interrupt *interrupt, fricp_error *error) {
  fricp_status status = pack(coarse, &coarse->source, cells, memory, interrupt, error);
  if (status == FRICP_OK)
    status = fr_source_index_build(&coarse->index, &coarse->source, memory, interrupt, threads, error);
  if (status != FRICP_OK)
    return status;
  coarse->normals = fr_allocate(memory, cells->count, sizeof *coarse->normals);
  if (!coarse->normals)
    return fr_out_of_memory(error, "the cells of the source", cells->count);
  memset(coarse->normals, 0, cells->count * sizeof *coarse->normals);
  const fr_normal_fit fit = {cells->dimension, neighbors, FR_LINE, "while the source's cells were measured"};
  status = fr_estimate_normals(&coarse->index.nn, &fit, coarse->normals, threads, error);
  if (status == FRICP_OK &&
      fr_source_take_normals(&coarse->source, memory, &coarse->index, (const float(*)[3])coarse->normals) != 0)
    return fr_out_of_memory(error, "the cells of the source", cells->count);
  return status;
}

static fricp_status build(fr_coarse *coarse, const fr_thinned *t, int dimension, const fr_memory *memory,
                          fr_interrupt *interrupt, int threads, fricp_error *error) {
  const int neighbors = dimension == 2 ? NORMAL_NEIGHBORS_2D : NORMAL_NEIGHBORS;
  if (t->cells[0].count < LEAST_CELLS || t->cells[1].count < LEAST_CELLS)
    return FRICP_OK;
  const fricp_cloud source = view_of(&t->cells[0], dimension);
  fricp_status status = build_target(coarse, &t->cells[1], dimension, neighbors, threads, interrupt, error);
  if (status == FRICP_OK)
    status = build_source(coarse, &source, neighbors, threads, memory, interrupt, error);
  if (status == FRICP_OK)
    status = build_few(coarse, &source, memory, interrupt, error);
  if (status != FRICP_OK)
    return status;
  coarse->frames = fr_frames_of(&coarse->source, &coarse->target);
  coarse->radius = t->radius / coarse->frames.extent;
  for (int a = 0; a < 3; a++)
    coarse->middle[a] = -coarse->frames.source_center[a] / coarse->frames.extent;
  coarse->spacing = coarse->target.spacing;
  coarse->width = fmax(coarse->target.plane_spacing, coarse->target.noise.roughness);
  coarse->width = fmax(coarse->width, 1e-3 * coarse->spacing); /* of flat cells */
  coarse->usable = coarse->spacing > 0 && coarse->target.normal_count > coarse->target.count / 2;
  return FRICP_OK;
}

/* In the frame of the cells, whose center and extent these are. */
static fricp_status see(fr_rays *rays, const double *sensor, const fr_sample *s, const double center[3], double extent,
                        const fr_memory *memory, fricp_error *error) {
  double p[3];
  if (!sensor)
    return FRICP_OK;
  for (int a = 0; a < 3; a++)
    p[a] = (sensor[a] - center[a]) / extent;
  if (fr_rays_begin(rays, memory, p) != 0)
    return fr_out_of_memory(error, "the rays of a sensor", s->count);
  for (size_t i = 0; i < s->count; i++) {
    for (int a = 0; a < 3; a++)
      p[a] = (s->points[i][a] - center[a]) / extent;
    if (!s->weight || s->weight[i] > 0)
      fr_rays_add(rays, p);
  }
  return FRICP_OK;
}

fricp_status fr_coarse_build(fr_coarse *coarse, const fr_source *source, const fricp_target *target,
                             const fricp_pose *start, const fr_sensors *sensors, int tidy, const fr_memory *memory,
                             fr_interrupt *interrupt, int threads, fricp_error *error) {
  fr_thinned t;
  memset(coarse, 0, sizeof *coarse);
  coarse->target.memory = *memory;
  fricp_status status = fr_thinned_make(&t, source, target, start, tidy, memory, interrupt, threads, error);
  if (status == FRICP_OK && t.usable)
    status = build(coarse, &t, target->dimension, memory, interrupt, threads, error);
  if (status == FRICP_OK && fr_interrupt_reason(interrupt) != FRICP_STOP_NONE)
    status = fr_interrupted(interrupt, "while the clouds were thinned", error);
  const double *const center[2] = {coarse->frames.source_center, coarse->frames.target_center};
  const double *const sensor[2] = {sensors->source, sensors->target};
  for (int k = 0; k < 2 && status == FRICP_OK && coarse->usable; k++)
    status = see(&coarse->rays[k], sensor[k], &t.sample[k], center[k], coarse->frames.extent, memory, error);
  fr_thinned_release(&t, memory);
  return status;
}

void fr_coarse_release(fr_coarse *coarse, const fr_memory *memory) {
  coarse->target.memory = *memory; /* of one that was never built, too */
  fr_target_release(&coarse->target);
  fr_source_release(&coarse->source, memory);
  fr_source_release(&coarse->few, memory);
  fr_source_index_release(&coarse->index, memory);
  fr_release(memory, coarse->normals);
  for (int k = 0; k < 2; k++)
    fr_rays_release(&coarse->rays[k], memory);
  memset(coarse, 0, sizeof *coarse);
}

double fr_coarse_apart(const fr_coarse *coarse, const fricp_pose *a, const fricp_pose *b) {
  double squared = 0;
  for (size_t i = 0; i < coarse->index.nn.count; i++) {
    double p[3];
    double q[3];
    fr_apply(a, coarse->index.points[i], p);
    fr_apply(b, coarse->index.points[i], q);
    squared += fr_distance2(p, q);
  }
  return sqrt(squared / (double)coarse->index.nn.count);
}
