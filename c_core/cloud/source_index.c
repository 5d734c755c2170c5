/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/source_index.h"

#include <string.h>

static void point_at(const fr_source *source, size_t at, double point[3]) {
  for (int a = 0; a < 3; a++)
    point[a] = source->x[a][at];
}

int fr_source_is_repeated(const fr_source *source, size_t rank) {
  double point[3];
  double before[3];
  if (rank == 0)
    return 0;
  point_at(source, fr_source_position(source, rank), point);
  point_at(source, fr_source_position(source, rank - 1), before);
  return point[0] == before[0] && point[1] == before[1] && point[2] == before[2];
}

/* The first point at each place. @return how many, as long as nothing interrupts. */
static size_t list_places(fr_source_index *index, const fr_source *source, int32_t *first, fr_interrupt *interrupt) {
  size_t count = 0;
  for (size_t at = 0; at < source->count && !fr_interrupt_each(interrupt, at); at++)
    if (!fr_source_is_repeated(source, fr_source_rank(source, at))) {
      point_at(source, at, index->points[count]);
      index->index[count] = (int32_t)count;
      first[count++] = (int32_t)at;
    }
  return count;
}

static fricp_status build_tree(fr_source_index *index, fr_interrupt *interrupt, int threads, fricp_error *error) {
  fr_nn *nn = &index->nn;
  nn->interrupt = interrupt;
  const fricp_status status = fr_nn_tree.build(nn, index->index, threads, error);
  nn->interrupt = NULL;
  if (status == FRICP_OK)
    nn->ops = &fr_nn_tree;
  return status;
}

fricp_status fr_source_index_build(fr_source_index *index, const fr_source *source, const fr_memory *memory,
                                   fr_interrupt *interrupt, int threads, fricp_error *error) {
  const size_t n = source->count;
  memset(index, 0, sizeof *index);
  index->points = fr_allocate(memory, n, sizeof *index->points);
  index->index = fr_allocate(memory, n, sizeof *index->index);
  int32_t *first = fr_allocate(memory, n, sizeof *first);
  if (!index->points || !index->index || !first) {
    fr_release(memory, first);
    return fr_out_of_memory(error, "the index of the source", n);
  }
  index->nn.memory = memory;
  index->nn.points = (const double(*)[3])index->points;
  index->nn.index = index->index;
  index->nn.count = list_places(index, source, first, interrupt);
  const fricp_status status = build_tree(index, interrupt, threads, error);
  for (size_t i = 0; status == FRICP_OK && i < index->nn.count; i++) {
    index->index[i] = first[index->index[i]];
    point_at(source, (size_t)index->index[i], index->points[i]);
  }
  fr_release(memory, first);
  return status;
}

void fr_source_index_release(fr_source_index *index, const fr_memory *memory) {
  if (index->nn.ops)
    index->nn.ops->destroy(&index->nn);
  fr_release(memory, index->points);
  fr_release(memory, index->index);
  memset(index, 0, sizeof *index);
}
