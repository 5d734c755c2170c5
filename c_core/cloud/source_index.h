/* SPDX-License-Identifier: BSD-3-Clause */
/* A search over the places of a packed source's points, for what asks from the target's side or for their neighbours. As in
 * a target, points at one place are one. */
#ifndef FR_SOURCE_INDEX_H
#define FR_SOURCE_INDEX_H

#include "cloud/source.h"
#include "search/nn.h"

typedef struct fr_source_index {
  fr_nn nn; /* in the source's normalised frame */
  double (*points)[3];
  int32_t *index; /* position -> the source's, of the point of the lowest index at the place */
} fr_source_index;

/* memory must outlive the index. interrupt: what may end the building, NULL: nothing. Released by
 * fr_source_index_release(), also after a failure. */
fricp_status fr_source_index_build(fr_source_index *index, const fr_source *source, const fr_memory *memory,
                                   fr_interrupt *interrupt, int threads, fricp_error *error);

void fr_source_index_release(fr_source_index *index, const fr_memory *memory);

/* Whether the point of that rank along the curve is at the place of the one before it. */
int fr_source_is_repeated(const fr_source *source, size_t rank);

#endif
