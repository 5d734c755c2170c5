/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/source_index.h"

#include <string.h>

fricp_status fr_source_index_build(fr_source_index *index, const fr_source *source, const fr_memory *memory,
                                   fr_interrupt *interrupt, int threads, fricp_error *error) {
  const size_t n = source->count;
  memset(index, 0, sizeof *index);
  index->points = fr_allocate(memory, n, sizeof *index->points);
  index->index = fr_allocate(memory, n, sizeof *index->index);
  if (!index->points || !index->index)
    return fr_out_of_memory(error, "the index of the source", n);
  for (size_t i = 0; i < n; i++) {
    index->index[i] = (int32_t)i;
    for (int a = 0; a < 3; a++)
      index->points[i][a] = source->x[a][i];
  }
  fr_nn *nn = &index->nn;
  nn->memory = memory;
  nn->points = (const double(*)[3])index->points;
  nn->index = index->index;
  nn->count = n;
  nn->interrupt = interrupt;
  const fricp_status status = fr_nn_tree.build(nn, index->index, threads, error);
  nn->interrupt = NULL;
  if (status != FRICP_OK)
    return status;
  nn->ops = &fr_nn_tree;
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++)
      index->points[i][a] = source->x[a][index->index[i]];
  return FRICP_OK;
}

void fr_source_index_release(fr_source_index *index, const fr_memory *memory) {
  if (index->nn.ops)
    index->nn.ops->destroy(&index->nn);
  fr_release(memory, index->points);
  fr_release(memory, index->index);
  memset(index, 0, sizeof *index);
}
