/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/cloud.h"

#include "base/import.h"
#include "maths/median.h"

#include <math.h>
#include <string.h>

#define LEAST_EXTENT 1e-60
#define NOTHING 0x1p-400

static fricp_status check_array(const char *name, const char *field, const void *array, size_t *stride, size_t scalar,
                                int components, fricp_error *error) {
  const size_t packed = scalar * (size_t)components;
  if (*stride == 0)
    *stride = packed;
  if (array && (*stride < packed || *stride % scalar != 0))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "%s: %s stride %zu is not a multiple of %zu bytes and at least %zu", name, field, *stride, scalar,
                   packed);
  if (array && (uintptr_t)array % scalar != 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: %s are not aligned to %zu bytes", name, field, scalar);
  return FRICP_OK;
}

static fricp_status check_fields(const fricp_cloud *cloud, const char *name, fricp_error *error) {
  if (cloud->scalar_type != FRICP_SCALAR_DOUBLE && cloud->scalar_type != FRICP_SCALAR_FLOAT)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: scalar_type %d is neither double (0) nor float (1)", name,
                   (int)cloud->scalar_type);
  if (cloud->dimension != 0 && cloud->dimension != 2 && cloud->dimension != 3)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: dimension %d is neither 2 nor 3", name,
                   (int)cloud->dimension);
  if (cloud->count == 0)
    return fr_fail(error, FRICP_ERROR_EMPTY_CLOUD, "%s: the cloud is empty", name);
  if (!cloud->points)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: points is NULL but count is %zu", name, cloud->count);
  if (cloud->count > INT32_MAX || (cloud->indices && cloud->index_count > INT32_MAX))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: %zu points are more than 2^31 - 1", name, cloud->count);
  return FRICP_OK;
}

static fricp_status check_indices(const fricp_cloud *cloud, const char *name, fricp_error *error) {
  if (!cloud->indices)
    return FRICP_OK;
  if (cloud->index_count == 0)
    return fr_fail(error, FRICP_ERROR_EMPTY_CLOUD, "%s: the index list is empty", name);
  for (size_t i = 0; i < cloud->index_count; i++)
    if (cloud->indices[i] < 0 || (size_t)cloud->indices[i] >= cloud->count)
      return fr_fail(error, FRICP_ERROR_BAD_INDEX, "%s: indices[%zu] = %d is outside the cloud of %zu points", name, i,
                     (int)cloud->indices[i], cloud->count);
  return FRICP_OK;
}

static fricp_status check_weights(const fricp_cloud *cloud, const char *name, fricp_error *error) {
  if (!cloud->weights)
    return FRICP_OK;
  for (size_t i = 0; i < cloud->count; i++) {
    const double weight = fr_cloud_weight(cloud, i);
    if (!(weight >= 0) || isinf(weight))
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: weight %g of point %zu is not a number >= 0", name,
                     weight, i);
  }
  return FRICP_OK;
}

fricp_status fr_cloud_check(const fricp_cloud *cloud, const char *name, fricp_cloud *checked, fricp_error *error) {
  if (!cloud)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: the cloud is NULL", name);
  fricp_status status = fr_import(checked, sizeof *checked, FR_THROUGH(fricp_cloud, count), cloud, name, error);
  if (status == FRICP_OK)
    status = check_fields(checked, name, error);
  if (status != FRICP_OK)
    return status;
  if (checked->dimension == 0)
    checked->dimension = 3;
  const size_t scalar = checked->scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
  const int d = checked->dimension;
  if ((status = check_array(name, "points", checked->points, &checked->stride, scalar, d, error)) != FRICP_OK ||
      (status = check_array(name, "normals", checked->normals, &checked->normal_stride, scalar, d, error)) !=
          FRICP_OK ||
      (status = check_array(name, "weights", checked->weights, &checked->weight_stride, scalar, 1, error)) !=
          FRICP_OK ||
      (status = check_indices(checked, name, error)) != FRICP_OK)
    return status;
  return check_weights(checked, name, error);
}

size_t fr_cloud_selected(const fricp_cloud *cloud) {
  return cloud->indices ? cloud->index_count : cloud->count;
}

static void read_scalars(const fricp_cloud *cloud, const void *array, size_t stride, size_t index, int n, double *out) {
  const unsigned char *at = (const unsigned char *)array + index * stride;
  if (cloud->scalar_type == FRICP_SCALAR_FLOAT) {
    float v[3];
    memcpy(v, at, (size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
      out[i] = (double)v[i];
  } else {
    memcpy(out, at, (size_t)n * sizeof *out);
  }
}

int fr_cloud_normal(const fricp_cloud *cloud, size_t index, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  if (!cloud->normals)
    return 0;
  double n[3] = {0, 0, 0};
  read_scalars(cloud, cloud->normals, cloud->normal_stride, index, cloud->dimension, n);
  const double scale = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
  if (!(scale > 0) || !isfinite(n[0] + n[1] + n[2]))
    return 0;
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += (n[i] / scale) * (n[i] / scale);
  for (int i = 0; i < 3; i++)
    out[i] = n[i] / scale / sqrt(sum);
  return 1;
}

double fr_cloud_weight(const fricp_cloud *cloud, size_t index) {
  if (!cloud->weights)
    return 1;
  double weight = 0;
  read_scalars(cloud, cloud->weights, cloud->weight_stride, index, 1, &weight);
  return weight;
}

size_t fr_cloud_finite(const fricp_cloud *cloud, int32_t *index, fr_interrupt *interrupt) {
  const size_t selected = fr_cloud_selected(cloud);
  size_t finite = 0;
  for (size_t i = 0; i < selected && !fr_interrupt_each(interrupt, i); i++) {
    const size_t at = fr_cloud_index(cloud, i);
    double p[3];
    if (!fr_cloud_point(cloud, at, p))
      continue;
    if (index)
      index[finite] = (int32_t)at;
    finite++;
  }
  return finite;
}

static double distance(const double p[3], const double center[3]) {
  const double x = p[0] - center[0];
  const double y = p[1] - center[1];
  const double z = p[2] - center[2];
  return sqrt(x * x + y * y + z * z);
}

/* Of a heap with a few points beside it; hypot, since nothing is known of the scale. */
static double largest_distance(const fricp_cloud *cloud, const int32_t *index, size_t n, const double center[3]) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double p[3];
    (void)fr_cloud_point(cloud, (size_t)index[i], p);
    largest = fmax(largest, hypot(hypot(p[0] - center[0], p[1] - center[1]), p[2] - center[2]));
  }
  return largest;
}

/* As long as nothing interrupts. */
static void measure_frame(const fricp_cloud *cloud, const int32_t *index, size_t n, double *scratch, fr_frame *frame,
                          fr_interrupt *interrupt) {
  double p[3];
  for (size_t i = 0; i < n && !fr_interrupt_each(interrupt, i); i++) {
    (void)fr_cloud_point(cloud, (size_t)index[i], p);
    for (size_t a = 0; a < 3; a++)
      scratch[a * n + i] = p[a];
  }
  for (size_t a = 0; a < 3 && fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE; a++)
    frame->center[a] = fr_median(scratch + a * n, n);
  for (size_t i = 0; i < n && !fr_interrupt_each(interrupt, i); i++) {
    (void)fr_cloud_point(cloud, (size_t)index[i], p);
    scratch[i] = distance(p, frame->center);
  }
  if (fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE)
    frame->extent = 4 * fr_median(scratch, n);
  if (fr_interrupt_reason(interrupt) == FRICP_STOP_NONE && !(frame->extent > 0))
    frame->extent = 2 * largest_distance(cloud, index, n, frame->center);
}

fricp_status fr_cloud_frame(const fricp_cloud *cloud, const int32_t *index, size_t n, size_t needed, double *scratch,
                            const char *name, fr_frame *frame, fr_interrupt *interrupt, fricp_error *error) {
  if (n > 0)
    measure_frame(cloud, index, n, scratch, frame, interrupt);
  if (fr_interrupt_reason(interrupt) != FRICP_STOP_NONE)
    return fr_interrupted(interrupt, "while points were read", error);
  if (n == 0)
    return fr_fail(error, FRICP_ERROR_EMPTY_CLOUD, "%s: none of the %zu points is finite", name,
                   fr_cloud_selected(cloud));
  if (n < needed || !(frame->extent > 0))
    return fr_fail(error, FRICP_ERROR_TOO_FEW_POINTS,
                   "%s: %zu finite points%s do not determine a pose in %d-D; it needs %zu at different places", name, n,
                   frame->extent > 0 ? "" : ", all at the same place,", (int)cloud->dimension, needed);
  if (frame->extent < LEAST_EXTENT)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "%s: its points lie within %.3g of each other, too small a scale to work with; multiply both clouds",
                   name, frame->extent);
  return FRICP_OK;
}

void fr_frame_normalize(const fr_frame *frame, const double p[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    const double x = (p[a] - frame->center[a]) / frame->extent;
    out[a] = fabs(x) < NOTHING ? 0 : x;
  }
}
