/* SPDX-License-Identifier: BSD-3-Clause */
/* The prepared target as an object, and what can be asked of it; of its neighbours: query.c. */
#include "cloud/target.h"

#include "api/attention.h"
#include "api/options.h"
#include "base/clock.h"
#include "base/import.h"
#include "cloud/neighborhood.h"

#include <math.h>
#include <string.h>

typedef fricp_status (*preparation)(fricp_target *target, const fricp_cloud *cloud, const fricp_target_options *options,
                                    fricp_error *error);

/* As long as nothing interrupts. */
static fricp_status prepare(preparation how, fricp_target *target, const fricp_cloud *cloud,
                            const fricp_target_options *options, double started, fricp_error *error) {
  fr_attention attention;
  target->nn.interrupt = fr_attention_begin(&attention, options, started);
  const fricp_status status = how(target, cloud, options, error);
  target->nn.interrupt = NULL;
  return status;
}

/* *target is NULL. */
static fricp_status create(preparation how, fricp_target **target, const fricp_cloud *view,
                           const fricp_target_options *options, double started, fricp_error *error) {
  fr_memory memory;
  fricp_status status = fr_memory_init(&memory, options->allocator, error);
  if (status != FRICP_OK)
    return status;
  fricp_target *created = fr_allocate(&memory, 1, sizeof *created);
  if (!created)
    return fr_out_of_memory(error, "the target", view->count);
  memset(created, 0, sizeof *created);
  created->memory = memory;
  status = prepare(how, created, view, options, started, error);
  if (status != FRICP_OK)
    fricp_target_destroy(created);
  else
    *target = created;
  return status;
}

fricp_status fricp_target_create(fricp_target **target, const fricp_cloud *cloud, const fricp_target_options *options,
                                 fricp_error *error) {
  const double started = fr_seconds();
  fr_clear(error);
  if (!target)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "fricp_target_create: target is NULL");
  *target = NULL;
  fricp_target_options used;
  fricp_cloud view;
  fricp_status status = fr_target_options_check(options, &used, error);
  if (status == FRICP_OK)
    status = fr_cloud_check(cloud, "target", &view, error);
  return status == FRICP_OK ? create(fr_target_prepare, target, &view, &used, started, error) : status;
}

void fricp_target_destroy(fricp_target *target) {
  if (!target)
    return;
  fr_target_release(target);
  const fr_memory memory = target->memory;
  fr_release(&memory, target);
}

fricp_status fricp_target_get_info(const fricp_target *target, fricp_target_info *info) {
  if (!target || !info || fr_struct_check(info, sizeof info->struct_size, "info", NULL) != FRICP_OK)
    return FRICP_ERROR_INVALID_ARGUMENT;
  fricp_target_info filled = FRICP_TARGET_INFO_INIT;
  const size_t per_point =
      sizeof *target->points + sizeof *target->index + (target->normals ? sizeof *target->normals : 0);
  filled.points = target->count + target->duplicates.count;
  filled.skipped = target->skipped;
  filled.normals = target->normal_count;
  filled.bytes = sizeof *target + target->count * per_point + target->nn.bytes +
                 target->duplicates.count * sizeof *target->duplicates.pair;
  filled.spacing = target->spacing * target->extent;
  filled.plane_spacing = target->plane_spacing * target->extent;
  filled.noise = target->noise.deviation * target->extent;
  filled.extent = target->extent;
  filled.dimension = target->dimension;
  filled.reserved = 0;
  fr_export(info, &filled, sizeof filled);
  return FRICP_OK;
}

fricp_status fricp_target_get_normals(const fricp_target *target, double *normals, size_t count) {
  if (!target || !normals || count != target->cloud_count)
    return FRICP_ERROR_INVALID_ARGUMENT;
  if (!target->normals)
    return FRICP_ERROR_NO_NORMALS;
  for (size_t i = 0; i < 3 * count; i++)
    normals[i] = NAN;
  for (size_t i = 0; i < target->count; i++) {
    const float *n = target->normals[i];
    if (fr_has_normal(n))
      for (size_t a = 0; a < 3; a++)
        normals[3 * (size_t)target->index[i] + a] = (double)n[a];
  }
  for (size_t i = 0; i < target->duplicates.count; i++) {
    const struct fr_duplicate *d = &target->duplicates.pair[i];
    memcpy(normals + 3 * (size_t)d->index, normals + 3 * (size_t)target->index[d->kept], 3 * sizeof *normals);
  }
  return FRICP_OK;
}

static void turn_towards(const double viewpoint[3], const fricp_cloud *cloud, double *normals) {
  for (size_t i = 0; i < cloud->count; i++) {
    double p[3];
    double *n = normals + 3 * i;
    (void)fr_cloud_point(cloud, i, p);
    if (n[0] * (viewpoint[0] - p[0]) + n[1] * (viewpoint[1] - p[1]) + n[2] * (viewpoint[2] - p[2]) < 0)
      for (int a = 0; a < 3; a++)
        n[a] = -n[a];
  }
}

fricp_status fricp_estimate_normals(const fricp_cloud *cloud, const fricp_target_options *options,
                                    const double *viewpoint, double *normals, fricp_error *error) {
  const double started = fr_seconds();
  fr_clear(error);
  if (!normals)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "fricp_estimate_normals: normals is NULL");
  fricp_target_options used;
  fricp_cloud bare;
  fricp_status status = fr_target_options_check(options, &used, error);
  if (status == FRICP_OK)
    status = fr_cloud_check(cloud, "cloud", &bare, error);
  if (status != FRICP_OK)
    return status;
  bare.normals = NULL;
  used.given_normals_only = 0;
  fricp_target *target = NULL;
  status = create(fr_target_find_normals, &target, &bare, &used, started, error);
  if (status != FRICP_OK)
    return status;
  status = fricp_target_get_normals(target, normals, bare.count);
  fricp_target_destroy(target);
  if (status == FRICP_OK && viewpoint)
    turn_towards(viewpoint, &bare, normals);
  return status;
}
