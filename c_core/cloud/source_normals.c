/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/source_normals.h"

#include "cloud/neighborhood.h"

long fr_source_read_normals(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud) {
  const size_t room = source->count + FR_GROUP - 1;
  double *all = fr_buffer_reserve(memory, &source->normals, 3 * room, sizeof *all);
  long missing = 0;
  if (!all)
    return -1;
  for (int a = 0; a < 3; a++)
    source->normal[a] = all + (size_t)a * room;
  for (size_t i = 0; i < room; i++) {
    double n[3] = {0, 0, 0};
    if (i < source->count)
      missing += !fr_cloud_normal(cloud, (size_t)source->index[i], n);
    for (int a = 0; a < 3; a++)
      source->normal[a][i] = n[a];
  }
  return missing;
}

fricp_status fr_source_estimate_normals(fr_source *source, const fr_source_index *index, const fr_memory *memory,
                                        int dimension, int neighbors, int threads, fricp_error *error) {
  float(*n)[3] = fr_allocate(memory, source->count, sizeof *n);
  if (!n)
    return fr_out_of_memory(error, "the normals of the source", source->count);
  for (size_t i = 0; i < source->count; i++)
    for (int a = 0; a < 3; a++)
      n[i][a] = (float)source->normal[a][index->index[i]];
  const fricp_status status = fr_estimate_normals(&index->nn, dimension, neighbors, n, threads, error);
  for (size_t i = 0; status == FRICP_OK && i < source->count; i++)
    for (int a = 0; a < 3; a++)
      source->normal[a][index->index[i]] = (double)n[i][a];
  fr_release(memory, n);
  return status;
}
