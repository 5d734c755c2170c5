/* SPDX-License-Identifier: BSD-3-Clause */
/* Normals of a packed source, for the metrics that need them: others do not pay for them. */
#ifndef FR_SOURCE_NORMALS_H
#define FR_SOURCE_NORMALS_H

#include "cloud/source_index.h"

/* Fill source->normal from the cloud it was packed from. @return how many points have none, -1: out of memory. */
long fr_source_read_normals(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud);

/* Estimate those that are missing, from `neighbors` points of the source's index. */
fricp_status fr_source_estimate_normals(fr_source *source, const fr_source_index *index, const fr_memory *memory,
                                        int dimension, int neighbors, int threads, fricp_error *error);

#endif
