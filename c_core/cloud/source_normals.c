/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/source_normals.h"

#include "cloud/neighborhood.h"

#include <string.h>

/* Room for as many as there are points, all zero. @return 0, -1: out of memory. */
static int reserve(fr_source *source, const fr_memory *memory) {
  const size_t room = source->count + FR_GROUP - 1;
  double *all = fr_buffer_reserve(memory, &source->normals, 3 * room, sizeof *all);
  if (!all)
    return -1;
  memset(all, 0, 3 * room * sizeof *all);
  for (int a = 0; a < 3; a++)
    source->normal[a] = all + (size_t)a * room;
  return 0;
}

long fr_source_read_normals(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud,
                            fr_interrupt *interrupt) {
  long missing = 0;
  if (reserve(source, memory) != 0)
    return -1;
  for (size_t i = 0; i < source->count && !fr_interrupt_each(interrupt, i); i++) {
    double n[3] = {0, 0, 0};
    missing += !fr_cloud_normal(cloud, (size_t)source->index[i], n);
    for (int a = 0; a < 3; a++)
      source->normal[a][i] = n[a];
  }
  return missing;
}

static void read_place(const fr_source *source, size_t at, float n[3]) {
  for (int a = 0; a < 3; a++)
    n[a] = (float)source->normal[a][at];
}

static void give_to_place(fr_source *source, size_t first, const float n[3]) {
  size_t rank = fr_source_rank(source, first);
  do {
    const size_t at = fr_source_position(source, rank);
    if (source->normal[0][at] == 0 && source->normal[1][at] == 0 && source->normal[2][at] == 0)
      for (int a = 0; a < 3; a++)
        source->normal[a][at] = (double)n[a];
  } while (++rank < source->count && fr_source_is_repeated(source, rank));
}

static void give_to_places(fr_source *source, const fr_source_index *index, const float (*normals)[3],
                           fr_interrupt *interrupt) {
  for (size_t i = 0; i < index->nn.count && !fr_interrupt_each(interrupt, i); i++)
    give_to_place(source, (size_t)index->index[i], normals[i]);
}

int fr_source_take_normals(fr_source *source, const fr_memory *memory, const fr_source_index *index,
                           const float (*normals)[3]) {
  if (reserve(source, memory) != 0)
    return -1;
  give_to_places(source, index, normals, NULL);
  return 0;
}

fricp_status fr_source_estimate_normals(fr_source *source, fr_source_index *index, int dimension,
                                        fr_interrupt *interrupt, int threads, fricp_error *error) {
  const fr_normal_fit fit = {dimension, dimension == 2 ? FR_NORMAL_NEIGHBORS_2D : FR_NORMAL_NEIGHBORS, FR_THIN,
                             "while the source's normals were estimated"};
  const size_t places = index->nn.count;
  float(*n)[3] = fr_allocate(index->nn.memory, places, sizeof *n);
  if (!n)
    return fr_out_of_memory(error, "the normals of the source", places);
  for (size_t i = 0; i < places; i++)
    read_place(source, (size_t)index->index[i], n[i]);
  index->nn.interrupt = interrupt;
  const fricp_status status = fr_estimate_normals(&index->nn, &fit, n, threads, error);
  index->nn.interrupt = NULL;
  if (status == FRICP_OK)
    give_to_places(source, index, (const float(*)[3])n, interrupt);
  fr_release(index->nn.memory, n);
  return status;
}
