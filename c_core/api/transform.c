/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving points and normals by a pose. */
#include "base/memory.h"
#include "cloud/cloud.h"

#include <limits.h>
#include <string.h>

/* Where coordinates are read and written, and how. */
typedef struct move {
  const fricp_pose *pose;
  const fricp_cloud *cloud;
  void *points, *normals;
} move;

static size_t vector_bytes(const fricp_cloud *cloud) {
  const size_t scalar = cloud->scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
  return scalar * (size_t)cloud->dimension;
}

static void move_vector(const move *m, const void *from, void *to, size_t stride, size_t index, int translate) {
  double v[3] = {0, 0, 0};
  float f[3];
  const int d = m->cloud->dimension;
  const unsigned char *in = (const unsigned char *)from + index * stride;
  unsigned char *out = (unsigned char *)to + index * stride;
  const int is_float = m->cloud->scalar_type == FRICP_SCALAR_FLOAT;
  memcpy(is_float ? (void *)f : (void *)v, in, vector_bytes(m->cloud));
  for (int a = 0; a < d && is_float; a++)
    v[a] = (double)f[a];
  double moved[3];
  for (int a = 0; a < 3; a++)
    moved[a] = m->pose->rotation[a][0] * v[0] + m->pose->rotation[a][1] * v[1] + m->pose->rotation[a][2] * v[2] +
               (translate ? m->pose->translation[a] : 0);
  for (int a = 0; a < d && is_float; a++)
    f[a] = (float)moved[a];
  memcpy(out, is_float ? (void *)f : (void *)moved, vector_bytes(m->cloud));
}

static void copy_vector(const move *m, const void *from, void *to, size_t stride, size_t index) {
  memmove((unsigned char *)to + index * stride, (const unsigned char *)from + index * stride, vector_bytes(m->cloud));
}

static void move_point(const move *m, size_t index) {
  const fricp_cloud *cloud = m->cloud;
  const int has_normal = cloud->normals && m->normals;
  double p[3];
  if (fr_cloud_point(cloud, index, p)) {
    move_vector(m, cloud->points, m->points, cloud->stride, index, 1);
    if (has_normal)
      move_vector(m, cloud->normals, m->normals, cloud->normal_stride, index, 0);
    return;
  }
  copy_vector(m, cloud->points, m->points, cloud->stride, index);
  if (has_normal)
    copy_vector(m, cloud->normals, m->normals, cloud->normal_stride, index);
}

static int is_increasing(const fricp_cloud *cloud) {
  for (size_t i = 1; i < cloud->index_count; i++)
    if (cloud->indices[i] <= cloud->indices[i - 1])
      return 0;
  return 1;
}

/* A point that is written where it is read must not be met again: one bit a point remembers which were moved. */
static fricp_status move_each_once(const move *m) {
  fr_memory memory;
  (void)fr_memory_init(&memory, NULL, NULL);
  const size_t bytes = m->cloud->count / CHAR_BIT + 1;
  unsigned char *moved = fr_allocate(&memory, bytes, 1);
  if (!moved)
    return FRICP_ERROR_OUT_OF_MEMORY;
  memset(moved, 0, bytes);
  for (size_t i = 0; i < m->cloud->index_count; i++) {
    const size_t index = (size_t)m->cloud->indices[i];
    const unsigned bit = 1u << index % CHAR_BIT;
    if (!(moved[index / CHAR_BIT] & bit))
      move_point(m, index);
    moved[index / CHAR_BIT] |= (unsigned char)bit;
  }
  fr_release(&memory, moved);
  return FRICP_OK;
}

fricp_status fricp_transform(const fricp_pose *pose, const fricp_cloud *cloud, void *points, void *normals) {
  fricp_cloud view;
  if (!pose || !points)
    return FRICP_ERROR_INVALID_ARGUMENT;
  const fricp_status status = fr_cloud_check(cloud, "cloud", &view, NULL);
  if (status != FRICP_OK)
    return status;
  const move m = {pose, &view, points, normals};
  const int in_place = points == view.points || (normals && normals == view.normals);
  if (in_place && view.indices && !is_increasing(&view))
    return move_each_once(&m);
  const size_t selected = fr_cloud_selected(&view);
  for (size_t i = 0; i < selected; i++)
    move_point(&m, fr_cloud_index(&view, i));
  return FRICP_OK;
}
