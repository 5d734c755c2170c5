/* SPDX-License-Identifier: BSD-3-Clause */
/* A search over the points of a packed source, for what asks from the target's side. */
#ifndef FR_SOURCE_INDEX_H
#define FR_SOURCE_INDEX_H

#include "cloud/source.h"
#include "search/nn.h"

typedef struct fr_source_index {
  fr_nn nn; /* in the source's normalised frame */
  double (*points)[3];
  int32_t *index; /* position -> the source's */
} fr_source_index;

/* interrupt: what may end the building, NULL: nothing. Released by fr_source_index_release(), also after a failure. */
fricp_status fr_source_index_build(fr_source_index *index, const fr_source *source, const fr_memory *memory,
                                   fr_interrupt *interrupt, int threads, fricp_error *error);

void fr_source_index_release(fr_source_index *index, const fr_memory *memory);

#endif
